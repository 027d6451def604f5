import quadrants as qd

qd.init()


@qd.kernel
def wrong(x: qd.f32):
    s = 0
    for i in range(10):
        s -= x
    assert_that = undefined


wrong(1.0)
