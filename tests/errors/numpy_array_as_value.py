import numpy as np
import quadrants as qd

qd.init()
table = np.zeros(3)


@qd.kernel
def wrong() -> qd.f32:
    x = table
    return x


wrong()
