# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false
"""qd.math: functions in the manner of shading languages, for kernels; many also work on numbers and vectors in Python."""
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
    """Euclidean length of a vector.
    
    Args:
        x: a vector.
    
    Example:
        >>> qd.math.length(qd.Vector([3.0, 4.0]))
        5.0"""

def distance(x: Vector, y: Vector) -> float:
    """Length of x - y.
    
    Args:
        x: a vector.
        y: a vector of the same length.
    
    Example:
        >>> qd.math.distance(qd.Vector([1.0, 1.0]), qd.Vector([4.0, 5.0]))
        5.0"""

def dot(x: Vector, y: Vector) -> float:
    """Scalar product.
    
    Args:
        x: a vector.
        y: a vector of the same length.
    
    Example:
        >>> qd.math.dot(qd.Vector([1, 2]), qd.Vector([3, 4]))
        11"""

def determinant(m: Matrix) -> float:
    """Determinant of a square matrix.
    
    Args:
        m: a matrix of up to 4 rows.
    
    Example:
        >>> qd.math.determinant(qd.Matrix([[1.0, 2.0], [3.0, 4.0]]))
        -2.0"""

def normalize(v: _M) -> _M:
    """v scaled to length 1.
    
    Args:
        v: a vector, not zero.
    
    Example:
        >>> qd.math.normalize(qd.Vector([3.0, 4.0]))
        [0.6 0.8]"""

def cross(x: Vector, y: Vector) -> Any:
    """Vector product.
    
    Args:
        x: a vector of 3, or of 2.
        y: one of the same length.
    
    Returns:
        A vector; of two vectors of 2, a number.
    
    Example:
        >>> qd.math.cross(qd.Vector([1, 0, 0]), qd.Vector([0, 1, 0]))
        [0 0 1]"""

def inverse(mat: _M) -> _M:
    """Inverse of a square matrix.
    
    Args:
        mat: a matrix of up to 4 rows.
    
    Example:
        >>> qd.math.inverse(qd.Matrix([[2.0, 0.0], [0.0, 4.0]])).to_list()
        [[0.5, 0.0], [0.0, 0.25]]"""

def reflect(x: Vector, n: Vector) -> Vector:
    """x reflected at a plane.
    
    Args:
        x: a vector.
        n: the normal of the plane, of length 1.
    
    Example:
        >>> qd.math.reflect(qd.Vector([1.0, -1.0]), qd.Vector([0.0, 1.0]))
        [1. 1.]"""

def refract(x: Vector, n: Vector, eta: Any) -> Vector:
    """Direction of x refracted at a plane; zero for total reflection.
    
    Args:
        x: the direction, of length 1.
        n: the normal of the plane, of length 1.
        eta: the ratio of the indices of refraction.
    
    Example:
        >>> qd.math.refract(qd.Vector([0.0, -1.0]), qd.Vector([0.0, 1.0]), 1.0)
        [ 0. -1.]"""

def eye(n: int) -> Matrix:
    """The n x n identity matrix.
    
    Args:
        n: rows, a constant.
    
    Example:
        >>> qd.math.eye(2)
        [[1. 0.]
         [0. 1.]]"""

def vdir(ang: Any) -> Vector:
    """The unit vector at an angle.
    
    Args:
        ang: radians, counterclockwise from the first axis.
    
    Example:
        >>> qd.math.vdir(0.0)
        [1. 0.]"""

def rotation2d(ang: Any) -> Matrix:
    """The matrix that turns plane vectors counterclockwise.
    
    Args:
        ang: radians.
    
    Example:
        >>> qd.math.rotation2d(0.0)
        [[ 1. -0.]
         [ 0.  1.]]"""

def rotation3d(ang_x: Any, ang_y: Any, ang_z: Any) -> Matrix:
    """4x4 matrix that turns row vectors.
    
    Args:
        ang_x: pitch, in radians.
        ang_y: roll.
        ang_z: yaw.
    
    Example:
        >>> qd.math.rotation3d(0.0, 0.0, 0.0)[3, 3]
        1.0"""

def rot_by_axis(axis: Vector, ang: Any) -> Matrix:
    """4x4 matrix that turns row vectors about an axis: the transpose of Rodrigues' formula.
    
    Args:
        axis: a vector of 3, not zero.
        ang: radians.
    
    Example:
        >>> qd.math.rot_by_axis(qd.Vector([0.0, 0.0, 1.0]), 0.0)[0, 0]
        1.0"""

