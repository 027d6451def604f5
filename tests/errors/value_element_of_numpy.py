import numpy as np
import quadrants as qd


@qd.kernel
def wrong(x: qd.template()):
    x[0] = 1


wrong(np.zeros(3))
