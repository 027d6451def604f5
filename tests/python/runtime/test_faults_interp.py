"""On `interp` too, an access to unmapped memory is an exception; it names the loop."""

import numpy as np
import pytest
import quadrants as qd


@pytest.fixture(autouse=True)
def program():
    qd.init(arch="interp", offline_cache=False)


@qd.kernel
def pick(x: qd.types.ndarray(qd.f32, ndim=1), at: qd.i32) -> qd.f32:
    return x[at]


@qd.kernel
def put(x: qd.types.ndarray(qd.i32, ndim=1), at: qd.i32):
    for i in range(3):  # loop
        x[at] += i


LOOP = next(i for i, text in enumerate(open(__file__).read().splitlines(), 1) if text.endswith("  # loop"))


@pytest.mark.parametrize("at", [1 << 30, -(1 << 30), -(1 << 31)])
def test_a_read(at):
    x = np.ones(3, np.float32)
    with pytest.raises(qd.QuadrantsRuntimeError, match="kernel pick tried to read memory outside of its arrays"):
        pick(x, at)
    assert pick(x, 2) == 1


@pytest.mark.parametrize("make", [lambda: np.zeros(3, np.int32), lambda: qd.ndarray(qd.i32, 3)])
def test_a_write(make):
    x = make()
    for _ in range(2):
        with pytest.raises(qd.QuadrantsRuntimeError, match="kernel put tried to (read|write) memory outside") as caught:
            put(x, -(1 << 31))
        assert f"line {LOOP}, in put" in str(caught.value)
    put(x, 1)
    assert x[1] == 3


def test_memory_that_may_only_be_read():
    kept = bytes(12)
    x = np.frombuffer(kept, np.int32)
    with pytest.raises((ValueError, TypeError, qd.QuadrantsRuntimeError)):
        put(x, 0)
    assert kept == bytes(12)
