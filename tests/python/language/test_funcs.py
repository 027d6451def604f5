"""Funcs, templates, methods, qd.static."""

import numpy as np
import pytest
import quadrants as qd


@qd.func
def add_five(x: qd.template()):
    x += 5


@qd.func
def factorial(n: qd.template()):
    r = 1
    if qd.static(n > 1):
        r = n * factorial(n - 1)
    return r


@qd.func
def two(a, b=4):
    return a * b, a + b


@qd.func
def change(a):
    a += 1
    return a


def test_arguments_by_value_and_by_reference():
    @qd.kernel
    def f(a: qd.i32) -> qd.i32:
        y = a
        add_five(y)
        z = change(y)
        p, q = two(y, b=3)
        r, t = two(1)
        return y * 100000 + z * 1000 + p + q + r + t

    assert f(1) == 6 * 100000 + 7 * 1000 + 18 + 9 + 4 + 5


def test_recursion_on_templates():
    @qd.kernel
    def f() -> qd.i32:
        return factorial(5)

    assert f() == 120


def test_loops_of_a_func_called_at_top_level_are_tasks():
    @qd.func
    def fill(x: qd.template(), v):
        for i in x:
            x[i] = v

    @qd.kernel
    def f(x: qd.types.ndarray(qd.i32, ndim=1)):
        fill(x, 3)
        for i in x:
            x[i] += i

    x = np.zeros(4, np.int32)
    f(x)
    assert x.tolist() == [3, 4, 5, 6]


def test_func_with_types():
    vec2 = qd.types.vector(2, qd.f32)

    @qd.func
    def f(v: vec2, k: qd.f32) -> vec2:
        v *= k
        return v

    @qd.kernel
    def g() -> vec2:
        v = qd.Vector([1, 2])
        w = f(v, 3)
        return v + w

    assert g().to_list() == [4, 8]


def test_methods_of_objects():
    @qd.data_oriented
    class Spring:
        def __init__(self, k):
            self.k = k
            self.x = qd.field(qd.f32, shape=8)

        @qd.func
        def energy(self, i):
            return 0.5 * self.k * self.x[i] ** 2

        @qd.kernel
        def run(self, a: qd.f32) -> qd.f32:
            for i in self.x:
                self.x[i] = a + i
            s = 0.0
            for i in range(8):
                s += self.energy(i)
            return s

    for k in (2.0, 3.0):
        assert Spring(k).run(1.0) == pytest.approx(sum(0.5 * k * (1 + i) ** 2 for i in range(8)))


def test_static_loops():
    @qd.kernel
    def f() -> qd.i32:
        s = 0
        for i, j in qd.static(qd.ndrange(3, (1, 3))):
            s += i * 10 + j
        for I in qd.static(qd.grouped(qd.ndrange(2, 2))):
            if qd.static(I[0] == 1):
                s += 1000 * (I + 1).sum()
        for i in qd.static(range(10)):
            if qd.static(i == 3):
                break
            if qd.static(i == 1):
                continue
            s += 100000
        a = [i * i for i in range(4) if i != 2]
        for q in qd.static(a):
            s += q
        d = {k: k + 1 for k in qd.static(range(2))}
        return s + d[1] + len(a)

    expected = sum(i * 10 + j for i in range(3) for j in (1, 2)) + 1000 * (3 + 4) + 200000 + 10 + 2 + 3
    assert f() == expected


def test_branches_not_taken_statically_are_not_compiled():
    @qd.kernel
    def f() -> qd.i32:
        r = 1
        if qd.static(False):
            r = does_not_exist  # noqa: F821
        if None:
            r = does_not_exist  # noqa: F821
        return r

    assert f() == 1


def test_python_functions_run_at_compile_time():
    calls = []

    def size():
        calls.append(1)
        return 7

    @qd.kernel
    def f() -> qd.i32:
        return qd.static(size()) * 2

    assert f() == 14
    assert f() == 14
    assert len(calls) == 1


def test_templates_specialise():
    @qd.kernel
    def f(n: qd.template(), x: qd.template()) -> qd.i32:
        s = 0
        for i in qd.static(range(n)):
            s += x[i]
        return s

    a, b = qd.field(qd.i32, shape=3), qd.field(qd.i32, shape=5)
    a.fill(1)
    b.fill(10)
    assert [f(2, a), f(3, b), f(3, a)] == [2, 30, 3]
