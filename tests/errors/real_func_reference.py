import quadrants as qd


@qd.real_func
def bump(x: qd.ref(qd.i32)):
    x += 1


@qd.kernel
def wrong():
    bump(3)


wrong()
