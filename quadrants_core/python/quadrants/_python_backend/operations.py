"""The functions of the language on the values of a running kernel, by the name that the frontend knows them by."""

import math as _math
import operator as _operator
import struct as _struct
import time as _time

from quadrants import _dtypes, _exceptions, _ops, _runtime
from quadrants._python_backend import meshes, numbers, output
from quadrants._python_backend.numbers import DryRun, Scalar, as_kind, fail_type, kind_of, promote, typed, value_as
from quadrants._python_backend.values import (
    Mat, Place, Record, Var, broadcast, each, filled, fresh, is_number, is_tensor, make, matmul, to_mat, type_name, value_of,
)  # fmt: skip

table = {}  # name -> function


def _named(*names):
    def keep(f):
        for name in names:
            table[name] = f
        return f

    return keep


def _domain(name, kind, wants_real):
    if numbers.is_real(kind) != wants_real:
        wanted = "real" if wants_real else "integral"
        fail_type(f"'{name.rpartition('.')[2]}' takes {wanted} inputs only, however '{kind}' is provided")


def _dtype(x):
    if not _dtypes.is_dtype(x):
        fail_type(f"A data type such as qd.f32 is needed here, not {x!r}")
    return _dtypes.dtype(x)


def cast(x, kind):
    x = value_of(x)
    return to_mat(x).cast(kind) if is_tensor(x) else as_kind(x, kind)


# Elementary functions


def _guarded(f):
    """Of reals: what Python refuses is not a number."""

    def g(*args):
        try:
            return f(*args)
        except OverflowError:
            return _math.inf
        except ValueError:
            return _math.nan

    return g


def _log(x):
    return -_math.inf if x == 0 else _math.log(x)


def _rsqrt(x):
    return _math.copysign(_math.inf, x) if x == 0 else 1 / _math.sqrt(x)


def _trig(f):
    return lambda x: _math.nan if _math.isinf(x) else f(x)


def _half_away(x):
    if abs(x) >= 2.0**52 or x != x:
        return x
    whole = float(_math.floor(abs(x)))
    return _math.copysign(whole + (abs(x) - whole >= 0.5), x)


def _ceil(x):
    return x if abs(x) >= 2.0**53 or x != x else _math.copysign(float(_math.ceil(x)), x)


_REAL = {
    "sin": _trig(_math.sin), "cos": _trig(_math.cos), "tan": _trig(_math.tan), "asin": _math.asin, "acos": _math.acos,
    "tanh": _math.tanh, "floor": numbers._floor, "ceil": _ceil, "round": _half_away,
}  # fmt: skip
_WIDENING = {"sqrt": _math.sqrt, "rsqrt": _rsqrt, "exp": _math.exp, "log": _log}


def _elementary(name, f, widens):
    f = _guarded(f)

    def op(x, dtype=None):
        def one(c):
            kind = kind_of(c)
            if widens or numbers.is_constant(x):
                kind = kind if numbers.is_real(kind) else _runtime.default_fp()
            else:
                _domain(name, kind, True)
            return Scalar(kind, numbers._ROUND[kind](f(value_as(c, kind))))

        result = each(x, one)
        return result if dtype is None else cast(result, _dtype(dtype))

    table[name] = op


for _name, _f in _REAL.items():
    _elementary(_name, _f, False)
for _name, _f in _WIDENING.items():
    _elementary(_name, _f, True)


@_named("abs")
def absolute(x):
    return each(x, lambda c: abs(typed(c)))


@_named("math.sign")
def sign(x):
    def one(c):
        c = typed(c)
        v = (c.value > 0) - (c.value < 0)
        if numbers.is_real(c.kind):
            v = float(v) if v else c.value
        return Scalar(c.kind, numbers.wrapped(c.kind, v) if not numbers.is_real(c.kind) else v)

    return each(x, one)


def _bits(name, f):
    def op(x):
        def one(c):
            c = typed(c)
            _domain(name, c.kind, False)
            if c.kind.bits not in (32, 64):
                fail_type(f"'{name}' takes i32, u32, i64 and u64 only, however '{c.kind}' is provided")
            return Scalar(numbers.i32, f(c.value & ((1 << c.kind.bits) - 1), c.kind.bits))

        return each(x, one)

    table["math." + name] = op


_bits("popcnt", lambda x, bits: x.bit_count())
_bits("clz", lambda x, bits: bits - x.bit_length())
_bits("ffs", lambda x, bits: (x & -x).bit_length())


