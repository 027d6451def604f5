import quadrants as qd


import math


@qd.kernel
def wrong(x: qd.f32):
    y = math.sin(x)


wrong(1.0)
