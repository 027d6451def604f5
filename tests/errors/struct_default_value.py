import quadrants as qd


@qd.dataclass
class Ball:
    radius: qd.f32 = 1.0
