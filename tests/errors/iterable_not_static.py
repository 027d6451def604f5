import quadrants as qd

qd.init()


@qd.kernel
def wrong(a: qd.i32):
    x = 0
    for i in range(3) if a > 0 else range(4):
        x += i


wrong(1)
