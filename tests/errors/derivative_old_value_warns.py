import quadrants as qd

x = qd.field(qd.f64, 4, needs_grad=True)
y = qd.field(qd.f64, 4, needs_grad=True)
loss = qd.field(qd.f64, (), needs_grad=True)


@qd.func
def take(i):
    return qd.atomic_add(x[i], y[i])


@qd.kernel
def unused():
    for i in y:
        qd.atomic_add(x[i], y[i])
        x[i] += y[i]


@qd.kernel
def squares():
    for i in y:
        old = take(i)
        loss[None] += old * old


@qd.kernel
def wrong():
    missing


unused.grad()
squares.grad()
squares()
squares.grad()
wrong()
