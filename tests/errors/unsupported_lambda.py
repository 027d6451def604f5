import quadrants as qd


@qd.kernel
def wrong():
    f = lambda x: x


wrong()
