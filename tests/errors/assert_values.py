import quadrants as qd

qd.init(debug=True)


@qd.kernel
def wrong(a: qd.i32):
    v = qd.Vector([a] * 33)
    assert a > 3, f"{v}"


wrong(1)