@_named("math.isnan")
def isnan(x):
    return each(x, lambda c: numbers.compare("!=", typed(c), typed(c)))


@_named("math.isinf")
def isinf(x):
    return each(x, lambda c: Scalar(numbers.u1, int(_math.isinf(typed(c).value))))


@_named("math.log2")
def log2(x):
    return each(table["log"](x), lambda c: numbers.binary("*", c, Scalar(c.kind, numbers._ROUND[c.kind](1 / _math.log(2)))))


@_named("atan2")
def atan2(x1, x2):
    def one(a, b):
        kind = numbers.f64 if numbers.f64 in (kind_of(a), kind_of(b)) else numbers.f32
        return Scalar(kind, numbers._ROUND[kind](_math.atan2(value_as(a, kind), value_as(b, kind))))

    return broadcast("atan2", value_of(x1), value_of(x2), one)


def _binary(name):
    def op(a, b):
        return broadcast(name, value_of(a), value_of(b), lambda x, y: numbers.binary(name, x, y))

    return op


table["raw_div"], table["raw_mod"], table["bit_shr"] = _binary("raw_div"), _binary("raw_mod"), _binary("bit_shr")
table["pow"] = lambda base, exponent: _binary("**")(base, exponent)


def _extreme(name):
    def op(*args):
        args = [value_of(a) for a in args]
        if len(args) == 1 and type(args[0]) is not Scalar:
            args = [value_of(a) for a in args[0]]
        if all(isinstance(a, (int, float)) for a in args):
            return (min if name == "min" else max)(args)
        result = args[0]
        for other in args[1:]:
            result = broadcast(name, result, other, lambda x, y: numbers.binary(name, x, y))
        return result

    table[name] = op


_extreme("min")
_extreme("max")


@_named("select")
def select(cond, x1, x2):
    condition, a, b = value_of(cond), value_of(x1), value_of(x2)

    def bit(c):
        if numbers.is_real(kind_of(c)):
            fail_type(f"unsupported operand type(s) for 'select': '{kind_of(c)}' is not an integer")
        return as_kind(c, numbers.u1)

    test = each(condition, bit)
    first = broadcast("select", a, b, lambda x, y: as_kind(x, promote(kind_of(x), kind_of(y))))
    second = broadcast("select", b, a, lambda x, y: as_kind(x, promote(kind_of(x), kind_of(y))))
    if not isinstance(test, Mat) and not isinstance(first, Mat):
        return first if test.value else second
    shape = first if isinstance(first, Mat) else test
    n = shape.n * shape.m
    if isinstance(test, Mat) and isinstance(first, Mat) and test.shape() != first.shape():
        fail_type(f"Cannot broadcast tensor to tensor: '{type_name(test)}' and '{type_name(first)}'")
    tests = test.entries if isinstance(test, Mat) else [test.value] * n
    ones = first.components() if isinstance(first, Mat) else [first] * n
    others = second.components() if isinstance(second, Mat) else [second] * n
    return make([x if t else y for t, x, y in zip(tests, ones, others)], shape.n, shape.m, shape.ndim)


table["cast"] = lambda obj, dtype: cast(obj, _dtype(dtype))


def _of_default(name, kind):
    def op(x):
        x = value_of(x)
        if numbers.is_constant(x):
            return {"int": int, "float": float, "bool": bool}[name](x)
        return cast(x, kind())

    table[name] = op


_of_default("int", _runtime.default_ip)
_of_default("float", _runtime.default_fp)
_of_default("bool", lambda: numbers.u1)

_LETTER = {"u1": "?", "i8": "b", "u8": "B", "i16": "h", "u16": "H", "i32": "i", "u32": "I", "i64": "q", "u64": "Q"}
_LETTER.update({"f16": "e", "f32": "f", "f64": "d"})


@_named("bit_cast")
def bit_cast(obj, dtype):
    kind = _dtype(dtype)

    def one(c):
        c = typed(c)
        if c.kind.bits != kind.bits or (c.kind is numbers.u1) != (kind is numbers.u1):
            fail_type(f"bit_cast needs types of one width, not {c.kind} and {kind}")
        return Scalar(kind, _struct.unpack(_LETTER[kind.name], _struct.pack(_LETTER[c.kind.name], c.value))[0])

    return each(obj, one)


table["zero"] = lambda x: each(x, lambda c: as_kind(0, kind_of(c)))
table["one"] = lambda x: each(x, lambda c: as_kind(1, kind_of(c)))


