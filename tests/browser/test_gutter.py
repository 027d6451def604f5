"""Marks in the gutter of the cell that defines kernels: right lines, right counts, live, kept, stale, by keyboard."""

import json

from conftest import READY
from test_lab import THEMES, assert_readable

SETUP = "import numpy as np, quadrants as qd\nqd.init(arch=qd.cpu)"

CLIP = """%%qd_kernel
@qd.kernel
def clip(x: qd.types.ndarray(qd.f32, ndim=1)):
    for i in x:
        if x[i] > 10:
            x[i] = 10
        elif x[i] < 0:
            x[i] = 0"""
RUN = "clip(np.arange(2000, dtype=np.float32))"
AFTER_RUN = {4: 1, 5: 2000, 6: 1989, 7: 11, 8: 0}
FEWER = "clip(np.arange(500, dtype=np.float32))"

# Runs for hours, in chunks of some milliseconds each.
LONG = """%%qd_kernel
@qd.kernel
def long(x: qd.types.ndarray(qd.f32, ndim=1)):
    for i in range(2147483647):
        for j in range(1000):
            x[i % 64] = qd.sin(x[i % 64])"""

# True if the marks of a cell satisfy a condition; undefined while the cell has no editor.
WHEN = """([index, condition, value]) => {
    const cell = window.jupyterapp.shell.currentWidget.content.widgets[index];
    const marks = [...cell.node.querySelectorAll('.qd-mark-count')].map(mark => mark.textContent);
    const has = name => cell.node.querySelector(name) !== null;
    return {texts: () => marks.join(' ') === value, stale: () => has('.qd-stale'), fresh: () => marks.length && !has('.qd-stale'),
            none: () => !has('.qd-gutter'), other: () => marks.length && marks.join(' ') !== value}[condition]();
}"""


def wait(lab, index, condition, value=None):
    lab.page.wait_for_function(WHEN, arg=[index, condition, value])


def texts(lab, index):
    return " ".join(lab.marks(index).values())


def set_source(lab, index, text):
    lab.page.evaluate("""([index, text]) =>
        window.jupyterapp.shell.currentWidget.content.widgets[index].model.sharedModel.setSource(text)""", [index, text])


def status(lab):
    return lab.page.locator(".qd-voice").inner_text()


def put_clip(lab, name):
    lab.put(name, [SETUP, CLIP, RUN, FEWER]).open(name)
    for index in range(3):
        lab.run_cell(index)
    wait(lab, 1, "texts", "1 2k 2k 11 never")


def test_counts_and_differences(lab):
    put_clip(lab, "counts")
    assert lab.counts(1) == AFTER_RUN == {line: n for line, n in lab.snapshot(1).items() if line in AFTER_RUN}
    assert lab.marks(1) == {4: "1", 5: "2k", 6: "2k", 7: "11", 8: "never"}
    cell = lab.show("%%qd_kernel")
    assert cell.locator(".qd-mark-branch").all_inner_texts() == ["never true"]
    assert lab.page.locator(".qd-gutter").count() == 1, "cells without marks have no gutter"
    for theme in THEMES:
        lab.theme(theme)
        assert_readable(cell.locator(".qd-gutter"))
        lab.picture(f"gutter-{theme.split()[-1].lower()}", cell)

    lab.run_cell(3)
    wait(lab, 1, "texts", "2 2.5k 2.5k 22 never")
    lab.command("quadrants:next-quantity")
    wait(lab, 1, "texts", "1 500 489 11 never")
    lab.command("quadrants:next-quantity")
    wait(lab, 1, "texts", "\u00b10 \u22121.5k \u22121.5k \u00b10 never")
    assert_readable(cell.locator(".qd-gutter"))
    lab.picture("gutter-difference", cell)
    lab.command("quadrants:next-quantity")
    wait(lab, 1, "texts", "2 2.5k 2.5k 22 never")

    lab.ask("%qd_coverage --clear")
    wait(lab, 1, "none")
    lab.run_cell(2)
    wait(lab, 1, "texts", "1 2k 2k 11 never")
    assert lab.errors == []


