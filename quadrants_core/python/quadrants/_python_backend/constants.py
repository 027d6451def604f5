"""Constants that have a type: the value of a func's parameter without annotation, if the argument is a Python number."""

from quadrants._python_backend import numbers
from quadrants._python_backend.numbers import Known, Scalar, typed


class KnownInt(Known, int):
    pass


class KnownReal(Known, float):
    pass


def with_type(x):
    """Returns a constant with the type that it would have in a variable."""
    if not numbers.is_constant(x) or isinstance(x, Known):
        return x
    made = (KnownReal if isinstance(x, float) else KnownInt)(x)
    made.kind = numbers.kind_of(x)
    return made


def known(x):
    """Returns the constant of a Scalar that was computed from constants."""
    made = (KnownReal if numbers.is_real(x.kind) else KnownInt)(x.value)
    made.kind = x.kind
    return made


def without_type(x):
    """Returns the Python number of a Known."""
    if not isinstance(x, Known):
        return x
    return float(x) if isinstance(x, float) else bool(x) if x.kind is numbers.u1 else int(x)


def _operator(of_python, computed):
    """Returns an operator: of two constants, the result is a constant; operands that are not numbers are left to Python."""

    def operator(self, other):
        if not numbers.is_operand(other):
            return of_python(self, other) if of_python else NotImplemented
        result = computed(self, other)
        return known(result) if numbers.is_constant(other) else result

    return operator


def _unary(of_scalar):
    return lambda x: known(of_scalar(typed(x)))


def _add_operators(cls, python):
    for name, op in numbers.BINARY.items():
        for method, computed in (
            (f"__{name}__", lambda a, b, op=op: numbers.binary(op, a, b)),
            (f"__r{name}__", lambda a, b, op=op: numbers.binary(op, b, a)),
        ):
            setattr(cls, method, _operator(getattr(python, method, None), computed))
    for name, op in numbers.COMPARISONS.items():
        method = f"__{name}__"
        setattr(cls, method, _operator(getattr(python, method), lambda a, b, op=op: numbers.compare(op, a, b)))
    for name in ("neg", "pos", "abs", "invert"):
        setattr(cls, f"__{name}__", _unary(getattr(Scalar, f"__{name}__")))
    cls.__hash__ = python.__hash__


_add_operators(KnownInt, int)
_add_operators(KnownReal, float)
