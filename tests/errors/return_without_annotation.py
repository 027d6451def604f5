import quadrants as qd


@qd.kernel
def wrong():
    return 1


wrong()
