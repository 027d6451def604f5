import quadrants as qd


class Library:
    pass


@qd.real_func
def factorial(n: qd.i32) -> qd.i32:
    if n <= 1:
        return factorial(2)
    return n * Library.factorial(n - 1)


Library.factorial = factorial


@qd.kernel
def wrong(n: qd.i32) -> qd.i32:
    return factorial(n)


wrong(4)
