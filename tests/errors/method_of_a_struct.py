import quadrants as qd

Pair = qd.types.struct(a=qd.f32, b=qd.f32)


@qd.kernel
def k():
    pair = Pair(1.0, 2.0)
    length = qd.Vector.norm(pair)


k()
