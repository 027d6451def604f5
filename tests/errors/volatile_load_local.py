import quadrants as qd

qd.init()


@qd.kernel
def wrong(i: qd.i32) -> qd.i32:
    v = qd.Vector([1, 2])
    return qd.volatile_load(v[i])


wrong(1)
