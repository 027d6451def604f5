import quadrants as qd

qd.init()


@qd.kernel
def wrong(a: 3):
    pass


wrong(1)
