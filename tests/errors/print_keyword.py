import quadrants as qd

qd.init()


@qd.kernel
def wrong(x: qd.f32):
    print(x, colour="red")


wrong(1.0)
