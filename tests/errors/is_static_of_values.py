import quadrants as qd

qd.init()


@qd.kernel
def wrong(a: qd.i32):
    x = 1
    if qd.static(x is None):
        x = 2


wrong(1)
