"""Python's dataclasses, templates and tensors as arguments."""

import dataclasses

import numpy as np
import quadrants as qd

qd.init(arch=qd.cpu)


@dataclasses.dataclass
class State:
    x: qd.types.NDArray[qd.f32, 1]
    n: qd.i32


@qd.kernel
def step(s: State, f: qd.Template, t: qd.Tensor, y: qd.types.ndarray(dtype=qd.i32, ndim=2)):  # type: ignore[valid-type]
    for i in range(s.n):
        s.x[i] += f[i] + t[i] + y[0, i]


f = qd.field(qd.f32, shape=3)
f.fill(1)
t = qd.tensor(qd.f32, 3)
x = np.zeros(3, np.float32)
step(State(x=x, n=3), f, t, np.ones((1, 3), np.int32))
assert x.tolist() == [2, 2, 2]
