"""Functions of qd.math written in the language itself. Complex numbers are vectors (real, imaginary)."""

from quadrants._language.annotations import template
from quadrants._dtypes import u32
from quadrants._language.func import func, pyfunc
from quadrants._language.matrix import Matrix, Vector
from quadrants._language.ops import abs, atan2, cast, cos, exp, log, loop_config, pow, sin, sqrt


@pyfunc
def vdir(ang):
    """Returns the unit vector at an angle.

    Args:
        ang: the angle in radians, counterclockwise from the first axis.

    Example:
        >>> qd.math.vdir(0.0)
        [1. 0.]
    """
    return Vector([cos(ang), sin(ang)])


@pyfunc
def cconj(z):
    """Returns the complex conjugate.

    Args:
        z: a vector (real, imaginary).

    Example:
        >>> qd.math.cconj(qd.Vector([1.0, 2.0]))
        [ 1. -2.]
    """
    return Vector([z[0], -z[1]])


@pyfunc
def cmul(z1, z2):
    """Returns the product of two complex numbers.

    Args:
        z1: a vector (real, imaginary).
        z2: a vector (real, imaginary).

    Example:
        >>> qd.math.cmul(qd.Vector([0.0, 1.0]), qd.Vector([0.0, 1.0]))
        [-1.  0.]
    """
    return Vector([z1[0] * z2[0] - z1[1] * z2[1], z1[0] * z2[1] + z1[1] * z2[0]])


@pyfunc
def cinv(z):
    """Returns the reciprocal of a complex number.

    Args:
        z: a vector (real, imaginary).

    Example:
        >>> qd.math.cinv(qd.Vector([2.0, 0.0]))
        [ 0.5 -0. ]
    """
    return Vector([z[0], -z[1]]) / (z[0] * z[0] + z[1] * z[1])


@pyfunc
def cdiv(z1, z2):
    """Returns the quotient of two complex numbers.

    Args:
        z1: the dividend, a vector (real, imaginary).
        z2: the divisor, a vector (real, imaginary).

    Example:
        >>> qd.math.cdiv(qd.Vector([0.0, 2.0]), qd.Vector([0.0, 1.0]))
        [2. 0.]
    """
    size = z2[0] * z2[0] + z2[1] * z2[1]
    return Vector([z1[0] * z2[0] + z1[1] * z2[1], z1[1] * z2[0] - z1[0] * z2[1]]) / size


@pyfunc
def csqrt(z):
    """Returns the principal square root of a complex number, which has a non-negative real part.

    Args:
        z: a vector (real, imaginary).

    Example:
        >>> qd.math.csqrt(qd.Vector([4.0, 0.0]))
        [2. 0.]
    """
    half = atan2(z[1], z[0]) / 2.0
    return Vector([cos(half), sin(half)]) * sqrt(sqrt(z[0] * z[0] + z[1] * z[1]))


@pyfunc
def cexp(z):
    """Returns the exponential of a complex number.

    Args:
        z: a vector (real, imaginary).

    Example:
        >>> qd.math.cexp(qd.Vector([0.0, 0.0]))
        [1. 0.]
    """
    return Vector([cos(z[1]), sin(z[1])]) * exp(z[0])


@pyfunc
def clog(z):
    """Returns the principal logarithm of a complex number.

    Args:
        z: a nonzero vector (real, imaginary).

    Example:
        >>> qd.math.clog(qd.Vector([1.0, 0.0]))
        [0. 0.]
    """
    return Vector([log(sqrt(z[0] * z[0] + z[1] * z[1])), atan2(z[1], z[0])])


@pyfunc
def cpow(z, n):
    """Returns a complex number raised to a real power.

    Args:
        z: a vector (real, imaginary).
        n: the exponent, a real number.

    Example:
        >>> qd.math.cpow(qd.Vector([2.0, 0.0]), 3.0)
        [8. 0.]
    """
    angle = atan2(z[1], z[0]) * n
    return Vector([cos(angle), sin(angle)]) * pow(sqrt(z[0] * z[0] + z[1] * z[1]), n)


@pyfunc
def rotation2d(ang):
    """Returns the 2x2 matrix that rotates vectors counterclockwise.

    Args:
        ang: the angle in radians.

    Example:
        >>> qd.math.rotation2d(0.0)
        [[ 1. -0.]
         [ 0.  1.]]
    """
    return Matrix([[cos(ang), -sin(ang)], [sin(ang), cos(ang)]])


@pyfunc
def eye(n: template()):
    """Returns the n x n identity matrix.

    Args:
        n: number of rows, a compile-time constant.

    Example:
        >>> qd.math.eye(2)
        [[1. 0.]
         [0. 1.]]
    """
    return Matrix.identity(float, n)


