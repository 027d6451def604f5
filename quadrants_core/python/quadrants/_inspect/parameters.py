"""Numbers that a window can set while the program is running."""

import math
import operator

from quadrants._windows import process as _process


class _Number:
    """Arithmetic, comparisons and formatting on `value`, like a number. Equality compares the current numbers, which may change, so there
    is no hash."""

    __hash__ = None

    def __bool__(self):
        return bool(self.value)

    def __float__(self):
        return float(self.value)

    def __int__(self):
        return int(self.value)

    def __round__(self, digits=None):
        return round(self.value, digits)

    def __str__(self):
        return str(self.value)

    def __array__(self, dtype=None, copy=None):
        import numpy as np

        return np.array(self.value, dtype)

    def __array_ufunc__(self, ufunc, method, *inputs, **others):
        """Delegates to NumPy with the number itself, so that it takes the type of the other arrays."""
        return getattr(ufunc, method)(*map(_plain, inputs), **others)

    def __format__(self, form):
        return format(self.value, form)

    def __divmod__(self, other):
        return divmod(self.value, _plain(other))

    def __rdivmod__(self, other):
        return divmod(other, self.value)

    def __pow__(self, other, *modulus):
        return pow(self.value, _plain(other), *modulus)


def _plain(number):
    return number.value if isinstance(number, _Number) else number


def _one(of):
    return lambda self: of(self.value)


def _two(of):
    return lambda self, other: of(self.value, _plain(other))


def _reflected(of):
    return lambda self, other: of(other, self.value)


for _name in ("neg", "pos", "abs", "trunc", "floor", "ceil"):
    setattr(_Number, f"__{_name}__", _one(getattr(operator, _name, None) or getattr(math, _name)))
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(_Number, f"__{_name}__", _two(getattr(operator, _name)))
for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod"):
    setattr(_Number, f"__{_name}__", _two(getattr(operator, _name)))
    setattr(_Number, f"__r{_name}__", _reflected(getattr(operator, _name)))
_Number.__rpow__ = _reflected(operator.pow)


class Parameter(_Number):
    """A number with a slider in the window, made by `ins.param`.

    Attributes:
        name, lowest, highest: the name and the bounds.

    It computes, compares and prints like its value, and kernels take it as an argument; as a template argument it is its value.

    Example:
        >>> feed = qd.inspect().param("feed", 0.037, 0.01, 0.08)  # doctest: +SKIP
        >>> step(u, feed)  # doctest: +SKIP
    """

    whole = False
    _qd_is_number_ = True

    def __init__(self, name, value, lowest, highest, changed):
        self.asked = _plain(value), lowest, highest
        self.name, self.lowest, self.highest, self._changed = name, lowest, highest, changed
        self._value = self._allowed(value)

    def _allowed(self, value):
        _check_number(self.name, "value", value)
        value = self._number(_plain(value))
        return min(max(value, self.lowest), self.highest)

    _number = staticmethod(float)

    @property
    def value(self):
        """The value of the slider; the program can set it, too."""
        return self._value

    @value.setter
    def value(self, value):
        self._value = self._allowed(value)
        self._changed()

    def __repr__(self):
        return f"<parameter {self.name}={self._value}>"

    def data(self):
        return {"name": self.name, "value": self._value, "lowest": self.lowest, "highest": self.highest, "whole": self.whole}


class WholeParameter(Parameter):
    """An integer parameter; it can also be used in `range(p)` and as an index."""

    whole = True
    _number = staticmethod(round)

    def __index__(self):
        return self._value


WholeParameter.__invert__ = _one(operator.invert)
for _name in ("lshift", "rshift", "and_", "or_", "xor"):
    setattr(WholeParameter, f"__{_name.rstrip('_')}__", _two(getattr(operator, _name)))
    setattr(WholeParameter, f"__r{_name.rstrip('_')}__", _reflected(getattr(operator, _name)))


def _check_number(name, what, number):
    if isinstance(number, bool) or not hasattr(number, "__float__"):
        raise TypeError(f"parameter {name}: {what} must be a number, not {type(number).__name__}")
    if not math.isfinite(float(number)):
        raise ValueError(f"parameter {name}: {number} is not a finite number" if what == "value" else f"parameter {name}: {what}={number} is not a finite number")


def parameter(name, value, lowest, highest, changed):
    for what, number in (("value", value), ("lo", lowest), ("hi", highest)):
        _check_number(name, what, number)
    if not lowest < highest:
        raise ValueError(f"parameter {name}: lo={lowest} must be less than hi={highest}")
    if not lowest <= value <= highest:
        raise ValueError(f"parameter {name}: value={value} is not between lo={lowest} and hi={highest}")
    whole = all(hasattr(number, "__index__") for number in (value, lowest, highest))
    ends = (_process.end_of_slider(int(n) if whole else float(n), f"parameter {name}: {what}") for what, n in (("lo", lowest), ("hi", highest)))
    return (WholeParameter if whole else Parameter)(name, value, *ends, changed)
