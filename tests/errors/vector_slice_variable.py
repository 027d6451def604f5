import quadrants as qd


@qd.kernel
def wrong(n: qd.i32):
    v = qd.Vector([1, 2, 3])
    y = v[0:n]


wrong(2)
