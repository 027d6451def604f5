"""Errors of cells, in the Quadrants kernel and in ipykernel: their lines, their cause and hint, the frames they hide."""

import re

import pytest
from conftest import PATIENCE, plain, trace_of


@pytest.mark.parametrize("call, words", [
    ("qd.init(debgu=True)", "qd.init: debgu; did you mean debug?"), ("qd.init(arch=qd.cpu, opt_level='high')", "opt_level"),
    ("qd.cfg.debgu = True", "did you mean 'debug'?"), ("qd.field('f99', 3)", "f99"),
])
def test_errors_of_the_package_hide_its_frames(session, call, words):
    cell = session.run(f"1\n{call}")
    text = plain("\n".join(cell.of("error")[0]["traceback"]))
    assert words in text and call in text and "line 2" in text
    assert not re.search(r"quadrants/\w+\.py|_runtime|_options\.py", text), text


@pytest.mark.parametrize("magic", ["", "%%qd_kernel\n"])
@pytest.mark.parametrize("header, head, carets", [
    ("def bad(x): pass", "Quadrants kernels parameters must be type annotated: 'x' of bad is not", "        ^"),
    ("def bad() -> 3: return 1", "Invalid return type annotation of Quadrants kernel: 3; results are numbers", "             ^"),
])  # fmt: skip
def test_errors_of_annotations(session, magic, header, head, carets):
    cell = session.run(f"{magic}import quadrants as qd\n@qd.kernel\n{header}\nbad.nothing")
    trace = plain("\n".join(cell.of("error")[0]["traceback"])).splitlines()
    assert cell.error == "QuadrantsSyntaxError" and trace[0].startswith(f"QuadrantsSyntaxError: {head}")
    assert trace[2].endswith(f"line {4 if magic else 3}, in bad") and trace[3:5] == ["    " + header, "    " + carets]


def test_compile_error_shows_the_line_of_the_cell(session):
    cell = session.run("%%qd_kernel\n@qd.kernel\ndef bad(x: qd.i32):\n    y = x + nothing_here\n")
    assert cell.status == "error" and cell.error == "QuadrantsNameError"
    trace = "\n".join(cell.of("error")[0]["traceback"])
    number = cell.reply["content"]["execution_count"]
    assert plain(trace).splitlines()[:5] == [
        'QuadrantsNameError: Name "nothing_here" is not defined', "", f"Cell In[{number}], line 4, in bad", "    y = x + nothing_here",
        "            ^^^^^^^^^^^^"]
    assert "run_cell_magic" not in trace and "site-packages" not in trace
    assert session.run("1").result == "1"


def test_an_error_has_its_cause_first_and_its_hint_last(session):
    cell = session.run("@qd.func\ndef inner(x):\n    if x > 0:\n        nothing = 1\n    return x + nothing\n@qd.kernel\ndef outer(x: qd.i32):\n    y = inner(x)\n"
                       "def call():\n    outer(1)\ncall()")
    here = f"Cell In[{cell.reply['content']['execution_count']}], line"
    lines = trace_of(cell)
    assert lines[:-1] == [
        'QuadrantsNameError: Name "nothing" is not defined', "",
        f"{here} 5, in inner", "    return x + nothing", "               ^^^^^^^",
        f"called from {here} 8, in outer", "    y = inner(x)", "        ^^^^^^^^",
        f"called from {here} 10, in call", "    outer(1)",
        f"called from {here} 11, in <module>", "    call()", ""]
    assert lines[-1].startswith("Hint: ")


def test_an_error_of_the_run_has_the_same_layout(session):
    session.run("qd.init(arch=qd.cpu, debug=True)\nf = qd.field(qd.f32, 10)")
    cell = session.run("@qd.kernel\ndef out(x: qd.i32):\n    for i in range(3):\n        f[i + x] = 1\nout(100)")
    here = f"Cell In[{cell.reply['content']['execution_count']}], line"
    lines = trace_of(cell)
    assert lines[0].startswith("QuadrantsAssertionError: (kernel=out) ")
    assert lines[1:] == ["", f"{here} 4, in out", "    f[i + x] = 1", "    ^^^^^^^^", f"called from {here} 5, in <module>", "    out(100)"]


