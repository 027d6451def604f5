import quadrants as qd

qd.init(debug=True)
T = qd.field(qd.f32, (3, 3))


@qd.kernel
def k(n: qd.i32):
    for i, j in T:
        T[i, j] = i * 10 + j
    for i, j in T:
        assert T[i, j] < n


k(12)
