import quadrants as qd

qd.init(offline_cache=False)


@qd.kernel
def large(i: qd.i32) -> qd.f32:
    v = qd.Vector([0.0] * 1_000_000)
    return v[i]


large(0)
