import quadrants as qd

x = qd.field(qd.f32, 3)


@qd.kernel
def k() -> qd.f32:
    total = 0
    for i in range(3):
        total += x[i] * 0.5
    return total


k()