def test_marks_grow_while_a_kernel_runs(lab):
    lab.put("live", [SETUP, LONG, "long(np.ones(64, np.float32))"]).open("live")
    lab.run_cell(0)
    lab.run_cell(1)
    lab.page.evaluate("""() => { const app = window.jupyterapp; app.shell.currentWidget.content.activeCellIndex = 2;
        app.commands.execute('notebook:run-cell'); }""")
    seen = []
    while len(seen) < 3:
        wait(lab, 1, "other", seen[-1] if seen else None)
        seen.append(texts(lab, 1))
    assert lab.page.locator(".qd-live").count() == 1
    assert lab.page.evaluate("window.jupyterapp.shell.currentWidget.content.activeCellIndex") == 2
    before = lab.counts(1)
    lab.picture("gutter-live", lab.show("%%qd_kernel"))
    lab.page.locator('.jp-NotebookPanel-toolbar [data-command="notebook:interrupt-kernel"]').click()
    lab.page.wait_for_function("document.querySelector('.qd-marked') && !document.querySelector('.qd-live')")
    after = lab.counts(1)
    assert after.keys() == before.keys() and all(after[line] >= before[line] for line in before)
    assert after == {line: n for line, n in lab.snapshot(1).items() if line in after}
    assert lab.errors == []


def test_ordinary_cells(lab):
    ordinary = "\n" + CLIP.removeprefix("%%qd_kernel\n") + "\n\nclip(np.arange(2000, dtype=np.float32))"
    lab.put("ordinary", [SETUP, ordinary, FEWER, "%qd_coverage"]).open("ordinary")
    lab.run_cell(0)
    lab.run_cell(1)
    wait(lab, 1, "texts", "1 2k 2k 11 never")
    assert lab.counts(1) == AFTER_RUN
    lab.run_cell(2)
    wait(lab, 1, "texts", "2 2.5k 2.5k 22 never")
    lab.run_cell(1)
    wait(lab, 1, "texts", "1 2k 2k 11 never")
    assert lab.page.locator(".qd-gutter").count() == 1 and lab.errors == []


def test_edited_cells(lab):
    put_clip(lab, "edited")
    page, cell = lab.page, lab.show("%%qd_kernel")
    cell.locator(".cm-line").nth(3).click()
    page.keyboard.press("End")
    page.keyboard.type("  # all")
    page.keyboard.press("Enter")
    wait(lab, 1, "stale")
    assert list(lab.marks(1)) == [4, 6, 7, 8, 9], "marks go with their lines"
    cell.get_by_text("edited since it ran").wait_for()  # and exactly one
    for theme in THEMES:
        lab.theme(theme)
        assert_readable(cell.locator(".qd-gutter"))
        lab.picture(f"gutter-stale-{theme.split()[-1].lower()}", cell)
    lab.run_cell(2)  # the kernel still has the old text
    wait(lab, 1, "texts", "2 4k 4k 22 never")
    assert cell.locator(".qd-stale").count() == 1
    cell.locator(".cm-content").focus()
    while cell.locator(".qd-stale").count():
        page.keyboard.press("Control+z")
    assert lab.cells()[1]["source"] == CLIP
    assert lab.marks(1) == {4: "2", 5: "4k", 6: "4k", 7: "22", 8: "never"}

    set_source(lab, 1, CLIP.replace("\n", "\n\n", 1))
    wait(lab, 1, "stale")
    lab.run_cell(1)  # a kernel that has not run yet
    wait(lab, 1, "none")
    lab.run_cell(2)
    wait(lab, 1, "texts", "1 2k 2k 11 never")
    assert lab.marks(1) == {5: "1", 6: "2k", 7: "2k", 8: "11", 9: "never"}
    assert lab.errors == []


def test_keyboard_and_screen_readers(lab):
    put_clip(lab, "keys")
    page, cell = lab.page, lab.show("%%qd_kernel")
    assert cell.locator(".cm-content").get_attribute("aria-description") == "4 of 5 lines ran, 1 branch went one way only"
    cell.locator(".cm-line").nth(6).click()
    page.keyboard.press("Alt+Shift+L")
    page.wait_for_function("document.querySelector('.qd-voice')")
    assert status(lab) == ("Line 7: Ran 11 times. 0.55 % of the busiest line. All in the newest run. "
                           "Condition true: never. Condition false: 11 times")
    assert page.locator(".qd-tip").inner_text().splitlines()[0] == "Ran 11 times"
    assert_readable(page.locator(".qd-tip"))
    page.keyboard.press("Escape")
    page.locator(".qd-tip").wait_for(state="detached")
    cell.locator(".qd-mark-count").nth(1).hover()
    page.locator(".qd-tip").get_by_text("Ran 2,000 times").wait_for()

    page.keyboard.press("Alt+Shift+C")
    wait(lab, 1, "none")
    assert status(lab) == "Line counts are hidden"
    page.keyboard.press("Alt+Shift+C")
    wait(lab, 1, "fresh")
    for name in ("newest run", "difference to the run before", "all runs"):
        page.keyboard.press("Alt+Shift+N")
        assert status(lab) == f"Line counts: {name}"
    for _ in range(2):  # a command ends once its choice is saved, so the next test starts with the same settings
        lab.command("quadrants:toggle-marks")
    assert lab.errors == []


