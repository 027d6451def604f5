import quadrants as qd


@qd.kernel
def wrong():
    a, b = 1, 2, 3


wrong()
