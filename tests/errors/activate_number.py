import quadrants as qd

qd.init(offline_cache=False)
x = qd.field(qd.i32)
level = qd.root.pointer(qd.ij, 4)
level.place(x)


@qd.kernel
def wrong():
    qd.activate(3, [1, 1])


wrong()
