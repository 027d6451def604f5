import quadrants as qd


@qd.kernel
def wrong(x: qd.f32):
    v = qd.Vector([1, 2, 3])
    y = v[x]


wrong(2.0)
