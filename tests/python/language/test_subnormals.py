"""Without fast_math subnormal floats follow IEEE 754 on every backend and thread; with it they are zero in compiled code."""

import numpy as np
import pytest
import quadrants as qd

TINY = {"f32": 1e-40, "f64": 1e-310}
HALF = {"f32": 1.5e-38, "f64": 3e-308}  # normal, but half of it is not
NUMPY = {"f32": np.float32, "f64": np.float64}
KINDS = list(TINY)


@pytest.mark.parametrize("kind", KINDS)
def test_single_calls_and_constants(arch, kind):
    results = []
    for one in (arch, "python"):
        qd.init(arch=one, offline_cache=False, fast_math=False, default_fp=getattr(qd, kind))
        t, tiny = getattr(qd, kind), TINY[kind]

        @qd.kernel
        def f(x: t, y: t) -> (t, t, t, t, t, t, qd.i32, qd.i32, qd.i32):
            return (
                x, max(x, 0.0), min(-x, 0.0), x + x, y * 0.5, y // 4.0 + y % (y * 0.75),
                x > 0, qd.cast(x, qd.u1), x == 0,
            )  # fmt: skip

        @qd.kernel
        def g() -> (t, t, t, t, qd.i32, t):
            a = t(tiny)
            return a, max(tiny, 0.0), a + tiny, tiny / 4, tiny > 0, qd.static(tiny)

        results.append([f(tiny, HALF[kind]), g()])
    n = NUMPY[kind]
    x, y = n(TINY[kind]), n(HALF[kind])
    assert results[0] == results[1]
    assert results[0][0] == (x, x, -x, x + x, y * n(0.5), y // n(4) + y % (y * n(0.75)), 1, 1, 0)
    assert results[0][1] == (x, x, x + x, n(TINY[kind] / 4), 1, x)


@pytest.mark.parametrize("count", [5, 100_000])
@pytest.mark.parametrize("kind", KINDS)
def test_loops(arch, kind, count):
    """Small loops run on the launching thread, large ones on the pool; the sums of threads are combined."""
    count = count if arch == "cpu" else min(count, 300)
    numbers = qd.types.ndarray(getattr(qd, kind), ndim=1)
    n, tiny = NUMPY[kind], NUMPY[kind](TINY[kind])
    for fast in (False, True, False):
        qd.init(arch=arch, offline_cache=False, fast_math=fast, cpu_max_num_threads=4)

        @qd.kernel
        def f(x: numbers, y: numbers, flags: qd.types.ndarray(qd.i32, ndim=1), sums: numbers):
            for i in x:
                y[i] = x[i] * 0.5
                flags[i] = x[i] > 0.0
            for i in x:
                sums[0] += x[i]
                qd.atomic_max(sums[1], x[i])

        x, y, flags, sums = np.full(count, tiny), np.ones(count, n), np.zeros(count, np.int32), np.zeros(2, n)
        f(x, y, flags, sums)
        assert (y == (0 if fast else tiny * n(0.5))).all() and (flags == (not fast)).all()
        if not fast:
            np.testing.assert_allclose(sums[0], float(tiny) * count, rtol=1e-3)
            assert sums[1] == tiny
        else:
            assert sums[0] == 0
        assert tiny * n(0.5) != 0, "the mode of this thread is as it was"


def test_tasks_of_one_kernel(arch):
    qd.init(arch=arch, offline_cache=False, fast_math=False)
    x = qd.field(qd.f32, 64)
    y = qd.field(qd.f32, 64)

    @qd.kernel
    def f(a: qd.f32):
        for i in x:
            x[i] = a * 0.5
        for i in y:
            y[i] = x[i] + x[i]

    f(1e-40)
    tiny = np.float32(1e-40)
    assert (x.to_numpy() == tiny * np.float32(0.5)).all() and (y.to_numpy() == (tiny * np.float32(0.5)) * 2).all()

