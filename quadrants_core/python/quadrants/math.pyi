# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false, reportAssignmentType=false
"""qd.math: functions of shading languages, for kernels; many also work on numbers and vectors in Python."""
from typing import Any, TypeAlias, TypeVar, overload
from quadrants import Matrix, Vector
_T = TypeVar('_T')
_M = TypeVar('_M', bound=Matrix)
pi: float
e: float
inf: float
nan: float
vec2: TypeAlias = Vector
'A vector of 2 floats: an annotation, and a maker of values.'
vec3: TypeAlias = Vector
'A vector of 3 floats: an annotation, and a maker of values.'
vec4: TypeAlias = Vector
'A vector of 4 floats: an annotation, and a maker of values.'
ivec2: TypeAlias = Vector
'A vector of 2 integers: an annotation, and a maker of values.'
ivec3: TypeAlias = Vector
'A vector of 3 integers: an annotation, and a maker of values.'
ivec4: TypeAlias = Vector
'A vector of 4 integers: an annotation, and a maker of values.'
uvec2: TypeAlias = Vector
'A vector of 2 unsigned integers: an annotation, and a maker of values.'
uvec3: TypeAlias = Vector
'A vector of 3 unsigned integers: an annotation, and a maker of values.'
uvec4: TypeAlias = Vector
'A vector of 4 unsigned integers: an annotation, and a maker of values.'
mat2: TypeAlias = Matrix
'A matrix of 2x2 floats: an annotation, and a maker of values.'
mat3: TypeAlias = Matrix
'A matrix of 3x3 floats: an annotation, and a maker of values.'
mat4: TypeAlias = Matrix
'A matrix of 4x4 floats: an annotation, and a maker of values.'

def length(x: Vector) -> float:
    """Returns the Euclidean length of a vector.
    
    Args:
        x: a vector.
    
    Example:
        >>> qd.math.length(qd.Vector([3.0, 4.0]))
        5.0"""

def distance(x: Vector, y: Vector) -> float:
    """Returns the Euclidean distance between x and y.
    
    Args:
        x: a vector.
        y: a vector of the same length.
    
    Example:
        >>> qd.math.distance(qd.Vector([1.0, 1.0]), qd.Vector([4.0, 5.0]))
        5.0"""

def dot(x: Vector, y: Vector) -> float:
    """Returns the dot product.
    
    Args:
        x: a vector.
        y: a vector of the same length.
    
    Example:
        >>> qd.math.dot(qd.Vector([1, 2]), qd.Vector([3, 4]))
        11"""

def determinant(m: Matrix) -> float:
    """Returns the determinant of a square matrix.
    
    Args:
        m: a square matrix with up to 4 rows.
    
    Example:
        >>> qd.math.determinant(qd.Matrix([[1.0, 2.0], [3.0, 4.0]]))
        -2.0"""

def normalize(v: _M) -> _M:
    """Returns v scaled to length 1.
    
    Args:
        v: a nonzero vector.
    
    Example:
        >>> qd.math.normalize(qd.Vector([3.0, 4.0]))
        [0.6 0.8]"""

def cross(x: Vector, y: Vector) -> Any:
    """Returns the cross product.
    
    Args:
        x: a vector of length 3 or 2.
        y: a vector of the same length.
    
    Returns:
        A vector; for vectors of length 2, a number.
    
    Example:
        >>> qd.math.cross(qd.Vector([1, 0, 0]), qd.Vector([0, 1, 0]))
        [0 0 1]"""

def inverse(mat: _M) -> _M:
    """Returns the inverse of a square matrix.
    
    Args:
        mat: a square matrix with up to 4 rows.
    
    Example:
        >>> qd.math.inverse(qd.Matrix([[2.0, 0.0], [0.0, 4.0]])).to_list()
        [[0.5, 0.0], [0.0, 0.25]]"""

def reflect(x: Vector, n: Vector) -> Vector:
    """Returns x reflected at a plane.
    
    Args:
        x: a vector.
        n: the normal of the plane, of length 1.
    
    Example:
        >>> qd.math.reflect(qd.Vector([1.0, -1.0]), qd.Vector([0.0, 1.0]))
        [1. 1.]"""

