import dataclasses

import quadrants as qd


@dataclasses.dataclass
class Point:
    x: qd.f32


@qd.dataclass
class Line:
    a: Point
