"""Kernels that were compiled with what a later cell defined again."""

import pytest


@pytest.fixture(scope="module")
def session(kernel):
    assert kernel.run("import functools\nimport warnings\nimport quadrants as qd\nqd.init(arch=qd.cpu, log_level=qd.ERROR)").status == "ok"
    return kernel


CELL = """warnings.simplefilter("ignore")
{made}
@qd.kernel
def uses() -> qd.i32:
    return {used}
uses()"""

DATA = {
    "field": ("v = qd.field(qd.i32, ())", "v[None]", "v = qd.field(qd.i32, ())"),
    "vector": ("v = qd.Vector([1, 2])", "v[0]", "v = qd.Vector([3, 2])"),
    "struct": ("v = qd.Struct(a=1)", "v.a", "v = qd.Struct(a=2)"),
    "tuple": ("v = (1, 2)", "v[0]", "v = (3, 2)"),
    "dict": ("v = {'a': 1}", "v['a']", "v = {'a': 2}"),
    "changed dict": ("v = {'a': 1}", "v['a']", "v['a'] = 2"),
    "callable object": ("class Call:\n    def __call__(self, x): return x\nv = Call()", "v(1)", "v = Call()"),
    "attribute": ("import types\nv = types.SimpleNamespace(dt=1)", "v.dt", "v.dt = 2"),
    "attribute of an instance": ("class Held: pass\nv = Held()\nv.dt = 1", "v.dt", "v.dt = 2"),
    "number that a function reads": ("v = 1\ndef reads(): return v", "reads()", "v = 2"),
    "number that becomes an object": ("v = 1", "v", "v = object()"),
}
CODE = {
    "function": ("def v(): return 1", "v()", "def v(): return 2"),
    "lambda": ("v = lambda: 1", "v()", "v = lambda: 2"),
    "lambda of a closure": ("def make(n): return lambda: n\nv = make(1)", "v()", "v = make(2)"),
    "partial": ("def same(x): return x\nv = functools.partial(same, 1)", "v()", "v = functools.partial(same, 2)"),
    "class": ("class v:\n    n = 1", "v.n", "class v:\n    n = 2"),
    "attribute of a class": ("class v:\n    n = 1", "v.n", "v.n = 2"),
    "static method": ("class v:\n    @staticmethod\n    def n(): return 1", "v.n()", "class v:\n    @staticmethod\n    def n(): return 2"),
}


@pytest.mark.parametrize("case", DATA)
def test_data_that_is_bound_anew_is_told_once(session, case):
    made, used, again = DATA[case]
    cell = session.run(CELL.format(made=made, used=used))
    assert cell.status == "ok" and cell.text("stderr") == ""
    name = f"Cell In[{cell.reply['content']['execution_count']}]"
    session.run(again)
    shown = session.run("uses()").text("stderr")
    assert shown.startswith("uses was compiled with ") and shown.endswith(f". Run {name} again, or pass v as an argument.\n")
    assert session.run("uses()").text("stderr") == ""
    assert session.run(CELL.format(made=again, used=used.replace("reads()", "v") if "object" not in again else "1")).text("stderr") == ""


@pytest.mark.parametrize("case", CODE)
def test_code_that_is_defined_again(session, case):
    made, used, again = CODE[case]
    assert session.run(CELL.format(made=made, used=used)).result == "1"
    session.run(again)
    cell = session.run("uses()")
    assert (cell.result, cell.text("stderr")) == ("2", "")
    session.run(made)
    cell = session.run(f"{again}\nuses()")
    assert cell.text("stderr") == "" or "with an earlier `v`" in cell.text("stderr")
    assert session.run("uses()").result == "2"


def test_code_that_is_defined_again_in_the_cell_of_the_call(session):
    made, used, again = CODE["function"]
    session.run(CELL.format(made=made, used=used))
    cell = session.run(f"{again}\nuses()")
    assert (cell.result, cell.text("stderr")) == ("1", "uses may have run with an earlier `v` in this cell; its next call uses this one.\n")
    assert session.run("uses()").result == "2"


def test_what_stays_the_same_is_not_told(session):
    made = "v = (1, 2)\nw = qd.Vector([1, 2])\nclass Held:\n    n = 1\n    count = 0\nh = Held()\n"
    session.run(CELL.format(made=made, used="v[0] + w[0] + h.n"))
    session.run("v = (1, 2)\nw = qd.Vector([1, 2])\nh.count += 1\nHeld.count = 5")
    assert session.run("uses()").text("stderr") == ""


@pytest.mark.parametrize("case", DATA)
def test_the_cell_of_the_kernel_run_again_is_up_to_date(session, case):
    made, used, again = DATA[case]
    if case == "number that becomes an object":
        again = "v = 2"
    session.run(made)
    cell = "%%qd_kernel --quiet\n@qd.kernel\ndef uses() -> qd.i32:\n    return {} * 10 + 1\nuses()".format(used)
    session.run(cell)
    session.run(again + ("\nv[None] = 2" if case == "field" else ""))
    assert session.run(cell).text("stderr") == ""
    assert session.run("uses()").text("stderr") == ""


def test_a_cell_that_runs_no_kernel_is_told_nothing(session):
    made, used, again = CODE["function"]
    session.run(CELL.format(made=made, used=used))
    cell = session.run(f"{again}\nprint(uses)")
    assert (cell.text(), cell.text("stderr")) == ("<qd.kernel uses>\n", "")
    assert session.run("uses()").result == "2"
    session.run(CELL.format(made="v = 1", used="v"))
    assert session.run("v = 2\nprint(uses, f'{uses}')\nuses.__name__\nuses").text("stderr") == ""
    assert "uses was compiled with v = 1; it is 2 now" in session.run("uses()").text("stderr")
