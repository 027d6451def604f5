import quadrants as qd


@qd.kernel
def wrong():
    v = qd.Vector([1, 2])
    y = v[-1]


wrong()
