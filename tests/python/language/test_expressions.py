"""Operators with control flow, calls, Python's own functions, updates of components, random numbers."""

import operator

import numpy as np
import pytest
import quadrants as qd


@pytest.mark.parametrize("lazy", [True, False])
def test_short_circuit_can_be_switched_off(arch, lazy):
    qd.init(arch=arch, short_circuit_operators=lazy, print_full_traceback=True, offline_cache=False)
    count = qd.field(qd.i32, ())

    @qd.func
    def touch(x):
        count[None] += 1
        return x

    @qd.kernel
    def k(a: qd.i32) -> (qd.i32, qd.i32, qd.i32):
        return a and touch(6), a or touch(6), (a > 0 and touch(1) > 0) * 1

    assert k(3) == ((6, 3, 1) if lazy else (2, 7, 1))
    assert count[None] == (2 if lazy else 3)


def test_and_or_not_of_vectors():
    @qd.kernel
    def k(a: qd.i32) -> (qd.types.vector(3, qd.i32), qd.types.vector(3, qd.i32), qd.types.vector(3, qd.i32)):
        v, w = qd.Vector([a, 0, 5]), qd.Vector([2, 7, 0])
        return v and w, v or w, not v

    both, either, neither = k(4)
    assert (both.to_list(), either.to_list(), neither.to_list()) == ([1, 0, 0], [1, 1, 1], [0, 1, 0])


def test_chained_comparisons_of_vectors():
    @qd.kernel
    def k(a: qd.i32) -> qd.types.vector(3, qd.i32):
        return 1 < qd.Vector([a, 0, 5]) <= 4

    assert k(4).to_list() == [1, 0, 0]


def test_calls():
    @qd.func
    def f(a, b, c=100):
        return a + 10 * b + c

    @qd.func
    def total(v, scale=2):
        return scale * (v[0] + v[1])

    @qd.kernel
    def k(x: qd.i32) -> (qd.i32, qd.i32, qd.i32, qd.i32, qd.i32, qd.i32):
        pair = (x, 2)
        v = qd.Vector([x, 5])
        return f(x, 1), f(b=x, a=1), f(x, c=3, b=2), f(*pair), f(*v), total([x, 1], scale=3)

    assert k(4) == (114, 141, 27, 124, 154, 15)


def test_pythons_functions():
    @qd.kernel
    def k(a: qd.i32, x: qd.f64) -> (qd.f64, qd.f64, qd.f64, qd.i32, qd.i32, qd.i32, qd.i32):
        v = qd.Vector([a, 3, 0])
        m = qd.Matrix([[1, 2], [3, a]])
        product = operator.matmul(m, m)
        return (
            min(a, x, 2.5) + max(a, 1), abs(-x) + abs(a), pow(x, 2) + pow(a, 2), len(v) * 10 + len(m) + len([1, 2, 3, 4]),
            any(v) * 10 + all(v), int(x) * 100 + int(bool(a)) + qd.cast(float(a), qd.i32), product[1, 1],
        )  # fmt: skip

    assert k(4, -1.5) == (-1.5 + 4, 1.5 + 4, 2.25 + 16, 36, 10, -100 + 1 + 4, 6 + 16)


def test_sums():
    @qd.kernel
    def k(a: qd.i32, x: qd.f64) -> (qd.i32, qd.f64, qd.i32, qd.i32, qd.i32, qd.i32):
        pair = sum([qd.Vector([a, 1]), qd.Vector([2, 3])])
        return (
            sum([a, 2, 3]), sum((a, x), 0.5), sum(qd.Vector([a, 7])), sum([a > 1, a > 2, a > 100]),
            sum([a * i for i in range(4)], start=100), pair[0] * 10 + pair[1],
        )  # fmt: skip

    assert k(4, -1.5) == (9, 3.0, 11, 2, 124, 64)


def test_a_choice_between_tuples_and_structs():
    Ball = qd.types.struct(at=qd.types.vector(2, qd.f32), mark=qd.i32)
    count = qd.field(qd.i32, ())

    @qd.func
    def both(x):
        count[None] += 1
        return x, x + 0.5

    @qd.kernel
    def k(a: qd.i32) -> (qd.f64, qd.i32, qd.i32, qd.f32):
        x, y = both(a) if a > 0 else (-a, 2)
        (p, q), r = ((a, 1), 2) if a > 0 else ((a + 1, 3), a)
        ball = Ball(qd.Vector([a, 1]), 2) if a > 0 else Ball(qd.Vector([5, a]), 7)
        ball.mark += 1
        return x * 100 + y, p * 100 + q * 10 + r, ball.mark, ball.at[0] * 10 + ball.at[1]

    assert k(3) == (303.5, 312, 3, 31.0) and k(-2) == (202.0, -72, 8, 48.0)
    assert count[None] == 1


