"""Scalars of the language: a number with its type, and the results of operators on two of them.

Plain Python numbers are constants, as in a compiled kernel: two of them are combined by Python; one that meets a Scalar has the type
default_ip, default_fp or u1. A Known is a constant with a type, the value of a func's parameter without annotation: operators treat it like
a Scalar, all other code like the Python number. The rules are those at the top of frontend/types.cpp and in ir/eval.cpp; with fast_math,
subnormal real results are zero.
"""

import ctypes as _ctypes
import math as _math

from quadrants import _dtypes, _exceptions, _settings
from quadrants._python_backend import places

u1, f16, f32, f64, i32, u32 = _dtypes.u1, _dtypes.f16, _dtypes.f32, _dtypes.f64, _dtypes.i32, _dtypes.u32
_Type = _exceptions.QuadrantsTypeError


def fail_type(text):
    raise _Type(text)


def _subnormal(x):
    return _math.copysign(0.0, x) if _settings.current().fast_math else x


def _round32(x):
    x = _ctypes.c_float(x).value
    return x if abs(x) >= 1.1754943508222875e-38 or x == 0 or x != x else _subnormal(x)


def _round64(x):
    return x if abs(x) >= 2.2250738585072014e-308 or x == 0 or x != x else _subnormal(x)


def _round16(x):
    import numpy as np

    with np.errstate(all="ignore"):
        return float(np.float16(np.float32(x)))


_ROUND = {f16: _round16, f32: _round32, f64: _round64}
_WORK = {f16: _round32, f32: _round32, f64: _round64}  # f16 is computed in f32


def wrapped(kind, n):
    """Returns the integer n modulo the range of `kind`."""
    n &= (1 << kind.bits) - 1
    return n - (1 << kind.bits) if kind.kind == "int" and n >> (kind.bits - 1) else n


def is_real(kind):
    return kind.kind == "float"


def _from_int(kind, n):
    if -(1 << 53) <= n <= 1 << 53 or kind is f64:
        return _ROUND[kind](float(n))
    import numpy as np

    whole = np.uint64(n) if n >= 1 << 63 else np.int64(n)
    return _ROUND[kind](float(np.float32(whole)))


def convert(value, source, target):
    """Converts the value of a number from type `source` to type `target`."""
    if source is target:
        return value
    if target is u1:
        return int(value != 0)
    if is_real(target):
        return _ROUND[target](value) if is_real(source) else _from_int(target, value)
    if not is_real(source):
        return wrapped(target, value)
    if value != value:
        return 0
    top = (1 << (target.bits - (target.kind == "int"))) - 1
    low = -top - 1 if target.kind == "int" else 0
    return low if value <= low else top if value >= top else int(value)


def promote(a, b):
    if a is b:
        return a
    if is_real(a) != is_real(b):
        return a if is_real(a) else b
    if a.bits != b.bits:
        return a if a.bits > b.bits else b
    return b if a.kind == "int" else a


def is_constant(x):
    return isinstance(x, (int, float))


def is_untyped(x):
    """Returns whether x is a constant that Python computes with."""
    return isinstance(x, (int, float)) and not isinstance(x, Known)


def kind_of(x):
    """Returns the type of a Scalar or a Python number."""
    if type(x) is Scalar or isinstance(x, Known):
        return x.kind
    if isinstance(x, bool):
        return u1
    if isinstance(x, int):
        return _settings.default_ip()
    if isinstance(x, float):
        return _settings.default_fp()
    number = plain(x)
    if number is None:
        fail_type(f"Invalid constant scalar data type: a number is needed here, not {type(x).__name__}")
    return kind_of(number)


def plain(x):
    """Returns the Python number of a NumPy scalar or 0-dimensional array; None for other objects."""
    if getattr(type(x), "__module__", "") == "numpy" and getattr(x, "ndim", 1) == 0:
        return x.item()
    return None


def fits(x, kind):
    """Returns whether type `kind` can represent the Python integer x."""
    top = (1 << (kind.bits - (kind.kind == "int"))) - 1
    return (-top - 1 if kind.kind == "int" else 0) <= int(x) <= top


def literal(x, kind, what="specified dtype"):
    """Returns the value of the Python number x, in its own type `kind`."""
    if is_real(kind):
        return _ROUND[kind](float(x))
    if not fits(x, kind) and not fits(x, _dtypes.i64) and not fits(x, _dtypes.u64):
        fail_type(f"Integer literal {x} exceeded the range of {what}: {kind}, and of every integer type")
    if not fits(x, kind):
        fail_type(
            f"Integer literal {x} exceeded the range of {what}: {kind}, please specify the dtype via e.g. `qd.u64({x})` "
            "or set a different `default_ip` in `qd.init()`"
        )
    return int(x)


def value_as(x, kind):
    """Returns the value of a Scalar or Python number in type `kind`."""
    if type(x) is Scalar:
        return x.value if x.kind is kind else convert(x.value, x.kind, kind)
    own = kind_of(x)
    if own is u1:
        return convert(int(x), u1, kind)
    x = x if is_constant(x) else plain(x)
    return convert(literal(x, own, "default_ip"), own, kind)


