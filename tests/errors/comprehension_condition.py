import quadrants as qd

qd.init()


@qd.kernel
def wrong(a: qd.i32):
    v = [i for i in range(3) if a > i]


wrong(1)
