import quadrants as qd

qd.init(debug=True)


@qd.kernel
def wrong(x: qd.i32):
    assert x > 3, 5


wrong(1)
