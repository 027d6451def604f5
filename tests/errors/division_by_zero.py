import quadrants as qd


import numpy as np


@qd.kernel
def wrong(x: qd.types.ndarray(qd.i32, ndim=1)):
    for i in range(1):
        x[0] = 7 // x[1]


wrong(np.zeros(2, np.int32))
