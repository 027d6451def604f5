import quadrants as qd

x = qd.field(qd.i32, 4)


@qd.func(requires_top_level=True)
def fill(v):
    for i in x:
        x[i] = v


@qd.kernel
def wrong(n: qd.i32):
    if n > 0:
        fill(n)


wrong(1)
