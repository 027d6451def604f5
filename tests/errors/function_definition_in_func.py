import quadrants as qd

qd.init()


@qd.func
def helper(x):
    def inner():
        return 1

    return x


@qd.kernel
def wrong(a: qd.i32) -> qd.i32:
    return helper(a)


wrong(1)
