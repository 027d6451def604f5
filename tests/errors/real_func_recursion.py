import quadrants as qd


@qd.func
def before(n):
    return n * factorial(n - 1)


@qd.real_func
def factorial(n: qd.i32) -> qd.i32:
    if n <= 1:
        return factorial(2)
    return before(n)


@qd.kernel
def wrong(n: qd.i32) -> qd.i32:
    return factorial(n)


wrong(4)
