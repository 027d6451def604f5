"""Gradients in JupyterLab: the badge below a cell that requested them, and the backward counts in a listing."""

from test_lab import THEMES, assert_nothing_cut_off, assert_readable

CELLS = ["import numpy as np, quadrants as qd\nqd.init(arch=qd.cpu, default_fp=qd.f64)",
         """%%qd_kernel
x = qd.field(qd.f64, shape=4, name="x", needs_grad=True)
loss = qd.field(qd.f64, shape=(), name="loss", needs_grad=True)
x.from_numpy(np.array([1.0, -2, 3, 4]))

@qd.kernel
def squares():
    for i in x:
        loss[None] += x[i] ** 2

@qd.kernel
def overwrite():
    for i in x:
        x[i] = x[i] ** 2""",
         "with qd.ad.Tape(loss):\n    squares()",
         "overwrite.grad()",
         "%qd_coverage squares"]  # fmt: skip


def test_badges(lab):
    lab.put("gradients-in-the-lab", CELLS).open("gradients-in-the-lab")
    lab.run_all()
    for theme in THEMES:
        lab.theme(theme)
        shade = theme.split()[-1].lower()
        right = lab.show("with qd.ad.Tape").locator(".jp-OutputArea-output")
        right.get_by_text("gradients agree").wait_for()
        assert_readable(right)
        lab.picture(f"badge-{shade}", right)
        wrong = lab.show("overwrite.grad").locator(".jp-OutputArea-output")
        wrong.get_by_text("gradients are wrong").wait_for()
        wrong.get_by_text("x[i] = x[i] ** 2").wait_for()
        assert_readable(wrong)
        lab.picture(f"badge-wrong-{shade}", wrong)
        heatmap = lab.show("%qd_coverage").locator(".qd-heatmap")
        heatmap.get_by_text("4 back").wait_for()
        assert heatmap.locator("td.qd-backward").filter(has_text="back").count() == 2
        assert_readable(heatmap)
        assert_nothing_cut_off(heatmap)
        lab.picture(f"backward-{shade}", heatmap)
    saved = lab.cells()[2]["outputs"][0]["data"]
    assert "gradients agree" in "".join(saved["text/html"])
    lab.command("docmanager:save")
    assert lab.errors == []
