"""Functions of qd.math that are written in the language itself. Complex numbers are vectors (real, imaginary)."""

from quadrants._kernel import pyfunc
from quadrants._matrix import Matrix, Vector
from quadrants._ops import atan2, cos, exp, log, pow, sin, sqrt


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
def refract(x, n, eta):
    """Direction of x refracted at the plane with normal n; zero for total reflection."""
    d = n.dot(x)
    k = 1.0 - eta * eta * (1.0 - d * d)
    result = x * 0.0
    if k >= 0.0:
        result = x * eta - n * (eta * d + sqrt(k))
    return result
