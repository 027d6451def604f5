import quadrants as qd

qd.init()


@qd.kernel
def wrong(x: qd.u8) -> qd.i32:
    return qd.math.popcnt(x)


wrong(1)
