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
    """Euclidean length of a vector."""

def distance(x: Vector, y: Vector) -> float:
    """Length of x - y."""

def dot(x: Vector, y: Vector) -> float:
    """Scalar product."""

def determinant(m: Matrix) -> float:
    """Determinant of a square matrix."""

def normalize(v: _M) -> _M:
    """v scaled to length 1."""

def cross(x: Vector, y: Vector) -> Any:
    """Vector product."""

def inverse(mat: _M) -> _M:
    """Inverse of a square matrix."""

def reflect(x: Vector, n: Vector) -> Vector:
    """x reflected at the plane with normal n."""

def refract(x: Vector, n: Vector, eta: Any) -> Vector:
    """Direction of x refracted at the plane with normal n; zero for total reflection."""

def eye(n: int) -> Matrix:
    """The n x n identity matrix."""

def vdir(ang: Any) -> Vector:
    """The unit vector at this angle."""

def rotation2d(ang: Any) -> Matrix:
    """The matrix that turns plane vectors counterclockwise."""

def rotation3d(ang_x: Any, ang_y: Any, ang_z: Any) -> Matrix:
    """4x4 matrix that turns row vectors: yaw is `ang_z`, pitch `ang_x`, roll `ang_y`."""

def rot_by_axis(axis: Vector, ang: Any) -> Matrix:
    """4x4 matrix that turns row vectors by `ang` about `axis`: the transpose of Rodrigues' formula."""

def rot_yaw_pitch_roll(yaw: Any, pitch: Any, roll: Any) -> Matrix:
    """4x4 matrix that turns row vectors: Rz(-roll) Rx(-pitch) Ry(-yaw)."""

def translate(dx: Any, dy: Any, dz: Any) -> Matrix:
    """4x4 matrix that moves points."""

def scale(sx: Any, sy: Any, sz: Any) -> Matrix:
    """4x4 matrix that scales along the axes."""

def cconj(z: Vector) -> Vector:
    """Complex conjugate."""

def cdiv(z1: Vector, z2: Vector) -> Vector:
    """Complex quotient."""

def cexp(z: Vector) -> Vector:
    """Complex exponential."""

def cinv(z: Vector) -> Vector:
    """Complex 1 / z."""

def clog(z: Vector) -> Vector:
    """Complex logarithm, the principal one."""

def cmul(z1: Vector, z2: Vector) -> Vector:
    """Complex product."""

def cpow(z: Vector, n: Any) -> Vector:
    """Complex z to a real power."""

def csqrt(z: Vector) -> Vector:
    """Complex square root, the one with non-negative real part."""

def fract(x: _T) -> _T:
    """fract of numbers, vectors or matrices, elementwise."""

def degrees(x: _T) -> _T:
    """degrees of numbers, vectors or matrices, elementwise."""

def radians(x: _T) -> _T:
    """radians of numbers, vectors or matrices, elementwise."""
from quadrants import acos as acos
from quadrants import asin as asin
from quadrants import atan2 as atan2
from quadrants import ceil as ceil

def clamp(x: Any, xmin: Any, xmax: Any) -> Any:
    """clamp of numbers, vectors or matrices, elementwise."""

def clz(x: Any) -> Any:
    """clz: for kernels and funcs."""
from quadrants import cos as cos
from quadrants import exp as exp

def ffs(x: Any) -> Any:
    """ffs: for kernels and funcs."""
from quadrants import floor as floor

def fns(mask: Any, base: Any, offset: Any) -> Any:
    """Position of the `offset`-th set bit of a u32 from bit `base` on, upwards if `offset` is positive, downwards if it is
    negative; for 0 `base` itself if that bit is set. 0xFFFFFFFF if there is none."""

def isinf(x: Any) -> Any:
    """isinf of numbers, vectors or matrices, elementwise."""

def isnan(x: Any) -> Any:
    """isnan of numbers, vectors or matrices, elementwise."""
from quadrants import log as log

def log2(x: Any) -> Any:
    """log2 of numbers, vectors or matrices, elementwise."""
from quadrants import max as max
from quadrants import min as min

def mix(x: Any, y: Any, a: Any) -> Any:
    """mix of numbers, vectors or matrices, elementwise."""

def mod(x: Any, y: Any) -> Any:
    """mod of numbers, vectors or matrices, elementwise."""

def popcnt(x: Any) -> Any:
    """popcnt: for kernels and funcs."""
from quadrants import pow as pow
from quadrants import round as round

def sign(x: Any) -> Any:
    """sign of numbers, vectors or matrices, elementwise."""
from quadrants import sin as sin

def smoothstep(edge0: Any, edge1: Any, x: Any) -> Any:
    """smoothstep of numbers, vectors or matrices, elementwise."""
from quadrants import sqrt as sqrt

def step(edge: Any, x: Any) -> Any:
    """step of numbers, vectors or matrices, elementwise."""
from quadrants import tan as tan
from quadrants import tanh as tanh
