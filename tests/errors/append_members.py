import quadrants as qd

qd.init(offline_cache=False)
x = qd.field(qd.i32)
y = qd.field(qd.i32)
level = qd.root.dynamic(qd.i, 4)
level.place(x, y)


@qd.kernel
def wrong():
    qd.append(level, [], 3)


wrong()
