import quadrants as qd


@qd.kernel
def wrong(a: qd.i32):
    a: qd.i32 = 3


wrong(1)
