"""Gradients in rare cases: values outside of a domain, many sums, consecutive stores, results, losses of any kind."""

import numpy as np
import pytest
import quadrants as qd


@pytest.fixture(autouse=True)
def stacks(arch):
    qd.init(arch=arch, default_fp=qd.f64, offline_cache=False, ad_stack_experimental_enabled=True, print_full_traceback=True)


def reals(*names, dtype=qd.f64, shape=()):
    return [qd.field(dtype, shape=shape, name=name, needs_grad=True) for name in names]


@pytest.mark.parametrize("operation, points", [(qd.sqrt, [-1.0, 4.0]), (qd.asin, [1.5, 0.5]), (qd.acos, [-1.5, 0.5])])
def test_outside_of_a_domain(operation, points):
    x, y = reals("x", "y", shape=2)
    x.from_numpy(np.array(points))

    @qd.kernel
    def f():
        for i in x:
            y[i] = operation(x[i])

    y.grad.fill(1)
    f.grad()
    assert np.isnan(x.grad[0]) and np.isfinite(x.grad[1])


def test_many_equal_adjoints_add_up_exactly(arch):
    count = 10_000_000 if arch == qd.cpu else 10_000
    (x,), loss = reals("x", dtype=qd.f32), qd.field(qd.f64, (), needs_grad=True)

    @qd.kernel
    def f(n: qd.i32):
        for _ in range(n):
            loss[None] += x[None]

    loss.grad[None] = 1
    f.grad(count)
    assert x.grad[None] == count


def test_stores_in_a_row_under_a_tape():
    x, a, b, loss = reals("x", "a", "b", "loss")
    x[None] = 3

    @qd.kernel
    def chain():
        a[None] = x[None] ** 2
        b[None] = 2 * a[None]
        loss[None] += b[None]

    @qd.kernel
    def overwrite(factor: qd.f64):
        loss[None] = factor * x[None]

    with qd.ad.Tape(loss):
        chain()
    assert (x.grad[None], a.grad[None], b.grad[None], loss.grad[None]) == (12, 0, 0, 1)
    with qd.ad.Tape(loss):
        for factor in (1.0, 2.0, 5.0):
            overwrite(factor)
    assert (x.grad[None], loss.grad[None]) == (5, 0)


def test_other_atomics_go_backward_as_sums():
    x, y = reals("x", "y", shape=3)
    old = qd.field(qd.f64, 3, needs_grad=True)

    @qd.kernel
    def f():
        for i in x:
            qd.atomic_max(y[i], 2 * x[i])
            qd.atomic_mul(y[i], 3 * x[i])
            old[i] = qd.atomic_min(y[i], x[i])

    x.fill(0.5)
    y.grad.fill(1)
    old.grad.fill(7)
    f.grad()
    assert x.grad.to_numpy().tolist() == [6, 6, 6] and y.grad.to_numpy().tolist() == [1, 1, 1]


def test_kernels_without_a_gradient_run_silently(capfd):
    (x,) = reals("x", shape=3)
    n = qd.field(qd.i32, 3)
    plain = qd.field(qd.f64, 3)

    @qd.kernel
    def integers():
        for i in n:
            n[i] += i

    @qd.kernel
    def others():
        for i in plain:
            plain[i] = 2.0 * i

    @qd.kernel
    def nothing():
        pass

    @qd.kernel
    def empty():
        for _ in range(3):
            pass

    @qd.kernel
    def result() -> qd.f64:
        return x[0] * x[1]

    x.fill(2)
    for kernel in (integers, others, nothing, empty, result):
        kernel.grad()
    assert x.grad.to_numpy().tolist() == [0, 0, 0]
    assert capfd.readouterr().err == ""


