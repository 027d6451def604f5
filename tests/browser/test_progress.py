"""The line below a cell that waits for a kernel or for the compiler."""

import pytest
from test_gutter import LONG, SETUP
from test_lab import assert_readable

THEMES = ["JupyterLab Light", "JupyterLab Dark"]

RUN = """index => { const app = window.jupyterapp; app.shell.currentWidget.content.activeCellIndex = index;
    app.commands.execute('notebook:run-cell'); }"""
IDLE = "window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.status === 'idle'"

PLOT = """import matplotlib.pyplot as plt
import ipywidgets
display(ipywidgets.IntSlider(value=3))
plt.figure(figsize=(3, 1)); plt.plot([1, 3, 2]); plt.show()
print("before")
long(np.ones(64, np.float32))"""

MANY = """text = "@qd.kernel\\ndef many(x: qd.types.ndarray(qd.f32, ndim=1)):\\n"
for n in range(200):
    text += "    for i in range(64):\\n"
    text += "".join(f"        x[i] = qd.sin(x[i] * {n}.5 + {k}.0) * x[(i + {k}) % 64]\\n" for k in range(60))
import linecache
linecache.cache["many.py"] = (len(text), None, text.splitlines(True), "many.py")
exec(compile(text, "many.py", "exec"))
many(np.ones(64, np.float32))"""


@pytest.mark.parametrize("kernel", ["quadrants", "python3"])
def test_the_line_of_a_launch(lab, kernel):
    lab.put("progress", [SETUP, "%load_ext quadrants_jupyter", LONG, PLOT, "1 + 1"], kernel)
    lab.open("progress")
    for index in (0, 1, 2):
        lab.run_cell(index)
    lab.page.evaluate(RUN, 3)
    cell = lab.show("import matplotlib")
    line = cell.locator(".qd-progress[role=progressbar]")
    line.wait_for()
    assert lab.page.locator(".qd-progress").count() == 1
    lab.page.wait_for_function("/^line \\d+ · \\d+ % · \\d+ s$/.test(document.querySelector('.qd-progress-rest')?.textContent)")
    assert line.locator(".qd-progress-head").text_content() == "long runs"
    assert line.get_attribute("aria-label") == "long runs" and 0 <= int(line.get_attribute("aria-valuenow")) < 100
    outputs, own = cell.locator(".jp-OutputArea").bounding_box(), line.bounding_box()
    assert own["y"] >= outputs["y"] + outputs["height"] - 1, "below what the cell shows"
    cell.get_by_text("before", exact=True).wait_for()
    for theme in THEMES if kernel == "quadrants" else []:
        lab.theme(theme)
        assert_readable(line)
        lab.picture(f"progress-{theme.split()[-1].lower()}", lab.show("import matplotlib"))
        lab.picture(f"progress-page-{theme.split()[-1].lower()}")
    lab.page.locator('.jp-NotebookPanel-toolbar [data-command="notebook:interrupt-kernel"]').click()
    line.wait_for(state="detached")
    lab.page.wait_for_function(IDLE)
    kinds = [output["output_type"] for output in lab.cells()[3]["outputs"]]
    assert kinds == ["display_data", "display_data", "stream", "error"], "nothing of it is kept"
    lab.run_cell(4)
    assert lab.page.locator(".qd-progress").count() == 0
    assert lab.errors == []


def test_the_line_of_the_compiler(lab):
    lab.put("compiling", [SETUP, MANY]).open("compiling")
    lab.run_cell(0)
    lab.page.evaluate(RUN, 1)
    lab.page.wait_for_function("/^[1-9]\\d* of 200 tasks · \\d+ s$/.test(document.querySelector('.qd-progress-rest')?.textContent)")
    line = lab.show("text =").locator(".qd-progress")
    assert line.locator(".qd-progress-head").text_content() == "compiling many"
    for theme in THEMES:
        lab.theme(theme)
        lab.picture(f"compiling-{theme.split()[-1].lower()}")
    lab.page.locator('.jp-NotebookPanel-toolbar [data-command="notebook:interrupt-kernel"]').click()
    lab.page.wait_for_function("!document.querySelector('.qd-progress')")
    lab.page.wait_for_function(IDLE)
    assert lab.errors == []


def test_queued_cells_after_stop_have_not_run(lab):
    lab.put("queued", ["import quadrants as qd\nqd.init(arch=qd.cpu)",
                       "@qd.kernel\ndef endless(n: qd.i32) -> qd.i32:\n    a = 0\n    while n > 0:\n        a += 1\n"
                       "    return a\nprint('running')\nendless(1)", "print('never')", "40 + 2"])
    lab.open("queued")
    lab.page.evaluate("""() => { const app = window.jupyterapp; app.shell.currentWidget.content.activeCellIndex = 0;
        app.commands.execute('notebook:run-all-cells'); }""")
    lab.show("@qd.kernel").get_by_text("running", exact=True).wait_for()
    lab.page.locator('.jp-NotebookPanel-toolbar [data-command="notebook:interrupt-kernel"]').click()
    lab.page.wait_for_function("""() => [...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')].map(p => p.textContent).join() === '[1]:,[2]:,[ ]:,[ ]:'""")
    assert [cell["execution_count"] for cell in lab.cells()] == [1, 2, None, None]
    assert lab.cells()[2]["outputs"] == lab.cells()[3]["outputs"] == []
