import quadrants as qd

qd.init()
x = qd.field(qd.f32, shape=3)


@qd.kernel
def wrong(a: qd.f32):
    x[a] = 1.0


wrong(1.0)