def index_value(x):
    """Converts an index to i32. If bounds are checked, a number beyond i32 remains as it is, since it is out of bounds."""
    return x.value if Debug.active and type(x) is Scalar else value_as(x, i32)


def as_kind(x, kind):
    return x if type(x) is Scalar and x.kind is kind else Scalar(kind, value_as(x, kind))


def typed(x):
    """Converts a Scalar or Python number to a Scalar."""
    return x if type(x) is Scalar else as_kind(x, kind_of(x))


class DryRun:
    """While `active`, code is executed only to determine the types of its values: it has no side effects, failing operations return zero,
    and run-time loops and real funcs are skipped."""

    active = 0


class Debug:
    """In debug mode, integer overflow is reported and negative exponents are rejected."""

    active = False


def _divide(a, b):
    """Divides real numbers with IEEE semantics."""
    if b != 0:
        return a / b
    if a == 0 or a != a or b != b:
        return _math.nan
    return _math.copysign(_math.inf, a) * _math.copysign(1.0, b)


def _floor(x):
    return x if abs(x) >= 2.0**53 or x != x else _math.copysign(float(_math.floor(x)), x) if x == 0 else float(_math.floor(x))


def _least(a, b):
    if a != a:
        return b
    if b != b:
        return a
    if a == b:
        return a if _math.copysign(1, a) < 0 else b
    return b if b < a else a


def _toward_zero(a, b):
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def _fmod(a, b):
    if b == 0 or abs(a) == _math.inf or a != a or b != b:
        return _math.nan
    return _math.fmod(a, b)


def _floor_mod(r, a, b):
    rest = _fmod(a, b)
    if rest != 0:
        return r(rest + b) if (b < 0) != (rest < 0) else rest
    return _math.copysign(0.0, b)


def _floor_divide(r, a, b):
    if b == 0:
        return _divide(a, b)
    rest = _fmod(a, b)
    quotient = r(r(a - rest) / b)
    if rest != 0 and (b < 0) != (rest < 0):
        quotient = r(quotient - 1)
    if quotient == 0:
        return _math.copysign(0.0, a) * _math.copysign(1.0, b)
    whole = _floor(quotient)
    return r(whole + 1) if quotient - whole > 0.5 else whole


def _real(op, kind, a, b):
    r = _WORK[kind]
    if op == "+":
        v = r(a + b)
    elif op == "-":
        v = r(a - b)
    elif op == "*":
        v = r(a * b)
    elif op in ("/", "raw_div"):
        v = r(_divide(a, b))
    elif op == "//":
        v = _floor_divide(r, a, b)
    elif op == "%":
        v = _floor_mod(r, a, b)
    elif op == "min":
        v = _least(a, b)
    elif op == "max":
        v = -_least(-a, -b)
    else:
        v = r(_fmod(a, b))
    return _ROUND[kind](v)


def _zero_divisor():
    if DryRun.active:
        return 0
    places.fail("integer division by zero")


def _u1_division(op, a, b):
    return 0 if op in ("%", "raw_mod") else a & b


def _whole(op, kind, a, b):
    if op in ("//", "%", "raw_div", "raw_mod"):
        if b == 0:
            return _zero_divisor()
        if kind is u1:
            return _u1_division(op, a, b)
        if op == "//":
            v = a // b
        elif op == "%":
            v = a % b
        else:
            q = _toward_zero(a, b)
            v = q if op == "raw_div" else a - b * q
        return wrapped(kind, v)
    if op == "+":
        v = a + b
    elif op == "-":
        v = a - b
    elif op == "*":
        v = a * b
    elif op == "&":
        v = a & b
    elif op == "|":
        v = a | b
    elif op == "^":
        v = a ^ b
    else:
        v = (min if op == "min" else max)(a, b)
    return wrapped(kind, v)


def unsupported(op, a, b):
    fail_type(f"unsupported operand type(s) for '{op}': '{kind_of(a)}' and '{kind_of(b)}'")


_ALIKE = ("+", "-", "*", "min", "max")  # for two numbers of the same type, the result has this type


def binary(op, a, b):
    """Implements a op b for a Scalar and a Scalar or number. In addition to operators: min, max, raw_div, raw_mod, bit_shr."""
    result = silent_binary(op, a, b)
    if Debug.active and op in _OVERFLOWS and not DryRun.active:
        _watch(op, a, b, result)
    return result


_OVERFLOWS = {"+": "Addition", "-": "Subtraction", "*": "Multiplication", "<<": "Shift left"}


def _watch(op, a, b, result):
    kind = result.kind
    if is_real(kind) or kind is u1:
        return
    x, y = value_as(a, kind), value_as(b, kind)
    if op == "<<":
        fits = x == 0 or (0 <= y < kind.bits and wrapped(kind, x << y) == x << y)
    else:
        fits = result.value == (x + y if op == "+" else x - y if op == "-" else x * y)
    if not fits:
        places.report(f"{_OVERFLOWS[op]} overflow detected in ")


