"""Arithmetic of every scalar type against numpy."""

import copy
import pickle

import numpy as np
import pytest
import quadrants as qd

INTS = {"i8": np.int8, "u8": np.uint8, "i16": np.int16, "u16": np.uint16, "i32": np.int32, "u32": np.uint32, "i64": np.int64, "u64": np.uint64}
FLOATS = {"f16": np.float16, "f32": np.float32, "f64": np.float64}
ALL = {**INTS, **FLOATS}


def samples(kind, n=64):
    rng = np.random.default_rng(1)
    if kind.startswith("f"):
        return (rng.standard_normal(n) * 3).astype(ALL[kind])
    info = np.iinfo(ALL[kind])
    values = rng.integers(info.min, info.max, n, dtype=ALL[kind], endpoint=True)
    values[:4] = [0, 1, info.max, info.min]
    return values


@pytest.mark.parametrize("kind", INTS)
@pytest.mark.parametrize("op", ["+", "-", "*", "&", "|", "^"])
def test_integer_operators_wrap(kind, op):
    t = getattr(qd, kind)
    A = qd.types.ndarray(t, ndim=1)
    source = f"def k(a: A, b: A, c: A):\n    for i in a:\n        c[i] = a[i] {op} b[i]\n"
    scope = {"A": A}
    exec(source, scope)
    k = _kernel(scope["k"], source)
    a, b = samples(kind), samples(kind)[::-1].copy()
    c = np.zeros_like(a)
    k(a, b, c)
    with np.errstate(over="ignore"):
        expected = eval(f"a {op} b")
    assert (c == expected).all()


def _kernel(fn, source):
    """Returns a kernel from source made in a test."""
    holder = source  # noqa: F841  found by the package: the text is a local of this frame
    return qd.kernel(fn)


