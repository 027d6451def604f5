"""Operators as functions, in kernels and in Python."""

from quadrants._dtypes import u1 as _u1
from quadrants._language.func import PyFunc as _PyFunc
from quadrants._language.func import pyfunc as _pyfunc
from quadrants._language.matrix import Matrix as _Matrix
from quadrants._language.ops import _map
from quadrants._language.ops import elementary as _elementary
from quadrants._language.ops import (
    atomic_add, atomic_and, atomic_cas, atomic_exchange, atomic_max, atomic_min, atomic_mul, atomic_or, atomic_sub,
    atomic_xor, bit_cast, cast, ceil, floor, max, min, random, round, volatile_load,
)  # fmt: skip

globals().update(_elementary)


@_pyfunc
def add(a, b):
    return a + b


@_pyfunc
def sub(a, b):
    return a - b


@_pyfunc
def mul(a, b):
    return a * b


@_pyfunc
def truediv(a, b):
    return a / b


@_pyfunc
def floordiv(a, b):
    return a // b


@_pyfunc
def mod(a, b):
    return a % b


@_pyfunc
def neg(a):
    return -a


@_pyfunc
def bit_and(a, b):
    return a & b


@_pyfunc
def bit_or(a, b):
    return a | b


@_pyfunc
def bit_xor(a, b):
    return a ^ b


@_pyfunc
def bit_not(a):
    return ~a


@_pyfunc
def bit_shl(a, b):
    return a << b


@_pyfunc
def bit_sar(a, b):
    return a >> b


class _OfTruth(_PyFunc):
    """A logical operation; in Python it also applies elementwise to vectors and matrices."""

    def __call__(self, *args):
        if not any(isinstance(a, _Matrix) for a in args):
            return self.fn(*args)
        return _map(lambda *row: bool(self.fn(*row)), *args).cast(_u1)


@_OfTruth
def logical_not(a):
    return not a


@_OfTruth
def logical_and(a, b):
    return a and b


@_OfTruth
def logical_or(a, b):
    return a or b


@_pyfunc
def cmp_eq(a, b):
    return a == b


@_pyfunc
def cmp_ne(a, b):
    return a != b


@_pyfunc
def cmp_lt(a, b):
    return a < b


@_pyfunc
def cmp_le(a, b):
    return a <= b


@_pyfunc
def cmp_gt(a, b):
    return a > b


@_pyfunc
def cmp_ge(a, b):
    return a >= b
