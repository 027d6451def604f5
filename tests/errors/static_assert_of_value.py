import quadrants as qd


@qd.kernel
def wrong(a: qd.i32):
    qd.static_assert(a > 3)


wrong(1)
