import quadrants as qd


import numpy as np


@qd.kernel
def wrong(x: qd.types.ndarray(qd.f32, ndim=2)):
    y = len(x)


wrong(np.zeros((2, 2), np.float32))
