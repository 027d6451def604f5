"""Ndarrays: elements, NumPy, vectors, streams."""

import numpy as np
import quadrants as qd

qd.init(arch=qd.cpu)
a = qd.ndarray(qd.i32, shape=(2, 3))
v = qd.Vector.ndarray(3, qd.f32, shape=4)


@qd.kernel
def fill(a: qd.types.NDArray[qd.i32, 2], v: qd.types.NDArray, by: qd.i32) -> qd.i32:
    for i, j in a:
        a[i, j] = by * (i + j)
    for i in v:
        v[i] = [1.0, 2.0, 3.0]
    return by + 1


result: int = fill(a, v, 2)
a[0, 0] = 7
b: np.ndarray = a.to_numpy()
assert b[0, 0] == 7 and b[1, 2] == 6 and result == 3 and v[1].z == 3.0 and len(bytes(a)) == 24
view = np.from_dlpack(a)
stream = qd.create_stream()
fill(a, v, 3, qd_stream=stream)
qd.sync()
assert view[1, 2] == 9
