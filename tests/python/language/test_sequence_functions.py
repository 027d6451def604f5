"""Python functions on sequences: enumerate, zip, reversed, list, tuple, and those of itertools."""

import itertools

import numpy as np
import pytest
import quadrants as qd


def test_static_loops(arch):
    for arch_of_test in (arch, qd.python):
        qd.init(arch=arch_of_test, print_full_traceback=True)

        @qd.kernel
        def k(a: qd.i32, b: qd.i32, v: qd.types.vector(3, qd.f32)) -> qd.types.vector(6, qd.f32):
            r = qd.Vector.zero(qd.f32, 6)
            for n, x in qd.static(enumerate((a, b))):
                r[0] += (n + 1) * x
            for n, x in qd.static(enumerate(v, start=1)):
                r[1] += n * x
            for x, y, z in qd.static(zip((a, b, a), v, range(3))):
                r[2] += x * y * z
            for n, x in qd.static(enumerate(reversed([a, b]))):
                r[3] = r[3] * 10 + (n + 1) * x
            for x, y in qd.static(itertools.product((a, b), (1, 10))):
                r[4] += x * y
            for x in qd.static(itertools.chain((a,), list((b, a)))):
                r[5] = r[5] * 10 + x
            return r

        assert list(k(2, 3, qd.Vector([1.0, 2.0, 4.0]))) == [8, 1 + 4 + 12, 6 + 16, 3 * 10 + 4, 55, 232]


def test_outside_of_static(arch):
    for arch_of_test in (arch, qd.python):
        qd.init(arch=arch_of_test, print_full_traceback=True)

        @qd.kernel
        def k(a: qd.i32, b: qd.i32, x: qd.types.ndarray(qd.f32, 1), y: qd.types.ndarray(qd.f32, 1)) -> qd.f32:
            pairs = [u * w for u, w in zip((a, b), (b, 4))]
            last, first = tuple(reversed((a, b)))
            total = 0.0
            for n, array in qd.static(enumerate((x, y))):
                total += (n + 1) * array[0]
            return pairs[0] * 1000 + pairs[1] * 100 + last * 10 + first + total

        x, y = np.array([0.25], np.float32), np.array([0.125], np.float32)
        assert k(2, 3, x, y) == 6 * 1000 + 12 * 100 + 3 * 10 + 2 + 0.5


def test_objects_that_are_not_sequences():
    @qd.kernel
    def scalar(a: qd.i32) -> qd.i32:
        total = 0
        for n, x in qd.static(enumerate(a)):
            total += x
        return total

    with pytest.raises(qd.QuadrantsCompilationError, match="Input to qd.static must be compile-time constants"):
        scalar(1)

    @qd.kernel
    def many(a: qd.i32) -> qd.i32:
        total = 0
        for x in qd.static(itertools.permutations((a, *range(20)))):
            total += x[0]
        return total

    with pytest.raises(qd.QuadrantsTypeError, match="more than 1048576 items"):
        many(1)

    loop = []
    loop += [loop, loop]

    @qd.kernel
    def endless(a: qd.i32) -> qd.i32:
        total = 0
        for x, y in qd.static(zip((a, a), (loop, 1))):
            total += x
        return total

    assert endless(2) == 4

    @qd.kernel
    def unequal(a: qd.i32) -> qd.i32:
        total = 0
        for x, y in qd.static(zip((a, a), (1,), strict=True)):
            total += x * y
        return total

    with pytest.raises(ValueError, match="shorter"):
        unequal(1)
