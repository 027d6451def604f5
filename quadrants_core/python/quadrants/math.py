"""qd.math: functions of shading languages, for kernels; many also work on numbers and vectors in Python."""

import math as _math

from quadrants import _dtypes
from quadrants._language import annotations as _annotations, ops as _ops
from quadrants._language.math_funcs import (
    cconj, cdiv, cexp, cinv, clog, cmul, cpow, csqrt, eye, fns, refract, rot_by_axis, rot_yaw_pitch_roll, rotation2d,
    rotation3d, scale, translate, vdir,
)  # fmt: skip
from quadrants._language.ops import acos, asin, atan2, ceil, cos, exp, floor, log, max, min, pow, round, sin, sqrt, tan, tanh


def _builtin(fn):
    return _ops.builtin(fn, "math." + fn.__name__)


pi, e, inf, nan = _math.pi, _math.e, _math.inf, _math.nan

vec2, vec3, vec4 = (_annotations.DefaultMatrixType(_n, 1, 1, _dtypes.DEFAULT_FP) for _n in (2, 3, 4))
ivec2, ivec3, ivec4 = (_annotations.DefaultMatrixType(_n, 1, 1, _dtypes.DEFAULT_IP) for _n in (2, 3, 4))
uvec2, uvec3, uvec4 = (_annotations.DefaultMatrixType(_n, 1, 1, _dtypes.DEFAULT_UP) for _n in (2, 3, 4))
mat2, mat3, mat4 = (_annotations.DefaultMatrixType(_n, _n, 2, _dtypes.DEFAULT_FP) for _n in (2, 3, 4))

_ELEMENTWISE = {
    "sign(x)": lambda x: (x > 0) - (x < 0),
    "fract(x)": lambda x: x - _math.floor(x),
    "clamp(x, xmin, xmax)": lambda x, lo, hi: min(hi, max(lo, x)),
    "mix(x, y, a)": lambda x, y, a: x * (1.0 - a) + y * a,
    "step(edge, x)": lambda edge, x: 1.0 if x >= edge else 0.0,
    "smoothstep(edge0, edge1, x)": lambda lo, hi, x: (lambda t: t * t * (3.0 - 2.0 * t))(min(max((x - lo) / (hi - lo), 0.0), 1.0)),
    "mod(x, y)": lambda x, y: x - y * _math.floor(x / y),
    "radians(x)": _math.radians,
    "degrees(x)": _math.degrees,
    "log2(x)": _math.log2,
    "isnan(x)": _math.isnan,
    "isinf(x)": _math.isinf,
}
_ops._define(globals(), _ELEMENTWISE, "math.")


@_builtin
def length(x):
    """Returns the Euclidean length of a vector.

    Args:
        x: a vector.

    Example:
        >>> qd.math.length(qd.Vector([3.0, 4.0]))
        5.0
    """
    return x.norm()


@_builtin
def distance(x, y):
    """Returns the Euclidean distance between x and y.

    Args:
        x: a vector.
        y: a vector of the same length.

    Example:
        >>> qd.math.distance(qd.Vector([1.0, 1.0]), qd.Vector([4.0, 5.0]))
        5.0
    """
    return (x - y).norm()


@_builtin
def normalize(v):
    """Returns v scaled to length 1.

    Args:
        v: a nonzero vector.

    Example:
        >>> qd.math.normalize(qd.Vector([3.0, 4.0]))
        [0.6 0.8]
    """
    return v / v.norm()


@_builtin
def dot(x, y):
    """Returns the dot product.

    Args:
        x: a vector.
        y: a vector of the same length.

    Example:
        >>> qd.math.dot(qd.Vector([1, 2]), qd.Vector([3, 4]))
        11
    """
    return x.dot(y)


@_builtin
def cross(x, y):
    """Returns the cross product.

    Args:
        x: a vector of length 3 or 2.
        y: a vector of the same length.

    Returns:
        A vector; for vectors of length 2, a number.

    Example:
        >>> qd.math.cross(qd.Vector([1, 0, 0]), qd.Vector([0, 1, 0]))
        [0 0 1]
    """
    return x.cross(y)


@_builtin
def determinant(m):
    """Returns the determinant of a square matrix.

    Args:
        m: a square matrix with up to 4 rows.

    Example:
        >>> qd.math.determinant(qd.Matrix([[1.0, 2.0], [3.0, 4.0]]))
        -2.0
    """
    return m.determinant()


@_builtin
def inverse(mat):
    """Returns the inverse of a square matrix.

    Args:
        mat: a square matrix with up to 4 rows.

    Example:
        >>> qd.math.inverse(qd.Matrix([[2.0, 0.0], [0.0, 4.0]])).to_list()
        [[0.5, 0.0], [0.0, 0.25]]
    """
    return mat.inverse()


@_builtin
def reflect(x, n):
    """Returns x reflected at a plane.

    Args:
        x: a vector.
        n: the normal of the plane, of length 1.

    Example:
        >>> qd.math.reflect(qd.Vector([1.0, -1.0]), qd.Vector([0.0, 1.0]))
        [1. 1.]
    """
    return x - n * (2.0 * n.dot(x))


_ops.with_parameters(
    globals(), "clz(x); ffs(x); popcnt(x)", lambda name: _ops._raiser("math." + name), module="quadrants.math", prefix="math.",
)  # fmt: skip
