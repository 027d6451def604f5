import dataclasses

import quadrants as qd


@dataclasses.dataclass
class State:
    x: qd.types.ndarray(qd.f32, ndim=1)
    n: qd.i32


@qd.func
def inner(s: State):
    return s.y


@qd.kernel
def wrong(s: State) -> qd.f32:
    return inner(s)


wrong(State(qd.ndarray(qd.f32, 2), 1))
