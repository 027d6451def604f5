import quadrants as qd

qd.init(offline_cache=False)
x = qd.field(qd.i32)
level = qd.root.pointer(qd.i, 4)
level.place(x)


@qd.kernel
def wrong():
    for k in range(3):
        for i in x:
            if i > 2:
                break


wrong()
