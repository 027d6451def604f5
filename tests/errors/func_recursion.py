import quadrants as qd


@qd.func
def f(n):
    return f(n + 1)


@qd.kernel
def wrong():
    y = f(3)


wrong()
