"""Fields in a kernel, and their values in NumPy."""

import numpy as np
import quadrants as qd

qd.init(arch=qd.cpu, default_fp=qd.f64)
n = 16
heat = qd.field(qd.f64, shape=(n, n))
fresh = qd.field(qd.f64, shape=(n, n))


@qd.kernel
def diffuse(rate: qd.f64):
    for i, j in heat:
        total = 0.0
        for k in qd.static(range(2)):
            step = 2 * k - 1
            total += heat[(i + step) % n, j] + heat[i, (j + step) % n]
        fresh[i, j] = heat[i, j] + rate * (total - 4 * heat[i, j])


heat[3, 4] = 1.0
diffuse(0.1)
values: np.ndarray = fresh.to_numpy()
assert abs(values.sum() - 1) < 1e-12 and heat.shape == (n, n)
