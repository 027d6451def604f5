"""Vectors and matrices in Python and in kernels."""

import quadrants as qd

qd.init(arch=qd.cpu)
vec2 = qd.types.vector(2, qd.f32)
at = qd.Vector.field(2, qd.f32, shape=8)


@qd.func
def turned(v: vec2, angle: qd.f32) -> vec2:  # type: ignore[valid-type]
    c, s = qd.cos(angle), qd.sin(angle)
    return qd.Matrix([[c, -s], [s, c]]) @ v


@qd.kernel
def turn(angle: qd.f32):
    for i in at:
        at[i] = turned(at[i], angle)


at[0] = [1.0, 0.0]
turn(qd.math.pi / 2)
length: float = at[0].norm()
assert abs(length - 1) < 1e-6 and abs(at[0].x) < 1e-6 and abs(at[0].y - 1) < 1e-6
assert (qd.Vector([1.0, 2.0]) + qd.Vector([3.0, 4.0])).dot(qd.Vector([1.0, 1.0])) == 10
