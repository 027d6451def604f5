"""A dataclass with a method: constructor, field, argument."""

import quadrants as qd

qd.init(arch=qd.cpu)


@qd.dataclass
class Ball:
    at: qd.math.vec3
    radius: qd.f32

    @qd.func
    def volume(self):
        return 4 / 3 * qd.math.pi * self.radius**3


balls = qd.field(Ball, shape=4)


@qd.kernel
def total() -> qd.f32:
    s = 0.0
    for i in balls:
        s += balls[i].volume()
    return s


one = Ball(at=qd.math.vec3(0, 0, 0), radius=1.0)
balls[0] = one
balls[1].radius = 2.0
volume: float = total()
assert abs(volume - 4 / 3 * 3.14159265 * 9) < 1e-3 and one.radius == 1
