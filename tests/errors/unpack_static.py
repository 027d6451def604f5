import quadrants as qd

qd.init()


@qd.kernel
def wrong():
    a, b = qd.static(1, 2, 3)


wrong()
