import quadrants as qd

qd.init()


@qd.kernel
def wrong(a: qd.i32, b: qd.i32 = 3):
    pass