def refract(x: Vector, n: Vector, eta: Any) -> Vector:
    """Returns the direction of x after refraction at a plane; zero for total reflection.
    
    Args:
        x: the incident direction, a vector of length 1.
        n: the normal of the plane, a vector of length 1.
        eta: the ratio of the refractive indices.
    
    Example:
        >>> qd.math.refract(qd.Vector([0.0, -1.0]), qd.Vector([0.0, 1.0]), 1.0)
        [ 0. -1.]"""

def eye(n: int) -> Matrix:
    """Returns the n x n identity matrix.
    
    Args:
        n: number of rows, a compile-time constant.
    
    Example:
        >>> qd.math.eye(2)
        [[1. 0.]
         [0. 1.]]"""

def vdir(ang: Any) -> Vector:
    """Returns the unit vector at an angle.
    
    Args:
        ang: the angle in radians, counterclockwise from the first axis.
    
    Example:
        >>> qd.math.vdir(0.0)
        [1. 0.]"""

def rotation2d(ang: Any) -> Matrix:
    """Returns the 2x2 matrix that rotates vectors counterclockwise.
    
    Args:
        ang: the angle in radians.
    
    Example:
        >>> qd.math.rotation2d(0.0)
        [[ 1. -0.]
         [ 0.  1.]]"""

def rotation3d(ang_x: Any, ang_y: Any, ang_z: Any) -> Matrix:
    """Returns the 4x4 matrix that rotates row vectors, given the angles about the axes.
    
    Args:
        ang_x: pitch, in radians.
        ang_y: roll, in radians.
        ang_z: yaw, in radians.
    
    Example:
        >>> qd.math.rotation3d(0.0, 0.0, 0.0)[3, 3]
        1.0"""

def rot_by_axis(axis: Vector, ang: Any) -> Matrix:
    """Returns the 4x4 matrix that rotates row vectors about an axis: the transpose of Rodrigues' formula.
    
    Args:
        axis: a nonzero vector of length 3.
        ang: the angle in radians.
    
    Example:
        >>> qd.math.rot_by_axis(qd.Vector([0.0, 0.0, 1.0]), 0.0)[0, 0]
        1.0"""

def rot_yaw_pitch_roll(yaw: Any, pitch: Any, roll: Any) -> Matrix:
    """Returns the 4x4 matrix that rotates row vectors: Rz(-roll) Rx(-pitch) Ry(-yaw).
    
    Args:
        yaw: the yaw angle in radians.
        pitch: the pitch angle in radians.
        roll: the roll angle in radians.
    
    Example:
        >>> qd.math.rot_yaw_pitch_roll(0.0, 0.0, 0.0)[0, 0]
        1.0"""

def translate(dx: Any, dy: Any, dz: Any) -> Matrix:
    """Returns the 4x4 matrix that translates points.
    
    Args:
        dx: distance along the first axis.
        dy: distance along the second axis.
        dz: distance along the third axis.
    
    Example:
        >>> qd.math.translate(1.0, 2.0, 3.0)[0, 3]
        1.0"""

def scale(sx: Any, sy: Any, sz: Any) -> Matrix:
    """Returns the 4x4 matrix that scales along the axes.
    
    Args:
        sx: scale factor along the first axis.
        sy: scale factor along the second axis.
        sz: scale factor along the third axis.
    
    Example:
        >>> qd.math.scale(2.0, 3.0, 4.0).trace()
        10.0"""

def cconj(z: Vector) -> Vector:
    """Returns the complex conjugate.
    
    Args:
        z: a vector (real, imaginary).
    
    Example:
        >>> qd.math.cconj(qd.Vector([1.0, 2.0]))
        [ 1. -2.]"""

def cdiv(z1: Vector, z2: Vector) -> Vector:
    """Returns the quotient of two complex numbers.
    
    Args:
        z1: the dividend, a vector (real, imaginary).
        z2: the divisor, a vector (real, imaginary).
    
    Example:
        >>> qd.math.cdiv(qd.Vector([0.0, 2.0]), qd.Vector([0.0, 1.0]))
        [2. 0.]"""

