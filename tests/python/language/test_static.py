"""Compile time: qd.static in its positions, unrolled loops, comprehensions, static_assert, static_print, loop_config."""

import itertools
import warnings

import numpy as np
import pytest
import quadrants as qd
from quadrants import _native

Ints = qd.types.ndarray(qd.i32, ndim=1)


def tasks(kernel, *args):
    """Returns (name, line) of the tasks of the kernel's first call."""
    core = _native.core()
    core.take_reports()
    kernel(*args)
    return [t["name"] for report in core.take_reports() for t in report["tasks"]]


def test_values():
    size, table = 3, {"a": 5, "b": (1, 2)}

    @qd.kernel
    def k() -> qd.i32:
        a = qd.static(size * 2)
        b, c = qd.static(1, 2)
        d = qd.static(table["b"])
        e, f = qd.static(table["b"])
        g = qd.static(max(size, 7) if size > 2 else undefined)  # noqa: F821
        h = qd.static([i for i in range(size)])
        text = qd.static("ab" + "c")
        return a + 10 * b + 100 * c + d[0] + 1000 * (e + f) + 10000 * g + 100000 * h[2] + 1000000 * qd.static(len(text))

    assert k() == 6 + 10 + 200 + 1 + 3000 + 70000 + 200000 + 3000000


def test_conditions():
    mode, wide = "fast", True

    @qd.kernel
    def k(n: qd.template(), x: qd.i32) -> qd.i32:
        r = 0
        if qd.static(n > 3 and wide):
            r += 1
        elif qd.static(n == 2):
            r += 10
        else:
            r += 100
        if qd.static(mode == "slow"):
            r += missing  # noqa: F821
        if qd.static(mode in ("fast", "faster") and n is not None):
            r += 1000
        r += 10000 if qd.static(n == 2) else x * 0
        while qd.static(n == 2):
            r += 100000
            break
        assert qd.static(n < 100)
        return r

    assert [k(n, 5) for n in (2, 3, 4)] == [10 + 1000 + 10000 + 100000, 100 + 1000, 1 + 1000]


def test_loops():
    weights, pairs = [5, 6, 7], [("a", 1), ("b", 2)]

    @qd.kernel
    def k() -> qd.i32:
        r = 0
        for i in qd.static(range(1, 10, 3)):
            r += i
        for i, j in qd.static(qd.ndrange(2, (1, 3))):
            r += 100 * (i * 2 + j)
        for I in qd.static(qd.grouped(qd.ndrange((1, 3), 2))):
            r += 10000 * (I[0] * I[1]) + 10000 * I.sum()
        for n, w in qd.static(enumerate(weights)):
            r += n * w
        for w, (name, count) in qd.static(zip(weights, pairs)):
            r += w * count if qd.static(name == "b") else 0
        for w in qd.static(weights):
            for v in qd.static(reversed(range(2))):
                r += w * v
        for c in qd.static("ab"):
            r += qd.static(1 if c == "b" else 2)
        for x in qd.static({"p": 1, "q": 2}):
            r += qd.static(len(x))
        for _ in qd.static(range(0)):
            r += undefined  # noqa: F821
        return r

    grouped = sum(i * j + i + j for i in (1, 2) for j in range(2))
    assert k() == 12 + 100 * (1 + 2 + 3 + 4) + 10000 * grouped + (6 + 14) + 12 + 18 + 3 + 2


def test_break_and_continue():
    @qd.kernel
    def k(n: qd.i32) -> qd.i32:
        r = 0
        for i in qd.static(range(10)):
            if qd.static(i == 2):
                continue
            if qd.static(i == 5):
                break
            r += 10**i
        for i in qd.static(range(3)):
            for j in qd.static(range(3)):
                if qd.static(j > i):
                    break
                if qd.static(j == 1):
                    continue
                r += 100000
        s = 0
        for _ in range(1):
            for i in qd.static(range(3)):  # a break of a run-time loop inside an unrolled one
                for j in range(10):
                    if j == n:
                        break
                    if j % 2 == 1:
                        continue
                    s += 1
            for j in range(10):  # and an unrolled loop inside it
                if j > n:
                    break
                for i in qd.static(range(4)):
                    if qd.static(i == 1):
                        break
                    s += 100
        return r + s * 1000000

    assert k(4) == 11011 + 4 * 100000 + (3 * 2 + 500) * 1000000