def rot_yaw_pitch_roll(yaw: Any, pitch: Any, roll: Any) -> Matrix:
    """4x4 matrix that turns row vectors: Rz(-roll) Rx(-pitch) Ry(-yaw).
    
    Args:
        yaw: radians.
        pitch: radians.
        roll: radians.
    
    Example:
        >>> qd.math.rot_yaw_pitch_roll(0.0, 0.0, 0.0)[0, 0]
        1.0"""

def translate(dx: Any, dy: Any, dz: Any) -> Matrix:
    """4x4 matrix that moves points.
    
    Args:
        dx: along the first axis.
        dy: along the second.
        dz: along the third.
    
    Example:
        >>> qd.math.translate(1.0, 2.0, 3.0)[0, 3]
        1.0"""

def scale(sx: Any, sy: Any, sz: Any) -> Matrix:
    """4x4 matrix that scales along the axes.
    
    Args:
        sx: factor of the first axis.
        sy: of the second.
        sz: of the third.
    
    Example:
        >>> qd.math.scale(2.0, 3.0, 4.0).trace()
        10.0"""

def cconj(z: Vector) -> Vector:
    """Complex conjugate.
    
    Args:
        z: a vector (real, imaginary).
    
    Example:
        >>> qd.math.cconj(qd.Vector([1.0, 2.0]))
        [ 1. -2.]"""

def cdiv(z1: Vector, z2: Vector) -> Vector:
    """Complex quotient.
    
    Args:
        z1: the dividend, a vector (real, imaginary).
        z2: the divisor.
    
    Example:
        >>> qd.math.cdiv(qd.Vector([0.0, 2.0]), qd.Vector([0.0, 1.0]))
        [2. 0.]"""

def cexp(z: Vector) -> Vector:
    """Complex exponential.
    
    Args:
        z: a vector (real, imaginary).
    
    Example:
        >>> qd.math.cexp(qd.Vector([0.0, 0.0]))
        [1. 0.]"""

def cinv(z: Vector) -> Vector:
    """Complex 1 / z.
    
    Args:
        z: a vector (real, imaginary).
    
    Example:
        >>> qd.math.cinv(qd.Vector([2.0, 0.0]))
        [ 0.5 -0. ]"""

def clog(z: Vector) -> Vector:
    """Complex logarithm, the principal one.
    
    Args:
        z: a vector (real, imaginary), not zero.
    
    Example:
        >>> qd.math.clog(qd.Vector([1.0, 0.0]))
        [0. 0.]"""

def cmul(z1: Vector, z2: Vector) -> Vector:
    """Complex product.
    
    Args:
        z1: a vector (real, imaginary).
        z2: another one.
    
    Example:
        >>> qd.math.cmul(qd.Vector([0.0, 1.0]), qd.Vector([0.0, 1.0]))
        [-1.  0.]"""

def cpow(z: Vector, n: Any) -> Vector:
    """Complex z to a real power.
    
    Args:
        z: a vector (real, imaginary).
        n: the exponent, a number.
    
    Example:
        >>> qd.math.cpow(qd.Vector([2.0, 0.0]), 3.0)
        [8. 0.]"""

def csqrt(z: Vector) -> Vector:
    """Complex square root, the one with non-negative real part.
    
    Args:
        z: a vector (real, imaginary).
    
    Example:
        >>> qd.math.csqrt(qd.Vector([4.0, 0.0]))
        [2. 0.]"""

def fract(x: _T) -> _T:
    """x - floor(x), in [0, 1).
    
    Args:
        x: number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        The type and shape of the argument; elementwise.
    
    Example:
        >>> qd.math.fract(2.75)
        0.75"""

def degrees(x: _T) -> _T:
    """Radians to degrees.
    
    Args:
        x: number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        The type and shape of the argument; elementwise.
    
    Example:
        >>> qd.math.degrees(qd.math.pi)
        180.0"""

def radians(x: _T) -> _T:
    """Degrees to radians.
    
    Args:
        x: number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        The type and shape of the argument; elementwise.
    
    Example:
        >>> qd.math.radians(180.0)
        3.141592653589793"""
from quadrants import acos as acos
from quadrants import asin as asin
from quadrants import atan2 as atan2
from quadrants import ceil as ceil

def clamp(x: Any, xmin: Any, xmax: Any) -> Any:
    """x, but not below `xmin` nor above `xmax`.
    
    Args:
        x: number, vector or matrix.
        xmin: the lower bound.
        xmax: the upper bound, which wins where they cross.
    
    Returns:
        Elementwise; a number beside a vector or matrix stands for one of its shape, types are promoted.
    
    Example:
        >>> qd.math.clamp(7, 0, 5)
        5"""

