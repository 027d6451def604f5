"""Things that a new user does in the first hour and that must work: faults, Stop, background tasks, errors, help."""

from test_gutter import SETUP
from test_lab import THEMES

BEYOND = """@qd.kernel
def beyond(n: qd.i32):
    for i in range(n):
        x1[i * 1000] = 1
"""

LOOPS = """@qd.kernel
def loops(m: qd.i32, n: qd.i32) -> qd.f32:
    s = 0.0
    for j in range(m):
        for i in range(n):
            s += qd.sin(i * 0.001)
    return s
"""

KERNEL_STATUS = "window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.status"


def output(lab, index):
    """All text under a cell."""
    said = []
    for one in lab.cells()[index]["outputs"]:
        text = one.get("text") or one.get("traceback") or one.get("data", {}).get("text/plain", "")
        said.append("\n".join(text) if isinstance(text, list) else text)
    return "\n".join(said)


def test_a_write_out_of_bounds_is_an_exception(lab):
    lab.put("beyond", [SETUP + "\nx1 = qd.field(qd.i32, 10)", BEYOND, "beyond(1000000)", "print('still', 'here')"]).open("beyond")
    for index in range(4):
        lab.run_cell(index)
    (error,) = [one for one in lab.cells()[2]["outputs"] if one["output_type"] == "error"]
    said = error["evalue"] + "\n".join(error["traceback"])
    assert "beyond" in said and "debug=True" in said and "cell 2" in said.replace("Cell In[2]", "cell 2")
    assert output(lab, 3) == "still here\n"


def test_stop_in_an_inner_loop(lab):
    lab.put("inner", [SETUP, LOOPS, "print('running')\nloops(4096, 2000000000)", "print('still', 'here')"]).open("inner")
    for index in range(2):
        lab.run_cell(index)
    lab.page.evaluate("""() => { const app = window.jupyterapp; app.shell.currentWidget.content.activeCellIndex = 2;
        app.commands.execute('notebook:run-cell'); }""")
    cell = lab.show("print('running')")
    cell.get_by_text("running", exact=True).wait_for()
    lab.page.locator('.jp-NotebookPanel-toolbar [data-command="notebook:interrupt-kernel"]').click()
    cell.locator(".jp-OutputArea-output").get_by_text("KeyboardInterrupt").first.wait_for()
    lab.page.wait_for_function(f"{KERNEL_STATUS} === 'idle'")
    lab.run_cell(3)
    assert output(lab, 3) == "still here\n"


def test_tasks_continue_between_cells(lab):
    lab.put("tasks", ["import asyncio\nasync def later():\n    await asyncio.sleep(0.2)\n    print('done', 'later')\n"
                      "task = asyncio.create_task(later())\nprint('started')"]).open("tasks")
    lab.run_cell(0)
    lab.show("import asyncio").get_by_text("done later").wait_for()  # no other cell runs
    assert "started" in output(lab, 0) and lab.errors == []


def test_a_syntax_error_of_a_kernel_cell_is_short(lab):
    lab.put("syntax", [SETUP, "%%qd_kernel\n@qd.kernel\ndef f(:\n    pass"]).open("syntax")
    lab.run_cell(0)
    lab.run_cell(1)
    (error,) = lab.cells()[1]["outputs"]
    said = "\n".join(error["traceback"])
    assert error["ename"] == "SyntaxError" and "def f(:" in said
    assert "ast.py" not in said and "IPython" not in said and len(said.splitlines()) <= 8


def test_tb_and_debug_see_the_error_of_a_kernel(lab):
    lab.put("last", ["1 / 0", SETUP, "@qd.kernel\ndef wrong():\n    return missing\nwrong()",
                     "import sys\nprint(type(sys.last_value).__name__)", "%tb"]).open("last")
    for index in range(5):
        lab.run_cell(index)
    failed = next(one for one in lab.cells()[2]["outputs"] if one["output_type"] == "error")
    assert output(lab, 3) == failed["ename"] + "\n"
    assert "missing" in output(lab, 4) and "ZeroDivisionError" not in output(lab, 4)


def test_help_shows_the_docstring(lab):
    lab.put("help", [SETUP, "qd.init"]).open("help")
    lab.run_cell(0)
    lab.show("qd.init").locator(".cm-content").click()
    lab.page.keyboard.press("End")
    lab.page.keyboard.press("Shift+Tab")
    tip = lab.page.locator(".jp-Tooltip")
    tip.get_by_text("Docstring").first.wait_for()
    sizes = tip.evaluate("node => [...node.querySelectorAll('*')].map(one => parseFloat(getComputedStyle(one).fontSize))")
    assert max(sizes) <= 20 and "(*args, **kwargs)" not in tip.inner_text()
    for theme in THEMES:
        lab.theme(theme)
        lab.picture(f"help-{theme.split()[-1].lower()}")
