import quadrants as qd

qd.init(debug=True)


@qd.kernel
def wrong(c: qd.i32):
    assert c > 0, c


wrong(1)
