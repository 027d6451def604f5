"""qd.ad.check where the precision changes inside the program, and where there is no derivative: it gives a verdict, and each warning
once."""

import warnings

import numpy as np
import pytest
import quadrants as qd


@pytest.fixture(autouse=True)
def singles(arch):
    qd.init(arch=arch, offline_cache=False)


def reals(*names, dtype=qd.f64, shape=()):
    return [qd.field(dtype, shape=shape, name=name, needs_grad=True) for name in names]


def test_single_precision_intermediates():
    x, loss = reals("x", shape=4)[0], reals("loss")[0]
    x.from_numpy(np.array([0.3, 0.7, -0.2, 1.1]))

    @qd.kernel
    def cast():
        for i in x:
            a = qd.cast(x[i], qd.f32)
            loss[None] += a * a * a * qd.sin(a)

    @qd.kernel
    def accumulate():
        for _ in range(1):
            s = 0.0  # f32
            for j in qd.static(range(4)):
                s += x[j] * x[j]
            loss[None] += s * s

    @qd.kernel
    def wrong():
        for i in x:
            a = qd.cast(x[i], qd.f32)
            x[i] = a * a

    assert qd.ad.check(cast).verdict == qd.ad.check(accumulate).verdict == "agrees"
    assert qd.ad.check(wrong).verdict == "wrong"


def test_double_precision_programs_are_checked_to_double_precision():
    x, y, loss = *reals("x", "y", shape=4), reals("loss")[0]
    x.from_numpy(np.array([0.3, 0.7, -0.2, 1.1]))

    @qd.kernel
    def square():
        for i in x:
            y[i] = x[i] * x[i]

    @qd.kernel
    def square_backward():
        for i in x:
            x.grad[i] += qd.f64(2.0001) * x[i] * y.grad[i]
            y.grad[i] = 0

    @qd.ad.grad_replaced
    def program():
        square()

    @qd.ad.grad_for(program)
    def backward():
        square_backward()

    assert qd.ad.check(program).verdict == "wrong"


def test_a_warning_of_the_kernel_comes_once(arch):
    x, loss = reals("x", shape=4)[0], reals("loss")[0]

    @qd.kernel
    def cut(n: qd.i64):
        for i in range(n):
            s = 0.0
            s += x[i] * 2
            loss[None] += s

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        cut(4)
        before = [str(w.message) for w in told]
        assert any("Casting range_for" in text for text in before)
        assert qd.ad.check(cut, 4).verdict == "agrees"
        with qd.ad.Tape(loss):
            cut(4)
    assert [str(w.message) for w in told] == before


def test_kernels_without_a_derivative_are_not_checked():
    x, loss = reals("x", shape=4)[0], reals("loss")[0]

    @qd.kernel
    def draws():
        for i in x:
            loss[None] += x[i] * qd.random()

    @qd.kernel
    def halves():
        for i in x:
            v = x[i]
            while v > 0.1:
                v *= 0.5
            loss[None] += v

    @qd.kernel
    def mixed():
        rate = 0.5
        for i in x:
            loss[None] += rate * x[i]

    x.fill(1.0)
    for kernel, why in ((draws, "RandStmt not supported"), (halves, "WhileStmt is not supported"), (mixed, "split them into two kernels")):
        found = qd.ad.check(kernel)
        assert found.verdict == "cannot say" and why in found.reason and kernel.__name__ in found.reason, found
        assert "File" not in found.reason and x.to_numpy().tolist() == [1] * 4 and loss[None] == 0


def test_errors_of_the_program_itself_are_raised():
    x = reals("x", shape=4)[0]

    @qd.kernel
    def broken():
        x[0] = unknown  # noqa: F821

    with pytest.raises(qd.QuadrantsCompilationError, match="unknown"):
        qd.ad.check(broken)


def test_intermediate_arrays_without_a_gradient():
    a, loss = qd.ndarray(qd.f64, 4, needs_grad=True), qd.ndarray(qd.f64, 1, needs_grad=True)
    between = qd.field(qd.f64, shape=4)
    a.fill(0.5)

    @qd.kernel
    def through_array(a: qd.types.ndarray(), b: qd.types.ndarray(), loss: qd.types.ndarray()):
        for i in a:
            b[i] = a[i] * 2
        for i in a:
            loss[0] += b[i]

    @qd.kernel
    def through_field(a: qd.types.ndarray(), loss: qd.types.ndarray()):
        for i in a:
            between[i] = a[i] * 2
        for i in a:
            loss[0] += between[i]

    found = qd.ad.check(through_field, a, loss)
    assert found.verdict == "wrong" and "no gradient flows back through `between`" in found.reason
    found = qd.ad.check(through_array, a, qd.ndarray(qd.f64, 4), loss)
    assert found.verdict == "wrong" and "no gradient flows back through `b`" in found.reason
    found = qd.ad.check(through_array, a, np.zeros(4), loss)
    assert found.verdict == "wrong" and "but differences give" in found.reason and "arrays have no dual" in found.reason
    assert qd.ad.check(through_array, a, qd.ndarray(qd.f64, 4, needs_grad=True), loss).verdict == "agrees"


@pytest.mark.parametrize("limits", [{"directions": 0}, {"directions": 1.5}, {"directions": "a"}, {"elements": -1}, {"elements": 0}, {"seconds": 0},
                                    {"seconds": float("nan")}, {"seconds": None}])  # fmt: skip
def test_limits_that_leave_nothing_to_check(limits):
    x, loss = reals("x")[0], reals("loss")[0]

    @qd.kernel
    def f():
        loss[None] += x[None] ** 2

    ((name, value),) = limits.items()
    with pytest.raises(ValueError, match=f"{name} must be .*, not {value!r}"):
        qd.ad.check(f, **limits)
    assert qd.ad.check(f, directions=1, elements=10, seconds=float("inf"))
