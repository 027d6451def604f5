import quadrants as qd

qd.init()


@qd.kernel(graph=True, checkpoints=True)
def wrong(x: qd.types.ndarray(qd.i32, ndim=0), c: qd.types.ndarray(qd.i32, ndim=0)) -> qd.i32:
    with qd.checkpoint(1, yield_on=c):
        for _ in range(1):
            x[()] += 1
    return 4


wrong(qd.ndarray(qd.i32, ()), qd.ndarray(qd.i32, ()))
