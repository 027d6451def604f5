import quadrants as qd


@qd.dataclass
class Point:
    x: qd.f32


@qd.dataclass
class Heavy(Point):
    mass: qd.f32
