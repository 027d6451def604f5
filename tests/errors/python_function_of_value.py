import operator

import quadrants as qd

qd.init()


@qd.kernel
def wrong(x: qd.f32):
    y = operator.concat(x, x)


wrong(1.0)
