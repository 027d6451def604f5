import quadrants as qd


@qd.dataclass
class Ball:
    center: qd.types.vector(3, qd.f32)
    radius: qd.f32


@qd.kernel
def wrong():
    b = Ball(radius=1)
    c = Ball([1, 2, 3], 1, 2)


wrong()
