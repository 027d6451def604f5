import quadrants as qd

qd.init()


@qd.func
def wrong(a: qd.f32, b: 3.5):
    return a + b
