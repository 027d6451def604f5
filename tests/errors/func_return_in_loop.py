import quadrants as qd


@qd.func
def f(n):
    for i in range(n):
        return i
    return 0


@qd.kernel
def wrong():
    y = f(3)


wrong()