def silent_binary(op, a, b):
    """Like binary, without reporting overflow."""
    left, right = kind_of(a), kind_of(b)
    if left is right and op in _ALIKE and type(a) is type(b) is Scalar:
        return Scalar(left, _real(op, left, a.value, b.value) if is_real(left) else _whole(op, left, a.value, b.value))
    if op == "**":
        return _power(a, b, left, right)
    if op in ("&", "|", "^", "<<", ">>", "bit_shr"):
        if is_real(left) or is_real(right):
            unsupported(op, a, b)
        if op in ("<<", ">>", "bit_shr"):
            count = value_as(b, left) % left.bits
            x = value_as(a, left)
            if op == "bit_shr":
                x &= (1 << left.bits) - 1
            return Scalar(left, wrapped(left, x << count if op == "<<" else x >> count))
    kind = promote(left, right)
    if op == "/" and not is_real(kind):
        kind = _settings.default_fp()
    x, y = value_as(a, kind), value_as(b, kind)
    return Scalar(kind, _real(op, kind, x, y) if is_real(kind) else _whole(op, kind, x, y))


def _real_power(a, b):
    try:
        return _math.pow(a, b)
    except OverflowError:
        return -_math.inf if a < 0 and b % 2 == 1 else _math.inf
    except ValueError:
        return _math.inf if a == 0 else _math.nan


def _power(a, b, left, right):
    if is_real(right):
        kind = promote(left, right)
        return Scalar(kind, _ROUND[kind](_real_power(value_as(a, kind), value_as(b, kind))))
    x, y = value_as(a, left), value_as(b, right)
    if is_real(left):
        if is_constant(b) and abs(y) <= 256:
            return _repeated(Scalar(left, x), y)
        power = _real_power(abs(x), y)
        return Scalar(left, _ROUND[left](-power if x < 0 and y % 2 else power))
    if y < 0:
        if Debug.active and not DryRun.active:
            places.fail("Negative exponent in pow(int, int) is not allowed.")
        return Scalar(left, 0 if abs(x) != 1 else x if y % 2 else 1)
    return Scalar(left, wrapped(left, pow(x, y, 1 << left.bits)))


def _repeated(base, exponent):
    """Raises to a constant integer power by squaring."""
    if exponent == 0:
        return Scalar(base.kind, 1.0)
    left, result, square = abs(exponent), None, base
    while True:
        if left & 1:
            result = square if result is None else binary("*", result, square)
        left >>= 1
        if not left:
            break
        square = binary("*", square, square)
    return result if exponent > 0 else binary("/", Scalar(base.kind, 1.0), result)


_COMPARE = {
    "==": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b, "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
}  # fmt: skip


def compare(op, a, b):
    kind = promote(kind_of(a), kind_of(b))
    return Scalar(u1, int(_COMPARE[op](value_as(a, kind), value_as(b, kind))))


def need_integral(op, kind):
    if is_real(kind):
        fail_type(f"'{op}' takes integral inputs only, however '{kind}' is provided")


class Scalar:
    """A number with a type of the language. Immutable."""

    __slots__ = ("kind", "value")

    def __init__(self, kind, value):
        self.kind = kind
        self.value = value

    def __neg__(self):
        return Scalar(self.kind, -self.value if is_real(self.kind) else wrapped(self.kind, -self.value))

    def __pos__(self):
        return self

    def __abs__(self):
        return Scalar(self.kind, abs(self.value) if is_real(self.kind) else wrapped(self.kind, abs(self.value)))

    def __invert__(self):
        need_integral("~", self.kind)
        return Scalar(self.kind, wrapped(self.kind, ~self.value))

    def __bool__(self):
        need_integral("if", self.kind)
        return self.value != 0

    def __index__(self):
        if is_real(self.kind):
            fail_type(f"indices must be integers, however '{self.kind}' is provided as index")
        return self.value

    def __int__(self):
        return int(self.value)

    def __float__(self):
        return float(self.value)

    __hash__ = None

    def __repr__(self):
        return f"{self.kind}({self.value})"


# methods of operators
BINARY = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "and": "&", "or": "|",
    "xor": "^", "lshift": "<<", "rshift": ">>",
}  # fmt: skip
COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def is_operand(x):
    return type(x) is Scalar or is_constant(x) or plain(x) is not None


class Known:
    """A Python number with a type: see constants.py."""


def _add_operators():
    for name, op in BINARY.items():

        def forward(self, other, op=op):
            return binary(op, self, other) if is_operand(other) else NotImplemented

        def backward(self, other, op=op):
            return binary(op, other, self) if is_operand(other) else NotImplemented

        setattr(Scalar, f"__{name}__", forward)
        setattr(Scalar, f"__r{name}__", backward)
    for name, op in COMPARISONS.items():

        def comparison(self, other, op=op):
            return compare(op, self, other) if is_operand(other) else NotImplemented

        setattr(Scalar, f"__{name}__", comparison)


_add_operators()
Scalar.__hash__ = None
