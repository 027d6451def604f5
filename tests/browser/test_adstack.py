"""The adstack view in JupyterLab: the table, the slider, the picture, in both themes, and in a notebook without a kernel."""

import re

from test_lab import THEMES, assert_nothing_cut_off, assert_readable

CELLS = ["import numpy as np, quadrants as qd\nqd.init(arch=qd.cpu, ad_stack_experimental_enabled=True)",
         """%%qd_kernel
x = qd.field(qd.f64, shape=64, name="x", needs_grad=True)
loss = qd.field(qd.f64, shape=(), name="loss", needs_grad=True)
x.from_numpy(np.linspace(0.1, 0.9, 64))

@qd.kernel
def logistic(n: qd.i32):
    for i in x:
        v = x[i]
        for _ in range(n):
            v = 3.0 * v * (1.0 - v)
        loss[None] += v""",
         "with qd.ad.Tape(loss):\n    logistic(1000)",
         "%qd_adstack",
         "logistic.grad(1000)"]  # fmt: skip


def test_adstack(lab):
    lab.put("adstack", CELLS).open("adstack")
    lab.run_all()
    view = lab.show("%qd_adstack").locator(".qd-adstack")
    predicted = view.get_by_text(re.compile(r"bytes predicted")).first
    predicted.wait_for()
    bytes_of_thread = int(re.search(r"([\d,]+) bytes predicted", predicted.inner_text())[1].replace(",", ""))
    assert bytes_of_thread and bytes_of_thread % 8_000 == 0, "of as many iterations as the processor runs side by side"
    slider = view.get_by_label("budget of logistic")
    slider.focus()
    for _ in range(4):
        slider.press("ArrowLeft")
    view.get_by_text("at its next call").wait_for()
    view.get_by_text("budget: 2,000 bytes").wait_for()
    assert slider.evaluate("node => node === document.activeElement")
    lab.run_cell(4)
    view.get_by_text("every 32nd iteration; the others are recomputed").first.wait_for()
    view.get_by_role("button", name="measure").click()
    view.get_by_text("budget 1/16").first.wait_for()
    view.locator("button:enabled").wait_for()
    assert view.locator("svg circle").count() == 3
    for theme in THEMES:
        lab.theme(theme)
        view = lab.show("%qd_adstack").locator(".qd-adstack")
        view.locator("svg").wait_for()
        assert_readable(view)
        assert_nothing_cut_off(view)
        lab.picture(f"adstack-{theme.split()[-1].lower()}", view)
    saved = lab.cells()[3]["outputs"][0]["data"]
    assert "budget 1/16" in "".join(saved["text/html"])
    lab.command("docmanager:save")
    lab.server.end_kernels()
    lab.open("adstack")
    view = lab.show("%qd_adstack").locator(".qd-adstack")
    view.get_by_text("budget 1/16").first.wait_for()
    assert lab.errors == []


LONG = """%%qd_kernel
y = qd.field(qd.f64, shape=1, name="y", needs_grad=True)
result = qd.field(qd.f64, shape=(), name="result", needs_grad=True)

@qd.kernel
def longer(k: qd.i32):
    for i in y:
        for m in range(k):
            v = y[i]
            for _ in range((m + 1) * 100):
                v = qd.sin(v)
            result[None] += v"""


def test_a_running_gradient(lab):
    lab.put("longer", [CELLS[0], LONG, "y.fill(0.3)\nlonger.grad(2)", "%qd_adstack", "longer.grad(1_000_000)"]).open("longer")
    lab.page.evaluate("() => { void window.jupyterapp.commands.execute('notebook:run-all-cells'); }")
    view = lab.show("%qd_adstack").locator(".qd-adstack")
    view.get_by_text("running: bytes so far").wait_for()
    for theme in THEMES:
        lab.theme(theme)
        view = lab.show("%qd_adstack").locator(".qd-adstack")
        assert_readable(view)
        lab.picture(f"adstack-running-{theme.split()[-1].lower()}", view)
    lab.command("notebook:interrupt-kernel")
    view.get_by_text("running: bytes so far").wait_for(state="hidden")
    assert lab.errors == []
