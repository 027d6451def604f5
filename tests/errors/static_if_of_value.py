import quadrants as qd


@qd.kernel
def wrong(a: qd.i32):
    if qd.static(a > 1):
        pass


wrong(1)
