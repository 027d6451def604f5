"""qd.math: functions of shading languages."""

import math as _math

from quadrants import _settings
from quadrants._python_backend import numbers
from quadrants._python_backend.matrices import _add, _div, _mul, _sub, cross, determinant, dot, inverse, norm
from quadrants._python_backend.numbers import Scalar, as_kind, kind_of, promote, value_as
from quadrants._python_backend.table import named, table
from quadrants._python_backend.values import broadcast, each, fresh, to_mat, value_of

table["math.length"] = lambda x: norm(to_mat(x))
table["math.dot"], table["math.cross"] = dot, cross
table["math.inverse"], table["math.determinant"] = inverse, determinant
table["math.distance"] = lambda a, b: norm(broadcast("-", to_mat(a), to_mat(b), _sub))


@named("math.normalize")
def normalize(x):
    x = to_mat(x)
    return broadcast("*", x, _div(1.0, norm(x)), _mul)


@named("math.reflect")
def reflect(x, n):
    x, n = to_mat(x), to_mat(n)
    return broadcast("-", x, broadcast("*", _mul(2, dot(x, n)), n, _mul), _sub)


@named("math.clamp")
def clamp(x, xmin, xmax):
    raised = broadcast("clamp", value_of(xmin), value_of(x), lambda a, b: numbers.binary("max", a, b))
    return broadcast("clamp", value_of(xmax), raised, lambda a, b: numbers.binary("min", a, b))


@named("math.mix")
def mix(x, y, a):
    x, y, a = value_of(x), value_of(y), fresh(a)
    rest = broadcast("-", 1.0, a, _sub)
    return broadcast("+", broadcast("*", x, rest, _mul), broadcast("*", y, a, _mul), _add)


def _real_kind(*xs):
    kind = kind_of(xs[0])
    for x in xs[1:]:
        kind = promote(kind, kind_of(x))
    return kind if numbers.is_real(kind) else _settings.default_fp()


@named("math.step")
def step(edge, x):
    def one(e, v):
        kind = _real_kind(e, v)
        return Scalar(kind, float(value_as(v, kind) >= value_as(e, kind)))

    return broadcast("step", value_of(edge), value_of(x), one)


@named("math.fract")
def fract(x):
    def one(c):
        kind = _real_kind(c)
        v = as_kind(c, kind)
        return _sub(v, Scalar(kind, numbers._floor(v.value)))

    return each(x, one)


@named("math.smoothstep")
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


@named("math.mod")
def floor_mod(x, y):
    def real(v):
        return each(fresh(v), lambda s: s if numbers.is_real(s.kind) else as_kind(s, _settings.default_fp()))

    return broadcast("%", real(x), real(y), lambda a, b: numbers.binary("%", a, b))
