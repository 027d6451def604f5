import enum

import quadrants as qd


class Shape(enum.IntEnum):
    ROUND = 0
    FLAT = 1


@qd.kernel
def wrong(shape: Shape):
    pass


wrong(Shape.FLAT)
wrong(1)
