import quadrants as qd

qd.init()


@qd.kernel
def wrong():
    a = qd.Vector([1, 2, 3, 4])
    a = qd.Vector([1, 2, 3])


wrong()