def test_consecutive_loops_run_backward_in_reverse_order():
    x, y, z = reals("x", "y", "z", shape=4)

    @qd.kernel
    def f():
        for i in x:
            y[i] = x[i] ** 2
        for i in range(4):
            z[i] += 3 * y[3 - i]

    x.from_numpy(np.arange(4.0))
    z.grad.from_numpy(np.array([1.0, 10, 100, 1000]))
    f()
    f.grad()
    assert x.grad.to_numpy().tolist() == [0, 600, 120, 18]


def test_chains_in_loops_that_are_serial():
    n = 6
    x, y = reals("x", shape=(3, n + 1))[0], reals("y", shape=n + 1)[0]

    @qd.kernel
    def doubles():
        for k in range(3):
            for i in range(n):
                x[k, i + 1] = 2 * x[k, i]

    @qd.kernel
    def powers(c: qd.f64):
        for _ in range(1):
            for i in range(n):
                y[i + 1] = y[i] * c

    x.fill(1)
    doubles()
    for k in range(3):
        x.grad[k, n] = 1
    doubles.grad()
    expected = np.zeros((3, n + 1))
    expected[:, 0] = 2**n
    assert x.grad.to_numpy().tolist() == expected.tolist()
    y.fill(1)
    y.grad[n] = 1
    powers.grad(3.0)
    assert y.grad.to_numpy().tolist() == [3**n] + [0] * n


def test_losses_of_other_types():
    x = reals("x", shape=3)[0]
    narrow = reals("narrow", dtype=qd.f32)[0]
    vector = qd.Vector.field(2, qd.f64, shape=(), needs_grad=True)
    whole = qd.field(qd.i32, ())

    @qd.kernel
    def into_narrow():
        for i in x:
            narrow[None] += x[i] * x[i]

    @qd.kernel
    def into_vector():
        for i in x:
            vector[None] += qd.Vector([x[i], 10 * x[i]])

    x.from_numpy(np.arange(3.0))
    with qd.ad.Tape(narrow):
        into_narrow()
    assert x.grad.to_numpy().tolist() == [0, 2, 4]
    with qd.ad.Tape(vector):
        into_vector()
    assert x.grad.to_numpy().tolist() == [11, 11, 11]
    with pytest.raises(RuntimeError, match="Gradients of loss are not allocated"):
        qd.ad.Tape(whole).__enter__()


def test_a_function_without_its_gradient():
    x, loss = reals("x", "loss")

    @qd.kernel
    def f():
        loss[None] += x[None]

    @qd.ad.grad_replaced
    def replaced():
        f()

    assert replaced.grad is None
    with pytest.raises(TypeError):
        with qd.ad.Tape(loss):
            replaced()
    with qd.ad.Tape(loss):
        f()
    assert x.grad[None] == 1, "a fresh Tape works"


def test_arrays_that_may_have_gradients():
    for dtype in (qd.f16, qd.f32, qd.f64):
        a = qd.ndarray(dtype, 3, needs_grad=True)
        assert a.grad.to_numpy().tolist() == [0, 0, 0] and a.grad.dtype == dtype and a.grad.grad is None and a.has_grad()
    assert qd.ndarray(qd.f32, 3).grad is None
    for dtype in (qd.i32, qd.u8, qd.i64):
        with pytest.raises(qd.QuadrantsRuntimeError, match="is not supported for ndarray with `needs_grad=True`"):
            qd.ndarray(dtype, 3, needs_grad=True)
    with pytest.raises(qd.QuadrantsRuntimeError, match="must be real"):
        qd.Vector.ndarray(2, qd.i32, 3, needs_grad=True)


def test_a_loop_over_a_field_in_a_loop():
    x, loss = reals("x", shape=3)[0], reals("loss")[0]

    @qd.kernel
    def f():
        for k in range(2):
            for i in x:
                loss[None] += (k + 1) * x[i] ** 2

    x.from_numpy(np.arange(3.0))
    with qd.ad.Tape(loss):
        f()
    assert loss[None] == 15 and x.grad.to_numpy().tolist() == [0, 6, 12]
