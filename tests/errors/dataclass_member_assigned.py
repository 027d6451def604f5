import dataclasses

import quadrants as qd


@dataclasses.dataclass
class State:
    x: qd.types.ndarray(qd.f32, ndim=1)
    n: qd.i32


@qd.kernel
def wrong(s: State):
    s.n += 1


wrong(State(qd.ndarray(qd.f32, 2), 1))
