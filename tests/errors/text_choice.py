import quadrants as qd


@qd.kernel
def wrong(a: qd.i32):
    print("yes" if a > 0 else "no")


wrong(1)
