import quadrants as qd

f = qd.field(qd.i32, 3)


@qd.kernel(fastcache=True)
def wrong():
    f[0] = 1


wrong()
