import quadrants as qd


@qd.kernel
def wrong():
    x = qd.i32(1.5)


wrong()
