import quadrants as qd

qd.init()


@qd.kernel
def wrong(a: qd.i32):
    print(f"{a:u}")


wrong(1)
