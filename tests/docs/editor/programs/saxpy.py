"""A kernel on NumPy arrays."""

import numpy as np
import quadrants as qd

qd.init(arch=qd.cpu)


@qd.kernel
def saxpy(y: qd.types.NDArray[qd.f32, 1], x: qd.types.NDArray[qd.f32, 1], a: qd.f32):
    for i in range(x.shape[0]):
        y[i] = a * x[i] + y[i]


def main() -> None:
    x = np.ones(100, np.float32)
    y = np.zeros(100, np.float32)
    saxpy(y, x, 2.0)
    assert float(y.sum()) == 200


main()
