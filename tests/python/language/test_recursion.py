"""Real funcs that call themselves."""

import dataclasses

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

    with pytest.raises(qd.QuadrantsAssertionError, match="'.*down' calls itself more than 256 levels deep"):
        k()


@qd.real_func
def digits_ascend(n: qd.i32, last: qd.i32) -> qd.u1:
    return n == 0 or (n % 10 < last and digits_ascend(n // 10, n % 10))


def test_and_or():
    @qd.real_func
    def first_set(n: qd.i32) -> qd.i32:
        return n & 1 or (n > 0 and 2 * first_set(n >> 1))

    @qd.kernel
    def k(n: qd.i32) -> (qd.i32, qd.i32):
        return digits_ascend(n, 10), first_set(n)

    def lowest(n):
        return n & -n

    for n in (0, 1, 12, 1359, 1335, 96, 4321, 80):
        text = str(n) if n else ""
        assert k(n) == (all(a < b for a, b in zip(text, text[1:])), lowest(n))


def test_choices_within_expressions():
    @qd.real_func
    def collatz(n: qd.i32) -> qd.i32:
        return 1 + (0 if n == 1 else collatz(n // 2 if n % 2 == 0 else 3 * n + 1))

    @qd.real_func
    def turns(n: qd.i32, v: vec2) -> vec2:
        w = v + (turns(n - 1, v.yx) if n > 0 else vec2(10, 20))
        return w

    @qd.kernel
    def k(n: qd.i32) -> (qd.i32, vec2):
        return collatz(n + 1), turns(n, vec2(1, 2))

    def model(n, v):
        w = model(n - 1, v[::-1]) if n > 0 else (10, 20)
        return (v[0] + w[0], v[1] + w[1])

    def steps(n):
        return 1 + (0 if n == 1 else steps(n // 2 if n % 2 == 0 else 3 * n + 1))

    for n in (0, 1, 2, 6):
        length, v = k(n)
        assert (length, tuple(v)) == (steps(n + 1), model(n, (1, 2)))


def test_comprehensions():
    @qd.real_func
    def leaves(n: qd.i32, m: qd.i32) -> qd.i32:
        total = 1
        if n > 0:
            v = qd.Vector([leaves(n - 1 - d, m + d) * (d + 1) for d in range(2)])
            parts = {c: leaves(n - 2, c) for c in (1, 2)}
            total = v.sum() * m + parts[1] - parts[2]
        return total

    @qd.kernel
    def k(n: qd.i32) -> qd.i32:
        w = qd.Vector([leaves(x, 1) for x in (n, n + 1)])
        return w[0] + 1000 * w[1]

    def model(n, m):
        if n <= 0:
            return 1
        return sum(model(n - 1 - d, m + d) * (d + 1) for d in range(2)) * m + model(n - 2, 1) - model(n - 2, 2)

    for n in (0, 1, 3, 4):
        assert k(n) == model(n, 1) + 1000 * model(n + 1, 1)


@qd.func
def both_below(n, by: qd.template()):
    left = below(n - by)
    right = below(n - by - 1)
    return left * 2 + right


@qd.real_func
def below(n: qd.i32) -> qd.i32:
    if n <= 0:
        return 1
    return n + both_below(n, 1) + below(n - 3)


def test_through_an_inlined_func():
    @qd.kernel
    def k(n: qd.i32) -> (qd.i32, qd.i32):
        return below(n), both_below(n, 2)

    def model(n):
        return 1 if n <= 0 else n + model(n - 1) * 2 + model(n - 2) + model(n - 3)

    for n in (0, 1, 4, 7):
        assert k(n) == (model(n), model(n - 2) * 2 + model(n - 3))


def test_through_an_inlined_func_with_loops():
    @qd.func
    def spread(a, n):
        total = 0
        for i in range(n):
            if i == 2:
                break
            total += tree(a, n - 1) + i
        return total

    @qd.real_func
    def tree(a: qd.types.ndarray(qd.i32, ndim=1), n: qd.i32) -> qd.i32:
        a[n] += 1
        return n + spread(a, n)

    @qd.kernel
    def k(a: qd.types.ndarray(qd.i32, ndim=1), n: qd.i32) -> qd.i32:
        return tree(a, n)

    visits = [0] * 6

    def model(n):
        visits[n] += 1
        return n + sum(model(n - 1) + i for i in range(min(n, 2)))

    a = np.zeros(6, np.int32)
    assert k(a, 5) == model(5) and a.tolist() == visits


def test_references():
    @qd.real_func
    def walk_tree(n: qd.i32, count: qd.ref(qd.i32), v: qd.ref(vec2)):
        count += 1
        v[count % 2] += n
        if n > 0:
            walk_tree(n - 1, count, v)
            walk_tree(n - 2, count, v)
            own = 5
            walk_tree(0, own, v)
            v[0] += own

    @qd.kernel
    def k(a: qd.types.ndarray(qd.i32, ndim=1), n: qd.i32) -> (qd.i32, vec2):
        count, v = 10, vec2(0, 0)
        walk_tree(n, count, v)
        walk_tree(n - 1, a[n], v)
        return count, v

    def model(n, count, v):
        count[0] += 1
        v[count[0] % 2] += n
        if n > 0:
            model(n - 1, count, v)
            model(n - 2, count, v)
            own = [5]
            model(0, own, v)
            v[0] += own[0]

    for n in (1, 2, 4):
        a = np.full(6, 100, np.int32)
        count, v, element = [10], [0, 0], [100]
        model(n, count, v)
        model(n - 1, element, v)
        got = k(a, n)
        assert got[0] == count[0] and got[1].to_list() == v
        assert a.tolist() == [element[0] if i == n else 100 for i in range(6)]


def test_references_to_elements():
    @qd.real_func
    def fill(a: qd.types.ndarray(qd.i32, ndim=1), i: qd.i32, x: qd.ref(qd.i32)):
        x += i
        if i > 0:
            j = i - 1
            fill(a, j, a[j])
            x += 100

    @qd.kernel
    def k(a: qd.types.ndarray(qd.i32, ndim=1), i: qd.i32):
        fill(a, i, x=a[i])

    a = np.zeros(5, np.int32)
    k(a, 3)
    assert a.tolist() == [0, 101, 102, 103, 0]


def test_loops_over_more_than_a_range():
    @qd.real_func
    def paths(a: qd.types.ndarray(qd.i32, ndim=2), n: qd.i32) -> qd.i32:
        total = 1
        for i, j in qd.ndrange((1, n), paths_below(n)):
            if i + j == 4:
                continue
            if i > 2:
                break
            total += paths(a, n - i) * (j + 1)
        for i, j in a:
            if a[i, j] == n and n > 1:
                total += 1000 * paths(a, 1)
                return total
        for I in qd.grouped(qd.ndrange(n, 2, axes=(1, 0))):
            if I[0] == 1:
                total = total * 3 + paths(a, I[1] - 1)
        return total

    @qd.real_func
    def paths_below(n: qd.i32) -> qd.i32:
        return 1 if n < 2 else paths_below(n - 2) + 1

    @qd.kernel
    def k(a: qd.types.ndarray(qd.i32, ndim=2), n: qd.i32) -> qd.i32:
        return paths(a, n)

    def below_(n):
        return 1 if n < 2 else below_(n - 2) + 1

    def model(a, n):
        total = 1
        for i, j in ((i, j) for i in range(1, n) for j in range(below_(n))):
            if i + j == 4:
                continue
            if i > 2:
                break
            total += model(a, n - i) * (j + 1)
        if n > 1 and n in a:
            return total + 1000 * model(a, 1)
        for j in range(2):
            for i in range(n):
                if i == 1:
                    total = total * 3 + model(a, j - 1)
        return total

    a = np.array([[1, 5], [3, 9]], np.int32)
    for n in (0, 1, 2, 3, 4):
        assert k(a, n) == model(a, n)


def test_calls_by_module_and_keyword():
    import types

    lib = types.ModuleType("lib")

    @qd.real_func
    def triangle(n: qd.i32, start: qd.i32) -> qd.i32:
        if n == 0:
            return start
        return lib.triangle(start=start + n, n=n - 1)

    lib.triangle = triangle

    @qd.kernel
    def k(n: qd.i32) -> qd.i32:
        return lib.triangle(n, 1)

    assert [k(n) for n in (0, 1, 5)] == [1, 2, 16]


def test_functions_that_cannot_recurse():
    x = qd.field(qd.i32)
    qd.root.pointer(qd.i, 4).place(x)

    @qd.func
    def bump(place: qd.template(), n):
        place += down(n - 1)

    @qd.real_func
    def down(n: qd.i32) -> qd.i32:
        if n > 0:
            bump(x[n], n)
        return n

    @qd.real_func
    def over_cells(n: qd.i32) -> qd.i32:
        total = n
        for i in x:
            total += over_cells(n - 1)
        return total

    @qd.real_func
    def shift(n: qd.i32, y: qd.ref(qd.i32)):
        if n > 0:
            shift(n - 1, x[qd.atomic_add(y, 1)])

    @qd.kernel
    def element() -> qd.i32:
        return down(3)

    @qd.kernel
    def cells() -> qd.i32:
        return over_cells(3)

    @qd.kernel
    def computed():
        y = 0
        shift(3, y)

    with pytest.raises(qd.QuadrantsTypeError, match="is part of a recursion, cannot be an element"):
        element()
    with pytest.raises(qd.QuadrantsSyntaxError, match="cannot loop over the cells of a sparse tree"):
        cells()
    with pytest.raises(qd.QuadrantsSyntaxError, match="is passed by reference: it must not contain a call"):
        computed()


def test_static_loops_are_left():
    @qd.real_func
    def f(n: qd.i32) -> qd.i32:
        total = 0
        for i in qd.static(range(6)):
            if qd.static(i == 1):
                continue
            if qd.static(i == 4):
                break
            if n > i:
                total += f(n - i - 1) + i
        return total + 1

    @qd.kernel
    def k(n: qd.i32) -> qd.i32:
        return f(n)

    def model(n):
        return 1 + sum(model(n - i - 1) + i for i in (0, 2, 3) if n > i)

    assert [k(n) for n in range(6)] == [model(n) for n in range(6)]


def test_a_return_leaves_a_static_loop_of_an_inlined_func():
    @qd.func
    def step(n):
        for k in qd.static(range(3)):
            if qd.static(k == 1):
                return f(n - 1) + k
        return 100

    @qd.real_func
    def f(n: qd.i32) -> qd.i32:
        r = 5
        if n > 0:
            r = step(n)
        return r

    @qd.kernel
    def k(n: qd.i32) -> qd.i32:
        return f(n)

    assert [k(n) for n in range(4)] == [5, 6, 7, 8]


def test_choices_with_known_parts():
    """Such a choice has the type of both sides; compile-time values stay known."""
    @qd.real_func
    def f(n: qd.i32) -> qd.i32:
        r = 0
        if n > 0:
            x = (1 and f(n - 1)) + (0 or f(n - 1)) + (f(n - 1) if 1 else f(n - 2))
            y = n > 0 or f(n - 1) > 3 or f(n - 2) > 3
            z = qd.Vector([n, 1]) and qd.Vector([f(n - 1), 3])
            r = x + (2 if qd.static(True) else f(n - 1)) + qd.cast(y, qd.i32) + z[1]
        return r

    @qd.kernel
    def k(n: qd.i32) -> qd.i32:
        return f(n)

    def model(n):
        return 3 * model(n - 1) + 2 + 1 + 1 if n > 0 else 0

    assert [k(n) for n in range(5)] == [model(n) for n in range(5)]


@qd.real_func
def fib_counted(calls: qd.template(), n: qd.i32) -> qd.i32:
    calls[0] += 1
    r = n
    if n > 1:
        r = fib_counted(calls, n - 1) + fib_counted(calls, n - 2)
    return r


@qd.real_func
def sum_of(step: qd.template(), n: qd.i32) -> qd.i32:
    if n <= 0:
        return 0
    return step + sum_of(step, n - 1)


@qd.real_func
def down(depth: qd.template(), n: qd.i32) -> qd.i32:
    if qd.static(depth == 0):
        return n
    if n > 100:
        return down(depth, n - 100) + 1000
    return down(depth - 1, n) * 2


@qd.real_func
def endless(depth: qd.template(), n: qd.i32) -> qd.i32:
    if n == 0:
        return 0
    return endless(depth + 1, n - 1)


def test_recursion_with_templates():
    """A recursive call with equal template arguments uses the instance that is being compiled."""
    calls = qd.field(qd.i32, 1)
    array = qd.ndarray(qd.i32, 1)

    @qd.kernel
    def k(n: qd.i32, a: qd.types.ndarray()) -> qd.types.vector(5, qd.i32):
        return qd.Vector([fib_counted(calls, n), fib_counted(a, n), sum_of(3, n), sum_of(4, n), down(2, n + 200)])

    assert k(10, array).to_list() == [55, 55, 30, 40, down_in_python(2, 210)]
    assert calls[0] == array[0] == 177

    @qd.kernel
    def never() -> qd.i32:
        return endless(0, 3)

    with pytest.raises(qd.QuadrantsCompilationError, match="'endless' calls itself without end"):
        never()


def down_in_python(depth, n):
    if depth == 0:
        return n
    if n > 100:
        return down_in_python(depth, n - 100) + 1000
    return down_in_python(depth - 1, n) * 2


@pytest.fixture(params=[False, True], ids=["compiled", "python"])
def python(request):
    if request.param:
        qd.init(arch=qd.python)
    return request.param


@qd.data_oriented
class Recursive:
    scale = 2

    def __init__(self, step):
        self.step = step
        self.visits = qd.field(qd.i32, ())

    @qd.real_func
    def sum_down(self, n: qd.i32) -> qd.i32:
        self.visits[None] += 1
        if n <= 0:
            return 0
        return n + self.sum_down(n - self.step)

    @staticmethod
    @qd.real_func
    def triangle(n: qd.i32) -> qd.i32:
        if n == 0:
            return 0
        return n + Recursive.triangle(n - 1)

    @qd.real_func
    def even(self, n: qd.i32) -> qd.i32:
        if n == 0:
            return 0
        return 1 + self.odd(n - 1)

    @qd.real_func
    def odd(self, n: qd.i32) -> qd.i32:
        if n == 0:
            return 100
        return 2 + self.even(n - 1)

    @qd.real_func
    def by_static(self, n: qd.i32) -> qd.i32:
        if n <= 0:
            return self.scale
        return self.triangle(n) + self.by_static(n - 1)

    @qd.func
    def helper(self, n):
        return self.through_inlined(n - 1) + 1

    @qd.real_func
    def through_inlined(self, n: qd.i32) -> qd.i32:
        if n <= 0:
            return 0
        return self.helper(n)

    @qd.real_func
    def binary(self, n: qd.i32) -> qd.i32:
        if n < 2:
            return n
        return self.binary(n - 1) + self.binary(n=n - 2)

    @qd.real_func
    def store(self, n: qd.i32, out: qd.ref(qd.i32)):
        if n > 0:
            out = out * 10 + n
            self.store(n - 1, out)

    @qd.kernel
    def run(self, n: qd.i32) -> qd.i32:
        return self.sum_down(n)


class Deeper(Recursive):
    @qd.real_func
    def odd(self, n: qd.i32) -> qd.i32:
        if n == 0:
            return 1000
        return 3 + self.even(n - 1)


@dataclasses.dataclass
class Held:
    base: qd.i32
    values: qd.types.ndarray(dtype=qd.i32, ndim=1)

    @qd.real_func
    def total(self, n: qd.i32) -> qd.i32:
        if n == 0:
            return self.base
        return self.values[n - 1] + self.total(n - 1)


@qd.dataclass
class Pair:
    a: qd.i32
    b: qd.i32

    @qd.real_func
    def power(self, n: qd.i32) -> qd.i32:
        if n == 0:
            return self.b
        return self.a * self.power(n - 1)


@pytest.mark.filterwarnings("ignore:Calling non-quadrants function")
@pytest.mark.parametrize(
    "call, wanted",
    [
        (lambda o, n: o.sum_down(n), 10),
        (lambda o, n: o.triangle(n), 10),
        (lambda o, n: Recursive.triangle(n + 1), 15),
        (lambda o, n: o.even(n + 4), 12),
        (lambda o, n: o.odd(n), 106),
        (lambda o, n: o.by_static(n), 22),
        (lambda o, n: o.through_inlined(n), 4),
        (lambda o, n: o.binary(n + 3), 13),
        (lambda o, n: Pair(2, 3).power(n), 48),
    ],
)
def test_methods(python, call, wanted):
    o = Recursive(1)

    @qd.kernel
    def k(n: qd.i32) -> qd.i32:
        return call(o, n)

    assert k(4) == wanted


def test_methods_of_self(python):
    one, two = Recursive(1), Recursive(2)
    assert (one.run(4), two.run(4), Deeper(1).run(4)) == (10, 6, 10)
    assert (one.visits[None], two.visits[None]) == (5, 3)

    @qd.kernel
    def odd(o: qd.template(), n: qd.i32) -> qd.i32:
        return o.odd(n)

    assert (odd(one, 4), odd(Deeper(1), 4), odd(one, 4)) == (106, 1008, 106)


def test_methods_of_dataclasses(python):
    values = qd.ndarray(qd.i32, 4)
    values.from_numpy(np.array([1, 2, 3, 4], np.int32))

    @qd.kernel
    def k(h: Held, n: qd.i32) -> qd.i32:
        return h.total(n)

    assert k(Held(2, values), 4) == 12

    @qd.kernel
    def of_struct(p: Pair, n: qd.i32) -> qd.i32:
        q = Pair(p.a, p.b + 1)
        return p.power(n) + q.power(1)

    assert of_struct(Pair(2, 3), 2) == 12 + 8


def test_a_method_with_a_reference(python):
    o = Recursive(1)

    @qd.kernel
    def k(n: qd.i32) -> qd.i32:
        out = 0
        o.store(n, out)
        return out

    assert k(3) == 321


@qd.dataclass
class Counter:
    n: qd.i32

    @qd.real_func
    def count(self, k: qd.i32) -> qd.i32:
        self.n += 1
        if k == 0:
            return self.n
        return self.count(k - 1)


def test_a_struct_that_its_method_changes_is_refused():
    @qd.kernel
    def k() -> qd.i32:
        c = Counter(0)
        return c.count(3)

    with pytest.raises(qd.QuadrantsCompilationError, match="calls itself without end(.*\n)+Hint: a real func may call itself if"):
        k()
