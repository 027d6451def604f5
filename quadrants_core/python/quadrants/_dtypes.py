"""Scalar types."""

from quadrants import _exceptions, _settings


class DType:
    """A scalar type such as qd.f32. Types compare by value; calling one in Python scope converts a number."""

    _qd_kind_ = "dtype"
    __slots__ = ("_qd_scalar_", "name", "bits", "kind")

    def __init__(self, scalar, name, bits, kind):
        self._qd_scalar_ = scalar
        self.name = name
        self.bits = bits
        self.kind = kind  # "u1", "int", "uint", "float"

    def __eq__(self, other):
        return isinstance(other, DType) and other._qd_scalar_ == self._qd_scalar_

    def __hash__(self):
        return hash(("quadrants dtype", self._qd_scalar_))

    def __repr__(self):
        return self.name

    __str__ = __repr__

    @property
    def dtype(self):
        """The NumPy type. NumPy reads this attribute, so it accepts a scalar type wherever it accepts a dtype."""
        import numpy as np

        return np.dtype(numpy_dtype(self))

    def to_string(self):
        return self.name

    def element_type(self):
        """The type itself: as an element type, a scalar is its own component type."""
        return self

    def shape(self):
        return []

    def __reduce__(self):
        return _by_name, (self.name,)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __call__(self, value):
        """Converts the number `value` to this type, wrapping integers and rounding floats."""
        if self.kind == "u1":
            return bool(value)
        if self.kind == "float":
            if self.bits == 64:
                return float(value)
            import struct

            code = "e" if self.bits == 16 else "f"
            try:
                return struct.unpack(code, struct.pack(code, float(value)))[0]
            except OverflowError:
                return float("inf") if value > 0 else float("-inf")
        whole = int(value) & ((1 << self.bits) - 1)
        if self.kind == "int" and whole >> (self.bits - 1):
            whole -= 1 << self.bits
        return whole


u1 = DType(1, "u1", 1, "u1")
i8 = DType(2, "i8", 8, "int")
u8 = DType(3, "u8", 8, "uint")
i16 = DType(4, "i16", 16, "int")
u16 = DType(5, "u16", 16, "uint")
i32 = DType(6, "i32", 32, "int")
u32 = DType(7, "u32", 32, "uint")
i64 = DType(8, "i64", 64, "int")
u64 = DType(9, "u64", 64, "uint")
f16 = DType(10, "f16", 16, "float")
f32 = DType(11, "f32", 32, "float")
f64 = DType(12, "f64", 64, "float")

all_types = (u1, i8, u8, i16, u16, i32, u32, i64, u64, f16, f32, f64)
names = {t.name: t for t in all_types}
real_types = (f16, f32, f64)
integer_types = (u1, i8, u8, i16, u16, i32, u32, i64, u64)

# Codes of scalar annotations that mean the program's default type; they are resolved when a kernel is compiled.
DEFAULT_IP, DEFAULT_FP, DEFAULT_UP = 100, 101, 102


def _by_name(name):
    return names[name]


def is_dtype(value):
    return isinstance(value, DType) or value is int or value is float or value is bool or _numpy_type(value) is not None


def _numpy_type(value):
    """Returns the DType of a NumPy scalar type or dtype, or None, without importing NumPy."""
    if getattr(type(value), "__module__", "").split(".")[0] != "numpy" and getattr(value, "__module__", "") != "numpy":
        return None
    import numpy as np

    try:
        return from_numpy_dtype(np.dtype(value))
    except TypeError:
        return None


def scalar_code(value):
    """Returns the code of an annotation; int and float stay symbolic."""
    if value is int:
        return DEFAULT_IP
    if value is float:
        return DEFAULT_FP
    return dtype(value)._qd_scalar_


def of_code(code):
    """Returns the DType that the code of an annotation currently means."""
    if code < DEFAULT_IP:
        return all_types[code - 1]
    return {DEFAULT_IP: _settings.default_ip, DEFAULT_FP: _settings.default_fp, DEFAULT_UP: _settings.default_up}[code]()


def dtype(value):
    """Returns the DType that `value` stands for: a DType, int, float, bool, or a NumPy type."""
    if isinstance(value, DType):
        return value
    if getattr(value, "_qd_kind_", None) == "quant_type":
        return value.compute
    if value is int:
        return _settings.default_ip()
    if value is float:
        return _settings.default_fp()
    if value is bool:
        return u1
    found = _numpy_type(value)
    if found is None:
        raise _exceptions.QuadrantsTypeError(f"{value!r} is not a scalar type")
    return found


_NUMPY_NAMES = {
    "u1": "bool", "i8": "int8", "u8": "uint8", "i16": "int16", "u16": "uint16", "i32": "int32", "u32": "uint32",
    "i64": "int64", "u64": "uint64", "f16": "float16", "f32": "float32", "f64": "float64",
}  # fmt: skip
_FROM_NUMPY = {v: k for k, v in _NUMPY_NAMES.items()}


def size(value):
    """Returns the size in bytes."""
    return (dtype(value).bits + 7) // 8


def numpy_dtype(value):
    import numpy as np

    return np.dtype(_NUMPY_NAMES[dtype(value).name])


def from_numpy_dtype(value):
    name = _FROM_NUMPY.get(value.name)
    return None if name is None else names[name]


def _type_of(value):
    """Returns the DType of a number type or of a number."""
    number = next((kind for kind in (bool, int, float) if isinstance(value, kind)), value)
    return dtype(number)


def is_real(value):
    """Returns whether a type, or the type of a number, is floating-point.

    Args:
        value: a number type, or a number of Python or NumPy.

    Example:
        >>> qd.types.is_real(qd.i32)
        False
    """
    return _type_of(value).kind == "float"


def is_integral(value):
    """Returns whether a type, or the type of a number, is an integer type.

    Args:
        value: a number type, or a number of Python or NumPy.

    Example:
        >>> qd.types.is_integral(qd.i32)
        True
    """
    return _type_of(value).kind != "float"


def is_signed(value):
    """Returns whether a type, or the type of a number, can represent negative values.

    Args:
        value: a number type, or a number of Python or NumPy.

    Example:
        >>> qd.types.is_signed(qd.u8)
        False
    """
    return _type_of(value).kind in ("int", "float")
