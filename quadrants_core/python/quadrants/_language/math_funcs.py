"""Functions of qd.math that are written in the language itself. Complex numbers are vectors (real, imaginary)."""

from quadrants._language.annotations import template
from quadrants._dtypes import u32
from quadrants._language.func import func, pyfunc
from quadrants._language.matrix import Matrix, Vector
from quadrants._language.ops import abs, atan2, cast, cos, exp, log, loop_config, pow, sin, sqrt


@pyfunc
def vdir(ang):
    """The unit vector at this angle."""
    return Vector([cos(ang), sin(ang)])


@pyfunc
def cconj(z):
    """Complex conjugate."""
    return Vector([z[0], -z[1]])


@pyfunc
def cmul(z1, z2):
    """Complex product."""
    return Vector([z1[0] * z2[0] - z1[1] * z2[1], z1[0] * z2[1] + z1[1] * z2[0]])


@pyfunc
def cinv(z):
    """Complex 1 / z."""
    return Vector([z[0], -z[1]]) / (z[0] * z[0] + z[1] * z[1])


@pyfunc
def cdiv(z1, z2):
    """Complex quotient."""
    size = z2[0] * z2[0] + z2[1] * z2[1]
    return Vector([z1[0] * z2[0] + z1[1] * z2[1], z1[1] * z2[0] - z1[0] * z2[1]]) / size


@pyfunc
def csqrt(z):
    """Complex square root, the one with non-negative real part."""
    half = atan2(z[1], z[0]) / 2.0
    return Vector([cos(half), sin(half)]) * sqrt(sqrt(z[0] * z[0] + z[1] * z[1]))


@pyfunc
def cexp(z):
    """Complex exponential."""
    return Vector([cos(z[1]), sin(z[1])]) * exp(z[0])


@pyfunc
def clog(z):
    """Complex logarithm, the principal one."""
    return Vector([log(sqrt(z[0] * z[0] + z[1] * z[1])), atan2(z[1], z[0])])


@pyfunc
def cpow(z, n):
    """Complex z to a real power."""
    angle = atan2(z[1], z[0]) * n
    return Vector([cos(angle), sin(angle)]) * pow(sqrt(z[0] * z[0] + z[1] * z[1]), n)


@pyfunc
def rotation2d(ang):
    """The matrix that turns plane vectors counterclockwise."""
    return Matrix([[cos(ang), -sin(ang)], [sin(ang), cos(ang)]])


@pyfunc
def eye(n: template()):
    """The n x n identity matrix."""
    return Matrix.identity(float, n)


@pyfunc
def scale(sx, sy, sz):
    """4x4 matrix that scales along the axes."""
    return Matrix([[sx, 0.0, 0.0, 0.0], [0.0, sy, 0.0, 0.0], [0.0, 0.0, sz, 0.0], [0.0, 0.0, 0.0, 1.0]])


@pyfunc
def translate(dx, dy, dz):
    """4x4 matrix that moves points."""
    return Matrix([[1.0, 0.0, 0.0, dx], [0.0, 1.0, 0.0, dy], [0.0, 0.0, 1.0, dz], [0.0, 0.0, 0.0, 1.0]])


@pyfunc
def rot_by_axis(axis, ang):
    """4x4 matrix that turns row vectors by `ang` about `axis`: the transpose of Rodrigues' formula."""
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
    """4x4 matrix that turns row vectors: Rz(-roll) Rx(-pitch) Ry(-yaw)."""
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
    """4x4 matrix that turns row vectors: yaw is `ang_z`, pitch `ang_x`, roll `ang_y`."""
    return rot_yaw_pitch_roll(ang_z, ang_x, ang_y)


@func
def fns(mask, base, offset):
    """Position of the `offset`-th set bit of a u32 from bit `base` on, upwards if `offset` is positive, downwards if it is
    negative; for 0 `base` itself if that bit is set. 0xFFFFFFFF if there is none."""
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
    """Direction of x refracted at the plane with normal n; zero for total reflection."""
    d = n.dot(x)
    k = 1.0 - eta * eta * (1.0 - d * d)
    result = x * 0.0
    if k >= 0.0:
        result = x * eta - n * (eta * d + sqrt(k))
    return result
