import quadrants as qd


N = 5


@qd.kernel
def wrong():
    y = N(3)


wrong()
