"""Kernels that compute derivatives are compiled, cached, counted and freed like others."""

import gc
import textwrap

import numpy as np
import pytest
import quadrants as qd
from quadrants._coverage import counts as _coverage


def reals(*names, dtype=qd.f32, shape=()):
    return [qd.field(dtype, shape=shape, name=name, needs_grad=True, needs_dual=True) for name in names]


GRADIENT = """
def go():
    x = qd.field(qd.f32, shape=3, needs_grad=True, needs_dual=True)
    {before}
    y = qd.field(qd.f32, shape=3, needs_grad=True, needs_dual=True)
    a = qd.ndarray(qd.f32, 3, needs_grad={array})
    x.fill(3)
    a.fill(2)

    @qd.kernel
    def k(a: qd.types.ndarray()):
        for i in x:
            y[i] = a[i] * x[i] ** 2

    y.grad.fill(1)
    with qd.ad.FwdMode(loss=y, param=x, seed=[1, 1, 1]):
        k(a)
    k.grad(a)
    return x.grad[0], y.dual[0], a.grad[0] if {array} else None
"""


def gradient(before="pass", array=True):
    return textwrap.dedent(GRADIENT).format(before=before, array=array)


def test_cache_entries(cached):
    assert cached.run(gradient()) == ((12, 12, 9), "made")
    assert cached.run(gradient()) == ((12, 12, 9), "loaded")
    assert cached.run(gradient(array=False)) == ((12, 12, None), "both")  # in forward mode gradients of arrays are not used
    elsewhere = gradient("qd.root.dense(qd.i, 7).place(qd.field(qd.f32))")  # only the number of the tree differs
    assert cached.run(elsewhere)[0] == (12, 12, 9)


def test_cache_entries_depend_on_the_place_of_gradients(cached):
    def program(where):
        return f"""
            def go():
                x = qd.field(qd.f32)
                loss = qd.field(qd.f32, shape=(), needs_grad=True)
                {where}

                @qd.kernel
                def k():
                    for i in range(3):
                        loss[None] += x[i] ** 2

                x.fill(3)
                loss.grad[None] = 1
                k.grad()
                return x.grad.to_numpy().tolist() if x.has_grad() else None
            """

    beside, apart = "qd.root.dense(qd.i, 3).place(x, x.grad)", "qd.root.dense(qd.i, 3).place(x); qd.root.dense(qd.i, 4).place(x.grad)"
    missing = "qd.root.dense(qd.i, 3).place(x)"
    for where, found in ((beside, [6] * 3), (apart, [6, 6, 6, 0]), (missing, None), (beside, [6] * 3)):
        assert cached.run(program(where))[0] == found
    assert cached.run(program(apart)) == ([6, 6, 6, 0], "loaded")


def counts_of(text):
    lines = open(__file__).read().splitlines()
    number = next(i for i, line in enumerate(lines, 1) if line.strip() == text)
    return qd.coverage.snapshot().get(__file__, {}).get(number, 0)


def test_coverage_of_derivatives(arch, monkeypatch):
    monkeypatch.setenv("QD_KERNEL_COVERAGE", "1")
    qd.init(arch=arch, offline_cache=False)
    qd.coverage.clear()
    x, y = reals("x", "y", shape=4)

    @qd.kernel
    def squares_that_are_counted():
        for i in x:
            if i < 3:
                y[i] = x[i] ** 2

    assert _coverage is not None
    squares_that_are_counted()
    squares_that_are_counted.grad()
    assert counts_of("y[i] = x[i] ** 2") == 3  # the backward pass is not counted
    with qd.ad.FwdMode(loss=y, param=x, seed=[1, 0, 0, 0]):
        squares_that_are_counted()
    assert counts_of("y[i] = x[i] ** 2") == 6
    qd.coverage.clear()


def test_opt_level_0_is_raised(arch, capfd):
    qd.init(arch=arch, opt_level=0, offline_cache=False)
    x, y = reals("x", "y")

    @qd.kernel
    def f():
        y[None] = x[None] ** 2

    x[None], y.grad[None] = 3, 1
    f()
    assert qd.cfg.opt_level == 0
    f.grad()
    assert x.grad[None] == 6 and qd.cfg.opt_level == 1
    out, err = capfd.readouterr()
    assert "opt_level = 1 is enforced to enable gradient computation." in out + err


def test_destroyed_trees_take_derivatives_along():
    @qd.data_oriented
    class Model:
        def make(self):
            self.x, self.y = qd.field(qd.f32), qd.field(qd.f32)
            builder, grads = qd.FieldsBuilder(), qd.FieldsBuilder()
            builder.dense(qd.i, 3).place(self.x, self.y)
            grads.dense(qd.i, 3).place(self.x.grad, self.y.grad)
            self.trees = builder.finalize(), grads.finalize()

        @qd.kernel
        def run(self):
            for i in self.x:
                self.y[i] = self.x[i] ** 2

    model = Model()
    for gone in (0, 1, 0):
        model.make()
        model.x.fill(3)
        model.y.grad.fill(1)
        model.run.grad()
        assert model.x.grad.to_numpy().tolist() == [6, 6, 6] and Model.run.grad._specialisations() == 1
        model.trees[gone].destroy()
        assert Model.run.grad._specialisations() == 0


def test_nothing_outlives_its_kernel():
    import weakref

    x, y = reals("x", "y")

    def make():
        @qd.kernel
        def f():
            y[None] = x[None]

        with qd.ad.Tape(loss=y):
            f()
        return weakref.ref(f), weakref.ref(f.grad)

    refs = make()
    gc.collect()
    assert [ref() for ref in refs] == [None, None]


def test_many_threads_request_one_gradient():
    import threading

    x, y = reals("x", "y", shape=64)
    x.fill(2)
    y.grad.fill(1)

    @qd.kernel
    def f():
        for i in range(64):
            y[i] += x[i] ** 2

    threads = [threading.Thread(target=lambda: f.grad()) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert f.grad is f._primal.grad
    f.grad()
    assert x.grad.to_numpy().tolist() == [20] * 64


def test_bounds_are_checked_going_back(arch):
    qd.init(arch=arch, debug=True, offline_cache=False)
    x, y = reals("x", "y", shape=4)

    @qd.kernel
    def f(n: qd.i32):
        for i in range(n):
            y[i] += x[i + 1]

    f.grad(3)
    with pytest.raises(qd.QuadrantsAssertionError, match="f_reverse_grad\\) Accessing field"):
        f.grad(4)


def test_a_reset_forgets_the_recorder(arch):
    x, y = reals("x", "y")
    mode = qd.ad.FwdMode(loss=y, param=x)
    mode.__enter__()
    qd.init(arch=arch, offline_cache=False)
    a, b = reals("a", "b")

    @qd.kernel
    def f():
        b[None] = a[None]

    f()
    assert f._primal.derivatives == {} and np.float32(b.dual[None]) == 0
