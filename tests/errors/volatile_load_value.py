import quadrants as qd

qd.init()


@qd.kernel
def wrong(a: qd.i32) -> qd.i32:
    return qd.volatile_load(a + 1)


wrong(1)
