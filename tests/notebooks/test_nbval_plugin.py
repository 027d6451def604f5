"""The nbval plugin: outputs are compared by meaning; a wrong reference still fails. Each case is a cell of one notebook
that nbval runs in each kernel."""

import os
import pathlib
import subprocess
import sys
import xml.etree.ElementTree

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook, new_output

ROOT = pathlib.Path(__file__).parents[2]
COVERAGE = "application/vnd.quadrants.coverage+json"
COMPILED = "application/vnd.quadrants.compiled+json"
CACHE = "application/vnd.quadrants.cache+json"
VALUES = "application/vnd.quadrants.values+json"


def validate(folder, cells, kernel, *options, plugin=True):
    """Returns cell number -> None if it passed, otherwise why it failed."""
    notebook = new_notebook(cells=[new_code_cell(*cell[:1], execution_count=1, outputs=cell[1],
                                                 metadata={"tags": list(cell[2:])}) for cell in cells])
    notebook.metadata["kernelspec"] = {"name": kernel, "display_name": kernel, "language": "python"}
    path, results = folder / "case.ipynb", folder / "results.xml"
    nbformat.write(notebook, path)
    ini = ["-c", str(ROOT / "tests/notebooks/pytest.ini")] if plugin else ["-c", os.devnull, "-p", "no:pytest_quadrants"]
    command = ["-m", "pytest", "-q", "--nbval", "--nbval-cell-timeout", "120", f"--junitxml={results}", *ini, *options, str(path)]
    done = subprocess.run([sys.executable, *command], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert results.exists(), done.stdout + done.stderr
    found = {}
    for case in xml.etree.ElementTree.parse(results).iter("testcase"):
        failure = case.find("failure")
        found[int(case.get("name").split()[-1])] = None if failure is None else failure.text
    assert len(found) == len(cells), done.stdout + done.stderr
    return found


def shown(text, **typed):
    return new_output("display_data", {"text/plain": text, **typed})


def bundle(data):
    return new_output("display_data", data)


def printed(text):
    return new_output("stream", name="stdout", text=text)


def result(text, **more):
    return new_output("execute_result", {"text/plain": text, **more}, execution_count=1)


def display_raw(data):
    return f"from IPython.display import display\ndisplay({data!r}, raw=True)"


def coverage(*lines, label="cell 4", digest="0011"):
    lines = [{"number": n, "count": c, "newest": c, "previous": None, "outcomes": o} for n, c, o in lines]
    return {"version": 1, "running": False, "cells": [{"cell_id": None, "label": label, "digest": digest, "lines": lines,
                                                       "specialisations": []}]}


def values(*numbers, dtype="f32"):
    return {VALUES: {"version": 1, "dtype": dtype, "shape": [len(numbers)], "values": list(numbers)}}


def compiled(count, kept, milliseconds):
    kernel = {"name": "step", "compiled": count, "unchanged": kept, "note": "", "milliseconds": milliseconds}
    return {COMPILED: {"version": 1, "kernels": [kernel]}}


def both(typed, text):
    return {**typed, "text/plain": text, "text/html": f"<b>{text}</b>"}


CLEAR = "from IPython.display import clear_output\n"
UPDATE = "h = display('a', display_id=True); display('between'); h.update('b');"
TIME = "from IPython.display import HTML, display\ndisplay(HTML('<i>{} tasks<span class=\"qd-time\"> ({} ms)</span></i>'))"
ONCE = {COVERAGE: coverage((12, 7, {"taken": 7, "not_taken": 0}), (13, 0, {}))}
OFTEN = {COVERAGE: coverage((12, 9000, {"taken": 9000, "not_taken": 0}), (13, 0, {}), label="cell 1")}
MORE = {COVERAGE: coverage((12, 7, {"taken": 7, "not_taken": 0}), (13, 1, {}))}
LESS = {COVERAGE: coverage((12, 0, {}), (13, 0, {}))}
BRANCH = {COVERAGE: coverage((12, 7, {"taken": 6, "not_taken": 1}), (13, 0, {}))}


def timed(tasks, milliseconds):
    return new_output("display_data", {"text/plain": "<IPython.core.display.HTML object>",
                                       "text/html": f'<i>{tasks} tasks<span class="qd-time"> ({milliseconds} ms)</span></i>'})


# (code, stored outputs, tags...) -> words of the failure; none if the cell passes
CASES = {
    "update": ((UPDATE, [shown("'b'"), shown("'between'")]), ""),
    "update, wrong": ((UPDATE, [shown("'a'"), shown("'between'")]), "mismatch"),
    "clear": ((CLEAR + "print('gone'); clear_output(); print('stays')", [printed("stays\n")]), ""),
    "clear at next": ((CLEAR + "for i in range(3): print(i); clear_output(wait=True)\nprint('end')", [printed("end\n")]), ""),
    "clear and nothing": ((CLEAR + "print('kept'); clear_output(wait=True)", [printed("kept\n")]), ""),
    "text, wrong": (("print('x')", [printed("y\n")]), "mismatch"),
    "times": ((TIME.format(2, 3), [timed(2, 17)]), ""),
    "times, wrong": ((TIME.format(2, 3), [timed(3, 17)]), "mismatch"),
    "cells are counted": (("print(get_ipython().displayhook.prompt_count)", [printed("9\n")]), ""),
    "coverage": ((display_raw(both(OFTEN, "9,000")), [bundle(both(ONCE, "7"))]), ""),
    "coverage, never ran": ((display_raw(both(LESS, "x")), [bundle(both(ONCE, "x"))]),
                            "Cell In[4], line 12 ran in the notebook, never ran now"),
    "coverage, ran": ((display_raw(both(MORE, "x")), [bundle(both(ONCE, "x"))]),
                      "Cell In[4], line 13 never ran in the notebook, ran now"),
    "coverage, branch": ((display_raw(both(BRANCH, "x")), [bundle(both(ONCE, "x"))]),
                         "Cell In[4], line 12 was false now, never in the notebook"),
    "coverage, text alone is stored": ((display_raw(both(ONCE, "7")), [bundle(both({}, "7"))]), ""),
    "coverage, other text alone is stored": ((display_raw(both(ONCE, "7")), [bundle(both({}, "8"))]), "mismatch"),
    "compiled": ((display_raw(both(compiled(1, 5, 3.0), "3 ms")), [bundle(both(compiled(1, 5, 70.0), "70 ms"))]), ""),
    "compiled, wrong": ((display_raw(both(compiled(2, 4, 3.0), "x")), [bundle(both(compiled(1, 5, 3.0), "x"))]),
                        "kernel step: 1 tasks compiled in the notebook, 2 now"),
    "values": ((display_raw(both(values(0.5, 1.00001), "a")), [bundle(both(values(0.5, 1.0), "b"))]), ""),
    "values, wrong": ((display_raw(both(values(0.5, 1.01), "a")), [bundle(both(values(0.5, 1.0), "a"))]),
                      "[1] is 1.0 in the notebook, 1.01 now (rtol 0.0001, atol 1e-06)"),
    "values, tag": ((display_raw(both(values(0.5, 1.01), "a")), [bundle(both(values(0.5, 1.0), "b"))], "qd-rtol-0.1"), ""),
    "values, tag, wrong": ((display_raw(both(values(0.5, 1.2), "a")), [bundle(both(values(0.5, 1.0), "a"))], "qd-rtol-0.1"),
                           "1.0 in the notebook, 1.2 now"),
    "values, comment": (("# QD_ATOL 0.1\n" + display_raw(values(0.0)), [bundle(values(0.05))]), ""),
    "values, comment, wrong": (("# QD_ATOL 0.1\n" + display_raw(values(0.0)), [bundle(values(0.2))]), "0.2 in the notebook, 0.0 now"),
    "values, bad tag": ((display_raw(values(0.0)), [bundle(values(0.0))], "qd-rtol-small"), "needs a number, not 'small'"),
    "numbers": (("print('sum  1.0000001 of 3')\n2.5", [printed("sum 1.0 of 3\n"), result("2.50001")], "qd-numbers"), ""),
    "numbers, wrong": (("print('sum 1.01 of 3')", [printed("sum 1.0 of 3\n")], "qd-numbers"), "number 1 is 1.0 in the notebook, 1.01 now"),
    "numbers, whole": (("print('sum 1.0 of 4')", [printed("sum 1.0 of 3\n")], "qd-numbers"), "number 2 is 3 in the notebook, 4 now"),
    "numbers, other words": (("print('sun 1.0')", [printed("sum 1.0\n")], "qd-numbers"), "mismatch"),
    "numbers, no tag": (("print('sum 1.0000001')", [printed("sum 1.0\n")]), "mismatch"),
    "film": ((display_raw({"image/gif": "R0lG", "text/plain": "film"}), [bundle({"image/gif": "R0lH", "text/plain": "film"})]), ""),
    "film, none": ((display_raw({"text/plain": "film"}), [bundle({"image/gif": "R0lH", "text/plain": "film"})]),
                   "Missing output fields from running code: {'image/gif'}"),
}  # fmt: skip


@pytest.fixture(scope="module", params=["quadrants", "python3"])
def outcomes(request, tmp_path_factory):
    found = validate(tmp_path_factory.mktemp("cases"), [cell for cell, _ in CASES.values()], request.param)
    return dict(zip(CASES, found.values()))


@pytest.mark.parametrize("name", CASES)
def test_cell(outcomes, name):
    words = CASES[name][1]
    if words:
        assert outcomes[name] is not None and words in outcomes[name]
    else:
        assert outcomes[name] is None


def test_options_and_values_of_quadrants(tmp_path):
    """A field, an array and a matrix display typed data, and the options of the command line apply to them."""
    start = "import quadrants as qd\nqd.init(arch=qd.cpu)\nx = qd.field(qd.f32, 2)\nx.fill(0.3)"
    cells = [
        (start, [], "nbval-ignore-output"),
        ("x", [result("<qd.field>", **values(0.31, 0.29))]),
        ("x", [result("<qd.field>", **values(0.31, 0.1))]),
        ("a = qd.ndarray(qd.i32, 2)\na", [result("other", **values(0, 0, dtype="i32"))]),
        ("a", [result("other", **values(0, 1, dtype="i32"))]),
        ("a", [result("other", **values(0, 0, dtype="i64"))]),
        ("qd.Vector([1.0, 2.0])", [result("other", **values(1.0, 2.01, dtype="f64"))]),
    ]
    found = validate(tmp_path, cells, "quadrants", "--qd-rtol", "0.1")
    assert [number for number, failure in found.items() if failure is None] == [0, 1, 3, 6]
    assert "[1] is 0.1 in the notebook, 0.3" in found[2] and "(rtol 0.1, atol 1e-06)" in found[2]
    assert "dtype is i64 in the notebook, i32 now" in found[5]


def test_answers_about_the_cache_are_not_compared(tmp_path):
    """They depend on what earlier processes left on disk."""
    start = "%load_ext quadrants_jupyter\nimport quadrants as qd\nqd.init(arch=qd.cpu)"
    cells = [(start, [], "nbval-ignore-output")]
    cells += [("%qd_cache", [bundle(both({CACHE: {"version": 1, "about": about}}, "other"))]) for about in ("info", "verify")]
    found = validate(tmp_path, cells, "quadrants")
    assert [number for number, failure in found.items() if failure] == [2]
    assert "%qd_cache verify in the notebook, %qd_cache info now" in found[2]


HEAT = """%load_ext quadrants_jupyter
import quadrants as qd
qd.init(arch=qd.cpu)
x = qd.ndarray(qd.i32, 4)"""
KERNEL = """%%qd_kernel
@qd.kernel
def up(x: qd.types.ndarray(qd.i32, ndim=1), n: qd.i32):
    for i in x:
        if n > 2:
            x[i] += 1
        x[i] += n"""


def test_heatmaps_and_reports_compare_by_meaning(tmp_path):
    """Compares the output of the magics in one kernel with the other's: doubled counts are equal, another branch is not."""
    texts = [HEAT, KERNEL, "up(x, 1)", "%qd_coverage", "%qd_tasks"]
    notebook = new_notebook(cells=[new_code_cell(text) for text in texts])
    NotebookClient(notebook, kernel_name="quadrants", timeout=120, store_widget_state=False).execute()
    stored = [cell.outputs for cell in notebook.cells]
    kinds = [set(out[-1].get("data", {})) & {COVERAGE, COMPILED} if out else None for out in stored]
    assert kinds[1] == {COMPILED} and kinds[3] == {COVERAGE} and kinds[4] == {COMPILED}
    tags = ["nbval-ignore-output"] + [None] * 4

    def run(call, kernel):
        changed = [*texts[:2], call, *texts[3:]]
        cells = [(text, out, *([tag] if tag else [])) for text, out, tag in zip(changed, stored, tags)]
        return validate(tmp_path, cells, kernel)

    assert set(run("up(x, 1)\nup(x, 2)", "python3").values()) == {None}
    found = run("up(x, 5)", "quadrants")
    assert "Cell In[2], line 6 never ran in the notebook, ran now" in found[3]
    assert [number for number, failure in found.items() if failure] == [3]


def test_without_the_plugin_an_update_cannot_pass(tmp_path):
    assert validate(tmp_path, [CASES["update"][0]], "quadrants", plugin=False)[0] is not None
