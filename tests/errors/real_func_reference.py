import quadrants as qd

x = qd.field(qd.i32, 4)


@qd.real_func
def shift(n: qd.i32, y: qd.ref(qd.i32)):
    if n > 0:
        shift(n - 1, x[qd.atomic_add(y, 1)])


@qd.kernel
def wrong():
    y = 0
    shift(3, y)


wrong()
