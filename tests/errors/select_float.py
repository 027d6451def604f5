import quadrants as qd

qd.init()


@qd.kernel
def wrong(c: qd.f32) -> qd.i32:
    return qd.select(c, 1, 2)


wrong(1.0)