@_named("len")
def length(x):
    x = value_of(x)
    return x.n if isinstance(x, Mat) else len(x)


@_named("sum")
def sum_of(iterable, start=0):
    result = value_of(start)
    for item in value_of(iterable):
        result = broadcast("+", result, value_of(item), lambda x, y: numbers.binary("+", x, y))
    return result


def _to_bool(name):
    def op(x):
        x = value_of(x)
        entries = to_mat(x).entries
        return Scalar(numbers.u1, int((any if name == "any" else all)(v != 0 for v in entries)))

    table[name] = op


_to_bool("any")
_to_bool("all")
table["matmul"] = lambda a, b: matmul(value_of(a), value_of(b))


@_named("frexp")
def frexp(x):
    def split(c):
        _domain("frexp", kind_of(c), True)
        return _math.frexp(value_as(c, kind_of(c)))

    exponents = each(x, lambda c: Scalar(numbers.i32, split(c)[1]))
    return each(x, lambda c: Scalar(kind_of(c), split(c)[0])), exponents


@_named("clock_counter")
def clock_counter():
    return Scalar(_dtypes.i64, _time.perf_counter_ns())


@_named("global_thread_idx")
def global_thread_idx():
    return Scalar(numbers.i32, 0)


table["simt.subgroup.group_size"] = lambda: 0


@_named("random")
def random(dtype=float):
    kind = _dtype(dtype)
    if DryRun.active:
        return as_kind(0, kind)
    if not numbers.is_real(kind):
        return Scalar(kind, int(_ops.random(kind)))
    digits = {16: 11, 32: 24, 64: 53}[kind.bits]
    return Scalar(kind, _math.floor(_ops.random(kind) * 2.0**digits) * 2.0**-digits)


@_named("randn")
def randn(dt=None):
    kind = _runtime.default_fp() if dt is None else _dtype(dt)
    if not numbers.is_real(kind):
        fail_type(f"`randn` gives real numbers, not {kind}")
    return Scalar(kind, numbers._ROUND[kind](0.0 if DryRun.active else _ops.randn()))


# Atomics

_ATOMIC = {"add": "+", "sub": "-", "mul": "*", "min": "min", "max": "max", "and": "&", "or": "|", "xor": "^"}


def place_of(x):
    if not isinstance(x, (Var, Place)):
        if isinstance(x, Mat):
            return Place(lambda: x, x.fill)
        fail_type("Cannot assign to non-lvalue: the first argument of an atomic is a variable or an element of a field or ndarray")
    return x


def updated(op, old, amount):
    """The new value of a place that holds `old`; the amount is converted to its type first."""
    amount = value_of(amount)
    shape = (old.n, old.m, old.ndim) if isinstance(old, Mat) else (1, 1, 0)
    kinds = [old.kind, kind_of(amount) if is_number(amount) else to_mat(amount).kind]
    if op in "&|^" and any(numbers.is_real(k) for k in kinds):
        fail_type(f"unsupported operand type(s) for 'atomic {op}': '{kinds[0]}' and '{kinds[1]}'")
    amounts = [Scalar(old.kind, v) for v in filled(amount, old.kind, *shape)]
    if not isinstance(old, Mat):
        return numbers.binary(op, old, amounts[0])
    return make([numbers.binary(op, a, b) for a, b in zip(old.components(), amounts)], *shape, kind=old.kind)


def _atomic(op):
    def atomic(place, amount):
        place = place_of(place)
        old = fresh(place.get())
        place.set(updated(op, old, amount))
        return old

    return atomic


for _name, _op in _ATOMIC.items():
    table["atomic_" + _name] = _atomic(_op)


@_named("atomic_exchange")
def atomic_exchange(place, value):
    place = place_of(place)
    old = fresh(place.get())
    place.set(value)
    return old


@_named("atomic_cas")
def atomic_cas(place, expected, desired):
    place = place_of(place)
    old = fresh(place.get())
    if numbers.is_real(old.kind):
        fail_type(f"'atomic_cas' takes integral inputs only, however '{old.kind}' is provided")
    wanted, new = as_kind(value_of(expected), old.kind), as_kind(value_of(desired), old.kind)
    if old.value == wanted.value:
        place.set(new)
    return old


table["volatile_load"] = lambda place: fresh(place_of(place).get())

# Vectors and matrices


def _with_dtype(m, dt):
    return m.copy() if dt is None else m.cast(_dtype(dt))


table["Vector"] = table["Matrix"] = lambda arr, dt=None: _with_dtype(to_mat(arr), dt)


