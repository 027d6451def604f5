import quadrants as qd

qd.init(debug=True)


@qd.kernel
def wrong(a: qd.i32, b: qd.i32) -> qd.i32:
    return a**b


wrong(2, -1)