def test_forced_colours(lab):
    put_clip(lab, "forced")
    lab.page.emulate_media(forced_colors="active")
    cell = lab.show("%%qd_kernel")
    looks = """node => { const style = getComputedStyle(node);
        return [style.borderRightStyle, parseFloat(style.borderRightWidth), style.borderLeftStyle]; }"""
    often, rarely, never = (cell.locator(".qd-mark-count").nth(n).evaluate(looks) for n in (1, 3, 4))
    assert often[0] == rarely[0] == "solid" and often[1] > rarely[1] > 0, "bars stand for the tints"
    assert never[0] == never[2] == "dashed"
    edge, page = cell.locator(".qd-mark-head").evaluate("node => [getComputedStyle(node).borderRightColor, getComputedStyle(document.body).backgroundColor]")
    assert edge == page, "the head has no bar"
    assert_readable(cell.locator(".qd-gutter"))
    lab.picture("gutter-forced-colours", cell)
    lab.page.emulate_media(forced_colors="none")
    assert lab.errors == []


def test_two_notebooks(lab):
    lab.put("second", [SETUP, CLIP, FEWER])
    put_clip(lab, "first")
    lab.command("docmanager:open", path="second.ipynb", options={"mode": "split-right"})
    lab.page.wait_for_function("window.jupyterapp.shell.currentWidget?.context?.path === 'second.ipynb'")
    lab.page.evaluate(READY)
    for index in range(3):  # its cells have the ids of the first notebook's cells, but its kernel is another
        lab.run_cell(index)
    wait(lab, 1, "texts", "1 500 489 11 never")
    seen = lab.page.locator(".qd-mark-count").all_inner_texts()  # of both notebooks, next to each other
    assert sorted(seen) == sorted("1 2k 2k 11 never 1 500 489 11 never".split())
    lab.picture("gutter-two-notebooks")
    lab.command("docmanager:open", path="first.ipynb")
    lab.page.wait_for_function("window.jupyterapp.shell.currentWidget?.context?.path === 'first.ipynb'")
    wait(lab, 1, "texts", "1 2k 2k 11 never")
    lab.run_cell(3)
    wait(lab, 1, "texts", "2 2.5k 2.5k 22 never")
    lab.command("docmanager:open", path="second.ipynb")
    lab.page.wait_for_function("window.jupyterapp.shell.currentWidget?.context?.path === 'second.ipynb'")
    wait(lab, 1, "texts", "1 500 489 11 never")
    assert lab.errors == []


def test_marks_stay_with_the_notebook(lab):
    put_clip(lab, "kept")
    path = lab.server.folder / "notebooks" / "kept.ipynb"
    lab.command("docmanager:save")
    lab.open("kept")  # the kernel still runs
    lab.show("%%qd_kernel")
    wait(lab, 1, "fresh")
    assert lab.counts(1) == AFTER_RUN
    lab.run_cell(3)
    wait(lab, 1, "texts", "2 2.5k 2.5k 22 never")
    lab.command("docmanager:save")
    lab.server.end_kernels()

    saved = json.loads(path.read_text())
    assert saved["cells"][1]["metadata"]["quadrants"]["coverage"]["lines"][1][:4] == [5, 2500, 500, 2000]
    saved["metadata"]["kernelspec"] = {"name": "not-installed", "display_name": "none", "language": "python"}
    path.write_text(json.dumps(saved))  # as for a reader who has only the file
    lab.page.goto("about:blank")
    lab.page.goto(f"{lab.server.url}/lab/tree/kept.ipynb?reset")
    lab.page.locator(".jp-Dialog").get_by_role("button", name="No Kernel").click()
    for theme in THEMES:
        lab.theme(theme)
        cell = lab.show("%%qd_kernel")
        wait(lab, 1, "texts", "2 2.5k 2.5k 22 never")
        assert_readable(cell.locator(".qd-gutter"))
    assert lab.errors == []


