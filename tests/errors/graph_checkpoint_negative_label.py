import quadrants as qd

qd.init()


@qd.kernel(graph=True, checkpoints=True)
def wrong(x: qd.types.ndarray(qd.i32, ndim=1), c: qd.types.ndarray(qd.i32, ndim=0), n: qd.i32):
    with qd.checkpoint(-3, yield_on=c):
        for i in x:
            x[i] = 1


wrong(qd.ndarray(qd.i32, 2), qd.ndarray(qd.i32, ()), 1)
