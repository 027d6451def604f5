import quadrants as qd

qd.init(debug=True)


@qd.func
def element(v, i):
    return v[i]


@qd.kernel
def wrong(v: qd.BufferView[qd.f32], i: qd.i32) -> qd.f32:
    return element(v, i)


wrong(qd.ndarray(qd.f32, 10)[2:7], 6)
