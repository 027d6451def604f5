import quadrants as qd

qd.init(debug=True)


@qd.kernel
def wrong(c: qd.i32):
    assert c == 42, "y = %f" % (c * 0.5)


wrong(1)