@pyfunc
def scale(sx, sy, sz):
    """Returns the 4x4 matrix that scales along the axes.

    Args:
        sx: scale factor along the first axis.
        sy: scale factor along the second axis.
        sz: scale factor along the third axis.

    Example:
        >>> qd.math.scale(2.0, 3.0, 4.0).trace()
        10.0
    """
    return Matrix([[sx, 0.0, 0.0, 0.0], [0.0, sy, 0.0, 0.0], [0.0, 0.0, sz, 0.0], [0.0, 0.0, 0.0, 1.0]])


@pyfunc
def translate(dx, dy, dz):
    """Returns the 4x4 matrix that translates points.

    Args:
        dx: distance along the first axis.
        dy: distance along the second axis.
        dz: distance along the third axis.

    Example:
        >>> qd.math.translate(1.0, 2.0, 3.0)[0, 3]
        1.0
    """
    return Matrix([[1.0, 0.0, 0.0, dx], [0.0, 1.0, 0.0, dy], [0.0, 0.0, 1.0, dz], [0.0, 0.0, 0.0, 1.0]])


@pyfunc
def rot_by_axis(axis, ang):
    """Returns the 4x4 matrix that rotates row vectors about an axis: the transpose of Rodrigues' formula.

    Args:
        axis: a nonzero vector of length 3.
        ang: the angle in radians.

    Example:
        >>> qd.math.rot_by_axis(qd.Vector([0.0, 0.0, 1.0]), 0.0)[0, 0]
        1.0
    """
    c, s, n = cos(ang), sin(ang), axis.normalized()
    t = n * (1.0 - c)
    return Matrix(
        [
            [c + t[0] * n[0], t[0] * n[1] + s * n[2], t[0] * n[2] - s * n[1], 0.0],
            [t[1] * n[0] - s * n[2], c + t[1] * n[1], t[1] * n[2] + s * n[0], 0.0],
            [t[2] * n[0] + s * n[1], t[2] * n[1] - s * n[0], c + t[2] * n[2], 0.0],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )


@pyfunc
def rot_yaw_pitch_roll(yaw, pitch, roll):
    """Returns the 4x4 matrix that rotates row vectors: Rz(-roll) Rx(-pitch) Ry(-yaw).

    Args:
        yaw: the yaw angle in radians.
        pitch: the pitch angle in radians.
        roll: the roll angle in radians.

    Example:
        >>> qd.math.rot_yaw_pitch_roll(0.0, 0.0, 0.0)[0, 0]
        1.0
    """
    cy, sy, cp, sp, cr, sr = cos(yaw), sin(yaw), cos(pitch), sin(pitch), cos(roll), sin(roll)
    return Matrix(
        [
            [cr * cy + sr * sp * sy, sr * cp, sr * sp * cy - cr * sy, 0.0],
            [cr * sp * sy - sr * cy, cr * cp, sr * sy + cr * sp * cy, 0.0],
            [cp * sy, -sp, cp * cy, 0.0],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )


@pyfunc
def rotation3d(ang_x, ang_y, ang_z):
    """Returns the 4x4 matrix that rotates row vectors, given the angles about the axes.

    Args:
        ang_x: pitch, in radians.
        ang_y: roll, in radians.
        ang_z: yaw, in radians.

    Example:
        >>> qd.math.rotation3d(0.0, 0.0, 0.0)[3, 3]
        1.0
    """
    return rot_yaw_pitch_roll(ang_z, ang_x, ang_y)


@func
def fns(mask, base, offset):
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
        3
    """
    bits = cast(mask, u32)
    position = cast(base, int)
    wanted = abs(cast(offset, int))
    step = 1 if offset > 0 else -1
    found = u32(0xFFFFFFFF)
    loop_config(serialize=True)
    for _ in range(32):
        if position >= 0 and position < 32 and (bits >> cast(position, u32)) & u32(1):
            wanted -= 1
            if wanted == 0 or offset == 0:
                found = cast(position, u32)
        position += step
        if wanted == 0 or offset == 0 or found != u32(0xFFFFFFFF):
            break
    return found


@pyfunc
def refract(x, n, eta):
    """Returns the direction of x after refraction at a plane; zero for total reflection.

    Args:
        x: the incident direction, a vector of length 1.
        n: the normal of the plane, a vector of length 1.
        eta: the ratio of the refractive indices.

    Example:
        >>> qd.math.refract(qd.Vector([0.0, -1.0]), qd.Vector([0.0, 1.0]), 1.0)
        [ 0. -1.]
    """
    d = n.dot(x)
    k = 1.0 - eta * eta * (1.0 - d * d)
    result = x * 0.0
    if k >= 0.0:
        result = x * eta - n * (eta * d + sqrt(k))
    return result
