import quadrants as qd


@qd.func
def f(weight: qd.types.ndarray(qd.i32, ndim=1)):
    weight[0] = 1


@qd.kernel
def wrong():
    f(3)


wrong()
