import quadrants as qd


@qd.kernel
def wrong():
    x = qd.cast(1.5, qd.i32, dtype=qd.i32)


wrong()
