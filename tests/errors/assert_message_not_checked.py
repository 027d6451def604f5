import quadrants as qd


@qd.kernel
def wrong(c: qd.i32):
    assert c > 0, c


wrong(1)
