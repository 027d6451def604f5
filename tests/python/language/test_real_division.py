"""`//` and `%` of reals are Python's, bit for bit, in every type, in loops, in single calls and where they are folded."""

import math

import numpy as np
import pytest
import quadrants as qd

NUMPY = {"f16": np.float16, "f32": np.float32, "f64": np.float64}
BITS = {"f16": np.int16, "f32": np.int32, "f64": np.int64}
KINDS = list(NUMPY)
FAST = pytest.mark.parametrize("fast", [False, True], ids=["exact", "fast"])

SPECIAL = [
    (694364, 1.1), (713401152, 0.7), (1, math.inf), (-1, math.inf), (1, -math.inf), (-1, -math.inf), (0.0, math.inf), (-0.0, 3), (0.0, -3),
    (math.inf, 2), (-math.inf, 2), (math.inf, math.inf), (math.nan, 2), (2, math.nan), (1, 0.0), (-1, 0.0), (1, -0.0), (0.0, 0.0), (6, 3),
    (-6, 3), (6, -3), (-6, -3), (7.5, -2), (-7.5, 2), (-1e-7, 1), (1e-7, -1), (-1e-7, 3), (1, 0.1), (0.3, 0.1), (1e4, 1e-3), (3e38, 1e-37),
    (-3e38, 1e-37), (1e300, 1e-300), (-1e300, 3e-300), (2**53 - 1, 0.5), (2**24 + 2, 3), (1e15, 0.7), (9007199254740993, 1.1), (5e-3, 5e4),
    (4194303.5, 1), (4194304.5, 1), (-4194304.5, 1), (math.inf, 1), (-0.0, 1), (-3.0, 1),
]  # fmt: skip


@np.errstate(all="ignore")
def python_rule(kind, x, y):
    """Returns (x // y, x % y) in the steps of CPython, each rounded to the type; f16 is computed in f32."""
    t = np.float64 if kind == "f64" else np.float32
    x, y = t(x), t(y)
    rest = np.fmod(x, y)
    quotient, rest_or_zero = t((x - rest) / y), np.copysign(t(0), y)
    if rest != 0:
        rest_or_zero = rest
        if (y < 0) != (rest < 0):
            rest_or_zero, quotient = t(rest + y), t(quotient - t(1))
    whole = np.floor(quotient)
    if quotient - whole > 0.5:
        whole += t(1)
    if quotient == 0:
        whole = np.copysign(t(0), x / y)
    if y == 0:
        whole, rest_or_zero = x / y, t(math.nan)
    return NUMPY[kind](whole), NUMPY[kind](rest_or_zero)


@np.errstate(all="ignore")
def pairs_of(kind, many):
    random = np.random.default_rng(5)
    t, info = NUMPY[kind], np.finfo(NUMPY[kind])
    special = [(t(x), t(y)) for x, y in SPECIAL]
    special = [(x, y) for x, y in special if all(v == 0 or not np.isfinite(v) or abs(v) >= info.tiny for v in (x, y))]
    span = 10 if kind == "f16" else 100
    drawn = []
    for _ in range(many):
        x, y = (t(random.choice([-1, 1]) * (1 + random.random()) * 2.0 ** random.integers(-span, span)) for _ in range(2))
        n = t(random.integers(1, 2000))
        drawn += [(x, y), (t(n * y), y), (np.nextafter(t(n * y), t(0)), y), (t(random.integers(-999, 999)), t(random.integers(1, 99)))]
    return special + drawn


def same(got, wanted, kind):
    """True if all bits are equal, or if both are NaN."""
    nan = np.isnan(wanted)
    return np.where(nan, np.isnan(got), got.view(BITS[kind]) == wanted.view(BITS[kind]))


def check(kind, pairs, quotients, rests):
    wanted = [np.array(v, NUMPY[kind]) for v in zip(*[python_rule(kind, x, y) for x, y in pairs])]
    tiny = np.finfo(NUMPY[kind]).tiny if kind != "f16" else 0  # subnormal results may be flushed
    for name, got, want in (("//", quotients, wanted[0]), ("%", rests, wanted[1])):
        right = same(got, want, kind) | ((np.abs(want) < tiny) & (got == 0) & (want != 0))
        assert right.all(), [f"{pairs[n][0]!r} {name} {pairs[n][1]!r} is {got[n]!r}, not {want[n]!r}" for n in np.flatnonzero(~right)[:5]]


