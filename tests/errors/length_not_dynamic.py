import quadrants as qd

qd.init(offline_cache=False)
x = qd.field(qd.i32)
level = qd.root.bitmasked(qd.i, 4)
level.place(x)


@qd.kernel
def wrong() -> qd.i32:
    return qd.length(level, [])


wrong()
