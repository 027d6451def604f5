import quadrants as qd


@qd.kernel
def wrong(v: qd.BufferView[qd.i32]) -> qd.i32:
    return v[0:4:2][1]


wrong(qd.ndarray(qd.i32, 8)[2:6])
