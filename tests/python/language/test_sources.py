"""Kernels may be defined in files, notebook cells, exec, classes and nested functions, and with odd formatting."""

from __future__ import annotations

import linecache
import subprocess
import sys
import types

import numpy as np
import pytest
import quadrants as qd


def test_future_annotations():
    Local = qd.types.ndarray(qd.i32, ndim=1)

    @qd.kernel
    def k(x: Local, a: qd.i32) -> qd.i32:
        for i in x:
            x[i] = a
        return a

    x = np.zeros(3, np.int32)
    assert k(x, 4) == 4 and x.tolist() == [4, 4, 4]


def test_odd_formatting():
    # fmt: off
    @qd.kernel
    def k(
        a: qd.i32,
        b: qd.i32,
    ) -> (
        qd.i32
    ):
        """A text
that is not indented
        """
        c = (a +
  b)
# a comment at the margin
        return c \
            + 1
    # fmt: on
    assert k(1, 2) == 4


def test_one_liner():
    # fmt: off
    @qd.kernel
    def k() -> qd.i32: return 3
    # fmt: on
    assert k() == 3


def test_notebook_cell():
    text = "import quadrants as qd\n@qd.kernel\ndef in_cell(a: qd.i32) -> qd.i32:\n    return a * 2\n"
    name = "<ipython-input-7-abc>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    module = types.ModuleType("cell")
    exec(compile(text, name, "exec"), module.__dict__)
    assert module.in_cell(21) == 42


def test_exec_of_a_string():
    text = "import quadrants as qd\n\n@qd.func\ndef twice(x):\n    return x + x\n\n@qd.kernel\ndef k(a: qd.i32) -> qd.i32:\n    return twice(a)\n"
    scope = {}
    exec(text, scope)
    assert scope["k"](4) == 8


def test_two_execs_with_the_same_name():
    results = []
    for factor in (2, 3):
        text = f"import quadrants as qd\n@qd.kernel\ndef k(a: qd.i32) -> qd.i32:\n    return a * {factor}\n"
        scope = {}
        exec(text, scope)
        results.append(scope["k"])
    assert [k(10) for k in results] == [20, 30]


def test_same_function_made_twice_with_other_globals():
    def make(weight):
        @qd.kernel
        def k(a: qd.i32) -> qd.i32:
            return a * weight

        return k

    two, five = make(2), make(5)
    assert (two(3), five(3)) == (6, 15)


EDITED = '''
import sys
{imports}
import quadrants as qd

qd.init(arch=sys.argv[1], log_level="error", offline_cache=sys.argv[3] != "cold", offline_cache_file_path=sys.argv[4])

def plain(x):
    return x + 10

@qd.func
def f(x):
    return x * 1 + plain(x) - x

@qd.kernel
def k(x: qd.i32) -> qd.i32:
    return f(x) + 100

text = open(__file__).read()
with open(__file__, "w") as file:
    file.write(eval(sys.argv[2]))
print(k(1))
'''


@pytest.mark.parametrize("imports", ("", "import linecache"))
@pytest.mark.parametrize("edit", ("'#' + chr(10) + text", "text.replace('100', '200')", "text.replace('x * 1', 'x * 2')", "text.replace('x + 10', 'x + 20')", "text[:90]", "''"))
def test_a_file_that_is_edited_while_its_program_runs(arch, tmp_path, imports, edit):
    """The text that was loaded runs, and cache entries belong to that text."""
    path, cache = tmp_path / "program.py", str(tmp_path / "cache")
    for kept in ("cold", "new", "kept"):
        path.write_text(EDITED.replace("{imports}", imports))
        done = subprocess.run([sys.executable, str(path), arch, edit, kept, cache], capture_output=True, text=True, timeout=120)
        assert done.stdout == "111\n", done.stderr
    again = path.read_text()
    now = {"+ 200": "211\n", "x * 2": "112\n", "x + 20": "121\n"}
    for text, shown in now.items():
        if text in again:
            done = subprocess.run([sys.executable, str(path), arch, "text", "kept", cache], capture_output=True, text=True, timeout=120)
            assert done.stdout == shown, done.stderr
