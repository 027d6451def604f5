import quadrants as qd


@qd.kernel
def inner():
    pass


@qd.kernel
def wrong():
    inner()


wrong()
