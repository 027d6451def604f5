import numpy as np
import quadrants as qd

table = np.arange(4.0)


@qd.kernel
def wrong(n: qd.i32):
    y = table[n]


wrong(1)
