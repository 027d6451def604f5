import quadrants as qd

qd.init(debug=True)
x = qd.field(qd.f32, shape=3)


@qd.func
def read(i):
    return x[i + 1]


@qd.kernel
def wrong(a: qd.i32) -> qd.f32:
    return read(a) + 1.0


wrong(7)
