import quadrants as qd


@qd.real_func
def factorial(n: qd.i32) -> qd.i32:
    if n <= 1:
        return factorial(2)
    return n * library[0](n - 1)


library = [factorial]


@qd.kernel
def wrong(n: qd.i32) -> qd.i32:
    return factorial(n)


wrong(4)
