import numpy as np
import quadrants as qd


@qd.kernel
def wrong(x: qd.types.ndarray(qd.i32, ndim=1)):
    del x[0]


wrong(np.zeros(1, np.int32))
