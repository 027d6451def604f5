import quadrants as qd

qd.init()


@qd.kernel
def wrong(x: qd.f32):
    print(f"{x:- #0.233lli}")


wrong(1.0)
