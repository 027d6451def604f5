"""Listings of `%qd_coverage` as outputs: without a kernel, several on a page, one scale of heat, specialisations by name."""

import json
import re
import shutil

from conftest import READY
from test_gutter import CLIP, RUN, SETUP, wait
from test_lab import THEMES, assert_nothing_cut_off, assert_readable

HOT = """%%qd_kernel
@qd.func
def cold(v):
    return v + 1

@qd.kernel
def warm(x: qd.types.ndarray(qd.f32, ndim=1)):
    for i in range(3):
        x[i] = cold(x[i])

@qd.kernel
def hot(x: qd.types.ndarray(qd.f32, ndim=1)):
    for i in x:
        x[i] += 1
        for j in range(10):
            x[i] += 2
            if j % 3 == 0:
                x[i] += 3

@qd.kernel
def later(x: qd.types.ndarray(qd.f32, ndim=1)):
    for i in x:
        x[i] = cold(x[i])
"""
RUN_HOT = "x = np.ones(1000, np.float32); warm(x); hot(x)"

PICK = """%%qd_kernel
@qd.kernel
def pick(x: qd.types.ndarray(), n: qd.template()):
    for i in x:
        if x[i] > n:
            x[i] = n
"""


def listing(lab, start):
    return lab.show(start).locator(".qd-heatmap")


def row(heatmap, number):
    return heatmap.locator("tbody tr").filter(has=heatmap.page.locator(f"td.qd-number:text-is('{number}')"))


def test_a_listing_survives_its_kernel(lab):
    """It stays after saving, restarting the kernel and reloading the page, and in a copy of the file."""
    lab.put("survives", [SETUP, CLIP, RUN, "%qd_coverage", "%qd_coverage --live clip"]).open("survives")
    lab.run_all()
    listing(lab, "%qd_coverage").get_by_text("never true").wait_for()
    lab.command("docmanager:save")
    lab.page.evaluate("window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()")
    folder = lab.server.folder / "notebooks"
    shutil.copy(folder / "survives.ipynb", folder / "copied.ipynb")
    for name in ("survives", "copied"):
        lab.page.goto("about:blank")
        lab.open(name)
        for start in ("%qd_coverage", "%qd_coverage --live"):
            heatmap = listing(lab, start)
            heatmap.get_by_text("never true").wait_for()
            heatmap.get_by_role("button", name="only what never ran").click()
            assert heatmap.locator("tbody tr:not([hidden])").count() == 2
            assert heatmap.get_by_text("follows what runs").count() == 0, "nothing does any more"
        assert lab.page.get_by_text("Error displaying widget").count() == 0
    for theme in THEMES:
        lab.theme(theme)
        assert_readable(listing(lab, "%qd_coverage"))
        lab.picture(f"survived-{theme.split()[-1].lower()}", listing(lab, "%qd_coverage"))
    assert lab.errors == []


def test_two_listings_on_a_page(lab):
    lab.put("several", [SETUP, CLIP, RUN, "%qd_coverage\n", "%qd_coverage clip"]).open("several")
    lab.run_all()
    first, second = (lab.page.locator(".qd-heatmap").nth(n) for n in (0, 1))
    second.get_by_text("never true").wait_for()
    second.get_by_role("radio", name="newest run").check(force=True)
    assert first.get_by_role("radio", name="all runs").is_checked()
    assert second.get_by_role("radio", name="newest run").is_checked()
    assert lab.errors == []


