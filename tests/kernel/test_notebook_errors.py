"""Errors of users as cells show them."""

import re

import pytest


@pytest.fixture(scope="module")
def session(kernel):
    assert kernel.run("import quadrants as qd\nqd.init(arch=qd.cpu, log_level=qd.WARN)").status == "ok"
    return kernel


def message(cell):
    (error,) = cell.of("error")
    return error["evalue"]


def new_kernel(session):
    return session.run("@qd.kernel\ndef three() -> qd.i32:\n    return 3\n\nthree()")


@pytest.mark.parametrize("made", ["qd.field(qd.f32)", "qd.Vector.field(2, qd.f32)", "qd.Struct.field({'a': qd.f32})"])
def test_fields_that_only_the_history_of_results_holds(session, made):
    session.run(made)
    assert new_kernel(session).result == "3"
    session.run(f"forgotten = {made}\nforgotten")
    assert "not placed: `forgotten`, made at Cell In[" in message(new_kernel(session))
    session.run("del forgotten")
    assert new_kernel(session).result == "3"


def trace(cell):
    return re.sub(r"\x1b\[[\d;]*m", "", "\n".join(cell.of("error")[0]["traceback"]))


REFUSED = ["qd.sin('a')", "qd.sqrt(-1)", "X[0] = 'a'", "qd.i32('a')", "qd.Vector([1, 2]) + 'a'", "X.fill('a')", "qd.math.vec3('a')",
           "%qd_step three(1/0)", "%qd_graph 1/0", "sum([qd.sin('a')])"]  # fmt: skip


@pytest.mark.parametrize("code", REFUSED)
def test_no_frames_of_packages_where_a_value_is_refused(session, code):
    session.run("X = qd.field(qd.f32, 3)")
    new_kernel(session)
    text = trace(session.run(code))
    assert "Cell In[" in text and not re.search(r"\.py|<magic>|<string>", text), text


@pytest.mark.parametrize("code", ["x = (1 +", "def f(:\n    pass", "  x = 1\n y = 2", "return 3", "%%time\ndef f(:\n    pass"])
def test_no_frames_of_ipython_at_syntax_errors(session, code):
    text = trace(session.run(code))
    assert "Error: " in text and ".py" not in text, text


@pytest.mark.parametrize("magic", ["", "%%qd_kernel\n"])
def test_tracebacks_of_syntax_errors_begin_at_the_cell(session, magic):
    text = trace(session.run(magic + "eval('1+')"))
    assert text.count("Cell In[") == 1 and "SyntaxError: " in text and ".py" not in text, text


def test_frames_of_callbacks_stay(session):
    text = trace(session.run("def of(x):\n    return qd.sin(x)\nlist(map(of, 'a'))"))
    assert text.count("Cell In[") == 2 and ".py" not in text
    text = trace(session.run("import json\njson.loads('{')"))
    assert "decoder.py" in text, "not of the package"


def test_vectors_of_what_is_no_number(session):
    assert session.run("qd.Vector([1, 'a'])").result == "['1' 'a']"


LONG = """@qd.kernel
def long(first_argument: qd.i32, second_argument: qd.i32) -> qd.i32:
    return first_argument * second_argument + first_argument * second_argument - undefined_name + first_argument - second_argument
long(1, 2)"""


def test_lines_of_kernels_that_are_long(session):
    lines = trace(session.run(LONG)).splitlines()
    assert lines[0] == 'QuadrantsNameError: Name "undefined_name" is not defined' and lines[2].endswith(", in long"), lines
    shown = lines[3]
    assert shown.endswith("+ first_argument - second_argument") and shown[lines[4].index("^"):][:14] == "undefined_name" and lines[4].count("^") == 14


def test_statements_of_many_long_lines(session):
    call = f"qd.sin(first_argument,  # {'a' * 90}\n        second_argument)  # {'b' * 90}\n"
    head = trace(session.run(f"@qd.kernel\ndef many(first_argument: qd.i32, second_argument: qd.i32):\n    x = {call}many(1, 2)")).splitlines()[0]
    assert head == "QuadrantsTypeError: `sin` takes 1 arguments, 2 given"


def test_overflow_names_the_cell(fresh_kernel):
    for arch in ("cpu", "python"):
        fresh_kernel.run(f"import quadrants as qd\nqd.init(arch=qd.{arch}, debug=True)")
        cell = fresh_kernel.run("@qd.kernel\ndef square(n: qd.i32) -> qd.i32:\n    return n * n\nsquare(1 << 20)")
        number = cell.reply["content"]["execution_count"]
        assert f"Multiplication overflow detected in Cell In[{number}], line 3, in square:\n    return n * n\n" in cell.text()


def test_badge_of_an_empty_tape(session):
    session.run("%qd_gradients --on")
    cell = session.run("loss = qd.field(qd.f32, (), needs_grad=True)\nwith qd.ad.Tape(loss): pass")
    (badge,) = cell.of("display_data")
    assert badge["data"]["text/plain"] == "Tape: cannot say\n  no kernel was called in its block"
