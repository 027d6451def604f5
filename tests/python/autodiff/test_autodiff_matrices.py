"""Gradients of long straight-line bodies: products of many small matrices, with too few iterations to fill a SIMD register."""

import numpy as np
import pytest

import quadrants as qd


def product(m):
    f = np.eye(3, dtype=m.dtype)
    for k in range(8):
        f = 0.5 * (f @ m) + (0.01 * (k + 1)) * m
    return np.trace(f)


def slopes(m):
    """The gradient by complex steps, exact up to rounding."""
    made = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            moved = m.astype(np.complex128)
            moved[i, j] += 1e-30j
            made[i, j] = product(moved).imag / 1e-30
    return made


@pytest.mark.parametrize("layout", ["AOS", "SOA"])
@pytest.mark.parametrize("n", [1, 8, 37])
@pytest.mark.parametrize("tiers", [True, False])
def test_products_of_matrices(arch, n, layout, tiers):
    qd.init(arch=arch, default_fp=qd.f64, offline_cache=False, compile_tiers=tiers)
    a = qd.Matrix.field(3, 3, qd.f64, shape=n, needs_grad=True, layout=getattr(qd.Layout, layout))
    out = qd.field(qd.f64, shape=n, needs_grad=True)

    @qd.kernel
    def multiply():
        for p in range(n):
            m = a[p]
            f = qd.Matrix([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], qd.f64)
            for k in qd.static(range(8)):
                f = 0.5 * (f @ m) + (0.01 * (k + 1)) * m
            out[p] += f.trace()

    values = np.random.default_rng(n).uniform(-1, 1, (n, 3, 3))
    a.from_numpy(values)
    multiply()
    a.grad.fill(0.5)
    out.grad.fill(1.0)
    multiply.grad()
    np.testing.assert_allclose(a.grad.to_numpy(), [0.5 + slopes(m) for m in values], rtol=1e-11)
    np.testing.assert_allclose(out.to_numpy(), [product(m) for m in values], rtol=1e-12)
