import quadrants as qd

qd.init(debug=True)


@qd.kernel
def wrong(c: qd.i32):
    assert c == 42


wrong(7)
