import quadrants as qd


@qd.func
def f(a, b):
    return a + b


@qd.kernel
def wrong():
    y = f(qd.Vector([1, 2]), qd.Vector([1, 2, 3]))


wrong()
