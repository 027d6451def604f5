import quadrants as qd


import numpy as np


class S:
    x = qd.ndarray(qd.f32, 3)


@qd.kernel
def wrong(x: qd.types.ndarray(qd.f32, ndim=1)):
    y = x[0] + S.x[0]


wrong(np.zeros(2, np.float32))
