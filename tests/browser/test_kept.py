"""Marks on lines whose values gradients keep: next to the counts, and shown, hidden, greyed and saved with them."""

import json

from quadrants_jupyter.looks import short
from test_gutter import status, wait
from test_lab import THEMES, assert_readable

CELLS = ["import numpy as np, quadrants as qd\nqd.init(arch=qd.cpu, ad_stack_experimental_enabled=True, compile_tiers=False)",
         """%%qd_kernel
x = qd.field(qd.f64, shape=64, name="x", needs_grad=True)
loss = qd.field(qd.f64, shape=(), name="loss", needs_grad=True)
x.from_numpy(np.linspace(0.1, 0.9, 64))

@qd.kernel
def logistic(n: qd.i32):
    for i in x:
        v = x[i]
        w = qd.cast(x[i], qd.f32)
        for _ in range(n):
            w = 0.5 * w * w
            v = 3.0 * v * (1.0 - v)
        loss[None] += v + w""",
         "with qd.ad.Tape(loss):\n    logistic(4000)",
         "with qd.ad.Tape(loss):\n    logistic(10)"]  # fmt: skip

MARKS = """async index => {
    for (let frames = 0; frames < 3; ++frames) await new Promise(drawn => requestAnimationFrame(drawn));
    const cell = window.jupyterapp.shell.currentWidget.content.widgets[index];
    const view = cell.editor.editor;
    return [...cell.node.querySelectorAll('.qd-mark-kept')].map(mark => {
        const box = mark.getBoundingClientRect();
        const block = view.lineBlockAtHeight(box.top + box.height / 2 - view.documentTop);
        return [view.state.doc.lineAt(block.from).number, mark.textContent, mark.getAttribute('aria-label')];
    });
}"""
WHEN = """([index, text]) => {
    const cell = window.jupyterapp.shell.currentWidget.content.widgets[index];
    return [...cell.node.querySelectorAll('.qd-mark-kept')].map(mark => mark.textContent).join(' ') === text;
}"""


LANES = "print(max([1] + [loop.lanes for kernel in qd.ad.memory_report() for task in kernel.tasks for loop in task.loops]))"


def wait_kept(lab, index, *counts, lanes=None):
    """Waits until the marks show these numbers of bytes for one SIMD lane."""
    lanes = lanes or int(lab.ask(LANES))
    text = " ".join(f"{short(lanes * count)}B" for count in counts)
    lab.page.wait_for_function(WHEN, arg=[index, text])


def test_kept_values(lab):
    lab.put("kept-values", CELLS).open("kept-values")
    for index in range(3):
        lab.run_cell(index)
    wait_kept(lab, 1, 16000, 32000)
    page, cell = lab.page, lab.show("%%qd_kernel")
    lanes = int(lab.ask(LANES))
    whole = f"{32000 * lanes:,} bytes"
    said = "Gradients keep {:,} bytes for it on each thread. The gradient of logistic keeps {} for each of 4,000 iterations of the loop on line 11: {} bytes per iteration"
    assert page.evaluate(MARKS, 1) == [
        [12, f"{short(16000 * lanes)}B", said.format(16000 * lanes, "w (f32)", 4 * lanes)],
        [13, f"{short(32000 * lanes)}B", said.format(32000 * lanes, "v (f64)", 8 * lanes)]]
    assert lab.marks(1)[9] == "64", "counts stand beside it"
    assert cell.locator(".cm-content").get_attribute("aria-description").endswith("gradients keep values of 2 lines")
    assert not lab.show("import numpy").locator(".qd-kept").count()
    cell = lab.show("%%qd_kernel")
    for theme in THEMES:
        lab.theme(theme)
        cell = lab.show("%%qd_kernel")
        assert_readable(cell.locator(".qd-kept"))
        cell.locator(".qd-mark-kept").last.hover()
        page.locator(".qd-tip").get_by_text(whole).wait_for()
        assert_readable(page.locator(".qd-tip"))
        lab.picture(f"kept-{theme.split()[-1].lower()}", cell)
        lab.picture(f"kept-tip-{theme.split()[-1].lower()}")
        page.keyboard.press("Escape")
    cell.locator(".qd-mark-kept-head").hover()
    page.locator(".qd-tip").get_by_text("reverse pass through loops").wait_for()

    cell.locator(".cm-line").nth(12).click()
    page.keyboard.press("Alt+Shift+L")
    page.wait_for_function("said => document.querySelector('.qd-voice')?.textContent.includes(said)", arg=whole)
    assert status(lab).startswith("Line 13: Ran 256,000 times.")
    page.keyboard.press("Escape")
    page.keyboard.press("Alt+Shift+C")
    wait(lab, 1, "none")
    assert not cell.locator(".qd-mark-kept").count()
    page.keyboard.press("Alt+Shift+C")
    wait_kept(lab, 1, 16000, 32000)

    lab.run_cell(3)
    wait_kept(lab, 1, 40, 80)
    cell.locator(".cm-line").nth(1).click()
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    wait(lab, 1, "stale")
    marks = page.evaluate(MARKS, 1)
    assert [number for number, _, _ in marks] == [13, 14] and all(words.endswith("Edited since: the sizes are for the text that ran") for _, _, words in marks)
    while cell.locator(".qd-stale").count():
        page.keyboard.press("Control+z")
    wait_kept(lab, 1, 40, 80)

    lab.command("docmanager:save")
    lab.server.end_kernels()
    saved = json.loads((lab.server.folder / "notebooks" / "kept-values.ipynb").read_text())
    assert saved["cells"][1]["metadata"]["quadrants"]["coverage"]["kept"][0][:2] == [12, 40 * lanes]
    lab.open("kept-values")
    lab.show("%%qd_kernel")
    wait_kept(lab, 1, 40, 80, lanes=lanes)
    assert lab.errors == []


def test_without_counts(lab):
    cells = [CELLS[0], CELLS[1].replace("%%qd_kernel", "%%qd_kernel --no-coverage", 1), *CELLS[2:]]
    lab.put("kept-alone", cells).open("kept-alone")
    for index in range(3):
        lab.run_cell(index)
    wait_kept(lab, 1, 16000, 32000)
    assert lab.marks(1) == {}
    assert lab.errors == []
