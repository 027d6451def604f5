import quadrants as qd


@qd.kernel
def wrong():
    v = qd.Matrix([[1, 2], [3, 4]]) @ qd.Vector([1, 2, 3])


wrong()
