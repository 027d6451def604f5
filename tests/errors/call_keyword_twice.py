import quadrants as qd

qd.init()
@qd.func
def helper(a, b):
    return a + b


@qd.kernel
def wrong(x: qd.i32) -> qd.i32:
    return helper(x, a=x)


wrong(1)