def _sized(*sizes):
    for size in sizes:
        if not 1 <= int(size) <= 4096:
            fail_type(f"Vectors and matrices take sizes of 1 to 4096, not {int(size)}")


def _filled(value):
    def op(dt, n, m=None):
        kind = _dtype(dt)
        _sized(n, 1 if m is None else m)
        n, m, ndim = int(n), 1 if m is None else int(m), 1 if m is None else 2
        return Mat(kind, n, m, ndim, [numbers.convert(value, numbers.i32, kind)] * (n * m))

    return op


table["Vector.zero"] = table["Matrix.zero"] = _filled(0)
table["Vector.one"] = table["Matrix.one"] = _filled(1)


@_named("Matrix.identity")
def identity(dt, n):
    _sized(n)
    return make([int(i == j) for i in range(n) for j in range(n)], n, n, 2, _dtype(dt))


@_named("Vector.unit", "Matrix.unit")
def unit(n, i, dt=None):
    _sized(n)
    return make([int(k == i) for k in range(n)], n, 1, 1, _runtime.default_ip() if dt is None else _dtype(dt))


@_named("Matrix.rows")
def from_rows(rows):
    m = to_mat(rows)
    return Mat(m.kind, m.n, m.m, 2, list(m.entries))


def transposed(m):
    return Mat(m.kind, m.m, m.n, 2, [m.entries[i * m.m + j] for j in range(m.m) for i in range(m.n)])


table["Matrix.cols"] = lambda cols: transposed(from_rows(cols))


@_named("Matrix.diag")
def diagonal(dim, val):
    _sized(dim)
    v = typed(value_of(val))
    return make([v if i == j else as_kind(0, v.kind) for i in range(dim) for j in range(dim)], dim, dim, 2, v.kind)


def of_type(annotation, args):
    """vec3(x, y, z), vec3(xy, z), vec3(0.0), mat2([[a, b], [c, d]]), ..."""
    entries = []
    for arg in args:
        arg = value_of(arg)
        entries.extend([arg] if is_number(arg) else to_mat(arg).components())
    count = annotation.n * annotation.m
    if len(entries) == 1:
        entries = entries * count
    if len(entries) != count:
        fail_type(f"A vector or matrix of {count} components cannot be made from {len(entries)} values")
    return make(entries, annotation.n, annotation.m, annotation.ndim, annotation.dtype)


# Methods of vectors and matrices; qd.math

_mul, _add, _sub, _div = (lambda a, b, op=op: numbers.binary(op, a, b) for op in "*+-/")


def _reduced(op, values):
    result = values[0]
    for other in values[1:]:
        result = numbers.silent_binary(op, result, other)
    return result


def dot(a, b):
    return _reduced("+", broadcast("*", to_mat(a), to_mat(b), _mul).components())


def norm(a, eps=None):
    square = dot(a, a)
    if eps is not None:
        square = _add(square, value_of(eps))
    return table["sqrt"](square)


def cross(a, b):
    a, b = to_mat(a), to_mat(b)
    if a.ndim != 1 or b.ndim != 1 or a.n != b.n or a.n not in (2, 3):
        fail_type("Cross product is only supported between pairs of 2D/3D vectors")

    def term(i, j):
        return _sub(_mul(a.component(i), b.component(j)), _mul(a.component(j), b.component(i)))

    return term(0, 1) if a.n == 2 else make([term(1, 2), term(2, 0), term(0, 1)], 3, 1, 1)


def outer_product(a, b):
    a, b = to_mat(a), to_mat(b)
    if a.ndim != 1 or b.ndim != 1:
        fail_type("outer_product is defined for two vectors")
    return make([_mul(x, y) for x in a.components() for y in b.components()], a.n, b.n, 2)


def _square(m):
    if m.ndim != 2 or m.n != m.m:
        raise _exceptions.QuadrantsCompilationError(f"expected a square matrix, got shape {m.shape()}")


def _minor(m, rows, cols):
    def at(i, j):
        return m.component(rows[i] * m.m + cols[j])

    if len(rows) == 1:
        return at(0, 0)
    if len(rows) == 2:
        return _sub(_mul(at(0, 0), at(1, 1)), _mul(at(0, 1), at(1, 0)))
    total = None
    for j in range(len(cols)):
        term = _mul(at(0, j), _minor(m, rows[1:], cols[:j] + cols[j + 1 :]))
        total = term if j == 0 else (_sub if j % 2 else _add)(total, term)
    return total


