import quadrants as qd


@qd.dataclass
@qd.dataclass
class Point:
    x: qd.f32