@pytest.mark.parametrize("kind", ["i32", "i64", "u32", "i8"])
def test_floor_division_and_modulo(kind):
    A = qd.types.ndarray(getattr(qd, kind), ndim=1)

    @qd.kernel
    def k(a: A, b: A, q: A, r: A):
        for i in a:
            q[i] = a[i] // b[i]
            r[i] = a[i] % b[i]

    a = samples(kind)
    b = np.where(samples(kind)[::-1] == 0, 3, samples(kind)[::-1]).astype(ALL[kind])
    keep = ~((b == -1) & (a == np.iinfo(ALL[kind]).min)) if kind[0] == "i" else np.ones(a.shape, bool)
    a, b = a[keep].copy(), b[keep].copy()
    q, r = np.zeros_like(a), np.zeros_like(a)
    k(a, b, q, r)
    assert (q == a // b).all()
    assert (r == a % b).all()


@pytest.mark.parametrize("kind", FLOATS)
def test_float_operators(kind):
    A = qd.types.ndarray(getattr(qd, kind), ndim=1)

    @qd.kernel
    def k(a: A, b: A, s: A, d: A, p: A, q: A):
        for i in a:
            s[i] = a[i] + b[i]
            d[i] = a[i] - b[i]
            p[i] = a[i] * b[i]
            q[i] = a[i] / b[i]

    a, b = samples(kind), samples(kind)[::-1].copy() + ALL[kind](5)
    out = [np.zeros_like(a) for _ in range(4)]
    k(a, b, *out)
    close = {"f16": 2e-3, "f32": 1e-6, "f64": 1e-14}[kind]
    for got, expected in zip(out, [a + b, a - b, a * b, a / b]):
        np.testing.assert_allclose(got, expected, rtol=close, atol=close)


@pytest.mark.parametrize("kind", ["f32", "f64"])
@pytest.mark.parametrize("name", ["sin", "cos", "tan", "exp", "sqrt", "tanh", "floor", "ceil", "abs", "log", "asin", "acos"])
def test_math_functions(kind, name):
    A = qd.types.ndarray(getattr(qd, kind), ndim=1)
    f = getattr(qd, name)

    @qd.kernel
    def k(a: A, b: A):
        for i in a:
            b[i] = f(a[i])

    a = samples(kind)
    if name in ("log", "sqrt"):
        a = np.abs(a) + ALL[kind](0.1)
    if name in ("asin", "acos"):
        a = np.tanh(a)
    b = np.zeros_like(a)
    k(a, b)
    model = {"asin": np.arcsin, "acos": np.arccos}.get(name) or getattr(np, name)
    np.testing.assert_allclose(b, model(a), rtol=2e-5 if kind == "f32" else 1e-12, atol=1e-6 if kind == "f32" else 1e-13)


@pytest.mark.parametrize("source", ["i8", "u8", "i32", "u32", "i64", "f32", "f64"])
@pytest.mark.parametrize("target", ["i8", "u16", "i32", "u32", "i64", "f32", "f64"])
def test_casts(source, target):
    t = getattr(qd, target)

    @qd.kernel
    def k(a: qd.types.ndarray(getattr(qd, source), ndim=1), b: qd.types.ndarray(t, ndim=1)):
        for i in a:
            b[i] = qd.cast(a[i], t)

    a = np.array([0, 1, 2, 100, 7, 3], ALL[source])
    b = np.zeros(a.shape, ALL[target])
    k(a, b)
    assert (b == a.astype(ALL[target])).all()


def test_promotion_rules():
    @qd.kernel
    def k(a: qd.i64, b: qd.f32, c: qd.u8, d: qd.u8) -> tuple[qd.f64, qd.i32, qd.f32]:
        return qd.cast(a + b, qd.f64), qd.cast(c + d, qd.i32), 1 / 2

    assert k(2**40, 1.0, 200, 100) == (float(np.float32(2**40)), 44, 0.5)


def test_integer_powers_and_shifts():
    @qd.kernel
    def k(a: qd.i32, b: qd.i32) -> tuple[qd.i32, qd.i32, qd.i32, qd.i32]:
        return a**b, a << b, -a >> 1, qd.bit_shr(-a, 28)

    assert k(3, 4) == (81, 48, -2, 15)


def test_aliases_and_calls():
    long = {"i": "int", "u": "uint", "f": "float"}
    for name in "i8 i16 i32 i64 u1 u8 u16 u32 u64 f16 f32 f64".split():
        kind = getattr(qd, name)
        assert getattr(qd, long[name[0]] + name[1:]) is kind and getattr(qd.types, name) is kind

        @qd.kernel
        def k(x: qd.f64) -> qd.f64:
            return kind(x) + kind(x)

        assert k(1.5) == {"f": 3.0, "i": 2, "u": 0 if name == "u1" else 2}[name[0]]


def test_numbers_other_than_zero_are_true():
    x = qd.field(qd.u1, 3)
    y = qd.ndarray(qd.u1, 2)

    @qd.kernel
    def k(n: qd.i32, y: qd.types.ndarray(qd.u1, ndim=1)) -> (qd.i32, qd.i32, qd.i32, qd.i32):
        a = n > 100
        a = 2
        b: qd.u1 = 0.5
        c: qd.u1 = n
        x[0], x[1] = 2, n
        y[0], y[1] = 4, 0.0
        return a, b, c, qd.cast(4, qd.u1)

    assert k(2, y) == (1, 1, 1, 1)
    assert x.to_numpy().tolist() == [True, True, False] and y.to_numpy().tolist() == [True, False]


def test_bool():
    @qd.kernel
    def k(a: qd.u1, b: bool) -> qd.u1:
        return a and not b

    assert k(True, False) is True
    assert k(True, True) is False


def test_bit_cast():
    @qd.kernel
    def k(a: qd.f32) -> qd.u32:
        return qd.bit_cast(a, qd.u32)

    assert k(1.0) == 0x3F800000


def test_default_types():
    qd.init(arch=qd.cfg.arch, default_ip=qd.i64, default_fp=qd.f64, offline_cache=False)

    @qd.kernel
    def k(a: int, b: float) -> tuple[int, float]:
        return a + 1, b + 0.1

    assert k(2**40, 0.2) == (2**40 + 1, 0.2 + 0.1)


def test_python_side_of_types():
    assert qd.u8(300) == 44 and qd.i8(200) == -56 and qd.f32(0.1) == float(np.float32(0.1))
    assert bool(qd.x64) is False
    assert str(qd.f32) == "f32" and qd.float32 is qd.f32
    import copy
    import pickle

    assert copy.deepcopy(qd.i32) == qd.i32 and pickle.loads(pickle.dumps(qd.i32)) == qd.i32


@qd.dataclass
class WithMethod:
    a: qd.i32
    v: qd.math.vec3

    @qd.func
    def twice(self):
        return self.a * 2


@pytest.mark.parametrize("copied", [lambda x: pickle.loads(pickle.dumps(x)), copy.copy, copy.deepcopy], ids=["pickle", "copy", "deepcopy"])
def test_types_are_pickled_and_copied(copied):
    quant = qd.types.quant
    types = [
        qd.math.vec3, qd.math.uvec4, qd.math.mat3, qd.types.vector(3, qd.f64), qd.types.vector(), qd.types.matrix(2, 3, qd.i32),
        qd.types.struct(a=qd.f32, b=qd.math.vec2), WithMethod, qd.f32, qd.u1, quant.int(5), quant.fixed(bits=8, max_value=2.0),
        quant.float(exp=5, frac=10),
    ]  # fmt: skip
    for one in types:
        assert copied(one) == one and type(copied(one)) is type(one)
    shown = [qd.types.ndarray(dtype=qd.math.vec3, ndim=2), qd.ref(qd.f32), qd.types.vector(3, qd.f32, unpacked=True)]
    for one in shown:
        assert repr(copied(one)) == repr(one) and type(copied(one)) is type(one)
    assert isinstance(copied(qd.template()), qd.template)

    made = copied(WithMethod)

    @qd.kernel
    def of_struct(x: qd.i32) -> qd.i32:
        return made(a=x).twice()

    assert of_struct(4) == 8


def test_default_types_follow_the_running_program_when_pickled():
    packed = pickle.dumps(qd.math.vec3)
    assert pickle.loads(packed).dtype is qd.f32
    qd.init(default_fp=qd.f64)
    assert pickle.loads(packed).dtype is qd.f64 and copy.deepcopy(qd.math.vec3).dtype is qd.f64


def test_a_local_func_is_not_pickled():
    @qd.func
    def local(x):
        return x

    with pytest.raises((pickle.PicklingError, AttributeError), match="local"):
        pickle.dumps(local)