def determinant(m):
    m = to_mat(m)
    _square(m)
    if m.n > 4:
        raise _exceptions.QuadrantsCompilationError(f"only dimension < 5 is supported, got shape {m.shape()}")
    return _minor(m, list(range(m.n)), list(range(m.n)))


def inverse(m):
    m = to_mat(m)
    _square(m)
    m = m if numbers.is_real(m.kind) else m.cast(_runtime.default_fp())
    if m.n > 12:
        raise _exceptions.QuadrantsCompilationError("Inversions of matrices with sizes > 12 are not supported")
    if m.n > 4:
        return _library("inverse_gauss", m, m.kind)
    scale = _div(Scalar(m.kind, 1.0), determinant(m))
    if m.n == 1:
        return make([scale], 1, 1, m.ndim)
    entries = [None] * (m.n * m.n)
    for i in range(m.n):
        for j in range(m.n):
            v = _mul(_minor(m, [k for k in range(m.n) if k != i], [k for k in range(m.n) if k != j]), scale)
            entries[j * m.n + i] = -v if (i + j) % 2 else v
    return make(entries, m.n, m.n, 2)


def transpose(m):
    if m.ndim == 1:
        raise _exceptions.QuadrantsCompilationError(
            "`transpose()` cannot apply to a vector. If you want something like `a @ b.transpose()`, write "
            "`a.outer_product(b)` instead."
        )
    return transposed(m)


def trace(m):
    _square(m)
    return _reduced("+", [m.component(k * m.m + k) for k in range(m.n)])


def normalized(m, eps=None):
    size = norm(m)
    if eps is not None:
        size = _add(size, value_of(eps))
    return broadcast("*", _div(1.0, size), m, _mul)


METHODS = {
    "all": lambda m: table["all"](m), "any": lambda m: table["any"](m), "cast": lambda m, dtype: m.cast(_dtype(dtype)),
    "cross": cross, "determinant": determinant, "dot": dot, "fill": lambda m, val: m.fill(val), "frobenius_inner": dot,
    "get_shape": lambda m: m.shape(), "inverse": inverse, "max": lambda m: _reduced("max", m.components()),
    "min": lambda m: _reduced("min", m.components()), "norm": norm, "norm_inv": lambda m, eps=None: _div(1.0, norm(m, eps)),
    "norm_sqr": lambda m: dot(m, m), "normalized": normalized, "outer_product": outer_product,
    "sum": lambda m: _reduced("+", m.components()), "to_list": lambda m: m.rows(), "trace": trace, "transpose": transpose,
}  # fmt: skip

table["math.length"] = lambda x: norm(to_mat(x))
table["math.dot"], table["math.cross"] = dot, cross
table["math.inverse"], table["math.determinant"] = inverse, determinant
table["math.distance"] = lambda a, b: norm(broadcast("-", to_mat(a), to_mat(b), _sub))


@_named("math.normalize")
def normalize(x):
    x = to_mat(x)
    return broadcast("*", x, _div(1.0, norm(x)), _mul)


@_named("math.reflect")
def reflect(x, n):
    x, n = to_mat(x), to_mat(n)
    return broadcast("-", x, broadcast("*", _mul(2, dot(x, n)), n, _mul), _sub)


@_named("math.clamp")
def clamp(x, xmin, xmax):
    low = broadcast("clamp", value_of(xmax), value_of(x), lambda a, b: numbers.binary("min", a, b))
    return broadcast("clamp", value_of(xmin), low, lambda a, b: numbers.binary("max", a, b))


@_named("math.mix")
def mix(x, y, a):
    x, y, a = value_of(x), value_of(y), fresh(a)
    rest = broadcast("-", 1.0, a, _sub)
    return broadcast("+", broadcast("*", x, rest, _mul), broadcast("*", y, a, _mul), _add)


def _real_kind(*xs):
    kind = kind_of(xs[0])
    for x in xs[1:]:
        kind = promote(kind, kind_of(x))
    return kind if numbers.is_real(kind) else _runtime.default_fp()


@_named("math.step")
def step(edge, x):
    def one(e, v):
        kind = _real_kind(e, v)
        return Scalar(kind, float(value_as(v, kind) >= value_as(e, kind)))

    return broadcast("step", value_of(edge), value_of(x), one)


@_named("math.fract")
def fract(x):
    def one(c):
        kind = _real_kind(c)
        v = as_kind(c, kind)
        return _sub(v, Scalar(kind, numbers._floor(v.value)))

    return each(x, one)