def cexp(z: Vector) -> Vector:
    """Returns the exponential of a complex number.
    
    Args:
        z: a vector (real, imaginary).
    
    Example:
        >>> qd.math.cexp(qd.Vector([0.0, 0.0]))
        [1. 0.]"""

def cinv(z: Vector) -> Vector:
    """Returns the reciprocal of a complex number.
    
    Args:
        z: a vector (real, imaginary).
    
    Example:
        >>> qd.math.cinv(qd.Vector([2.0, 0.0]))
        [ 0.5 -0. ]"""

def clog(z: Vector) -> Vector:
    """Returns the principal logarithm of a complex number.
    
    Args:
        z: a nonzero vector (real, imaginary).
    
    Example:
        >>> qd.math.clog(qd.Vector([1.0, 0.0]))
        [0. 0.]"""

def cmul(z1: Vector, z2: Vector) -> Vector:
    """Returns the product of two complex numbers.
    
    Args:
        z1: a vector (real, imaginary).
        z2: a vector (real, imaginary).
    
    Example:
        >>> qd.math.cmul(qd.Vector([0.0, 1.0]), qd.Vector([0.0, 1.0]))
        [-1.  0.]"""

def cpow(z: Vector, n: Any) -> Vector:
    """Returns a complex number raised to a real power.
    
    Args:
        z: a vector (real, imaginary).
        n: the exponent, a real number.
    
    Example:
        >>> qd.math.cpow(qd.Vector([2.0, 0.0]), 3.0)
        [8. 0.]"""

def csqrt(z: Vector) -> Vector:
    """Returns the principal square root of a complex number, which has a non-negative real part.
    
    Args:
        z: a vector (real, imaginary).
    
    Example:
        >>> qd.math.csqrt(qd.Vector([4.0, 0.0]))
        [2. 0.]"""

def fract(x: _T) -> _T:
    """Returns the fractional part x - floor(x), in [0, 1).
    
    Args:
        x: a number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        The result, elementwise, with the type and shape of the argument.
    
    Example:
        >>> qd.math.fract(2.75)
        0.75"""

def degrees(x: _T) -> _T:
    """Converts radians to degrees.
    
    Args:
        x: a number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        The result, elementwise, with the type and shape of the argument.
    
    Example:
        >>> qd.math.degrees(qd.math.pi)
        180.0"""

def radians(x: _T) -> _T:
    """Converts degrees to radians.
    
    Args:
        x: a number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        The result, elementwise, with the type and shape of the argument.
    
    Example:
        >>> qd.math.radians(180.0)
        3.141592653589793"""
from quadrants import acos as acos
from quadrants import asin as asin
from quadrants import atan2 as atan2
from quadrants import ceil as ceil

def clamp(x: Any, xmin: Any, xmax: Any) -> Any:
    """Limits x to the range from `xmin` to `xmax`.
    
    Args:
        x: a number, vector or matrix.
        xmin: the lower bound.
        xmax: the upper bound, which takes precedence if it is less than `xmin`.
    
    Returns:
        The result, elementwise; numbers are broadcast to the shape of vectors and matrices, and types are promoted.
    
    Example:
        >>> qd.math.clamp(7, 0, 5)
        5"""

def clz(x: Any) -> Any:
    """Returns the number of leading zero bits of an integer.
    
    Args:
        x: an integer with 32 or 64 bits.
    
    Returns:
        An i32.
    
    Raises:
        QuadrantsSyntaxError: called outside kernels and funcs.
    
    Example:
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     return qd.math.clz(1)
        >>> f()
        31"""
from quadrants import cos as cos
from quadrants import exp as exp

def ffs(x: Any) -> Any:
    """Returns the position of the lowest set bit, counted from 1; 0 if no bit is set.
    
    Args:
        x: an integer with 32 or 64 bits.
    
    Returns:
        An i32.
    
    Raises:
        QuadrantsSyntaxError: called outside kernels and funcs.
    
    Example:
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     return qd.math.ffs(12)
        >>> f()
        3"""