def test_top_level_unrolled_loops_make_tasks():
    @qd.kernel
    def k(x: Ints):
        for n in qd.static(range(3)):
            for i in x:
                x[i] += n
            for i in range(2):
                x[i] *= 2

    x = np.ones(4, np.int32)
    assert len(tasks(k, x)) == 6
    assert x.tolist() == [((1 * 2 + 1) * 2 + 2) * 2] * 2 + [4, 4]


def test_loops_under_run_time_branches_are_serial():
    @qd.kernel
    def k(x: Ints, n: qd.i32) -> qd.i32:
        s = 0
        if n > 0:
            for i in range(1, 100):
                x[i] = x[i - 1] + 1
        while s < 1:
            for i in range(1, 100):
                x[i] += x[i - 1]
            s += 1
        return s

    x = np.zeros(100, np.int32)
    assert len(tasks(k, x, 1)) == 1
    assert x[99] == 99 * 100 // 2


def test_comprehensions():
    names = ["x", "y", "z"]

    @qd.kernel
    def k(a: qd.i32) -> qd.i32:
        squares = [i * i for i in range(5) if i % 2 == 0]
        pairs = [i * 10 + j for i in range(2) for j in range(i + 1)]
        v = qd.Vector([a + i for i in range(4)])
        m = qd.Matrix([[i + j + a for i in range(2)] for j in range(2)])
        by_name = {n: a * i for i, n in enumerate(names)}
        doubled = [c * 2 for c in v]
        again = [w for w in squares]
        filtered = [n for n in names if n != "y"]
        return squares[2] + 100 * len(pairs) + v[3] + m[1, 1] + by_name["z"] + doubled[1] + again[1] + len(filtered)

    a = 7
    assert k(a) == 16 + 300 + (a + 3) + (2 + a) + 2 * a + 2 * (a + 1) + 4 + 2


def test_template_arguments_and_members():
    @qd.data_oriented
    class Grid:
        def __init__(self, n, deep):
            self.n = n
            self.deep = deep
            self.offsets = [(0, 1), (1, 0)]

        @qd.kernel
        def total(self) -> qd.i32:
            r = 0
            for dx, dy in qd.static(self.offsets):
                r += dx * 10 + dy
            for i in qd.static(range(self.n)):
                r += 100 * i
            if qd.static(self.deep is None):
                r += 1000
            return r

    assert Grid(3, None).total() == 11 + 300 + 1000
    assert Grid(4, 2).total() == 11 + 600


def test_fields_and_their_shapes():
    f = qd.field(qd.i32, shape=(2, 3))
    fields = [qd.field(qd.i32, 2) for _ in range(3)]

    @qd.kernel
    def k() -> qd.i32:
        for n, g in qd.static(enumerate(fields)):
            g[1] = n + 1
        x, y = qd.static(f, fields[0])
        x[1, 2] = 50
        y[0] = 4
        r = 0
        for i in qd.static(range(f.shape[1])):
            r += i
        return r + qd.static(len(f.shape)) * 10 + x[1, 2] + y[0]

    assert k() == 3 + 20 + 50 + 4
    assert [g[1] for g in fields] == [1, 2, 3]


def test_static_assert():
    @qd.kernel
    def k(n: qd.template()) -> qd.i32:
        qd.static_assert(n > 3)
        qd.static_assert(n > 3 and n < 10, "between")
        qd.static_assert(isinstance(n, int), f"n is {n}")
        return n

    assert k(5) == 5
    with pytest.raises(AssertionError, match="Static assertion failed"):
        k(2)
    with pytest.raises(AssertionError, match="^between$"):
        k(20)
    with pytest.raises(AssertionError, match=r"n is 4\.5"):
        k(4.5)


def test_static_print(capsys):
    n = 3

    @qd.kernel
    def k(a: qd.f32):
        v = qd.Vector([1, 2])
        qd.static_print("compiling", n, a, v, [1, 2.5])
        qd.static_print("x", n, sep="-", end="|\n")
        for i in qd.static(range(2)):
            qd.static_print(i)

    capsys.readouterr()
    k(1.0)
    once = capsys.readouterr().out
    k(2.0)
    assert once == "compiling 3 <f32> <[Tensor (2) i32]> [1, 2.5]\nx-3|\n0\n1\n"
    assert capsys.readouterr().out == ""


