import quadrants as qd

qd.init()


@qd.kernel
def wrong():
    a = qd.Matrix([[1, 2], [3, 4]]) * qd.Vector([1, 2])


wrong()
