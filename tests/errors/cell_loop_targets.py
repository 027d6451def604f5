import quadrants as qd

qd.init(offline_cache=False)
x = qd.field(qd.i32)
level = qd.root.pointer(qd.ij, 4)
level.place(x)


@qd.kernel
def wrong():
    for i in x:
        x[i, i] = 1


wrong()
