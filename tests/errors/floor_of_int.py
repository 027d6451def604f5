import quadrants as qd

qd.init()


@qd.kernel
def wrong(x: qd.i32) -> qd.i32:
    return qd.floor(x)


wrong(1)
