import quadrants as qd

qd.init(debug=True)


@qd.kernel
def wrong(c: qd.i32):
    assert c == 42, f"c expect=42 got={c}"


wrong(7)
