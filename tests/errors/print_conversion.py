import quadrants as qd


@qd.kernel
def wrong(x: qd.f32):
    print(f"{x!r}")


wrong(1.0)
