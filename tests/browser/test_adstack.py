"""The adstack view in JupyterLab: the table, the slider, the picture, in both themes, and in a notebook without a kernel."""

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
         "with qd.ad.Tape(loss):\n    logistic(4000)",
         "%qd_adstack",
         "logistic.grad(4000)"]  # fmt: skip


def test_adstack(lab):
    lab.put("adstack", CELLS).open("adstack")
    lab.run_all()
    view = lab.show("%qd_adstack").locator(".qd-adstack")
    view.get_by_text("32,000 bytes predicted").wait_for()
    slider = view.get_by_label("budget of logistic")
    slider.focus()
    for _ in range(4):
        slider.press("ArrowLeft")
    view.get_by_text("at its next call").wait_for()
    view.get_by_text("budget: 8,000 bytes").wait_for()
    assert slider.evaluate("node => node === document.activeElement")
    lab.run_cell(4)
    view.get_by_text("every 64-th").first.wait_for()
    view.get_by_role("button", name="measure").click()
    view.get_by_text("budget 1/16").first.wait_for()
    view.locator("button:enabled").wait_for()
    assert view.locator("svg circle").count() == 4
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
