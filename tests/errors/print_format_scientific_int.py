import quadrants as qd

qd.init()


@qd.kernel
def wrong(a: qd.i32):
    print(f"{a:.2e}")


wrong(1)
