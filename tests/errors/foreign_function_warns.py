import quadrants as qd

qd.init()
def helper(x):
    return x + 1


@qd.kernel
def wrong() -> qd.i32:
    return helper(1) + undefined


wrong()
