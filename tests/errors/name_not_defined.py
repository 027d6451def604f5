import quadrants as qd


@qd.kernel
def wrong():
    x = missing + 1


wrong()
