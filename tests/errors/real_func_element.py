import quadrants as qd

x = qd.field(qd.i32, 4)


@qd.func
def bump(place: qd.template(), n):
    place += down(n - 1)


@qd.real_func
def down(n: qd.i32) -> qd.i32:
    if n > 0:
        bump(x[n], n)
    return n


@qd.kernel
def wrong(n: qd.i32) -> qd.i32:
    return down(n)


wrong(3)
