"""The site of the documentation: docs/ and the README files as Sphinx takes them from build.py."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(Path(__file__).resolve().parent))

project = "Quadrants"
author = "The Quadrants maintainers"
copyright = f"2026, {author}"
release = (ROOT / "quadrants_core/python/quadrants/_version.py").read_text().split('version_str = "')[1].split('"')[0]
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
root_doc = "index"
myst_heading_anchors = 4
myst_enable_extensions = ["attrs_inline"]
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
suppress_warnings = ["misc.highlighting_failure", "toc.not_included"]