def test_grouped():
    f = qd.field(qd.i32, shape=(3, 4))
    v = qd.Vector.field(2, qd.f32, shape=(3, 4))

    @qd.kernel
    def k(x: qd.types.ndarray(qd.i32, ndim=2)):
        for I in qd.grouped(f):
            f[I] = I[0] * 10 + I[1]
        for I in qd.grouped(v):
            v[I] = I * 0.5
        for I in qd.grouped(x):
            x[I] = I.dot(I) + qd.static(len(I))
        for I in qd.grouped(qd.ndrange((1, 3), 2)):
            J = I + qd.Vector([0, 2])
            f[J] += 1000

    x = np.zeros((2, 5), np.int32)
    k(x)
    i, j = np.indices((3, 4))
    expected = i * 10 + j
    expected[1:3, 2:4] += 1000
    assert (f.to_numpy() == expected).all()
    assert (v.to_numpy() == np.stack([i, j], -1) * 0.5).all()
    i, j = np.indices((2, 5))
    assert (x == i * i + j * j + 2).all()


@pytest.mark.parametrize("axes", [None, (0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_ndrange_axes(axes):
    """`axes` changes the order of iteration, not the meaning of the indices."""
    n = qd.field(qd.i32, ())

    @qd.kernel
    def k(out: qd.types.ndarray(qd.i32, ndim=2)):
        qd.loop_config(serialize=True)
        for i, j, l in qd.ndrange(2, (1, 3), 2, axes=axes):  # noqa: E741
            out[n[None], 0] = i
            out[n[None], 1] = j
            out[n[None], 2] = l
            n[None] += 1

    @qd.kernel
    def unrolled(out: qd.types.ndarray(qd.i32, ndim=2)):
        n[None] = 0
        for I in qd.static(qd.grouped(qd.ndrange(2, (1, 3), 2, axes=axes))):
            for c in qd.static(range(3)):
                out[n[None], c] = I[c]
            n[None] += 1

    expected = [list(t) for t in qd.ndrange(2, (1, 3), 2, axes=axes)]
    assert sorted(expected) == [[i, j, l] for i in range(2) for j in (1, 2) for l in range(2)]  # noqa: E741
    first = expected[1]
    assert first[(axes or (0, 1, 2))[2]] == [0, 1, 0][(axes or (0, 1, 2))[2]] + 1
    for kernel in (k, unrolled):
        out = np.zeros((8, 3), np.int32)
        kernel(out)
        assert out.tolist() == expected


def test_loop_config():
    @qd.kernel
    def k(x: Ints):
        qd.loop_config(name="first", block_dim=64, block_dim_adaptive=False)
        for i in x:
            x[i] += 1
        for i in x:  # the configuration applied to the previous loop
            x[i] += 1
        qd.loop_config(serialize=True)
        for i in range(1, x.shape[0]):
            x[i] = x[i - 1] + 1
        qd.loop_config(parallelize=4, bit_vectorize=False, name="last")
        for i in x:
            x[i] *= 2

    x = np.zeros(50, np.int32)
    names = tasks(k, x)
    assert (x == 2 * (2 + np.arange(50))).all()
    assert len(names) == 4 and names[0] == "first" and names[-1] == "last"
    assert names.count("first") == 1


def test_loop_config_parallelize_1_is_serial():
    @qd.kernel
    def k(x: Ints):
        qd.loop_config(parallelize=1)
        for i in range(1, x.shape[0]):
            x[i] = x[i - 1] + 1

    x = np.zeros(3000, np.int32)
    k(x)
    assert (x == np.arange(3000)).all()


def test_names_of_nested_loops_are_dropped(capfd):
    """The log reports it once; unrolled loops are ignored."""

    @qd.kernel
    def k(x: Ints):
        for i in x:
            qd.loop_config(name="inner")
            for j in range(3):
                x[i] += j
        for n in qd.static(range(2)):
            qd.loop_config(name="unrolled")
            for i in x:
                x[i] += n
        if x[0] > 0:
            qd.loop_config(name="below_an_if")
            for i in range(3):
                x[i] += 1

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        shown = tasks(k, np.zeros(3, np.int32))
    assert "inner" not in shown and "unrolled" in shown
    logged = capfd.readouterr().err
    assert logged.count("nested inside another for-loop") == 1 and '"inner"' in logged


def test_block_dim():
    for bad in (0, -1, 33, 2048, 1.5):

        @qd.kernel
        def k():
            qd.loop_config(block_dim=bad)
            for i in range(3):
                pass

        with pytest.raises(qd.QuadrantsCompilationError, match="block_dim must be a power of two"):
            k()


def test_iterables_chosen_statically():
    @qd.kernel
    def k(up: qd.template(), x: Ints):
        for i in qd.ndrange(2) if qd.static(up) else qd.ndrange((1, 4)):
            x[i] = 1

    x = np.zeros(4, np.int32)
    k(True, x)
    assert x.tolist() == [1, 1, 0, 0]
    k(False, x)
    assert x.tolist() == [1, 1, 1, 1]


def test_numbers_of_numpy_are_constants():
    size, scale, zero_d = np.int64(3), np.float32(0.5), np.array(4)

    @qd.kernel
    def k() -> qd.f32:
        r = 0.0
        for i in qd.static(range(size)):
            r += i * scale
        return r + zero_d

    assert k() == 1.5 + 4


def test_chained_assignment_docstrings_and_pass():
    @qd.kernel
    def k(a: qd.i32) -> qd.i32:
        """A docstring."""
        x = y = a + 1
        x += 1
        pass
        "another text"
        ...
        return x * 100 + y

    assert k(3) == 504


def test_zero_and_one():
    @qd.kernel
    def k(a: qd.u8, x: qd.f64) -> (qd.u8, qd.f64, qd.i32):
        v = qd.one(qd.Vector([a, a]))
        qd.static_assert(True)
        return qd.zero(a) + qd.u8(255) + qd.one(a) + qd.one(a), qd.one(x) / 3, v[0] + v[1]

    assert k(9, 2.0) == (1, 1 / 3, 2)


class Moody:
    def __hash__(self):
        return 1

    def __eq__(self, other):
        raise ValueError("not today")


MOODY, OTHER = Moody(), Moody()


def test_keys_that_cannot_be_compared():
    @qd.kernel
    def f() -> qd.i32:
        d = {MOODY: 1}
        return d[OTHER]

    with pytest.raises(ValueError, match="not today"):
        f()


def test_isinstance():
    host = qd.Vector([1, 2])

    @qd.kernel
    def k(v: qd.types.vector(2, qd.f32), y: qd.f32, a: qd.types.ndarray(qd.i32, ndim=1), t: qd.template()) -> qd.i32:
        m = qd.Matrix([[1, 2], [3, 4]])
        s = qd.Struct(a=1)
        bits = 0
        for i, found in qd.static(
            enumerate(
                (
                    isinstance(v, qd.Matrix), isinstance(v, qd.Vector), isinstance(m, qd.Matrix), isinstance(m, qd.Vector),
                    isinstance(s, qd.Struct), isinstance(s, qd.Matrix), isinstance(y, qd.Matrix), isinstance(y, (int, float)),
                    isinstance(a, qd.Ndarray), isinstance(a, qd.VectorNdarray), isinstance(v, (qd.Struct, qd.Vector)),
                    isinstance(t, qd.Field), isinstance(host, qd.Matrix), isinstance(3, int), isinstance((1, 2), (list, tuple)),
                )
            )
        ):  # fmt: skip
            bits |= int(found) << i
        return bits

    found = k(qd.Vector([1.0, 2.0]), 2.0, np.zeros(2, np.int32), qd.field(qd.i32, 2))
    assert f"{found:015b}"[::-1] == "111010011011111"


step = 0


def advance():
    global step
    step += 1
    return 0


def test_python_code_may_rebind_a_name_of_the_kernel():
    global step
    step = 0

    @qd.kernel
    def k() -> qd.i32:
        total = 0
        for _ in qd.static(range(4)):
            total += qd.static(advance())
            total = total * 10 + step
        return total

    assert k() == 1234


def test_generators_are_refused():
    """A second specialisation would find them empty."""
    g, z = (i for i in range(3)), zip((1, 2), (3, 4))

    class Holder:
        items = iter([1, 2])

    @qd.kernel
    def spread(a: qd.template()):
        for i, j, k in qd.ndrange(*g):
            pass

    @qd.kernel
    def unrolled(a: qd.template()):
        for i in qd.static(g):
            pass

    @qd.kernel
    def largest(a: qd.template()) -> qd.i32:
        return max(*g)

    @qd.kernel
    def zipped(a: qd.template()):
        for i, j in qd.static(z):
            pass

    @qd.kernel
    def held(a: qd.template()):
        for i in qd.static(Holder.items):
            pass

    for kernel in (spread, unrolled, largest, zipped, held):
        for a in (1, 2):
            with pytest.raises(ValueError, match="Cannot store generators in variables, inside kernels or functions: this .* yields each item only once"):
                kernel(a)
    assert list(g) == [0, 1, 2] and list(z) == [(1, 3), (2, 4)] and list(Holder.items) == [1, 2]

    @qd.kernel
    def made_here() -> qd.i32:
        s = 0
        for i, j in qd.static(zip((1, 2), (3, 4))):
            s += i * j
        return s

    assert made_here() == 11


HUNDREDS, PAIRS, LOW, HIGH = [5, 6, 7], (1, 2, 2, 3), {1, 2}, {2, 3}


@pytest.mark.filterwarnings("ignore:Calling non-quadrants function")
@pytest.mark.parametrize("as_python", [False, True], ids=["compiled", "python"])
@pytest.mark.parametrize(
    "call, wanted",
    [
        (lambda x: sum([a * b for a, b in itertools.combinations(range(4), 2)]) + x, 15),
        (lambda x: sum(itertools.islice(HUNDREDS, 2)) + x, 15),
        (lambda x: sum([a * b for a, b in itertools.product(range(2), HUNDREDS)]) + x, 22),
        (lambda x: sum([a * b for a, b in itertools.permutations((1, 2, 3), 2)]) + x, 26),
        (lambda x: len(list(itertools.chain(HUNDREDS, PAIRS))) + x, 11),
        (lambda x: sum(itertools.accumulate(HUNDREDS)) + x, 38),
        (lambda x: sum([a + b for a, b in itertools.zip_longest(HUNDREDS, PAIRS, fillvalue=0)]) + x, 30),
        (lambda x: len(range(5)) + range(5)[2] + sum(range(2, 5)) + x, 20),
        (lambda x: list(range(5)).index(3) + list(reversed(range(3)))[0] + x, 9),
        (lambda x: PAIRS.count(2) + (1, 2, 2).count(2) + HUNDREDS.index(6) + [5, 6, 7].index(7) + x, 11),
        (lambda x: len({1, 2} | {2, 3}) + len({1, 2} & HIGH) + len(LOW | HIGH) + x, 11),
        (lambda x: sum({a % 2 for a in HUNDREDS}) + len({1, 1}) + x, 6),
        (lambda x: pow(2, 5, 7) + abs(3 + 4j) + (3 + 4j).imag + x, 17),
        (lambda x: sum([x * i for i in range(3)]) + sum(map(abs, (-1, 2))), 15),
    ],
)
def test_constants_are_pythons(as_python, call, wanted):
    if as_python:
        qd.init(arch=qd.python)

    @qd.kernel
    def k(x: qd.i32) -> qd.f32:
        return call(x)

    assert k(4) == wanted


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda x: len({x, 2}), "The items of a set must be known at compile time"),
        (lambda x: pow(x, 2, 3), "`pow` with a modulus takes numbers known at compile time"),
        (lambda x: (3 + 4j) + x, "complex"),
        (lambda x: range(x)[0], "'range' cannot be indexed"),
    ],
)
@pytest.mark.filterwarnings("ignore:Calling non-quadrants function")
def test_constants_next_to_run_time_values(call, words):
    @qd.kernel
    def k(x: qd.i32) -> qd.f32:
        return call(x)

    with pytest.raises(qd.QuadrantsTypeError, match=words):
        k(4)
