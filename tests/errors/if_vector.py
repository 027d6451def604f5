import quadrants as qd


@qd.kernel
def wrong():
    v = qd.Vector([1, 2])
    if v > 1:
        pass


wrong()
