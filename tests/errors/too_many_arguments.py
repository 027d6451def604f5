import quadrants as qd


@qd.func
def f(a, b):
    return a + b


@qd.kernel
def wrong():
    y = f(1, 2, 3)


wrong()