def test_an_unchanged_kernel_is_named_by_the_newest_cell(session):
    """The unchanged kernel has the number of the newest cell, which the notebook shows; an older kernel that is still referenced has that
    of the cell that defined it."""
    session.run("qd.init(arch=qd.cpu, debug=True)\nf = qd.field(qd.f32, 10)")
    text = "%%qd_kernel\n@qd.kernel\ndef out(x: qd.i32):\n    f[x] = 1\n\n@qd.kernel\ndef other(x: qd.template()):\n    f[x + 10] = {}\n"
    run = lambda code: session.run(code).reply["content"]["execution_count"]  # noqa: E731
    first = run(text.format(1))
    session.run("held, kept = other, out")
    for value in (1, 2, 2):
        number = run(text.format(value))
        here = [f"Cell In[{number}], line 4, in out", "    f[x] = 1", "    ^^^^"]
        assert session.run("kept is out").result == "True" and trace_of(session.run("out(100)"))[2:5] == here
        assert f'File "cell {number}", line 4, in out:' in session.run("out(-1)").of("error")[0]["evalue"]
        there = f"Cell In[{number}], line 8, in other"
        assert trace_of(session.run("other(0)"))[2] == there and trace_of(session.run("other(None)"))[2] == there  # compiles, then fails to
    assert session.run("held is other").result == "False"
    assert trace_of(session.run("held(0)"))[2:5] == [f"Cell In[{first + 2}], line 8, in other", "    f[x + 10] = 1", "    ^^^^^^^^^"]


def test_a_statement_of_many_lines_has_its_cause_first_too(session):
    cell = session.run("@qd.kernel\ndef pick(x: qd.i32) -> qd.i32:\n    match x:\n        case 1:\n            return 3\n    return 1\npick(1)")
    lines = trace_of(cell)
    assert lines[0] == 'QuadrantsSyntaxError: Unsupported node "Match": kernels do not support `match`' and lines[3:5] == ["    match x:", "    ^^^^^^^^"]


def test_calls_that_an_error_counts(session):
    cell = session.run("@qd.func\ndef f(x):\n    return f(x)\n@qd.kernel\ndef b(x: qd.i32) -> qd.i32:\n    return f(x)\nb(1)")
    assert trace_of(cell)[0] == "QuadrantsCompilationError: Function 'f' calls itself without end"


def test_many_calls_are_folded(session):
    cell = session.run("@qd.kernel\ndef k(x: qd.i32):\n    y = nothing\ndef down(n):\n    return down(n - 1) if n else k(1)\ndown(50)")
    lines = trace_of(cell)
    assert sum("line" in line for line in lines) == 8 and "... 45 calls ..." in lines


def test_calls_through_a_file_of_the_user(session, tmp_path):
    (tmp_path / "mine.py").write_text("def through(k):\n    k(1)\n")
    cell = session.run(f"import sys; sys.path.insert(0, {str(tmp_path)!r})\nimport mine\n@qd.kernel\ndef k(x: qd.i32):\n    y = nothing\nmine.through(k)")
    assert f"called from File {tmp_path / 'mine.py'}, line 2, in through" in trace_of(cell)


def test_debug_and_tb_after_an_error_of_a_kernel(session):
    session.run("def older(): 1/0\nolder()")
    session.run("@qd.kernel\ndef bad(x: qd.i32):\n    y = x + nothing\ndef call(here):\n    bad(1)\ncall(7)")
    assert session.run("import sys; sys.last_type.__name__, sys.last_value.__class__ is sys.last_type").result == "('QuadrantsNameError', True)"
    shown = session.run("%tb")
    text = plain("\n".join(e for c in shown.of("error") for e in c["traceback"]) + shown.text() + shown.text("stderr"))
    assert 'Name "nothing" is not defined' in text and "ZeroDivision" not in text
    cell = session.send("%debug", allow_stdin=True)
    for answer in ("p 'here is', here", "q"):
        session.raw.get_stdin_msg(timeout=PATIENCE)
        session.raw.input(answer)
    assert "('here is', 7)" in session.collect(cell).text()


def test_python_error_in_the_cell(session):
    cell = session.run("%%qd_kernel\nx = 1\nraise ValueError('mine')\n")
    assert cell.error == "ValueError"
    trace = trace_of(cell)
    assert trace[-1] == "ValueError: mine" and not any("run_cell_magic" in line or "quadrants_jupyter" in line for line in trace)
    assert session.run("%%qd_kernel\nnext(iter(()))").error == "StopIteration"


@pytest.mark.parametrize("body, line", [("def f(:\n    pass\n", 2), ("x = 1\nreturn x\n", 3), ("\n\nx = 1\n(\n", 5)])
def test_cells_that_are_not_python(session, body, line):
    session.run("x = 0")
    cell = session.run("%%qd_kernel\n" + body)
    trace = trace_of(cell)
    assert cell.error == "SyntaxError" and len(trace) <= 6
    assert f"Cell In[{cell.reply['content']['execution_count']}], line {line}" in trace[0]
    assert session.run("x").result == "0"  # the cell did not run


def test_a_python_error_elsewhere_keeps_its_frames(session, tmp_path):
    (tmp_path / "broken.py").write_text("def f(:\n")
    cell = session.run(f"import sys; sys.path.insert(0, {str(tmp_path)!r})\nimport broken")
    assert cell.error == "SyntaxError" and any("line 2" in line and "In[" in line for line in trace_of(cell))
