import quadrants as qd


@qd.kernel
def wrong(n: qd.i32):
    a = qd.Vector([1, 2])
    (a + 1)[n] = 3


wrong(1)
