import quadrants as qd

qd.init()


@qd.kernel
def wrong(x: qd.f32):
    v = qd.Vector([x, x])
    print(f"{v:.2d}")


wrong(1.0)
