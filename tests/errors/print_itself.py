import quadrants as qd


@qd.kernel
def k(x: qd.i32):
    print(f"{x=}")


k(3)
