import quadrants as qd

qd.init()


@qd.func
def wrong(a: qd.i32, b: int | None):
    return a
