"""The content of the documentation's site (docs/site). `make docs` builds it, and stops at the first warning."""

import importlib.util
import re
import subprocess
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
    pages = {str(p.relative_to(source).with_suffix("")) for p in source.rglob("*.md")} - {"index"}
    listed = set()
    for page in source.rglob("*.md"):
        for tree in re.findall(r"^```\{toctree\}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S):
            listed |= {str((page.parent / name).relative_to(source)) for name in re.findall(r"^(\w[\w/-]*)$", tree, re.M)}
    assert sorted(pages - listed) == []
    assert sorted(name for name in listed if not (source / f"{name}.md").is_file()) == []


def test_every_notebook_is_a_page():
    assert {p.stem for p in (ROOT / "notebooks").glob("*.ipynb")} == set(build.NOTEBOOKS)


def test_the_sheet_has_every_example(tmp_path):
    from PIL import Image

    tiles = build.gallery.contact_sheet.tiles()
    assert sorted(tiles) == sorted(build.gallery.examples()) == sorted(p.stem for p in (ROOT / "examples").glob("*.py"))
    sheet = Image.open(ROOT / "examples/contact_sheet.png").convert("RGB")
    sizes = build.gallery.contact_sheet
    assert sheet.size == (sizes.COLUMNS * (sizes.WIDTH + sizes.GAP) + sizes.GAP, max(box[3] for box in tiles.values()) + sizes.LABEL + sizes.GAP)
    for name, box in tiles.items():
        assert len(sheet.crop(box).getcolors(1 << 20)) > 20, f"the picture of {name} is missing: run docs/contact_sheet.py"


def test_the_gallery_leads_to_every_example_and_notebook(source):
    page = (source / "examples/README.md").read_text(encoding="utf-8")
    cards = dict(re.findall(r":link: (\S+)\n:link-type: doc\n:img-top: (\S+)", page))
    assert set(cards) == {*build.gallery.examples(), *(f"../notebooks/{name}" for name in build.NOTEBOOKS)}
    for link, picture in cards.items():
        assert (source / "examples" / f"{link}.md").is_file() and (source / "examples" / picture).stat().st_size > 1000
    nbody = (source / "examples/nbody.md").read_text(encoding="utf-8")
    assert "![nbody](../pictures/nbody.png)" in nbody and "@qd.kernel" in nbody and "](../files/examples/nbody.py)" in nbody
    front = (source / "index.md").read_text(encoding="utf-8")
    for link, picture in re.findall(r":link: (\S+)\n:link-type: doc(?:\n:img-top: (\S+))?", front):
        assert (source / f"{link}.md").is_file() and (not picture or (source / picture).is_file()), link


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


def test_objects_of_the_reference_have_no_second_heading(source):
    page = (source / "reference/matrices.md").read_text(encoding="utf-8")
    assert "\n::::{py:function} svd(A" in page and "## qd.svd" not in page and "### trace" not in page
    guide = (source / "guide/README.md").read_text(encoding="utf-8")
    assert "](#qd.loop_config)" in guide and "](#qd.ad.Tape)" in guide and "](#qd.linalg.SparseSolver)" in guide


SMALL = "reference/README reference/matrices reference/programs reference/fields reference/kernels reference/errors-control guide/kernels".split()


def built(source, folder):
    """Builds a site of some pages. Returns name of an object -> its type and address, from the inventory, as other projects read it."""
    from sphinx.util.inventory import InventoryFile

    small = folder / "source"
    for name in SMALL:
        (small / name).parent.mkdir(parents=True, exist_ok=True)
        text = re.sub(r"^```\{toctree\}.*?^```$", "", (source / f"{name}.md").read_text(encoding="utf-8"), flags=re.M | re.S)
        text = re.sub(r"!?\[([^\]]*)\]\([^)\s]*\)", r"\1", text)  # the pages that links lead to are not there
        (small / f"{name}.md").write_text(text, encoding="utf-8")
    (small / "index.md").write_text("# Site\n\n```{toctree}\n" + "\n".join(SMALL) + "\n```\n")
    (small / "_static").mkdir()
    site = folder / "site"
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-c", ROOT / "docs/site", "-b", "html", small, site]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with open(site / "objects.inv", "rb") as file:
        inventory = InventoryFile.load(file, "", lambda base, path: path)
    return {name: (kind, item.uri) for kind in inventory for name, item in inventory[kind].items()}


@pytest.fixture(scope="module")
def site(source, tmp_path_factory):
    folder = tmp_path_factory.mktemp("built")
    return built(source, folder), folder / "site"


def test_names_have_stable_addresses(site, source, tmp_path):
    objects, folder = site
    assert objects["qd.svd"] == ("py:function", "reference/matrices.html#qd.svd")
    assert objects["qd.Matrix.trace"] == ("py:method", "reference/matrices.html#qd.Matrix.trace")
    assert objects["qd.Field.shape"] == ("py:attribute", "reference/fields.html#qd.Field.shape")
    assert objects["quadrants.svd"] == ("py:function", "reference/matrices.html#qd.svd"), "as intersphinx resolves annotations"
    assert objects["error-range-step"] == ("std:label", "reference/errors-control.html#error-range-step")
    assert not [uri for kind, uri in objects.values() if kind.startswith("py:") and re.search(r"#id\d", uri)]
    index = (folder / "genindex.html").read_text(encoding="utf-8")
    assert 'href="reference/matrices.html#qd.svd">svd() (in module qd)' in index
    # an entry at the top of a page moves no address below it
    page = source / "reference/matrices.md"
    before = page.read_text(encoding="utf-8")
    try:
        page.write_text(before.replace("\n::::{py:class} Matrix", "\n::::{py:function} novel(x)\n\nText.\n::::\n\n::::{py:class} Matrix", 1), encoding="utf-8")
        again = built(source, tmp_path)
    finally:
        page.write_text(before, encoding="utf-8")
    assert again.pop("qd.novel") == ("py:function", "reference/matrices.html#qd.novel")
    assert again == objects


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    return {**browser_type_launch_args, "executable_path": "/usr/bin/chromium", "args": ["--no-sandbox", "--disable-dev-shm-usage"]}


@pytest.mark.parametrize("query, first", [
    ("qd.svd", "qd.svd"), ("svd", "qd.svd"), ("qd.init", "qd.init"), ("qd.field", "qd.field"), ("kernel", "qd.kernel"),
])  # fmt: skip
def test_search_ranks_names_first(site, query, first, page):
    """In the search of the site as it is, which runs in the browser."""
    page.goto((site[1] / "search.html").as_uri() + f"?q={query}")
    link = page.locator("#search-results ul.search li a").first
    link.wait_for()
    assert link.inner_text() == first and link.get_attribute("href").partition("#")[2].startswith(first)
