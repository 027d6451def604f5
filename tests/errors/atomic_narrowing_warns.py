import quadrants as qd


import numpy as np


@qd.kernel
def wrong(x: qd.types.ndarray(qd.i32, ndim=1)):
    x[0] += 1.5
    b = missing


wrong(np.zeros(2, np.int32))
