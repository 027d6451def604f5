import quadrants as qd


@qd.kernel
def wrong():
    a = 1
    a = qd.Vector([1, 2])


wrong()
