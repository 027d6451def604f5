"""Debug mode: overflow is printed, bad indices and exponents raise."""

import re

import numpy as np
import pytest
import quadrants as qd

INTS = "i8 u8 i16 u16 i32 u32 i64 u64".split()
WORDS = {"+": "Addition", "-": "Subtraction", "*": "Multiplication", "<<": "Shift left"}


@pytest.fixture(autouse=True)
def debug(arch):
    qd.init(arch=arch, debug=True, offline_cache=False, print_full_traceback=True)


def made(source, scope):
    exec(source, scope)
    holder = source  # noqa: F841  found by the package: the text is a local of this frame
    return qd.kernel(scope["k"])


def overflows(op, a, b, low, high, bits):
    if op == "<<":
        return not (0 <= b < bits and low <= a << b <= high) and a != 0
    return not low <= {"+": a + b, "-": a - b, "*": a * b}[op] <= high


@pytest.mark.parametrize("kind", INTS)
@pytest.mark.parametrize("op", WORDS)
def test_overflow_is_printed(kind, op, capfd):
    """There is one report for each operation that overflows, and none for the others."""
    bits = int(kind[1:])
    high = 2 ** (bits - (kind[0] == "i")) - 1
    low = -high - 1 if kind[0] == "i" else 0
    values = [v for v in (0, 1, 2, 3, 5, bits - 2, bits - 1, bits, 100, -1, -2, -7, high, low, high - 1, high // 2 + 1) if low <= v <= high]
    pairs = [(a, b) for a in values for b in values]
    scope = {"A": qd.types.ndarray(getattr(qd, kind), ndim=1), "qd": qd}
    source = f"def k(a: A, b: A, c: A):\n    for i in range(a.shape[0]):\n        c[i] = a[i] {op} b[i]\n"
    a, b = (np.array([p[n] for p in pairs], {"u": "uint", "i": "int"}[kind[0]] + kind[1:]) for n in (0, 1))
    c = np.zeros_like(a)
    k = made(source, scope)
    k(a, b, c)
    qd.sync()
    expected = sum(overflows(op, x, y, low, high, bits) for x, y in pairs)
    out = capfd.readouterr().out
    beyond = sum(map(int, re.findall(rf"and (\d+) more in this launch: {WORDS[op]} overflow", out)))
    assert out.count(f"{WORDS[op]} overflow detected in File ") - ("more in this launch" in out) + beyond == expected
    for x, y, got in zip(*(t.tolist() for t in (a, b, c))):
        if not overflows(op, x, y, low, high, bits):
            assert got == {"+": x + y, "-": x - y, "*": x * y, "<<": x << y if 0 <= y < bits else 0}[op]


@qd.func
def twice(x):
    return x + x


def test_overflow_says_where(capfd):
    @qd.kernel
    def k(a: qd.i32) -> qd.i32:
        return twice(a)

    assert k(2**30) == -(2**31)
    assert k(3) == 6
    qd.sync()
    lines = capfd.readouterr().out.splitlines()
    assert lines[0].startswith('Addition overflow detected in File "') and lines[0].endswith(", in k:")
    assert lines[1:3] == ["        return twice(a)", "               ^^^^^^^^"]
    assert lines[3].endswith(", in twice:")
    assert lines[4:] == ["    return x + x", "           ^^^^^"]


def test_overflow_of_updates(capfd):
    @qd.kernel
    def k(a: qd.i32) -> qd.i32:
        x = a
        x += 1
        x -= 2
        v = qd.Vector([a, 0])
        v *= 2
        return x

    assert k(2**31 - 1) == 2**31 - 2
    qd.sync()
    out = capfd.readouterr().out
    assert [out.count(w) for w in ("Addition", "Subtraction", "Multiplication")] == [1, 1, 1]


def test_no_reports_without_debug(arch, capfd):
    qd.init(arch=arch, offline_cache=False)

    @qd.kernel
    def k(a: qd.i32) -> qd.i32:
        return a + a

    assert k(2**31 - 1) == -2
    assert "overflow" not in capfd.readouterr().out


@pytest.mark.parametrize("base", ["i8", "u8", "i32", "i64", "u64"])
@pytest.mark.parametrize("exponent", ["i8", "i32", "i64"])
def test_negative_exponents(base, exponent):
    scope = {"B": getattr(qd, base), "E": getattr(qd, exponent), "qd": qd}
    k = made("def k(a: B, b: E) -> B:\n    return a ** b\n", scope)
    assert k(3, 2) == 9
    with pytest.raises(qd.QuadrantsAssertionError, match=r"Negative exponent in pow\(int, int\) is not allowed\."):
        k(2, -1)


def test_negative_constant_exponent():
    @qd.kernel
    def k(a: qd.i32) -> qd.i32:
        return a**-1

    with pytest.raises(RuntimeError, match=r"Negative exponent in pow\(int, int\) is not allowed\."):
        k(2)


def test_bounds_of_fields_with_offset():
    f = qd.field(qd.i32, shape=(3, 4), offset=(-1, 10))
    v = qd.Vector.field(2, qd.f32, shape=3)

    @qd.kernel
    def k(i: qd.i32, j: qd.i32):
        f[i, j] += 1

    @qd.kernel
    def g(i: qd.i32):
        v[i][1] = 1

    k(-1, 13)
    g(2)
    for i, j in ((-2, 10), (2, 10), (0, 9), (0, 14)):
        with pytest.raises(AssertionError, match=rf"Accessing field .* of size \(3, 4\) offset \(-1, 10\) with indices \({i}, {j}\)"):
            k(i, j)
    with pytest.raises(RuntimeError, match=r"of size \(3\) with indices \(3\)"):
        g(3)


def test_bounds_of_matrices():
    @qd.kernel
    def k(i: qd.i32, j: qd.i32) -> qd.i32:
        m = qd.Matrix([[1, 2, 3], [4, 5, 6]])
        m[i, j] += 10
        return m[i, j]

    assert k(1, 2) == 16
    for i, j in ((2, 0), (0, 3), (-1, 0), (0, -1)):
        with pytest.raises(AssertionError, match=rf"Out of bound access to a \[2, 3\] matrix with index \[{i}, {j}\]"):
            k(i, j)


def test_one_assertion_wins():
    """One of the failing threads is reported, and the flag is cleared for the next launch."""

    @qd.kernel
    def k(x: qd.types.ndarray(qd.i32, ndim=1), limit: qd.i32):
        for i in x:
            assert x[i] < limit, f"{x[i]} is too much"
            x[i] += 1

    x = np.arange(100000, dtype=np.int32)
    with pytest.raises(qd.QuadrantsAssertionError, match=r"^\d+ is too much$"):
        k(x, 0)
    k(x, 200000)


def test_assertion_messages():
    @qd.kernel
    def k(x: qd.i32, y: qd.f32, mode: qd.template()):
        if qd.static(mode == 0):
            assert x < 0, "x = %d, y = %.1f, 100%%" % (x, y)
        elif qd.static(mode == 1):
            assert x < 0, "{1} {0:03d} {k}".format(x, y, k=qd.Vector([x, x]))
        elif qd.static(mode == 2):
            assert x < 0, f"{x:5d}|{y:.2e}|{{}}"
        elif qd.static(mode == 3):
            assert x < 0, "plain %d {}"
        else:
            assert x < 0 and y != 1.0

    texts = ["x = 7, y = 1.5, 100%", "1.500000 007 [7, 7]", "    7|1.50e+00|{}", "plain %d {}", "x < 0 and y != 1.0\nwith x = 7, y = 1.500000"]
    for mode, text in enumerate(texts):
        with pytest.raises(qd.QuadrantsAssertionError) as error:
            k(7, 1.5, mode)
        assert str(error.value) == text
        k(-1, 1.5, mode)


def test_long_assertion_messages():
    @qd.kernel
    def k(x: qd.i32):
        assert x < 0, f"{qd.Vector([x] * 32)}"

    with pytest.raises(qd.QuadrantsAssertionError, match=r"^\[(7, ){31}7\]$"):
        k(7)


def test_assertion_messages_end_at_2047_characters():
    @qd.kernel
    def k(x: qd.i32):
        assert x < 0, "%s%d" % ("é" * 1500, x)

    with pytest.raises(qd.QuadrantsAssertionError) as error:
        k(7)
    assert str(error.value) == "é" * 1023


def test_an_exchange_does_not_overflow(capfd):
    @qd.kernel
    def k(a: qd.types.ndarray(qd.i32, ndim=1)) -> qd.i32:
        return qd.atomic_exchange(a[0], 2**31 - 1)

    a = np.array([2**31 - 1], np.int32)
    assert k(a) == 2**31 - 1
    qd.sync()
    assert capfd.readouterr().out == ""


def test_overflow_of_atomics(capfd):
    x, y = qd.field(qd.i32, ()), qd.field(qd.u8, 2)
    x[None], y[0] = 2**31 - 2, 3

    @qd.kernel
    def k():
        for i in range(4):
            x[None] += 1
        for i in range(1):
            y[0] -= 4
            qd.atomic_mul(y[0], 2)
            qd.atomic_max(y[1], 300)
            y[1] += 1

    k()
    qd.sync()
    out = capfd.readouterr().out
    assert [out.count(w + " overflow detected in File ") for w in ("Addition", "Subtraction", "Multiplication")] == [1, 1, 1]
    assert x[None] == -(2**31) + 2 and y.to_numpy().tolist() == [254, 45]


def test_effects_of_an_assert_that_checks_nothing(arch):
    """Without debug an assert evaluates its condition and the values of its message."""
    qd.init(arch=arch, debug=False, print_full_traceback=True)
    x = qd.field(qd.i32, 4)

    @qd.func
    def step(i, n):
        x[i] += n
        return x[i]

    @qd.real_func
    def real_step(i: qd.i32, n: qd.i32) -> qd.i32:
        x[i] += n
        return x[i]

    @qd.kernel
    def k():
        assert step(0, 15) == 0
        assert real_step(1, 16) == 0, "never"
        assert x[2] == 1, f"{step(2, 17)}"
        assert x[3] == 0 and step(3, 18) == 0, "%d" % real_step(3, 1)

    k()
    assert x.to_numpy().tolist() == [15, 16, 17, 19]


@pytest.mark.parametrize("kind", ["i64", "u64", "u32"])
def test_bounds_of_a_range_beyond_i32(kind):
    @qd.kernel
    def inside(a: getattr(qd, kind), b: getattr(qd, kind)) -> qd.i32:
        n = 0
        for _ in range(1):
            for _ in range(a, b):
                n += 1
        return n

    @qd.kernel
    def at_the_top(x: qd.types.ndarray(), a: getattr(qd, kind), b: getattr(qd, kind)):
        for i in qd.ndrange((a, b)):
            x[0] += 1

    x = np.zeros(1, np.int32)
    at_the_top(x, 3, 7)
    assert inside(3, 7) == x[0] == 4
    low = 2**31 if kind == "u32" else 2**33
    for run in (inside, lambda a, b: at_the_top(x, a, b)):
        with pytest.raises(qd.QuadrantsAssertionError, match=r"Bounds of a range must fit in i32, but this one is \d"):
            run(low, low + 3)
    assert x[0] == 4


@pytest.mark.parametrize("kind", ["i64", "u64", "u32"])
def test_indices_beyond_i32(kind):
    x = qd.field(qd.i32, shape=3)

    @qd.kernel
    def of_field(i: getattr(qd, kind)):
        x[i] = 1

    @qd.kernel
    def of_array(a: qd.types.ndarray(ndim=1), i: getattr(qd, kind)):
        a[i] = 1

    of_field(2)
    a = np.zeros(3, np.int32)
    of_array(a, 2)
    assert x[2] == a[2] == 1
    far = 2**31 + 1 if kind == "u32" else 2**32 + 1
    for index in (far, -far)[: 1 + (kind == "i64")]:
        with pytest.raises(qd.QuadrantsAssertionError, match=rf"Accessing field .*with indices \({index}\)"):
            of_field(index)
        with pytest.raises(qd.QuadrantsAssertionError, match=rf"Out of bound access .*with indices \[{index}\]"):
            of_array(a, index)
    assert x.to_numpy().tolist() == a.tolist() == [0, 0, 1]


@pytest.mark.parametrize("far", [2**32 + 1, -(2**32) - 1])
def test_indices_beyond_i32_of_vectors_and_views(far, both):
    @qd.kernel
    def of_vector(i: qd.i64) -> qd.i32:
        v = qd.Vector([1, 2, 3])
        return v[i]

    @qd.kernel
    def of_element(x: qd.types.ndarray(qd.types.vector(3, qd.i32), ndim=1), i: qd.i64):
        x[0][i] = 1

    @qd.kernel
    def of_view(x: qd.types.ndarray(qd.i32, ndim=1), i: qd.i64):
        view = qd.BufferView(x, 0, 2)
        view[i] = 1

    @qd.kernel
    def of_axis(x: qd.types.ndarray(qd.i32, ndim=2), i: qd.i64):
        x[1, i] = 1

    def program():
        qd.init(arch=qd.cfg.arch if qd.cfg else qd.python, debug=True, offline_cache=False)
        for launch, said in (
            (lambda: of_vector(far), rf"matrix with index \[{far}\]"),
            (lambda: of_element(qd.Vector.ndarray(3, qd.i32, 2), far), rf"matrix with index \[{far}\]"),
            (lambda: of_view(qd.ndarray(qd.i32, 4), far), rf"got index {far} "),
            (lambda: of_axis(qd.ndarray(qd.i32, (2, 3)), far), rf"with indices \[1, {far}\]: `x` has the shape \(2, 3\)"),
        ):
            with pytest.raises(qd.QuadrantsAssertionError, match=said):
                launch()

    both(program)
