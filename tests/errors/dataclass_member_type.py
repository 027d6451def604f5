import dataclasses

import quadrants as qd


@dataclasses.dataclass
class State:
    x: qd.types.ndarray(qd.f32, ndim=1)
    n: qd.i32


@qd.kernel
def wrong(s: State):
    s.x[0] = 1


wrong(State([1, 2], 1))
