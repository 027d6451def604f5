import quadrants as qd


@qd.kernel
def wrong():
    x = qd.Vector([1.0, 2.0]).length()


wrong()
