import quadrants as qd

qd.init()


@qd.kernel
def wrong():
    x = qd.static(3)
    x += 1


wrong()
