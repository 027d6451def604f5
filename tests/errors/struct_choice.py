import quadrants as qd

Ball = qd.types.struct(center=qd.types.vector(3, qd.f32), radius=qd.f32)
Box = qd.types.struct(center=qd.types.vector(3, qd.f32), size=qd.f32)


@qd.kernel
def wrong(round: qd.i32):
    c = Ball(radius=1) if round else Box(size=1)


wrong(1)
