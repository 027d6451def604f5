import quadrants as qd

qd.init()


@qd.kernel(graph=True)
def wrong(c: qd.types.ndarray(qd.i32, ndim=0)) -> qd.i32:
    while qd.graph.do_while(c):
        c[()] -= 1
    return c[()]


wrong(qd.ndarray(qd.i32, ()))
