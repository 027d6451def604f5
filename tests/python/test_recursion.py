"""Real funcs that call themselves."""

import numpy as np
import pytest
import quadrants as qd

vec2 = qd.types.vector(2, qd.i32)


@qd.real_func
def factorial(n: qd.i32) -> qd.i64:
    if n <= 1:
        return 1
    return n * factorial(n - 1)


@qd.real_func
def fibonacci(n: qd.i32) -> qd.i32:
    if n < 2:
        return n
    return fibonacci(n - 1) + fibonacci(n - 2)


@qd.real_func
def ackermann(m: qd.i32, n: qd.i32) -> qd.i32:
    r = 0
    if m == 0:
        r = n + 1
    elif n == 0:
        r = ackermann(m - 1, 1)
    else:
        r = ackermann(m - 1, ackermann(m, n - 1))
    return r


@qd.real_func
def even(n: qd.i32) -> qd.u1:
    if n == 0:
        return True
    return odd(n - 1)


@qd.real_func
def odd(n: qd.i32) -> qd.u1:
    if n == 0:
        return False
    return even(n - 1)


def test_well_known_functions():
    @qd.kernel
    def f(n: qd.i32) -> qd.i64:
        return factorial(n)

    @qd.kernel
    def g(n: qd.i32) -> qd.i32:
        return fibonacci(n) + 1000 * fibonacci(n - 1)

    @qd.kernel
    def a(m: qd.i32, n: qd.i32) -> qd.i32:
        return ackermann(m, n)

    assert [f(n) for n in (0, 1, 5, 20)] == [1, 1, 120, 2432902008176640000]
    assert g(10) == 55 + 1000 * 34
    assert a(2, 3) == 9 and a(1, 5) == 7


def test_mutual_recursion():
    @qd.kernel
    def k(n: qd.i32) -> qd.i32:
        return qd.cast(even(n), qd.i32) * 10 + qd.cast(odd(n), qd.i32)

    assert [k(n) for n in (0, 1, 6, 7)] == [10, 1, 10, 1]


def test_in_a_parallel_loop():
    @qd.kernel
    def k(out: qd.types.ndarray(qd.i32, ndim=1)):
        for i in out:
            out[i] = fibonacci(i) + i

    out = qd.ndarray(qd.i32, 12)
    k(out)
    assert out.to_numpy().tolist() == [v + i for i, v in enumerate((0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89))]


@qd.real_func
def sort(a: qd.types.ndarray(qd.i32, ndim=1), low: qd.i32, high: qd.i32):
    if low < high:
        pivot = a[high]
        at = low
        for i in range(low, high):
            if a[i] < pivot:
                t = a[i]
                a[i] = a[at]
                a[at] = t
                at += 1
        t = a[high]
        a[high] = a[at]
        a[at] = t
        sort(a, low, at - 1)
        sort(a, at + 1, high)


def test_quicksort():
    @qd.kernel
    def k(a: qd.types.ndarray(qd.i32, ndim=1)):
        sort(a, 0, a.shape[0] - 1)

    a = np.random.default_rng(1).integers(0, 1000, 100).astype(np.int32)
    expected = sorted(a.tolist())
    k(a)
    assert a.tolist() == expected


@qd.real_func
def queens(row: qd.i32, n: qd.i32, columns: qd.i32, left: qd.i32, right: qd.i32) -> qd.i32:
    if row == n:
        return 1
    count = 0
    for c in range(n):
        bit = 1 << c
        if (columns & bit) or (left & bit) or (right & bit):
            continue
        count += queens(row + 1, n, columns | bit, ((left | bit) << 1) & 255, (right | bit) >> 1)
    return count


def test_calls_in_loops():
    @qd.kernel
    def k(n: qd.i32) -> qd.i32:
        return queens(0, n, 0, 0, 0)

    assert [k(n) for n in (1, 4, 5, 6)] == [1, 2, 10, 4]


@qd.real_func
def walk(n: qd.i32, way: vec2) -> vec2:
    here = way
    while True:
        n -= 1
        if n < 0:
            break
        if n % 3 == 2:
            here += walk(n // 2, vec2(1, n))
            continue
        here[1] += walk(n - 2, here)[0]
    return here


def model(n, way):
    here = np.array(way)
    while True:
        n -= 1
        if n < 0:
            break
        if n % 3 == 2:
            here = here + model(n // 2, (1, n))
            continue
        here[1] += model(n - 2, here)[0]
    return here


def test_vectors_and_while():
    @qd.kernel
    def k(n: qd.i32) -> vec2:
        return walk(n, vec2(1, 2))

    for n in (0, 1, 4, 9):
        assert k(n).to_list() == model(n, (1, 2)).tolist()


@qd.real_func
def pair(n: qd.i32) -> (qd.i32, qd.f32):
    if n == 0:
        return 0, 0.5
    a, b = pair(n - 1)
    return a + n, b * 2


@qd.real_func
def gcd(a: qd.i32, b: qd.i32) -> qd.i32:
    return a if b == 0 else gcd(b, a % b)


def test_tuples_and_choices():
    @qd.kernel
    def k(n: qd.i32) -> (qd.i32, qd.f32, qd.i32):
        a, b = pair(n)
        return a, b, gcd(54, 24)

    assert k(4) == (10, 8, 6)


def test_too_deep():
    @qd.real_func
    def down(n: qd.i32) -> qd.i32:
        return down(n + 1)

    @qd.kernel
    def k() -> qd.i32:
        return down(0)

    with pytest.raises(qd.QuadrantsAssertionError, match="'.*down' calls itself more than 256 deep"):
        k()


def test_what_cannot_recurse():
    @qd.func
    def helper(n):
        return looped(n - 1)

    @qd.real_func
    def looped(n: qd.i32) -> qd.i32:
        if n < 0:
            return looped(0) + helper(n)
        return n

    @qd.kernel
    def through_inlined() -> qd.i32:
        return looped(3)

    @qd.real_func
    def lazy(n: qd.i32) -> qd.u1:
        return n > 0 and lazy(n - 1)

    @qd.kernel
    def in_and() -> qd.i32:
        return lazy(3)

    with pytest.raises(qd.QuadrantsCompilationError, match="through a function that is inlined"):
        through_inlined()
    with pytest.raises(qd.QuadrantsSyntaxError, match="cannot stand in an expression that may skip it"):
        in_and()
