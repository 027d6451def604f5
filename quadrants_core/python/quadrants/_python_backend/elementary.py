"""Functions of numbers, applied to vectors and matrices componentwise."""

import math as _math
import struct as _struct

from quadrants import _settings
from quadrants._python_backend import constants, meshes, numbers
from quadrants._python_backend.numbers import Scalar, as_kind, fail_type, kind_of, promote, typed, value_as
from quadrants._python_backend.table import cast, data_type, domain, named, table
from quadrants._python_backend.values import Mat, Record, broadcast, each, make, matmul, to_mat, type_name, value_of


def _guarded(f):
    """Returns f with nan as the result where Python raises an error, for real numbers."""

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


def _log2(x):
    return -_math.inf if x == 0 else _math.log2(x)


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
_WIDENING = {"sqrt": _math.sqrt, "rsqrt": _rsqrt, "exp": _math.exp, "log": _log, "math.log2": _log2}


def _elementary(name, f, widens):
    f = _guarded(f)

    def op(x):
        def one(c):
            kind = kind_of(c)
            if widens or numbers.is_constant(x):
                kind = kind if numbers.is_real(kind) else _settings.default_fp()
            else:
                domain(name, kind, True)
            return Scalar(kind, numbers._ROUND[kind](f(value_as(c, kind))))

        return each(x, one)

    def rounding(x, dtype=None):
        return op(x) if dtype is None else cast(op(x), data_type(dtype))

    table[name] = rounding if name in ("floor", "ceil", "round") else op


for _name, _f in _REAL.items():
    _elementary(_name, _f, False)
for _name, _f in _WIDENING.items():
    _elementary(_name, _f, True)


@named("abs")
def absolute(x):
    x = value_of(x)
    return each(x, lambda c: abs(c if isinstance(c, numbers.Known) else typed(c)))


@named("math.sign")
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
            domain(name, c.kind, False)
            if c.kind.bits not in (32, 64):
                fail_type(f"'{name}' takes i32, u32, i64 and u64 only, however '{c.kind}' is provided")
            return Scalar(numbers.i32, f(c.value & ((1 << c.kind.bits) - 1), c.kind.bits))

        return each(x, one)

    table["math." + name] = op


_bits("popcnt", lambda x, bits: x.bit_count())
_bits("clz", lambda x, bits: bits - x.bit_length())
_bits("ffs", lambda x, bits: (x & -x).bit_length())


@named("math.isnan")
def isnan(x):
    return each(x, lambda c: numbers.compare("!=", typed(c), typed(c)))


@named("math.isinf")
def isinf(x):
    return each(x, lambda c: Scalar(numbers.u1, int(_math.isinf(typed(c).value))))


@named("atan2")
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


@named("pow")
def power(base, exponent):
    base, exponent = value_of(base), value_of(exponent)
    return base**exponent if isinstance(base, Record) or isinstance(exponent, Record) else _binary("**")(base, exponent)


def _extreme(name):
    def op(*args):
        args = [value_of(a) for a in args]
        if len(args) == 1 and type(args[0]) is not Scalar:
            args = [value_of(a) for a in args[0]]
        if all(map(numbers.is_untyped, args)):
            return (min if name == "min" else max)(args)
        is_known = all(map(numbers.is_constant, args))
        result = typed(args[0]) if is_known else args[0]
        for other in args[1:]:
            result = broadcast(name, result, other, lambda x, y: numbers.binary(name, x, y))
        return constants.known(result) if is_known else result

    table[name] = op


_extreme("min")
_extreme("max")


@named("select")
def select(cond, x1, x2):
    condition, a, b = value_of(cond), value_of(x1), value_of(x2)

    def bit(c):
        if numbers.is_real(kind_of(c)) and not numbers.is_constant(c):
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


table["cast"] = lambda obj, dtype: cast(obj, data_type(dtype))


def _of_default(name, kind):
    def op(x):
        x = value_of(x)
        if isinstance(x, numbers.Known):
            return constants.known(as_kind(x, kind()))
        if numbers.is_constant(x) or isinstance(x, str):
            return {"int": int, "float": float, "bool": bool}[name](x)
        return cast(x, kind())

    table[name] = op


_of_default("int", _settings.default_ip)
_of_default("float", _settings.default_fp)
_of_default("bool", lambda: numbers.u1)

_LETTER = {"u1": "?", "i8": "b", "u8": "B", "i16": "h", "u16": "H", "i32": "i", "u32": "I", "i64": "q", "u64": "Q"}
_LETTER.update({"f16": "e", "f32": "f", "f64": "d"})


@named("bit_cast")
def bit_cast(obj, dtype):
    kind = data_type(dtype)

    def one(c):
        c = typed(c)
        if c.kind.bits != kind.bits or (c.kind is numbers.u1) != (kind is numbers.u1):
            fail_type(f"bit_cast needs types of one width, not {c.kind} and {kind}")
        return Scalar(kind, _struct.unpack(_LETTER[kind.name], _struct.pack(_LETTER[c.kind.name], c.value))[0])

    return each(obj, one)


table["zero"] = lambda x: each(x, lambda c: as_kind(0, kind_of(c)))
table["one"] = lambda x: each(x, lambda c: as_kind(1, kind_of(c)))


@named("len")
def length(x):
    x = value_of(x)
    if isinstance(x, meshes.Touching):
        return x.attribute("size")
    return x.n if isinstance(x, Mat) else len(x)


@named("sum")
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


@named("frexp")
def frexp(x):
    def kind(c):
        return _settings.default_fp() if isinstance(x, int) else kind_of(c)

    def split(c):
        domain("frexp", kind(c), True)
        return _math.frexp(value_as(c, kind(c)))

    exponents = each(x, lambda c: Scalar(numbers.i32, split(c)[1]))
    return each(x, lambda c: Scalar(kind(c), split(c)[0])), exponents
