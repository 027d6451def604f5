import quadrants as qd

qd.init(debug=True)


f = qd.field(qd.f32, shape=(2, 2))


@qd.kernel
def wrong():
    for i in range(1):
        f[i + 5, 0] = 1.0


wrong()