def test_a_tuple_is_returned_by_choice():
    @qd.kernel
    def k(a: qd.i32) -> (qd.i32, qd.f32):
        return (a, 1.5) if a > 0 else (7, a)

    assert k(3) == (3, 1.5) and k(-2) == (7, -2.0)


def test_a_recursive_func_chooses_between_tuples():
    @qd.real_func
    def count(n: qd.i32) -> qd.i32:
        a, b = (count(n - 1), 2) if n > 0 else (5, n)
        return a + b

    @qd.kernel
    def k(n: qd.i32) -> qd.i32:
        return count(n)

    assert k(0) == 5 and k(4) == 13


def test_pythons_functions_of_constants():
    table = [3, 1, 2]

    @qd.kernel
    def k() -> (qd.i32, qd.f32):
        names = qd.static(sorted(table))
        n = sum(table) + min(table) + len(table) + round(2.6)
        whole = qd.static(isinstance(names, list) and type(3) == int)  # noqa: E721
        return n * 10 + names[0] + (5 if whole else 0), abs(-2.5) + pow(2, 3)

    assert k() == ((6 + 1 + 3 + 3) * 10 + 1 + 5, 10.5)


def test_keywords():
    words = ["a", "ccc", "bb"]

    @qd.kernel
    def k(x: qd.f32) -> (qd.i32, qd.i32, qd.u32):
        longest = qd.static(max(words, key=len))
        return qd.static(len(longest)), qd.cast(x, dtype=qd.i32) + qd.floor(x, dtype=qd.i32), qd.bit_cast(x, dtype=qd.u32)

    assert k(2.5) == (3, 4, int(np.float32(2.5).view(np.uint32)))


def test_a_foreign_function_is_called_once_with_a_warning():
    calls = []

    def helper(x):
        calls.append(x)
        return x + 1

    @qd.kernel
    def k(a: qd.i32) -> qd.i32:
        return a + helper(4)

    with pytest.warns(SyntaxWarning, match='Calling non-quadrants function "helper"'):
        assert [k(1), k(2)] == [6, 7]
    assert calls == [4]


def test_updates_of_swizzles_and_slices():
    f = qd.Vector.field(3, qd.f32, shape=2)

    @qd.kernel
    def k() -> (qd.types.vector(4, qd.i32), qd.types.vector(2, qd.i32)):
        v = qd.Vector([1, 2, 3, 4])
        v.xy += 10
        v.wz *= qd.Vector([2, 3])
        v.y = 7
        v.zx = qd.Vector([50, 60])
        v[1:3] -= 1
        for i in range(100):
            f[1].xz += qd.Vector([1.0, 0.5])
        return v, v.yx

    v, w = k()
    assert v.to_list() == [60, 6, 49, 8] and w.to_list() == [6, 60]
    assert f[1].to_list() == [100, 0, 50] and f[0].to_list() == [0, 0, 0]


def test_updates_without_an_atomic():
    f = qd.field(qd.i32, 6)
    for i in range(6):
        f[i] = 29

    @qd.kernel
    def k(x: qd.f32) -> qd.f32:
        f[0] //= 4
        f[1] %= 4
        f[2] **= 2
        f[3] <<= 2
        f[4] >>= 2
        f[5] /= 2
        y = x
        y /= 4
        y **= 2
        return y

    with pytest.warns(UserWarning, match="Assign may lose precision: i32 <- f32"):
        assert k(6.0) == 2.25
    assert f.to_numpy().tolist() == [7, 1, 841, 116, 7, 14]


def test_subnormal_floats_are_flushed_on_every_thread():
    @qd.kernel
    def k(x: qd.types.ndarray(qd.f32, ndim=1), y: qd.types.ndarray(qd.f64, ndim=1)):
        for i in x:
            x[i] = x[i] * 0.5
            y[i] = y[i] * 0.5

    qd.init(arch=qd.cpu, offline_cache=False)
    x, y = np.full(100000, 1.2e-38, np.float32), np.full(100000, 2.3e-308)
    k(x, y)
    assert (x == 0).all() and (y == 0).all()