def test_a_notebook_that_ran_without_a_front_end(lab):
    """The kernel received no cell ids, the file has none, and no cell has saved counts: they are in the stored output."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in (SETUP, CLIP, RUN, "%qd_coverage")])
    NotebookClient(notebook, kernel_name="quadrants", timeout=300, store_widget_state=False).execute()
    stored = json.loads(nbformat.writes(notebook))
    stored["nbformat_minor"] = 4
    stored["metadata"]["kernelspec"] = {"name": "quadrants", "display_name": "Quadrants", "language": "python"}
    for cell in stored["cells"]:
        cell.pop("id", None)
    (lab.server.folder / "notebooks" / "old.ipynb").write_text(json.dumps(stored))
    lab.open("old")
    wait(lab, 1, "texts", "1 2k 2k 11 never")
    assert list(lab.marks(1)) == list(AFTER_RUN)
    assert lab.errors == []


def test_broken_data_in_a_notebook(lab):
    path = lab.server.folder / "notebooks" / "broken.ipynb"
    lab.put("broken", [SETUP, CLIP, RUN, "1", "2", "3"])
    stored = json.loads(path.read_text())
    for cell, kept in zip(stored["cells"][3:5], ({"lines": [1]}, {"lines": [[1, 1, 1, None]], "specialisations": [["a", 2]]})):
        cell["metadata"] = {"quadrants": {"coverage": {"version": 1, "digest": "0", "label": "cell 1", **kept}}}
    mime = "application/vnd.quadrants.coverage+json"
    stored["cells"][5]["outputs"] = [{"output_type": "display_data", "metadata": {}, "data": {mime: {"version": 1, "cells": cells}}}
                                     for cells in ([None], [{"cell_id": None}], "text")]
    path.write_text(json.dumps(stored))
    lab.open("broken")
    wait(lab, 4, "stale")
    for index in range(3):
        lab.run_cell(index)
    wait(lab, 1, "texts", "1 2k 2k 11 never")
    assert lab.errors == []


def at(lab, start):
    return next(n for n, cell in enumerate(lab.cells()) if cell["source"].startswith(start))


def test_cells_move_and_kernels_restart(lab):
    put_clip(lab, "moved")
    activate = "index => { window.jupyterapp.shell.currentWidget.content.activeCellIndex = index; }"
    lab.page.evaluate(activate, 1)
    lab.command("notebook:move-cell-up")
    wait(lab, 0, "texts", "1 2k 2k 11 never")
    lab.run_cell(at(lab, FEWER))
    wait(lab, 0, "texts", "2 2.5k 2.5k 22 never")
    lab.page.evaluate(activate, 0)
    lab.command("notebook:delete-cell")
    lab.run_cell(at(lab, RUN))  # counts of a deleted cell
    lab.command("notebook:undo-cell-action")
    wait(lab, at(lab, CLIP), "texts", "2 2.5k 2.5k 22 never")
    lab.page.evaluate("window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()")
    lab.page.locator(".qd-mark-stale").get_by_text("from an earlier kernel").wait_for()
    assert lab.marks(at(lab, CLIP)), "what was counted stays"
    lab.picture("gutter-earlier", lab.show("%%qd_kernel"))
    for start in (SETUP, CLIP, RUN):
        lab.run_cell(at(lab, start))
    wait(lab, at(lab, CLIP), "texts", "1 2k 2k 11 never")
    assert lab.errors == []


def test_counts_go_with_the_outputs(lab):
    put_clip(lab, "outputs")
    assert lab.cells()[1]["metadata"]["quadrants"]["coverage"]["lines"]
    lab.command("notebook:clear-all-cell-outputs")
    wait(lab, 1, "none")
    assert "quadrants" not in lab.cells()[1]["metadata"]
    lab.run_cell(2)
    wait(lab, 1, "texts", "2 4k 4k 22 never")
    assert lab.errors == []


UNCALLED = """@qd.kernel
def called(x: qd.types.ndarray(qd.f32, ndim=1)):
    for i in x: x[i] = 1 if i > 3 else 2

@qd.kernel
def uncalled(x: qd.types.ndarray(qd.f32, ndim=1)):
    while x[0] > 0:
        x[0] -= 1
        if x[0] < 5:
            break"""


def test_a_kernel_that_was_never_called(lab):
    lab.put("uncalled", [SETUP, UNCALLED, "called(np.zeros(1000, np.float32))", "%qd_coverage called uncalled", "uncalled(np.ones(9, np.float32))"]).open("uncalled")
    for index in range(4):
        lab.run_cell(index)
    wait(lab, 1, "texts", "1k \u2013 \u2013 \u2013 \u2013")
    listing = lab.show("%qd_coverage").locator(".qd-heatmap")
    listing.get_by_role("button", name="only what never ran").click()
    assert listing.locator("tr.qd-waiting:visible").count() == 4
    middles = listing.locator(".qd-legend > span").evaluate_all("spans => spans.map(span => span.getBoundingClientRect()).map(box => (box.top + box.bottom) / 2)")
    assert len(middles) == 3 and max(middles) - min(middles) < 1, "the legend is one line"
    lab.picture("listing-uncalled", listing)
    lab.run_cell(4)
    wait(lab, 1, "texts", "1k 1 1 1 1")
    lab.show("@qd.kernel").locator(".qd-mark-branch").get_by_text("only left by break").wait_for()
    lab.picture("gutter-only-by-break", lab.show("@qd.kernel"))
    assert lab.errors == []


CALLBACK = """import ipywidgets
def show(n=20):
    clip(np.full(n, -5, np.float32))
    print('ran', n)
