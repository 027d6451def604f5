import quadrants as qd

qd.init(debug=True)


@qd.kernel
def wrong(n: qd.i32):
    v = qd.Vector([1, 2])
    y = v[n]


wrong(2)