def test_subnormal_floats_are_flushed_in_small_tasks():
    """Small tasks run on the launching thread; tasks that only move values leave its floating-point mode unchanged."""
    f32s = qd.types.ndarray(qd.f32, ndim=1)

    @qd.kernel
    def compute(x: f32s, y: f32s, flags: qd.types.ndarray(qd.i32, ndim=1), wide: qd.types.ndarray(qd.f64, ndim=1)):
        for i in x:
            y[i] = x[i] + x[i]
            flags[i] = x[i] > 0.0
            wide[i] = x[i]

    @qd.kernel
    def move(x: f32s, y: f32s):
        for i in x:
            y[i] = x[i]
            x[i] += 1.0

    @qd.kernel
    def give(x: qd.f32) -> qd.f32:
        return x * 0.5

    for _ in range(2):
        x, y, flags, wide = np.full(5, 1e-40, np.float32), np.ones(5, np.float32), np.ones(5, np.int32), np.ones(5)
        compute(x, y, flags, wide)
        assert (y == 0).all() and (flags == 0).all() and (wide == 0).all()
        move(x, y)
        assert (y == np.float32(1e-40)).all() and (x == 1).all()
        assert give(1.5e-38) == 0
        assert np.float32(1e-40) * np.float32(0.5) != 0


