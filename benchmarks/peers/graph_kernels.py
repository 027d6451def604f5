"""Graphs of small tasks, in the language shared by Quadrants and its reference: the cost of a task, an iteration, a checkpoint and a resumed
launch."""

from quadrants_like import V1, qd

Flag = qd.types.ndarray(qd.i32, ndim=0)
SIZE = 64


@qd.kernel(graph=True)
def one(x: V1):
    for i in x:
        x[i] += 1.0


@qd.kernel(graph=True)
def ten(x: V1):
    for i in x:
        x[i] += 1.0
    for i in x:
        x[i] *= 0.5
    for i in x:
        x[i] += 2.0
    for i in x:
        x[i] *= 0.25
    for i in x:
        x[i] += 3.0
    for i in x:
        x[i] *= 0.5
    for i in x:
        x[i] += 4.0
    for i in x:
        x[i] *= 0.25
    for i in x:
        x[i] += 5.0
    for i in x:
        x[i] *= 0.5


@qd.kernel(graph=True)
def iterations(x: V1, n: Flag):
    for _ in range(1):
        n[()] = 1000
    while qd.graph.do_while(n):
        for i in x:
            x[i] = x[i] * 0.5 + 1.0
        for i in x:
            x[i] = x[i] * 0.25 + 2.0
        for _ in range(1):
            n[()] -= 1


def pair():
    """Returns two kernels: ten tasks in one checkpoint, and in ten."""

    @qd.kernel(graph=True, checkpoints=True)
    def together(x: V1, stop: Flag):
        with qd.checkpoint(0, yield_on=stop):
            for i in x:
                x[i] += 1.0
            for i in x:
                x[i] *= 0.5
            for i in x:
                x[i] += 2.0
            for i in x:
                x[i] *= 0.25
            for i in x:
                x[i] += 3.0
            for i in x:
                x[i] *= 0.5
            for i in x:
                x[i] += 4.0
            for i in x:
                x[i] *= 0.25
            for i in x:
                x[i] += 5.0
            for i in x:
                x[i] *= 0.5

    @qd.kernel(graph=True, checkpoints=True)
    def apart(x: V1, stop: Flag):
        with qd.checkpoint(0, yield_on=stop):
            for i in x:
                x[i] += 1.0
        with qd.checkpoint(1, yield_on=stop):
            for i in x:
                x[i] *= 0.5
        with qd.checkpoint(2, yield_on=stop):
            for i in x:
                x[i] += 2.0
        with qd.checkpoint(3, yield_on=stop):
            for i in x:
                x[i] *= 0.25
        with qd.checkpoint(4, yield_on=stop):
            for i in x:
                x[i] += 3.0
        with qd.checkpoint(5, yield_on=stop):
            for i in x:
                x[i] *= 0.5
        with qd.checkpoint(6, yield_on=stop):
            for i in x:
                x[i] += 4.0
        with qd.checkpoint(7, yield_on=stop):
            for i in x:
                x[i] *= 0.25
        with qd.checkpoint(8, yield_on=stop):
            for i in x:
                x[i] += 5.0
        with qd.checkpoint(9, yield_on=stop):
            for i in x:
                x[i] *= 0.5

    return together, apart


def case(name):
    """Returns (a call, the call to compare with or None, how many more items the first contains)."""
    x, stop = qd.ndarray(qd.f32, SIZE), qd.ndarray(qd.i32, ())
    if name == "task of ten":
        return lambda: ten(x), lambda: one(x), 9
    if name == "1000 iterations":
        return lambda: iterations(x, stop), None, 1
    if name == "checkpoint":
        together, apart = pair()
        return lambda: apart(x, stop), lambda: together(x, stop), 9
    if name == "resume":
        _, apart = pair()
        apart(x, stop)
        return lambda: apart.resume(x, stop, from_checkpoint=9), None, 1
    raise KeyError(name)
