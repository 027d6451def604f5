import quadrants as qd

x = qd.field(qd.f32, 4, needs_grad=True)


@qd.real_func
def square(value: qd.f32) -> qd.f32:
    return value * value


@qd.kernel
def wrong():
    for i in x:
        x[i] += square(x[i])


wrong.grad()
