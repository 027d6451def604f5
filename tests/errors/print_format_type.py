import quadrants as qd


@qd.kernel
def wrong(x: qd.f32):
    print(f"{x:.2d}")


wrong(1.0)
