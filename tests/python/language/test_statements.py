"""Statements of the language: which ones a kernel may contain, and their meaning."""

import numpy as np
import pytest
import quadrants as qd

Ints = qd.types.ndarray(qd.i32, ndim=1)
Floats = qd.types.ndarray(qd.f32, ndim=1)


def ints(n):
    return np.zeros(n, np.int32)


def test_assignment_keeps_the_first_type():
    @qd.kernel
    def k() -> qd.i32:
        a = 1
        a = qd.cast(3.9, qd.i32)
        b = c = 4
        return a + b + c

    assert k() == 11


def test_augmented_assignment():
    @qd.kernel
    def k(x: Ints):
        for i in range(1):
            a = 10
            a += 3
            a -= 1
            a *= 4
            a //= 5
            a %= 7
            a <<= 3
            a >>= 1
            a |= 1
            a ^= 6
            a &= 15
            x[i] = a

    x = ints(1)
    k(x)
    a = 10
    a = (((a + 3 - 1) * 4) // 5) % 7
    a = ((a << 3) >> 1 | 1) ^ 6
    assert x[0] == a & 15


def test_unpacking():
    @qd.kernel
    def k() -> qd.i32:
        a, b = 1, 2
        a, b = b, a
        return a * 10 + b

    assert k() == 21


def test_annotated_assignment():
    @qd.kernel
    def k() -> qd.f64:
        a: qd.f64 = 3
        a += 0.5
        return a

    assert k() == 3.5


def test_if_elif_else():
    @qd.kernel
    def k(x: Ints):
        for i in x:
            if i < 3:
                x[i] = 1
            elif i == 5:
                x[i] = 2
            else:
                x[i] = 3

    x = ints(8)
    k(x)
    assert x.tolist() == [1, 1, 1, 3, 3, 2, 3, 3]


def test_conditional_expression_evaluates_one_side():
    @qd.kernel
    def k(x: Ints):
        for i in range(x.shape[0]):
            x[i] = x[i - 1] if i > 100 else 7

    x = ints(4)
    k(x)
    assert x.tolist() == [7] * 4


def test_short_circuit():
    @qd.kernel
    def k(x: Ints) -> qd.i32:
        hits = 0
        for i in range(20):
            if i < x.shape[0] and x[i] > 2:
                hits += 1
        return hits

    assert k(np.arange(6, dtype=np.int32)) == 3


def test_chained_comparison():
    @qd.kernel
    def k(x: Ints):
        for i in x:
            x[i] = 1 if 2 <= i < 5 else 0

    x = ints(7)
    k(x)
    assert x.tolist() == [0, 0, 1, 1, 1, 0, 0]


def test_while_break_continue():
    @qd.kernel
    def k(n: qd.i32) -> qd.i32:
        total = 0
        i = 0
        while True:
            i += 1
            if i > n:
                break
            if i % 2 == 0:
                continue
            total += i
        return total

    assert k(9) == 25
    assert k(0) == 0


def test_for_with_bounds_known_at_run_time():
    @qd.kernel
    def k(x: Ints, lo: qd.i32, hi: qd.i32):
        for i in range(lo, hi):
            x[i] = i

    x = ints(10)
    k(x, 3, 7)
    assert x.tolist() == [0, 0, 0, 3, 4, 5, 6, 0, 0, 0]
    k(x, 7, 3)
    assert x.tolist() == [0, 0, 0, 3, 4, 5, 6, 0, 0, 0]


def test_inner_loops_and_loop_carried_values():
    @qd.kernel
    def k(x: Ints):
        for i in x:
            total = 0
            for j in range(i + 1):
                for m in range(j):
                    total += m
                if j == 6:
                    break
            x[i] = total

    x = ints(9)
    k(x)
    expected = [sum(m for j in range(min(i, 6) + 1) for m in range(j)) for i in range(9)]
    assert x.tolist() == expected


def test_continue_in_the_parallel_loop():
    @qd.kernel
    def k(x: Ints):
        for i in x:
            if i % 3 == 0:
                continue
            x[i] = 1

    x = ints(7)
    k(x)
    assert x.tolist() == [0, 1, 1, 0, 1, 1, 0]


def test_ndrange_and_grouped():
    @qd.kernel
    def k(a: qd.types.ndarray(qd.i32, ndim=2), b: qd.types.ndarray(qd.i32, ndim=2)):
        for i, j in qd.ndrange(3, (1, 4)):
            a[i, j] = 10 * i + j
        for I in qd.grouped(qd.ndrange(3, 4)):
            b[I] = I[0] - I[1]

    a, b = np.zeros((3, 4), np.int32), np.zeros((3, 4), np.int32)
    k(a, b)
    i, j = np.mgrid[0:3, 0:4]
    assert (a == np.where(j >= 1, 10 * i + j, 0)).all()
    assert (b == i - j).all()


def test_struct_for_over_arrays_and_fields():
    f = qd.field(qd.i32, (4, 5))

    @qd.kernel
    def k(a: qd.types.ndarray(qd.i32, ndim=2)):
        for i, j in a:
            a[i, j] = i * j
        for I in qd.grouped(f):
            f[I] = I[0] + I[1]

    a = np.zeros((3, 4), np.int32)
    k(a)
    i, j = np.mgrid[0:3, 0:4]
    assert (a == i * j).all()
    i, j = np.mgrid[0:4, 0:5]
    assert (f.to_numpy() == i + j).all()


def test_struct_for_over_levels():
    x = qd.field(qd.i32)
    rows = qd.root.dense(qd.i, 3)
    block = rows.dense(qd.ij, (2, 4))
    block.place(x, offset=(1, -2))

    @qd.kernel
    def go() -> qd.i32:
        for i, j in block:
            x[i + 1, j - 2] = 10 * i + j
        for i in rows:
            for j in range(-2, 2):
                x[2 * i + 1, j] += 1000
        total = 0
        for I in qd.grouped(x.parent()):
            total += 1 + I[0] - I[0]
        for I in qd.grouped(rows):
            total += 100 * I.n
        return total

    assert go() == 24 + 300
    expected = [[10 * i + j + 1000 * (i % 2 == 0) for j in range(4)] for i in range(6)]
    assert x.to_numpy().tolist() == expected


@pytest.mark.parametrize("backend", ["FIELD", "NDARRAY"])
@pytest.mark.parametrize("layout", [None, (1, 0)])
def test_struct_for_over_tensors(backend, layout):
    make = {"backend": qd.Backend[backend], **({"layout": layout} if layout else {})}
    x = qd.tensor(qd.i32, (3, 4), **make)
    v = qd.tensor(qd.types.vector(2, qd.i32), (3, 4), backend=qd.Backend[backend])

    @qd.kernel
    def go(x: qd.Tensor, v: qd.Tensor):
        for i, j in x:
            x[i, j] = 10 * i + j
        for I in qd.grouped(v):
            v[I] = I * x[I]
        for _ in range(1):
            for i, j in x:
                x[i, j] += 1
        for I in qd.grouped(x):
            x[I] += v[I].sum()

    go(x, v)
    number = np.array([[10 * i + j for j in range(4)] for i in range(3)])
    where = np.array([[i + j for j in range(4)] for i in range(3)])
    np.testing.assert_array_equal(x.to_numpy(), number + 1 + number * where)


def test_values_cross_from_task_to_task():
    @qd.kernel
    def k(x: Ints) -> qd.i32:
        total = 0
        for i in x:
            total += x[i]
        twice = total * 2
        for i in x:
            x[i] = twice
        return total

    x = np.arange(1000, dtype=np.int32)
    assert k(x) == 499500
    assert (x == 999000).all()


def test_static_loops_and_conditions():
    wide = True

    @qd.kernel
    def k() -> qd.i32:
        total = 0
        for i in qd.static(range(4)):
            if qd.static(i % 2 == 0):
                total += 10**i
        if qd.static(not wide):
            total += undefined_everywhere  # noqa: F821
        for name, weight in qd.static([("a", 1), ("b", 2)]):
            total += weight
        return total

    assert k() == 1 + 100 + 3


def test_funcs_are_inlined_and_may_nest():
    @qd.func
    def square(x):
        return x * x

    @qd.func
    def hypot2(a, b):
        return square(a) + square(b)

    @qd.kernel
    def k(a: qd.f64, b: qd.f64) -> qd.f64:
        return hypot2(a, b)

    assert k(3.0, 4.0) == 25.0
    with pytest.raises(qd.QuadrantsSyntaxError, match="cannot be called from Python-scope"):
        square(2)


def test_pyfunc_works_in_both_scopes():
    @qd.pyfunc
    def twice(x):
        return x + x

    @qd.kernel
    def k(a: qd.i32) -> qd.i32:
        return twice(a)

    assert twice(4) == 8
    assert k(4) == 8


def test_atomics_give_the_old_value():
    @qd.kernel
    def k(count: Ints, seen: Ints):
        for i in seen:
            old = qd.atomic_add(count[0], 1)
            seen[old] += 1
            qd.atomic_max(count[1], i)
            count[2] -= 1

    count, seen = ints(3), ints(500)
    k(count, seen)
    assert count.tolist() == [500, 499, -500]
    assert (seen == 1).all()


def test_returning_tuples():
    @qd.kernel
    def k(a: qd.i32) -> tuple[qd.i32, qd.f32]:
        return a + 1, a * 0.5

    assert k(3) == (4, 1.5)


def test_returning_a_matrix():
    @qd.kernel
    def k(a: qd.i32) -> qd.types.matrix(2, 2, qd.i32):
        return qd.Matrix([[a, 2], [3, 4 * a]])

    m = k(5)
    assert m.to_list() == [[5, 2], [3, 20]]


def test_loop_config_serialize():
    @qd.kernel
    def k(x: Ints):
        qd.loop_config(serialize=True)
        for i in range(1, 50):
            x[i] = x[i - 1] + i

    x = ints(50)
    k(x)
    assert (x == np.cumsum(np.arange(50))).all()


def test_random_is_uniform_and_goes_on():
    @qd.kernel
    def k(x: Floats):
        for i in x:
            x[i] = qd.random()

    x, y = np.zeros(20000, np.float32), np.zeros(20000, np.float32)
    k(x)
    k(y)
    assert 0 <= x.min() and x.max() < 1
    assert abs(x.mean() - 0.5) < 0.02
    assert abs(x.var() - 1 / 12) < 0.01
    assert (x != y).mean() > 0.9


def test_returning_none():
    @qd.kernel
    def k(x: qd.types.ndarray()):
        x[0] = 3
        return None

    x = qd.ndarray(qd.i32, 1)
    assert k(x) is None and x[0] == 3
