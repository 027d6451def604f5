import quadrants as qd

qd.init(debug=True)


import numpy as np


@qd.kernel
def wrong(x: qd.types.ndarray(qd.f32, ndim=2)):
    for i in range(3):
        x[i, 1] = 1.0


wrong(np.zeros((2, 2), np.float32))
