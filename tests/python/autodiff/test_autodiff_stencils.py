"""Loops whose iterations read around their own index: the backward pass gathers their contributions."""

import numpy as np
import pytest
import quadrants as qd


def real(shape, name):
    return qd.field(qd.f64, shape=shape, name=name, needs_grad=True)


@pytest.fixture(autouse=True)
def start(arch):
    qd.init(arch=arch, default_fp=qd.f64, offline_cache=False)


@pytest.mark.parametrize("low,high", [(1, 79), (2, 5), (3, 4), (4, 4), (9, 2), (1, 3)])
def test_one_axis(low, high):
    """Includes ranges that are shorter than the stencil is wide."""
    n = 80
    u, v = real(n, "u"), real(n, "v")
    values = np.random.default_rng(3).random(n)
    u.from_numpy(values)

    @qd.kernel
    def step(low: qd.i32, high: qd.i32):
        for i in range(low, high):
            v[i] = u[i] * u[i] + 2.0 * u[i - 1] - 3.0 * u[i + 1] * u[i]

    weights = np.random.default_rng(4).random(n)
    v.grad.from_numpy(weights)
    step.grad(low, high)
    expected = np.zeros(n)
    for i in range(low, high):
        expected[i] += weights[i] * (2 * values[i] - 3 * values[i + 1])
        expected[i - 1] += 2 * weights[i]
        expected[i + 1] -= 3 * weights[i] * values[i]
    np.testing.assert_allclose(u.grad.to_numpy(), expected, rtol=1e-12, atol=1e-15)
    inside = np.zeros(n, bool)
    inside[low:max(low, high)] = True
    np.testing.assert_array_equal(v.grad.to_numpy(), np.where(inside, 0, weights))


@pytest.mark.parametrize("shape", [(70, 90), (4, 2000), (3, 3)])
def test_two_axes_and_time(shape):
    n, m = shape
    u = real((2, n, m), "u")
    values = np.random.default_rng(3).random((2, n, m))
    u.from_numpy(values)

    @qd.kernel
    def step(t: qd.i32):
        for i, j in qd.ndrange((1, n - 1), (1, m - 1)):
            u[t + 1, i, j] = u[t, i, j] ** 2 + u[t, i - 1, j] - 2 * u[t, i + 1, j] + 3 * u[t, i, j - 1] - u[t, i + 1, j + 1]

    weights = np.random.default_rng(4).random((2, n, m))
    weights[0] = 0
    u.grad.from_numpy(weights)
    step.grad(0)
    expected = np.zeros((n, m))
    w = weights[1, 1:-1, 1:-1]
    expected[1:-1, 1:-1] += 2 * w * values[0, 1:-1, 1:-1]
    expected[:-2, 1:-1] += w
    expected[2:, 1:-1] -= 2 * w
    expected[1:-1, :-2] += 3 * w
    expected[2:, 2:] -= w
    found = u.grad.to_numpy()
    np.testing.assert_allclose(found[0], expected, rtol=1e-12, atol=1e-15)
    assert not found[1, 1:-1, 1:-1].any() and found[1, 0].tolist() == weights[1, 0].tolist()


def test_vectors_arrays_and_several_sums():
    n = 5000
    x = qd.ndarray(qd.f64, n, needs_grad=True)
    p = qd.Vector.field(2, qd.f64, shape=n, needs_grad=True)
    loss = real((), "loss")
    rng = np.random.default_rng(1)
    a, q = rng.random(n), rng.random((n, 2))
    x.from_numpy(a)
    p.from_numpy(q)

    @qd.kernel
    def energy(x: qd.types.ndarray(), n: qd.i32):
        for i in range(n - 1):
            d = p[i + 1] - p[i]
            loss[None] += d.dot(d) * x[i] + x[i + 1] * x[i]

    loss.grad[None] = 1
    energy.grad(x, n)
    d = q[1:] - q[:-1]
    slope = 2 * d * a[:-1, None]
    of_p = np.zeros((n, 2))
    of_p[1:] += slope
    of_p[:-1] -= slope
    of_x = np.zeros(n)
    of_x[:-1] += (d * d).sum(1) + a[1:]
    of_x[1:] += a[:-1]
    np.testing.assert_allclose(p.grad.to_numpy(), of_p, rtol=1e-12)
    np.testing.assert_allclose(x.grad.to_numpy(), of_x, rtol=1e-12)


def test_loops_that_cannot_be_gathered():
    """Distinct elements of one iteration that are the same element in another iteration, and sums that are read."""
    n = 5000
    u, loss = real(n, "u"), real((), "loss")
    values = np.random.default_rng(5).random(n)
    u.from_numpy(values)
    kept = qd.field(qd.f64, n)

    @qd.kernel
    def mirrored():
        for i in range(1, n - 1):
            kept[i] = kept[i] + 1.0
            loss[None] += u[i - 1] * u[n - 1 - i] * u[i + 1]

    loss.grad[None] = 1
    mirrored.grad()
    expected = np.zeros(n)
    for i in range(1, n - 1):
        expected[i - 1] += values[n - 1 - i] * values[i + 1]
        expected[n - 1 - i] += values[i - 1] * values[i + 1]
        expected[i + 1] += values[i - 1] * values[n - 1 - i]
    np.testing.assert_allclose(u.grad.to_numpy(), expected, rtol=1e-12)
    assert kept.to_numpy()[1:-1].tolist() == [1] * (n - 2)


@pytest.mark.parametrize("components", [2, 3, 4])
@pytest.mark.parametrize("dtype", [qd.f32, qd.f64, qd.i32])
def test_lanes_that_are_few_elements_apart(components, dtype):
    """The loads cover all elements between the lanes, but none beyond the last."""
    n = 37
    p = qd.Vector.field(components, dtype, shape=n)
    values = np.arange(n * components).reshape(n, components)
    p.from_numpy(values)
    out = qd.field(dtype, shape=n)

    @qd.kernel
    def total():
        for i in range(n):
            s = qd.cast(0, dtype)
            for j in range(n):
                for k in qd.static(range(components)):
                    s += p[j][k] * (k + 1) * (i + 1)
            out[i] = s

    total()
    sums = (values * (np.arange(components) + 1)).sum()
    assert out.to_numpy().tolist() == [sums * (i + 1) for i in range(n)]
