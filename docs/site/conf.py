"""The site of the documentation: docs/ and the README files as Sphinx takes them from build.py."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(Path(__file__).resolve().parent))

project = "Quadrants"
author = "The Quadrants maintainers"
copyright = f"2026, {author}"
release = (ROOT / "quadrants_core/python/quadrants/_version.py").read_text().split('version_str = "')[1].split('"')[0]
extensions = ["myst_parser", "sphinx_design", "sphinx_copybutton"]
source_suffix = {".md": "markdown"}
root_doc = "index"
myst_heading_anchors = 4
myst_enable_extensions = ["attrs_inline", "colon_fence"]  # directives that contain Markdown
python_maximum_signature_line_length = 88  # longer signatures have one parameter in each line
toc_object_entries_show_parents = "hide"
smartquotes = False  # messages and code in headings are searched for as they are
html_theme = "furo"
html_title = f"Quadrants {release}"
html_static_path = ["_static"]
html_favicon = "../../share/jupyter/kernels/quadrants/logo-svg.svg"
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
pygments_style = "friendly"
pygments_dark_style = "github-dark"
highlight_language = "python"
copybutton_prompt_text = r">>> |\.\.\. |\$ "  # what is copied from a session is its input
copybutton_prompt_is_regexp = True
copybutton_selector = "div.highlight-python pre, div.highlight-pycon pre, div.highlight-sh pre, div.highlight-bash pre, div.highlight-yaml pre"
suppress_warnings = ["misc.highlighting_failure", "toc.not_included"]
