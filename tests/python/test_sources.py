"""Where kernels may be defined: files, notebook cells, exec, classes, nested functions, odd formatting."""

from __future__ import annotations

import linecache
import types

import numpy as np
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