@FAST
@pytest.mark.parametrize("kind", KINDS)
def test_in_loops(arch, kind, fast):
    qd.init(arch=arch, offline_cache=False, fast_math=fast)
    numbers = qd.types.ndarray(getattr(qd, kind), ndim=1)

    @qd.kernel
    def divide(x: numbers, y: numbers, q: numbers, r: numbers):
        for i in x:
            q[i] = x[i] // y[i]
        for i in x:
            r[i] = x[i] % y[i]

    @qd.kernel
    def update(x: numbers, y: numbers, q: numbers, r: numbers):
        for i in x:
            if x[i] != 12345:  # so that lanes are masked
                q[i] //= y[i]
                r[i] %= y[i]

    pairs = pairs_of(kind, 400)
    x, y = (np.array(v, NUMPY[kind]) for v in zip(*pairs))
    q, r = np.zeros_like(x), np.zeros_like(x)
    divide(x, y, q, r)
    check(kind, pairs, q, r)
    q, r = x.copy(), x.copy()
    update(x, y, q, r)
    check(kind, pairs, q, r)


@FAST
@pytest.mark.parametrize("kind", KINDS)
def test_in_single_calls(arch, kind, fast):
    pairs = pairs_of(kind, 5)
    results = []
    for one in (arch, "python"):
        qd.init(arch=one, offline_cache=False, fast_math=fast, debug=one != "python")
        t = getattr(qd, kind)

        @qd.kernel
        def divide(x: t, y: t) -> (t, t):
            return x // y, x % y

        results.append([divide(x, y) for x, y in pairs])
    for rows in results:
        q, r = (np.array(v, NUMPY[kind]) for v in zip(*rows))
        check(kind, pairs, q, r)


@FAST
@pytest.mark.parametrize("kind", KINDS)
def test_by_constants(arch, kind, fast):
    """Includes two constants, which the compiler folds, and the divisor 1, which has rewrite rules of its own."""
    qd.init(arch=arch, offline_cache=False, fast_math=fast)
    t, numbers = getattr(qd, kind), qd.types.ndarray(getattr(qd, kind), ndim=1)

    for y in (1.0, 2.0, 0.7, -1.1, 1000.0, -0.25, math.inf):

        @qd.kernel
        def divide(x: numbers, q: numbers, r: numbers):
            for i in x:
                q[i] = x[i] // t(y)
            for i in x:
                r[i] = x[i] % t(y)

        pairs = [(x, NUMPY[kind](y)) for x, _ in pairs_of(kind, 60) if np.isfinite(x) or not fast or y != 1]
        x = np.array([x for x, _ in pairs], NUMPY[kind])
        q, r = np.zeros_like(x), np.zeros_like(x)
        divide(x, q, r)
        check(kind, pairs, q, r)

    pairs = [(x, y) for x, y in pairs_of(kind, 0) if y != 0]

    @qd.kernel
    def folded(q: numbers, r: numbers):
        for i in qd.static(range(len(pairs))):
            q[i] = t(float(pairs[i][0])) // t(float(pairs[i][1]))
            r[i] = t(float(pairs[i][0])) % t(float(pairs[i][1]))

    q, r = (np.zeros(len(pairs), NUMPY[kind]) for _ in range(2))
    folded(q, r)
    check(kind, pairs, q, r)


def test_the_remainder_lies_below_the_divisor(arch):
    """Cases that users reported; `qd.math.mod` is `%` of reals."""

    @qd.kernel
    def f(x: qd.f32, y: qd.f32) -> (qd.f32, qd.f32, qd.f32):
        return x % y, x // y, qd.math.mod(x, y)

    for x, y in ((694364.0, 1.1), (713401152.0, 0.7), (1.0, math.inf)):
        x, y = np.float32(x), np.float32(y)
        rest, whole, shaded = f(x, y)
        assert (rest, whole) == (x % y, x // y) and 0 <= rest < y and shaded == rest


def test_derivatives(arch):
    x, y, z = (qd.field(qd.f64, (), needs_grad=True) for _ in range(3))

    @qd.kernel
    def f():
        z[None] = x[None] % y[None]

    for a, b in ((7.3, 2.0), (-7.3, 2.0), (694364.0, 1.1), (1.0, 0.1), (1.0, math.inf)):
        x[None], y[None] = a, b
        for v in (x, y):
            v.grad[None] = 0
        z.grad[None] = 1
        f()
        f.grad()
        assert x.grad[None] == 1 and y.grad[None] == -(a // b)
