"""Helpers of a library that is typed: arrays in, arrays out."""

from typing import Any

import numpy as np
import numpy.typing as npt
import quadrants as qd


@qd.kernel
def _moments(x: qd.types.NDArray[qd.f64, 1], out: qd.types.NDArray[qd.f64, 1]):
    for i in range(x.shape[0]):
        out[0] += x[i]
        out[1] += x[i] * x[i]


def moments(x: npt.NDArray[np.float64]) -> tuple[float, float]:
    if not qd.is_initialized():
        qd.init(arch=qd.cpu)
    out = np.zeros(2)
    _moments(x, out)
    return float(out[0]), float(out[1])


def options() -> dict[str, Any]:
    return {"arch": qd.cpu, "random_seed": 1}


qd.init(**options())
mean, square = moments(np.arange(4.0))
assert (mean, square) == (6, 14)
try:
    moments(np.zeros((2, 2)))
except qd.QuadrantsRuntimeTypeError as error:
    message: str = str(error)
