import quadrants as qd

qd.init()


@qd.kernel
def wrong(a: qd.i32):
    b = a is not a


wrong(1)
