import quadrants as qd


@qd.kernel
def wrong():
    x = qd.u8(300)


wrong()
