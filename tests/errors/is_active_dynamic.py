import quadrants as qd

qd.init(offline_cache=False)
x = qd.field(qd.i32)
level = qd.root.dynamic(qd.i, 4)
level.place(x)


@qd.kernel
def wrong() -> qd.i32:
    return qd.is_active(level, [1])


wrong()
