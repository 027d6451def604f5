"""Derivatives where the formula is undefined: powers at 0, minima with NaN, values that atomics return, bits of numbers."""

import numpy as np
import pytest
import quadrants as qd

KINDS = [qd.f64, qd.f32]


def made(arch, kind=qd.f64, **options):
    qd.init(arch=arch, default_fp=kind, offline_cache=False, print_full_traceback=True, **options)


def reals(*names, dtype=qd.f64, shape=()):
    return [qd.field(dtype, shape=shape, name=name, needs_grad=True, needs_dual=True) for name in names]


def slopes(kernel, y, x, n):
    """Returns d y[i] / d x[i] of reverse mode and of forward mode."""
    x.grad.fill(0)
    y.grad.fill(1)
    kernel.grad()
    with qd.ad.FwdMode(loss=y, param=x, seed=[1.0] * n):
        kernel()
    return x.grad.to_numpy(), y.dual.to_numpy()


@pytest.mark.parametrize("fast", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_powers_at_zero(arch, kind, fast):
    made(arch, kind, fast_math=fast)
    (x, y), n = reals("x", "y", dtype=kind, shape=6), qd.field(qd.i32, shape=6)
    x.from_numpy(np.array([0.0, 0.0, 0.0, 0.0, 2.0, -3.0]))
    n.from_numpy(np.array([0, 1, 2, 3, 0, 0]))

    @qd.kernel
    def of_integers():
        for i in x:
            y[i] = x[i] ** n[i]

    @qd.kernel
    def of_reals():
        for i in x:
            y[i] = x[i] ** qd.cast(n[i], kind)

    for kernel in (of_integers, of_reals):
        for found in slopes(kernel, y, x, 6):
            assert found.tolist() == [0, 1, 0, 0, 0, 0]
        assert y.to_numpy().tolist() == [1, 0, 0, 0, 1, 1]


@pytest.mark.parametrize("fast", [True, False])
def test_exponents_of_zero(arch, fast):
    made(arch, fast_math=fast)
    base, (x, y) = qd.field(qd.f64, shape=5), reals("x", "y", shape=5)
    base.from_numpy(np.array([0.0, 0.0, 2.0, 1.0, 0.5]))
    x.from_numpy(np.array([1.5, 2.0, 3.0, 2.0, 0.0]))

    @qd.kernel
    def power():
        for i in x:
            y[i] = base[i] ** x[i]

    for found in slopes(power, y, x, 5):
        np.testing.assert_allclose(found, [0, 0, 8 * np.log(2), 0, np.log(0.5)], rtol=1e-14)


def test_a_polynomial_in_a_loop(arch):
    made(arch, ad_stack_experimental_enabled=True)
    x, loss = reals("x", "loss")

    @qd.kernel
    def polynomial():
        for _ in range(1):
            for n in range(4):
                loss[None] += x[None] ** n

    with qd.ad.Tape(loss):
        polynomial()
    assert x.grad[None] == 1
    with qd.ad.FwdMode(loss=loss, param=x):
        polynomial()
    assert loss.dual[None] == 1
    assert qd.ad.check(polynomial).verdict == "agrees"


@pytest.mark.parametrize("values", [(3.0, np.nan), (np.nan, 3.0), (3.0, 2.0), (2.0, 3.0), (2.0, 2.0)])
def test_gradients_of_minima_follow_the_chosen_operand(arch, values):
    made(arch, fast_math=False)
    x, y = reals("x", shape=2)[0], reals("y", shape=2)[0]
    x.from_numpy(np.array(values))

    @qd.kernel
    def extremes():
        y[0] = qd.min(x[0], x[1])
        y[1] = qd.max(x[0], x[1])

    for k in range(2):
        x.grad.fill(0)
        y.grad.from_numpy(np.eye(2)[k])
        extremes.grad()
        backward = x.grad.to_numpy()
        forward = []
        for seed in np.eye(2):
            with qd.ad.FwdMode(loss=y, param=x, seed=list(seed)):
                extremes()
            forward.append(y.dual[k])
        chosen = [bool(v == y[k]) for v in values]
        expected = [0, 1] if all(chosen) else [float(c) for c in chosen]
        assert backward.tolist() == forward == expected


def test_an_atomic_minimum_with_nan_keeps_its_tangent(arch):
    made(arch, fast_math=False)
    x, y = reals("x", "y")

    @qd.kernel
    def least():
        y[None] = 2 * x[None]
        qd.atomic_min(y[None], x[None] - x[None] + float("nan"))

    x[None] = 1.5
    with qd.ad.FwdMode(loss=y, param=x):
        least()
    assert y[None] == 3 and y.dual[None] == 2


def old_values():
    x, y, loss = reals("x", shape=3)[0], *reals("y", "loss")

    @qd.kernel
    def alone():
        old = qd.atomic_add(y[None], x[0])
        loss[None] += old * x[1]

    @qd.kernel
    def squared():
        for _ in range(1):
            old = qd.atomic_add(y[None], x[0])
            loss[None] += old * old

    @qd.kernel
    def least():
        for _ in range(1):
            old = qd.atomic_min(y[None], x[0])
            loss[None] += old * x[1]

    @qd.kernel
    def decides():
        for _ in range(1):
            if qd.atomic_add(y[None], x[0]) > 0:
                loss[None] += x[1] ** 2

    return x, y, loss, (alone, squared, least, decides)


def test_forward_mode_follows_old_values(arch):
    made(arch)
    x, y, loss, (alone, squared, least, _) = old_values()
    x.fill(3.0)
    for kernel, slope in ((alone, 3.0), (squared, 1.0), (least, 3.0)):
        y[None] = 0.5
        with qd.ad.FwdMode(loss=loss, param=y):
            kernel()
        assert loss.dual[None] == slope


def test_old_values_have_no_gradient_and_checks_report_it(arch):
    made(arch)
    x, y, loss, (alone, squared, least, decides) = old_values()
    x.fill(3.0)
    y[None] = 0.5
    loss.grad[None] = 1
    squared.grad()
    assert y.grad[None] == 0 and x.grad.to_numpy().tolist() == [0] * 3
    found = qd.ad.check(squared)
    assert found.verdict == "wrong" and "d loss[None] / d y[None] is 1 by forward mode, 0 by reverse mode" in found.reason
    for kernel in (alone, least, decides):
        with pytest.raises(qd.QuadrantsRuntimeError, match="Not supported. The reverse pass needs the value that an atomic operation returned"):
            kernel.grad()
        found = qd.ad.check(kernel)
        assert found.verdict == "cannot say" and "let each step write its own element" in found.reason


@pytest.mark.parametrize("name", ["round", "bit_cast", "frexp"])
def test_errors_name_what_has_no_derivative_and_give_advice(arch, name):
    made(arch)
    x, loss = reals("x", "loss")

    @qd.kernel
    def rounds():
        loss[None] += qd.round(x[None])

    @qd.kernel
    def bits():
        loss[None] += qd.bit_cast(qd.bit_cast(x[None], qd.i64), qd.f64)

    @qd.kernel
    def parts():
        mantissa, _ = qd.frexp(x[None])
        loss[None] += mantissa

    kernel, named = {"round": (rounds, "qd.floor(x + 0.5)"), "bit_cast": (bits, "qd.bit_cast"), "frexp": (parts, "qd.frexp")}[name]
    for run in (kernel.grad, lambda: forward(loss, x, kernel)):
        with pytest.raises(RuntimeError, match="Not supported.") as raised:
            run()
        assert named in "".join(raised.value.__notes__)


def forward(loss, x, kernel):
    with qd.ad.FwdMode(loss=loss, param=x):
        kernel()
