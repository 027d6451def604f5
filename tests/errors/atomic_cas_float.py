import quadrants as qd

qd.init()
x = qd.field(qd.f32, shape=2)


@qd.kernel
def wrong():
    x[0] = qd.atomic_cas(x[0], 1.0, 2.0)


wrong()
