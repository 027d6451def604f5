import quadrants as qd

qd.init()


@qd.kernel
def wrong(a):
    pass


wrong(1)
