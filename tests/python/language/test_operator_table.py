"""Every operator on every pair of types, against a model of the language's rules in plain Python and numpy."""

import itertools
import math

import numpy as np
import pytest
import quadrants as qd

KINDS = "u1 i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64".split()
NUMPY = {k: np.dtype({"u": "uint", "i": "int", "f": "float"}[k[0]] + k[1:]) if k != "u1" else np.dtype(bool) for k in KINDS}
BITS = {k: int(k[1:]) for k in KINDS}
CLOSE = {"f16": 2e-3, "f32": 2e-6, "f64": 1e-14}  # tolerances of functions, which are not exact
SUBNORMAL = {"f16": 6e-8, "f32": 1.2e-38, "f64": 2.3e-308}


def real(kind):
    return kind[0] == "f"


def samples(kind):
    if kind == "u1":
        return [0, 1]
    if real(kind):
        return [rounded(kind, v) for v in (0.0, 1.0, -1.0, 0.5, -2.5, 3.0, -7.25, 0.1, 100.0, -1000.0)]
    top = 2 ** (BITS[kind] - (kind[0] == "i")) - 1
    low = -top - 1 if kind[0] == "i" else 0
    return [v for v in (0, 1, 2, 3, 7, 100, -1, -2, -7, top, low, top - 1, low + 1, top // 3) if low <= v <= top]


# The model: a value is a Python int (integers, u1) or a numpy float of its kind.


def wrap(kind, n):
    n &= 2 ** BITS[kind] - 1
    return n - 2 ** BITS[kind] if kind[0] == "i" and n >> (BITS[kind] - 1) else n


def rounded(kind, x):
    """Returns a number as a float of the kind, rounded once; f16 via f32."""
    x = np.asarray(x)  # numpy would convert scalars via f64
    return (x.astype(np.float32) if kind == "f16" else x).astype(NUMPY[kind])[()]


def convert(x, source, target):
    if target == "u1":
        return int(x != 0)
    if real(target):
        return rounded(target, x if real(source) else np.uint64(x) if source == "u64" else np.int64(x))
    if not real(source):
        return wrap(target, x)
    if math.isnan(x):
        return 0
    top = 2 ** (BITS[target] - (target[0] == "i")) - 1
    low = -top - 1 if target[0] == "i" else 0
    return low if x <= low else top if x >= top else int(x)


def promote(a, b):
    if real(a) != real(b):
        return a if real(a) else b
    if BITS[a] != BITS[b]:
        return a if BITS[a] > BITS[b] else b
    return a if a[0] == "u" else b


def divide(a, b):
    """Divides toward zero, as in C."""
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def arithmetic(op, kind, a, b):
    if real(kind):
        wide = np.float64 if kind == "f64" else np.float32
        a, b = wide(a), wide(b)
        table = {
            "+": a + b, "-": a - b, "*": a * b, "/": a / b, "//": np.floor_divide(a, b), "%": np.remainder(a, b), "min": min(a, b), "max": max(a, b),
            "raw_div": a / b, "raw_mod": np.fmod(a, b),
        }  # fmt: skip
        return rounded(kind, table[op])
    table = {
        "+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b, "//": lambda: a // b, "%": lambda: a % b,
        "min": lambda: min(a, b), "max": lambda: max(a, b), "raw_div": lambda: divide(a, b),
        "raw_mod": lambda: a - b * divide(a, b), "&": lambda: a & b, "|": lambda: a | b, "^": lambda: a ^ b,
    }  # fmt: skip
    return wrap(kind, table[op]())


def shifted(op, kind, a, b):
    count = b % BITS[kind]
    if op == "bit_shr":
        a &= 2 ** BITS[kind] - 1
    return wrap(kind, a << count if op == "<<" else a >> count)


def real_power(a, b):
    try:
        return math.pow(a, b)
    except OverflowError:
        return -math.inf if a < 0 and b % 2 == 1 else math.inf
    except ValueError:
        return math.inf if a == 0 else math.nan


def power(ka, kb, a, b):
    if real(kb):
        kind = promote(ka, kb)
        return kind, rounded(kind, real_power(convert(a, ka, kind), convert(b, kb, kind)))
    if real(ka):
        return ka, rounded(ka, real_power(abs(a), b) * (-1 if a < 0 and b % 2 else 1))
    if b < 0:
        return ka, 0 if abs(a) != 1 else a if b % 2 else 1
    return ka, wrap(ka, pow(a, b, 2 ** BITS[ka]))


COMPARE = {
    "==": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b, "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
}  # fmt: skip
BITWISE = ("&", "|", "^", "<<", ">>", "bit_shr", "and", "or")
DIVIDING = ("//", "%", "raw_div", "raw_mod")
NEAR = ("**", "atan2")


def model(op, ka, kb, a, b):
    """Returns (kind, value) of `a op b`."""
    kind = promote(ka, kb)
    if op == "**":
        return power(ka, kb, a, b)
    if op in ("<<", ">>", "bit_shr"):
        return ka, shifted(op, ka, a, b)
    if op == "atan2":
        kind = "f64" if "f64" in (ka, kb) else "f32"
        return kind, np.arctan2(convert(a, ka, kind), convert(b, kb, kind))
    if op == "/" and not real(kind):
        kind = "f32"
    x, y = convert(a, ka, kind), convert(b, kb, kind)
    if op in COMPARE:
        return "u1", int(COMPARE[op](x, y))
    if op in ("and", "or"):
        return kind, (x and y) if op == "and" else (x or y)
    if op == "select":
        return kind, x if a else y
    return kind, arithmetic(op, kind, x, y)


def operators(ka, kb):
    ops = ["+", "-", "*", "/", "//", "%", "**", "min", "max", "raw_div", "raw_mod", "atan2", *COMPARE]
    if not real(ka):
        ops.append("select")
    return ops if real(ka) or real(kb) else [*ops, *BITWISE]


def spelled(op, a, b):
    if op == "select":
        return f"qd.select({a}, {a}, {b})"
    if op[0].isalpha() and op not in ("and", "or"):
        return f"{'' if op in ('min', 'max') else 'qd.'}{op}({a}, {b})"
    return f"{a} {op} {b}"


def defined(op, ka, kb, a, b):
    if op in DIVIDING and not real(promote(ka, kb)):
        return convert(b, kb, promote(ka, kb)) != 0
    if op == "**" and not real(kb) and not real(ka) and b < 0:
        return ka[0] == "i"  # a negative exponent is an error; with an unsigned base it is undefined
    return True


def cases(op, ka, kb):
    return [(a, b) for a, b in itertools.product(samples(ka), samples(kb)) if defined(op, ka, kb, a, b)]


def made(source, scope):
    exec(source, scope)
    holder = source  # noqa: F841  found by the package: the text is a local of this frame
    return qd.kernel(scope["k"])


def array_of(kind):
    return qd.types.ndarray(getattr(qd, kind), ndim=1)


@pytest.mark.parametrize("kb", KINDS)
@pytest.mark.parametrize("ka", KINDS)
@np.errstate(all="ignore")
def test_pair(arch, ka, kb, capsys):
    qd.init(arch=arch, offline_cache=False, print_full_traceback=True, fast_math=False)
    ops = operators(ka, kb)
    pairs = [cases(op, ka, kb) for op in ops]
    expected = [[model(op, ka, kb, a, b) for a, b in table] for op, table in zip(ops, pairs)]
    kinds = [rows[0][0] for rows in expected]
    parameters = ", ".join(f"a{n}: A, b{n}: B, o{n}: O{n}" for n in range(len(ops)))
    source = f"def k({parameters}):\n"
    for n, op in enumerate(ops):
        source += f"    for i in o{n}:\n        x = {spelled(op, f'a{n}[i]', f'b{n}[i]')}\n"
        source += f"        qd.static_print(x)\n        o{n}[i] = x\n"
    scope = {"qd": qd, "A": array_of(ka), "B": array_of(kb), **{f"O{n}": array_of(kind) for n, kind in enumerate(kinds)}}
    results = [np.zeros(len(table), NUMPY[kind]) for table, kind in zip(pairs, kinds)]
    arguments = []
    for table, result in zip(pairs, results):
        arguments += [np.array([a for a, _ in table], NUMPY[ka]), np.array([b for _, b in table], NUMPY[kb]), result]
    capsys.readouterr()
    made(source, scope)(*arguments)
    assert capsys.readouterr().out.split() == [f"<{kind}>" for kind in kinds]
    for op, table, kind, rows, got in zip(ops, pairs, kinds, expected, results):
        wanted = np.array([value for _, value in rows], NUMPY[kind])
        tolerance = CLOSE[kind] if op in NEAR and real(kind) else 0
        least = SUBNORMAL[kind] if tolerance else 0  # subnormal results may be flushed
        wrong = np.flatnonzero(~np.isclose(got, wanted, rtol=tolerance, atol=least, equal_nan=True) if real(kind) else got != wanted)
        assert wrong.size == 0, [f"{ka}({table[n][0]}) {op} {kb}({table[n][1]}) is {got[n]}, not {wanted[n]}" for n in wrong[:4]]


@pytest.mark.parametrize("ka", KINDS)
def test_bits_of_reals_are_errors(arch, ka):
    if arch != "interp":
        pytest.skip("what is refused does not depend on the backend")
    for kb in KINDS:
        for op in BITWISE if real(ka) or real(kb) else ():
            scope = {"qd": qd, "A": array_of(ka), "B": array_of(kb)}
            k = made(f"def k(a: A, b: B):\n    x = {spelled(op, 'a[0]', 'b[0]')}\n", scope)
            with pytest.raises(qd.QuadrantsTypeError, match="unsupported operand type|takes integral inputs only"):
                k(np.zeros(1, NUMPY[ka]), np.zeros(1, NUMPY[kb]))


def run_unary(expression, ka, kind, inputs, dtype_names=()):
    scope = {"qd": qd, "A": array_of(ka), "O": array_of(kind)}
    k = made(f"def k(a: A, o: O):\n    for i in o:\n        x = {expression}\n        qd.static_print(x)\n        o[i] = x\n", scope)
    out = np.zeros(len(inputs), NUMPY[kind])
    k(np.array(inputs, NUMPY[ka]), out)
    return out


def rounded_half_away(x):
    return math.copysign(math.floor(abs(x) + 0.5), x)


def unary_model(op, ka, a):
    """Returns (kind, value) of a unary operation, or None if the kind is refused."""
    if op in ("~", "not", "popcnt", "clz", "ffs"):
        if real(ka) or (op not in ("~", "not") and ka not in ("i32", "u32", "i64", "u64")):
            return None
        bits = int(a) & 2 ** BITS[ka] - 1
        kind = {"~": ka, "not": "u1"}.get(op, "i32")
        return kind, {
            "~": wrap(ka, ~a), "not": int(a == 0), "popcnt": bits.bit_count(), "clz": BITS[ka] - bits.bit_length(),
            "ffs": (bits & -bits).bit_length(),
        }[op]  # fmt: skip
    if op in ("-", "+", "abs", "sign"):
        value = {"-": -a, "+": a, "abs": abs(a), "sign": int(a > 0) - int(a < 0)}[op]
        return ka, rounded(ka, value) if real(ka) else wrap(ka, value)
    if op in ("floor", "ceil", "round"):
        f = {"floor": math.floor, "ceil": math.ceil, "round": rounded_half_away}[op]
        return (ka, rounded(ka, f(float(a)))) if real(ka) else None
    if op in ("sqrt", "rsqrt", "exp", "log"):
        kind = ka if real(ka) else "f32"
        x = np.float64(convert(a, ka, kind))
        f = {"sqrt": np.sqrt, "rsqrt": lambda v: 1 / np.sqrt(v), "exp": np.exp, "log": np.log}[op]
        return kind, rounded(kind, f(x))
    f = {"asin": np.arcsin, "acos": np.arccos}.get(op) or getattr(np, op)
    return (ka, rounded(ka, f(np.float64(a)))) if real(ka) else None


UNARY = "- + ~ not abs sign popcnt clz ffs floor ceil round sqrt rsqrt exp log sin cos tan asin acos tanh".split()


@pytest.mark.parametrize("ka", KINDS)
@pytest.mark.parametrize("op", UNARY)
@np.errstate(all="ignore")
def test_unary(arch, op, ka, capsys):
    qd.init(arch=arch, offline_cache=False, print_full_traceback=True, fast_math=False)
    name = ("qd.math." if op in ("sign", "popcnt", "clz", "ffs") else "qd.") + op
    expression = f"{name}(a[i])" if op.isalpha() and op != "not" else f"{op} a[i]"
    inputs = [v for v in samples(ka) if op not in ("exp", "tan") or v < 50]
    if unary_model(op, ka, inputs[0]) is None:
        with pytest.raises(qd.QuadrantsTypeError, match="takes (real|integral) inputs only|takes i32, u32, i64 and u64"):
            run_unary(expression, ka, ka, inputs)
        return
    rows = [unary_model(op, ka, v) for v in inputs]
    kind = rows[0][0]
    capsys.readouterr()
    got = run_unary(expression, ka, kind, inputs)
    assert capsys.readouterr().out == f"<{kind}>\n"
    wanted = np.array([value for _, value in rows], NUMPY[kind])
    if real(kind):
        exact = op in ("-", "+", "abs", "sign", "floor", "ceil", "round", "sqrt")
        close = np.isclose(got, wanted, rtol=0 if exact else CLOSE[kind] * 4, atol=0 if exact else CLOSE[kind] / 10, equal_nan=True)
    else:
        close = got == wanted
    assert close.all(), [(inputs[n], got[n], wanted[n]) for n in np.flatnonzero(~close)[:4]]


def cast_samples(kind):
    if not real(kind):
        return [*samples(kind), *(v for v in (2**53 + 2**29 + 1, 2**24 + 1, 70000) if kind in ("i64", "u64"))]
    wide = [0.4, -0.4, 0.999, -1.999, 127.5, 128.0, -129.0, 255.9, 256.0, 65504.0, 2.0**31, -(2.0**31), 2.0**40, 3e9, 1e19, -1e19]
    with np.errstate(all="ignore"):
        return samples(kind) + [rounded(kind, v) for v in (*wide, math.inf, -math.inf, math.nan)]


@pytest.mark.parametrize("target", KINDS)
@pytest.mark.parametrize("source", KINDS)
@np.errstate(all="ignore")
def test_cast(arch, source, target, capsys):
    qd.init(arch=arch, offline_cache=False, print_full_traceback=True, fast_math=False)
    inputs = cast_samples(source)
    for expression in (f"qd.cast(a[i], qd.{target})", f"qd.{target}(a[i])"):
        capsys.readouterr()
        got = run_unary(expression, source, target, inputs)
        assert capsys.readouterr().out == f"<{target}>\n"
        wanted = np.array([convert(v, source, target) for v in inputs], NUMPY[target])
        close = np.isclose(got, wanted, rtol=0, atol=0, equal_nan=True) if real(target) else got == wanted
        assert close.all(), [(inputs[n], got[n], wanted[n]) for n in np.flatnonzero(~close)[:4]]


def test_rounding_is_half_away_from_zero():
    @qd.kernel
    def f(x: qd.f64) -> qd.f64:
        return qd.round(x)

    assert [f(x) for x in (0.5, 1.5, 2.5, -0.5, -2.5, 2.4)] == [1, 2, 3, -1, -3, 2]


def test_rounding_takes_a_type():
    @qd.kernel
    def f(x: qd.f32) -> (qd.i32, qd.i64, qd.i32):
        return qd.floor(x, qd.i32), qd.ceil(x, dtype=qd.i64), qd.round(x, qd.i32)

    assert f(-2.5) == (-3, -2, -3)


def test_min_and_max_of_many():
    @qd.kernel
    def f(a: qd.i32, b: qd.f32, c: qd.f64) -> qd.f64:
        v = qd.max(qd.Vector([a, 7]), b)
        return qd.min(a, b, c) + 100 * max(a, b, c, 4) + 10000 * v[0] + 1000000 * v[1]

    assert f(2, 3.5, -1.25) == -1.25 + 400 + 35000 + 7000000