@pytest.mark.parametrize("kind", ["u1", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"])
def test_random_integers_cover_their_range(kind):
    t = getattr(qd, kind)
    n = 4000

    @qd.kernel
    def k(x: qd.types.ndarray(t, ndim=1)):
        for i in x:
            x[i] = qd.random(t)

    x = np.zeros(n, "bool" if kind == "u1" else {"u": "uint", "i": "int"}[kind[0]] + kind[1:])
    k(x)
    bits = int(kind[1:])
    low, span = (-(2.0 ** (bits - 1)), 2.0**bits) if kind[0] == "i" else (0.0, 2.0**bits)
    unit = (x.astype(np.float64) - low + 0.5) / span
    assert abs(unit.mean() - 0.5) < 0.03
    if kind != "u1":
        assert abs(unit.var() - 1 / 12) < 0.005
        assert unit.min() < 0.01 and unit.max() > 0.99


@pytest.mark.parametrize("kind", ["f16", "f32", "f64"])
def test_random_reals(kind):
    t = getattr(qd, kind)

    @qd.kernel
    def k(x: qd.types.ndarray(t, ndim=2)):
        for i in range(x.shape[0]):
            x[i, 0] = qd.random(t)
            x[i, 1] = qd.random(t)

    x = np.zeros((20000, 2), {"f16": np.float16, "f32": np.float32, "f64": np.float64}[kind])
    k(x)
    x = x.astype(np.float64)
    assert 0 <= x.min() and x.max() < 1
    for moment in range(1, 5):
        assert np.abs((x**moment).mean(0) - 1 / (moment + 1)).max() < 0.01
    assert abs(np.corrcoef(x.T)[0, 1]) < 0.03
    cells = np.histogram2d(x[:, 0], x[:, 1], bins=8, range=[[0, 1], [0, 1]])[0]
    assert ((cells - 20000 / 64) ** 2 / (20000 / 64)).sum() < 63 + 6 * (2 * 63) ** 0.5


def test_normal_numbers():
    @qd.kernel
    def k(x: qd.types.ndarray(qd.f64, ndim=1)):
        for i in x:
            x[i] = qd.randn(qd.f64)

    x = np.zeros(20000)
    k(x)
    assert abs(x.mean()) < 0.03 and abs(x.var() - 1) < 0.05
    assert abs((x**3).mean()) < 0.1 and abs((x**4).mean() - 3) < 0.25


def test_seeds(arch):
    def numbers(seed):
        qd.init(arch=arch, random_seed=seed, offline_cache=False)

        @qd.kernel
        def k(x: qd.types.ndarray(qd.f64, ndim=1)):
            qd.loop_config(serialize=True)
            for i in x:
                x[i] = qd.random(qd.f64)

        x = np.zeros(50)
        k(x)
        y = np.zeros(50)
        k(y)
        return [*x, *y]

    first, again, other = numbers(1), numbers(1), numbers(2)
    assert first == again
    assert not set(first) & set(other) and len(set(first)) == 100


def test_every_run_compiles_what_it_tests():
    assert not qd.cfg.offline_cache


@pytest.mark.parametrize("python", [False, True])
def test_a_choice_between_a_number_and_a_vector(python):
    if python:
        qd.init(arch=qd.python)
    f = qd.Vector.field(3, qd.f32, 4)
    m = qd.Matrix.field(2, 2, qd.i32, ())

    @qd.kernel
    def fill():
        for i in f:
            f[i] = [i, 2 * i, 3 * i]
        m[None] = [[1, 2], [3, 4]]

    @qd.kernel
    def k(c: qd.i32) -> (qd.f32, qd.f32, qd.f32):
        for i in range(1, 4):
            f[i] = 0 if c == i else f[i]
        v = qd.Vector([1, 2]) if c else 2.5
        n = m[None] if c else 7
        return v[0], v[1], n[1, 1]

    fill()
    assert k(2) == (1.0, 2.0, 4.0) and k(0) == (2.5, 2.5, 7.0)
    assert [list(f[i]) for i in range(4)] == [[0, 0, 0], [1, 2, 3], [0, 0, 0], [3, 6, 9]]


def test_a_choice_between_a_number_and_a_vector_in_a_recursive_func():
    vec2 = qd.types.vector(2, qd.i32)

    @qd.real_func
    def total(n: qd.i32) -> vec2:
        r = vec2(0, 0)
        if n > 0:
            r = (total(n - 1) if n != 2 else 100) + vec2(n, 1)
        return r

    @qd.kernel
    def k(n: qd.i32) -> vec2:
        return total(n)

    assert list(k(1)) == [1, 1] and list(k(4)) == [100 + 2 + 3 + 4, 103]


def test_and_or_with_a_vector_behind_a_number_is_refused():
    @qd.kernel
    def k(c: qd.i32):
        v = c and qd.Vector([1, 2])  # noqa: F841

    with pytest.raises(qd.QuadrantsTypeError, match="unsupported operand type"):
        k(1)


@pytest.mark.parametrize("python", [False, True])
def test_dicts(python, capfd):
    if python:
        qd.init(arch=qd.python)
    x = qd.field(qd.i32, 10)

    @qd.kernel
    def k(a: qd.i32) -> (qd.i32, qd.i32, qd.i32, qd.i32, qd.i32):
        for i in qd.static(range(10)):
            x[i] = 2  # they are separate keys in spite of equal values
        known = {"one": a, "two": 2 * a}
        total = 0
        for value in qd.static(known.values()):
            total += value
        chosen = {x[j]: x[j] + j for j in range(9) if j > 2 if j < 5}
        again = {j % 2: j for j in range(4)}
        for name, value in qd.static(known.items()):
            total += value * qd.static(len(name))
        return total, sum(chosen.values()), len(chosen), len(again) * 100 + again[0] * 10 + again[1], known.get("three", 5) + known.get("one")

    assert k(7) == (21 + 3 * 21, 5 + 6, 2, 223, 12)


def test_mistakes_with_dicts():
    @qd.kernel
    def lookup(a: qd.i32) -> qd.i32:
        d = {1: a, 2: a}
        return d[a]

    @qd.kernel
    def arguments(a: qd.i32) -> qd.i32:
        return sum({1: a}.values(1))

    with pytest.raises(qd.QuadrantsTypeError, match="A dict cannot be indexed with a key known only at run time"):
        lookup(1)
    with pytest.raises(qd.QuadrantsTypeError, match="`values` of a dict takes no argument"):
        arguments(1)


def test_a_tuple_repeated_a_large_number_of_times():
    @qd.kernel
    def f(times: qd.template()) -> qd.i32:
        total = 0
        for x in qd.static((1, 2) * times):
            total += x
        for x in qd.static(() * times):
            total += x
        return total

    assert [f(times) for times in (-(2**63), -1, 0, 2)] == [0, 0, 0, 6]

    @qd.kernel
    def g(x: qd.i32, times: qd.template()):
        y = [x] * times
        z = [] * times

    g(1, -(2**63))
    g(1, 3)
    for times in (-(2**63) - 1, -(2**70)):
        with pytest.raises(OverflowError, match="cannot fit 'int' into an index-sized integer"):
            g(1, times)
    with pytest.raises(qd.QuadrantsTypeError, match="A list or tuple of more than 1048576 items is too long"):
        g(1, 2**70)

    @qd.kernel
    def h(x: qd.i32, times: qd.template()):
        y = [] * times

    h(1, 2**62)
