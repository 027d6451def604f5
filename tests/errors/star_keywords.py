import quadrants as qd

qd.init()
@qd.func
def helper(a, b):
    return a + b


@qd.kernel
def wrong(x: qd.i32) -> qd.i32:
    d = {"a": 1, "b": 2}
    return helper(**d)


wrong(1)
