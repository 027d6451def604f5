import quadrants as qd

SCALE = 2
offset = 3


@qd.kernel(fastcache=True)
def wrong(x: qd.i32) -> qd.i32:
    y = x * SCALE
    return y + offset


wrong(1)
