import numpy as np
import quadrants as qd

qd.init()


@qd.func
def helper(a: qd.types.ndarray(ndim=2)):
    a[0, 0] = 1.0


@qd.kernel
def wrong(x: qd.types.ndarray(ndim=1)):
    helper(x)


wrong(np.zeros(3, np.float32))