@_named("math.smoothstep")
def smoothstep(edge0, edge1, x):
    e0, e1, x = fresh(edge0), value_of(edge1), value_of(x)
    ratio = broadcast("/", broadcast("-", x, e0, _sub), broadcast("-", e1, e0, _sub), _div)

    def smooth(r):
        t = numbers.binary("min", numbers.binary("max", r, Scalar(r.kind, 0.0)), Scalar(r.kind, 1.0))
        return _mul(_mul(t, t), _sub(Scalar(r.kind, 3.0), _mul(Scalar(r.kind, 2.0), t)))

    return each(ratio, smooth)


def _times(factor):
    return lambda x: broadcast("*", fresh(x), factor, _mul)


table["math.degrees"], table["math.radians"] = _times(180 / _math.pi), _times(_math.pi / 180)


@_named("math.mod")
def floor_mod(x, y):
    x, y = fresh(x), fresh(y)
    whole = each(broadcast("/", x, y, _div), lambda r: Scalar(r.kind, numbers._floor(r.value)))
    return broadcast("-", x, broadcast("*", y, whole, _mul), _sub)


# Linear algebra: the functions that kernels inline


def _library(name, *args):
    from quadrants import _linalg
    from quadrants._python_backend import actions

    return actions.call(getattr(_linalg, name), *args)


_SIZES = {
    "svd": ({2: "svd2", 3: "svd3"}, "SVD only supports 2×2 and 3×3 matrices."),
    "sym_eig": (dict.fromkeys(range(2, 7), "sym_eig"), "Symmetric eigen solver currently supports sizes up to 6×6"),
    "eig": ({2: "eig2"}, "Eigen solver only supports 2×2 matrices."),
    "polar_decompose": ({2: "polar2", 3: "polar3"}, "Polar decomposition only supports 2×2 and 3×3 matrices."),
    "make_spd": (dict.fromkeys(range(2, 7), "make_spd"), "Symmetric eigen solver currently supports sizes up to 6×6"),
    "solve": ({2: "solve", 3: "solve"}, "Solver only supports 2×2 and 3×3 matrices."),
}  # fmt: skip


def _linear_algebra(name):
    functions, otherwise = _SIZES[name]

    def op(A, *rest, dt=None):
        A = to_mat(A)
        right = [to_mat(rest[0])] if name == "solve" else []
        rest = rest[1:] if name == "solve" else rest
        dt = rest[0] if rest else dt
        kind = _dtype(dt) if dt is not None else A.kind if numbers.is_real(A.kind) else _runtime.default_fp()
        inner = numbers.f32 if kind is numbers.f16 else kind
        if A.ndim != 2 or A.n != A.m or A.n not in functions:
            raise _exceptions.QuadrantsCompilationError(otherwise)
        eps = [] if name == "solve" else [Scalar(inner, 2.0**-51 if inner is numbers.f64 else 2.0**-22)]
        out = _library(functions[A.n], A.cast(inner), *(r.cast(inner) for r in right), inner, *eps)
        if inner is kind:
            return out
        return tuple(cast(item, kind) for item in out) if isinstance(out, tuple) else cast(out, kind)

    table[name] = op


for _name in _SIZES:
    _linear_algebra(_name)

# Structs, output, hints


@_named("Struct")
def new_struct(*args, **members):
    for arg in args:
        arg = value_of(arg)
        if isinstance(arg, Record):
            return arg.copy()
        members = {**arg, **members}
    made = {}
    for name, value in members.items():
        value = value_of(value)
        made[name] = fresh(to_mat(value) if isinstance(value, (list, tuple)) else value)
    return Record(None, made)


table["print"] = output.show
table["assume_in_range"] = lambda value, base, low, high: fresh(value)
table["mesh_patch_idx"] = meshes.patch

for _name in ("loop_config", "block_local", "cache_read_only", "mesh_local", "no_activate"):
    table[_name] = lambda *args, **keywords: None


def _sparse(name):
    def op(*args):
        raise _exceptions.QuadrantsRuntimeError(f"qd.{name}: sparse trees are not supported on this backend.")

    table[name] = op


for _name in ("is_active", "activate", "deactivate", "append", "length", "get_addr", "rescale_index"):
    _sparse(_name)

PYTHON = {
    print: "print", min: "min", max: "max", int: "int", float: "float", bool: "bool", abs: "abs", pow: "pow", any: "any",
    all: "all", sum: "sum", len: "len", _operator.matmul: "matmul",
}  # fmt: skip
