import quadrants as qd

x = qd.field(qd.f32, 4, needs_grad=True)
loss = qd.field(qd.f32, (), needs_grad=True)


@qd.func
def power(value, n):
    result = 1.0
    for _ in range(n):
        result *= value
    return result


@qd.kernel
def wrong():
    for i in x:
        loss[None] += power(x[i], i)


wrong.grad()
