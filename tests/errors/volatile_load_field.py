import quadrants as qd

qd.init()
x = qd.field(qd.i32, shape=2)


@qd.kernel
def wrong() -> qd.i32:
    return qd.volatile_load(x)


wrong()
