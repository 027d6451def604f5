import quadrants as qd

qd.init()


@qd.kernel
def wrong():
    x: 3 = 4


wrong()
