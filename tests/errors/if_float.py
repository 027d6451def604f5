import quadrants as qd


@qd.kernel
def wrong(x: qd.f32):
    if x:
        pass


wrong(1.0)
