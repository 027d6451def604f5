import quadrants as qd


@qd.kernel
def wrong():
    raise ValueError()


wrong()
