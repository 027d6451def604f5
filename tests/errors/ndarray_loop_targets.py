import quadrants as qd


import numpy as np


@qd.kernel
def wrong(x: qd.types.ndarray(qd.f32, ndim=2)):
    for i in x:
        pass


wrong(np.zeros((2, 2), np.float32))
