"""Helpers of the tests of reverse mode with stacks."""

import numpy as np
import pytest
import quadrants as qd


@pytest.fixture(autouse=True)
def stacks(arch):
    start(arch)


def start(arch, **options):
    options = {"default_fp": qd.f64, "ad_stack_experimental_enabled": True, **options}
    qd.init(arch=arch, offline_cache=False, print_full_traceback=True, **options)


def reals(*names, dtype=qd.f64, shape=()):
    return [qd.field(dtype, shape=shape, name=name, needs_grad=True) for name in names]


def gradient(f, x, loss, *args):
    x.grad.fill(0)
    loss.grad.fill(1)
    f.grad(*args)
    return x.grad.to_numpy()


def differences(f, x, loss, *args):
    """Central differences."""
    values = x.to_numpy()

    def at(moved):
        x.from_numpy(moved)
        loss.fill(0)
        f(*args)
        return loss.to_numpy().sum()

    found = np.zeros_like(values)
    step = 1e-6
    for index in np.ndindex(values.shape):
        up, down = values.copy(), values.copy()
        up[index] += step
        down[index] -= step
        found[index] = (at(up) - at(down)) / (2 * step)
    x.from_numpy(values)
    return found


def check(f, x, loss, *args):
    expected = differences(f, x, loss, *args)
    np.testing.assert_allclose(gradient(f, x, loss, *args), expected, rtol=1e-6, atol=1e-7)
    assert np.abs(expected).max() > 1e-3


@pytest.fixture
def x():
    x = reals("x", shape=4)[0]
    x.from_numpy(np.array([0.5, 0.9, 1.1, 1.3]))
    return x


@pytest.fixture
def loss():
    return reals("loss")[0]