ipywidgets.interact(show, n=(1, 100));"""


def test_marks_after_a_callback_of_a_widget(lab):
    lab.put("callback", [SETUP, CLIP, RUN, CALLBACK]).open("callback")
    for index in range(4):
        lab.run_cell(index)
    wait(lab, 1, "texts", "2 2k 2k 31 20")
    handle = lab.show("import ipywidgets").locator(".widget-slider .noUi-handle")
    handle.click()
    lab.page.keyboard.press("ArrowRight")
    lab.show("import ipywidgets").get_by_text("ran 21").wait_for()
    wait(lab, 1, "texts", "3 2k 2k 52 41")
    assert lab.counts(1) == {line: n for line, n in lab.snapshot(1).items() if line in AFTER_RUN}
    assert lab.errors == []


def test_marks_after_threads_and_tasks(lab):
    background = ("import threading\ngo = threading.Event()\ndef work():\n    go.wait()\n    clip(np.full(7, -5, np.float32))\n"
                  "threading.Thread(target=work).start()\nthreading.Timer(0.3, go.set).start()")
    lab.put("threads", [SETUP, CLIP, RUN, background]).open("threads")
    for index in range(4):
        lab.run_cell(index)
    wait(lab, 1, "texts", "2 2k 2k 18 7")
    lab.page.wait_for_function("!document.querySelector('.qd-live')")
    assert lab.errors == []


def test_the_tooltip_lets_the_next_marks_be_pointed_at(lab):
    put_clip(lab, "tips")
    marks = lab.show("%%qd_kernel").locator(".qd-mark-count")
    tip = lab.page.locator(".qd-tip")
    for n, said in enumerate(("Ran once", "Ran 2,000 times", "Ran 1,989 times", "Ran 11 times", "Never ran")):
        marks.nth(n).hover()  # fails where anything else would get the pointer
        lab.page.wait_for_function("said => document.querySelector('.qd-tip')?.firstChild.textContent === said", arg=said)
        left, right = tip.bounding_box(), marks.nth(n).bounding_box()
        assert left["x"] >= right["x"] + right["width"]
    lab.picture("gutter-tip")
    assert lab.errors == []


def test_head_and_menu_of_the_gutter(lab):
    put_clip(lab, "head")
    cell, page = lab.show("%%qd_kernel"), lab.page
    head = cell.locator(".qd-mark-head")
    for name, shown in (("newest run", "1 2k 2k 11 never"), ("difference", "new new new new never"), ("all runs", "1 2k 2k 11 never")):
        head.click()
        wait(lab, 1, "texts", shown)
        assert head.inner_text() == name
    head.hover()
    page.locator(".qd-tip").get_by_text("2,000, the busiest line of the notebook").wait_for()
    for theme in THEMES:
        lab.theme(theme)
        head.hover()
        assert_readable(page.locator(".qd-tip"))
        lab.picture(f"gutter-head-{theme.split()[-1].lower()}")
    cell.locator(".qd-mark-count").first.click(button="right")
    menu = page.locator(".lm-Menu")
    menu.get_by_text("Line Counts: newest run").click()
    page.wait_for_function("document.querySelector('.qd-mark-head')?.textContent === 'newest run'")
    lab.command("quadrants:show-quantity", quantity="total")
    cell.locator(".qd-mark-count").first.click(button="right")
    lab.picture("gutter-menu")
    menu.get_by_text("Clear Line Counts").click()
    wait(lab, 1, "none")
    assert lab.cells()[1]["metadata"].get("quadrants") is None
    lab.run_cell(2)
    wait(lab, 1, "texts", "1 2k 2k 11 never")  # the kernel cleared its counts too
    assert lab.errors == []


def test_code_does_not_move_when_marks_go_stale(lab):
    put_clip(lab, "still")
    left = """() => { const editor = document.querySelector('.qd-marked');
        return editor.querySelector('.cm-line').getBoundingClientRect().left - editor.getBoundingClientRect().left; }"""
    before = lab.page.evaluate(left)
    lab.show("%%qd_kernel").locator(".cm-line").last.click()
    lab.page.keyboard.press("End")
    lab.page.keyboard.type("  # edited")
    wait(lab, 1, "stale")
    assert lab.page.evaluate(left) == before
    assert lab.errors == []
