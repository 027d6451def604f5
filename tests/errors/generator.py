import quadrants as qd


@qd.kernel
def wrong():
    x = (i for i in range(3))


wrong()