def test_heat_finds_the_hot_line(lab):
    lab.put("heat", [SETUP, HOT, RUN_HOT, "%qd_coverage warm hot later"]).open("heat")
    lab.run_all()
    heatmap = listing(lab, "%qd_coverage")
    heatmap.get_by_text("10,000, the busiest line of the notebook").wait_for()
    style = "(node, name) => Number(getComputedStyle(node).getPropertyValue(name).replace('%', ''))"
    heat = {number: [row(heatmap, number).evaluate(style, name) for name in ("--qd-level", "--qd-length")]
            for number in (8, 14, 16, 18)}  # 1, 1,000, 10,000 and 4,000 times
    assert heat[16] == [60, 100] and heat[18] == [45, 40] and heat[14] == [30, 10] and heat[8][0] < 10
    assert row(heatmap, 16).evaluate("row => row.classList.contains('qd-busiest')")
    assert not row(heatmap, 18).evaluate("row => row.classList.contains('qd-busiest')")

    gutter = lab.show("%%qd_kernel").locator(".qd-mark-count")
    wait(lab, 1, "fresh")
    marks = {number: gutter.nth(at) for at, number in enumerate(lab.marks(1))}
    for number, expected in heat.items():
        found = [marks[number].evaluate(style, name) for name in ("--qd-level", "--qd-length")]
        assert found == expected, "the same scale in the gutter"
    assert lab.marks(1)[23] == "\u2013" and lab.show("%%qd_kernel").locator(".qd-never").count() == 0
    marks[23].hover()
    lab.page.locator(".qd-tip").get_by_text("Not run yet").wait_for()
    marks[16].hover()
    lab.page.locator(".qd-tip").get_by_text("No line of the notebook ran more often").wait_for()
    marks[18].hover()
    lab.page.locator(".qd-tip").get_by_text("40 % of the busiest line").wait_for()

    edges = lab.show("%qd_coverage").locator(".qd-heatmap section").evaluate_all(
        "all => all.map(section => section.querySelector('tbody tr td.qd-text').getBoundingClientRect().left.toFixed())")
    assert len(edges) == 3 and len(set(edges)) == 1, "code starts in one column"
    for theme in THEMES:
        lab.theme(theme)
        heatmap = listing(lab, "%qd_coverage")
        assert_readable(heatmap)
        assert_nothing_cut_off(heatmap)
        lab.picture(f"heat-{theme.split()[-1].lower()}", heatmap)
        lab.picture(f"heat-gutter-{theme.split()[-1].lower()}", lab.show("%%qd_kernel"))
    assert lab.errors == []


def test_specialisations_by_name(lab):
    lab.put("named", [SETUP, PICK, "pick(np.ones(3, np.float32), 0); pick(np.ones(2, np.int32), 2)", "%qd_coverage --live"]).open("named")
    lab.run_all()
    heatmap = listing(lab, "%qd_coverage")
    menu = heatmap.get_by_label("specialisation")
    menu.wait_for()
    assert menu.locator("option").all_inner_texts() == ["all together", "pick(x: f32[:], n=0)", "pick(x: i32[:], n=2)"]
    assert heatmap.locator(".qd-mark").all_inner_texts() == []
    menu.select_option("pick(x: i32[:], n=2)")
    assert heatmap.locator(".qd-mark").all_inner_texts() == ["never true"]
    lab.picture("specialisations", heatmap)
    lab.page.evaluate("""text => window.jupyterapp.shell.currentWidget.content.widgets[1].model.sharedModel.setSource(text)""",
                      PICK.replace("= n\n", "= n + 0\n"))
    lab.run_cell(1)
    lab.run_cell(2)
    heatmap.locator(".qd-text").filter(has_text="n + 0").wait_for()
    assert heatmap.get_by_label("specialisation").locator("option").all_inner_texts()[1:] == [
        "pick(x: f32[:], n=0)", "pick(x: i32[:], n=2)"], "those of the replaced kernel are gone"
    assert lab.errors == []


def test_broken_listings(lab):
    mime = "application/vnd.quadrants.heatmap+json"
    spoiled = ["text", {}, {"version": 1, "listings": [None]}, {"version": 1, "listings": [{"title": "a", "lines": [1]}]},
               {"version": 1, "listings": [{"title": "<img src=x onerror=alert(1)>", "specialisations": [], "lines": [
                   {"number": 1, "text": "<b>x</b>", "count": 1, "newest": 1, "previous": None, "outcomes": {}}]}]}]
    lab.put("spoiled", ["0"])
    path = lab.server.folder / "notebooks" / "spoiled.ipynb"
    stored = json.loads(path.read_text())
    stored["cells"][0]["outputs"] = [{"output_type": "display_data", "metadata": {}, "data": {mime: data, "text/plain": "as text"}}
                                     for data in spoiled]
    path.write_text(json.dumps(stored))
    lab.open("spoiled")
    lab.page.locator(".qd-heatmap").get_by_text("<b>x</b>").wait_for()
    assert lab.page.locator(".qd-listing pre").all_inner_texts() == ["as text"] * 4
    assert lab.page.locator(".qd-heatmap img").count() == 0 and lab.errors == []


def test_a_page_without_styles(browser, tmp_path):
    """On sites that remove styles, indentation stays, and labels are separate from the code."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in (SETUP, CLIP, RUN, "%qd_coverage")])
    NotebookClient(notebook, kernel_name="quadrants", timeout=300, store_widget_state=False).execute()
    data = notebook.cells[3].outputs[0]["data"]
    page = browser.new_page()
    page.set_content(re.sub(r' style="[^"]*"', "", data["text/html"]))
    seen = page.locator("body").inner_text()
    for line in data["text/plain"].splitlines()[1:]:
        assert line in seen
    assert "        elif x[i] < 0:  <- never true" in seen
    page.close()