from quadrants import floor as floor

def fns(mask: Any, base: Any, offset: Any) -> Any:
    """Returns the position of the `offset`-th set bit of a u32, counted from bit `base`, or 0xFFFFFFFF if there is none.
    
    Args:
        mask: a u32.
        base: the bit at which the search begins.
        offset: which set bit: upwards if positive, downwards if negative. If it is 0, the result is `base` if that bit is set.
    
    Example:
        >>> @qd.kernel
        ... def f() -> qd.u32:
        ...     return qd.math.fns(0b1010, 0, 2)
        >>> f()
        3"""

def isinf(x: Any) -> Any:
    """Returns whether x is infinite.
    
    Args:
        x: a number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        True or False; elementwise.
    
    Example:
        >>> qd.math.isinf(1.0)
        False"""

def isnan(x: Any) -> Any:
    """Returns whether x is nan.
    
    Args:
        x: a number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        True or False; elementwise.
    
    Example:
        >>> qd.math.isnan(qd.math.nan)
        True"""
from quadrants import log as log

def log2(x: Any) -> Any:
    """Returns the logarithm to the base 2.
    
    Args:
        x: a number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        The result, elementwise, with the type and shape of the argument.
    
    Example:
        >>> qd.math.log2(8.0)
        3.0"""
from quadrants import max as max
from quadrants import min as min

def mix(x: Any, y: Any, a: Any) -> Any:
    """Interpolates linearly: returns x * (1 - a) + y * a.
    
    Args:
        x: the value at a = 0.
        y: the value at a = 1.
        a: the weight of y.
    
    Returns:
        The result, elementwise; numbers are broadcast to the shape of vectors and matrices, and types are promoted.
    
    Example:
        >>> qd.math.mix(2.0, 4.0, 0.25)
        2.5"""

def mod(x: Any, y: Any) -> Any:
    """Returns x % y for floating-point numbers; the result has the sign of y.
    
    Args:
        x: the dividend.
        y: the divisor.
    
    Returns:
        The result, elementwise; numbers are broadcast to the shape of vectors and matrices, and types are promoted.
    
    Example:
        >>> qd.math.mod(-1.0, 3.0)
        2.0"""

def popcnt(x: Any) -> Any:
    """Returns the number of set bits of an integer.
    
    Args:
        x: an integer with 32 or 64 bits.
    
    Returns:
        An i32.
    
    Raises:
        QuadrantsSyntaxError: called outside kernels and funcs.
    
    Example:
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     return qd.math.popcnt(7)
        >>> f()
        3"""
from quadrants import pow as pow
from quadrants import round as round

def sign(x: Any) -> Any:
    """Returns the sign of x: -1, 0 or 1.
    
    Args:
        x: a number, vector or matrix.
    
    Returns:
        The result, elementwise, with the type and shape of the argument.
    
    Example:
        >>> qd.math.sign(-2.5)
        -1"""
from quadrants import sin as sin

def smoothstep(edge0: Any, edge1: Any, x: Any) -> Any:
    """Interpolates smoothly: returns 0 up to `edge0`, 1 from `edge1` on, and 3t^2 - 2t^3 between them.
    
    Args:
        edge0: the lower edge.
        edge1: the upper edge.
        x: a number, vector or matrix.
    
    Returns:
        The result, elementwise; numbers are broadcast to the shape of vectors and matrices, and types are promoted.
    
    Example:
        >>> qd.math.smoothstep(0.0, 1.0, 0.5)
        0.5"""
from quadrants import sqrt as sqrt

def step(edge: Any, x: Any) -> Any:
    """Returns 0 where x < edge, else 1.
    
    Args:
        edge: the position of the step.
        x: a number, vector or matrix.
    
    Returns:
        The result, elementwise; numbers are broadcast to the shape of vectors and matrices, and types are promoted.
    
    Example:
        >>> qd.math.step(1.0, 0.5)
        0.0"""
from quadrants import tan as tan
from quadrants import tanh as tanh
