import quadrants as qd


import numpy as np


@qd.func
def f(a: qd.types.ndarray(qd.i32, ndim=1)):
    a[0] = 1


@qd.kernel
def wrong(x: qd.types.ndarray(qd.f32, ndim=1)):
    f(x)


wrong(np.zeros(2, np.float32))
