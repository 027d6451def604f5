import quadrants as qd


@qd.kernel
def wrong(n: qd.i32):
    print(f"{n:,}")


wrong(1)
