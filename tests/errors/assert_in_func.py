import quadrants as qd

qd.init(debug=True)
@qd.func
def check(v):
    assert v < 3, f"v = {v}"


@qd.kernel
def wrong(a: qd.i32):
    check(a + 1)


wrong(7)