def clz(x: Any) -> Any:
    """Leading zero bits of an integer.
    
    Args:
        x: an integer of 32 or 64 bits.
    
    Returns:
        An i32.
    
    Raises:
        QuadrantsSyntaxError: outside of kernels and funcs.
    
    Example:
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     return qd.math.clz(1)
        >>> f()
        31"""
from quadrants import cos as cos
from quadrants import exp as exp

def ffs(x: Any) -> Any:
    """The place of the lowest bit that is set, from 1 on; 0 if none is.
    
    Args:
        x: an integer of 32 or 64 bits.
    
    Returns:
        An i32.
    
    Raises:
        QuadrantsSyntaxError: outside of kernels and funcs.
    
    Example:
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     return qd.math.ffs(12)
        >>> f()
        3"""
from quadrants import floor as floor

def fns(mask: Any, base: Any, offset: Any) -> Any:
    """Position of the `offset`-th set bit of a u32 from bit `base` on; 0xFFFFFFFF if there is none.
    
    Args:
        mask: the u32.
        base: the bit to begin at.
        offset: which one: upwards if it is positive, downwards if it is negative; for 0 `base` itself if that bit is set.
    
    Example:
        >>> @qd.kernel
        ... def f() -> qd.u32:
        ...     return qd.math.fns(0b1010, 0, 2)
        >>> f()
        3"""

def isinf(x: Any) -> Any:
    """Whether x is infinite.
    
    Args:
        x: number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        A truth value; elementwise.
    
    Example:
        >>> qd.math.isinf(1.0)
        False"""

def isnan(x: Any) -> Any:
    """Whether x is not a number.
    
    Args:
        x: number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        A truth value; elementwise.
    
    Example:
        >>> qd.math.isnan(qd.math.nan)
        True"""
from quadrants import log as log

def log2(x: Any) -> Any:
    """Logarithm to the base 2.
    
    Args:
        x: number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        The type and shape of the argument; elementwise.
    
    Example:
        >>> qd.math.log2(8.0)
        3.0"""
from quadrants import max as max
from quadrants import min as min

def mix(x: Any, y: Any, a: Any) -> Any:
    """x * (1 - a) + y * a.
    
    Args:
        x: the value at a = 0.
        y: the value at a = 1.
        a: the weight of y.
    
    Returns:
        Elementwise; a number beside a vector or matrix stands for one of its shape, types are promoted.
    
    Example:
        >>> qd.math.mix(2.0, 4.0, 0.25)
        2.5"""

def mod(x: Any, y: Any) -> Any:
    """x % y of reals: has the sign of y.
    
    Args:
        x: the dividend.
        y: the divisor.
    
    Returns:
        Elementwise; a number beside a vector or matrix stands for one of its shape, types are promoted.
    
    Example:
        >>> qd.math.mod(-1.0, 3.0)
        2.0"""

def popcnt(x: Any) -> Any:
    """How many bits of an integer are set.
    
    Args:
        x: an integer of 32 or 64 bits.
    
    Returns:
        An i32.
    
    Raises:
        QuadrantsSyntaxError: outside of kernels and funcs.
    
    Example:
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     return qd.math.popcnt(7)
        >>> f()
        3"""
from quadrants import pow as pow
from quadrants import round as round

def sign(x: Any) -> Any:
    """-1, 0 or 1, by the sign of x.
    
    Args:
        x: number, vector or matrix.
    
    Returns:
        The type and shape of the argument; elementwise.
    
    Example:
        >>> qd.math.sign(-2.5)
        -1"""
from quadrants import sin as sin

def smoothstep(edge0: Any, edge1: Any, x: Any) -> Any:
    """0 up to `edge0`, 1 from `edge1` on, and 3t^2 - 2t^3 between them.
    
    Args:
        edge0: where it begins to rise.
        edge1: where it has risen.
        x: number, vector or matrix.
    
    Returns:
        Elementwise; a number beside a vector or matrix stands for one of its shape, types are promoted.
    
    Example:
        >>> qd.math.smoothstep(0.0, 1.0, 0.5)
        0.5"""
from quadrants import sqrt as sqrt

def step(edge: Any, x: Any) -> Any:
    """0 where x < edge, else 1.
    
    Args:
        edge: where the step is.
        x: number, vector or matrix.
    
    Returns:
        Elementwise; a number beside a vector or matrix stands for one of its shape, types are promoted.
    
    Example:
        >>> qd.math.step(1.0, 0.5)
        0.0"""
from quadrants import tan as tan
from quadrants import tanh as tanh
