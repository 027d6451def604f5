import quadrants as qd


@qd.kernel
def wrong():
    m, e = qd.frexp(qd.cast(1.0, qd.i32))


wrong()
