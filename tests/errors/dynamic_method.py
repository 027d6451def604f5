import quadrants as qd

qd.init(offline_cache=False)
x = qd.field(qd.i32)
level = qd.root.dense(qd.i, 4).dynamic(qd.j, 8)
level.place(x)


@qd.kernel
def wrong():
    x[1].insert(3)


wrong()
