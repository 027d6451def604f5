import quadrants as qd

qd.init()


@qd.kernel
def wrong(a: qd.u32):
    print(f"{a:d}")


wrong(1)
