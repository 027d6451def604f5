"""The content of the documentation's site (docs/site). `make docs` builds it, and stops at the first warning."""

import importlib.util
import re
import sys
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs" / "site"))
spec = importlib.util.spec_from_file_location("site_build", ROOT / "docs" / "site" / "build.py")
build = importlib.util.module_from_spec(spec)
spec.loader.exec_module(build)


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site") / "source"
    build.prepare(folder, {name: nbformat.read(ROOT / "notebooks" / f"{name}.ipynb", as_version=4) for name in build.NOTEBOOKS})
    return folder


def test_every_page_is_in_the_contents(source):
    listed = set(re.findall(r"^(\w[\w/-]*)$", (source / "index.md").read_text(encoding="utf-8"), re.M))
    pages = {str(p.relative_to(source).with_suffix("")) for p in source.rglob("*.md")} - {"index"}
    assert sorted(pages - listed) == []
    assert sorted(name for name in listed if not (source / f"{name}.md").is_file()) == []


def test_every_notebook_is_a_page():
    assert {p.stem for p in (ROOT / "notebooks").glob("*.ipynb")} == set(build.NOTEBOOKS)


def test_pictures_and_files_come_along(source):
    for page in source.rglob("*.md"):
        for target in re.findall(r"\]\(([^)#\s]+)", re.sub(r"(?ms)^```.*?^```$", "", page.read_text(encoding="utf-8"))):
            assert "://" in target or (page.parent / target).is_file(), f"{page.name}: {target}"


def test_a_link_that_leads_nowhere_ends_the_build(tmp_path):
    with pytest.raises(SystemExit, match="leads nowhere"):
        build.with_links("[x](missing.md)", ROOT / "README.md", Path("index.md"), tmp_path, {})


def test_links_of_notebooks_lead_to_pages(source):
    page = (source / "notebooks/performance.md").read_text(encoding="utf-8")
    assert "](../guide/performance.md)" in page and "](../docs/" not in page


def test_formulas_are_drawn(source):
    for page in (source / "notebooks").glob("*.md"):
        told = re.sub(r"(?ms)^```.*?^```$|`[^`]*`", "", page.read_text(encoding="utf-8"))
        assert "$" not in told, page.name
    page = (source / "notebooks/debugging.md").read_text(encoding="utf-8")
    assert re.search(r'<svg class="qd-formula" role="img" aria-label="H" viewBox=[^>]*><path fill="currentColor" d="M[^"]+Z"/></svg>', page)
    assert build.with_formulas("`$a` and `b$`") == "`$a` and `b$`"
    assert '<div class="qd-formula-block"><svg' in build.with_formulas("so:\n\n$$ \\frac{a}{b} $$\n")


def test_a_page_shows_no_names_of_widgets(source):
    for page in (source / "notebooks").glob("*.md"):
        assert not re.search(r"(?m)^(HBox|\w*Slider)\(", page.read_text(encoding="utf-8")), page.name


def test_streams_of_a_cell_are_one():
    outputs = [nbformat.v4.new_output("stream", name="stdout", text=text) for text in ("a\n", "b\n")]
    page = build.notebook_page("tour", "Title", nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("f()", outputs=outputs)]))
    assert "<pre>a\nb\n</pre>" in page


def test_counts_are_next_to_the_code():
    cell = nbformat.v4.new_code_cell("%%qd_kernel\nx = 1")
    lines = [[2, 7, 0, 0, None]]
    from quadrants_jupyter.looks import digest

    cell.metadata["quadrants"] = {"coverage": {"version": 1, "digest": digest(cell.source), "lines": lines}}
    page = build.notebook_page("tour", "Title", nbformat.v4.new_notebook(cells=[cell]))
    assert re.search(r'qd-mark-count[^>]*>\s*7<', page)


def test_pages_have_a_description(source):
    page = (source / "guide/install.md").read_text(encoding="utf-8")
    assert page.startswith('---\nmyst:\n  html_meta:\n    description: "Quadrants runs on the CPU. GPU backends are planned;')
    text = "# A\n\n```\ncode of several words\n```\n\n**Bold** and [a link](x.md) with `code`, " + "word " * 60 + "\n"
    described = build.with_description(text)
    assert 'description: "Bold and a link with code, word' in described and ' ..."' in described and described.endswith(text)
    assert build.with_description("# A\n") == "# A\n"
