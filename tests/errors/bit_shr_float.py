import quadrants as qd

qd.init()


@qd.kernel
def wrong(x: qd.f32) -> qd.f32:
    return qd.bit_shr(x, 1)


wrong(1.0)
