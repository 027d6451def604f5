import quadrants as qd


@qd.kernel
def wrong(a: qd.i32):
    x = qd.bit_cast(a, qd.f64)


wrong(1)
