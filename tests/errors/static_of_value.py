import quadrants as qd


@qd.kernel
def wrong(a: qd.i32):
    x = qd.static(a)


wrong(1)
