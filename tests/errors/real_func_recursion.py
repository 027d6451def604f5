import quadrants as qd


@qd.real_func
def factorial(n: qd.i32) -> qd.i32:
    if n <= 1:
        return 1
    return n * factorial(n - 1)


@qd.kernel
def wrong(n: qd.i32) -> qd.i32:
    return factorial(n)


wrong(4)
