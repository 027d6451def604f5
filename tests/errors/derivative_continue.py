import quadrants as qd

qd.init(offline_cache=False, ad_stack_experimental_enabled=True)
x = qd.field(qd.f32, 4, needs_grad=True)


@qd.kernel
def wrong(n: qd.i32):
    for i in x:
        v = x[i]
        for k in range(n):
            if k == 2:
                continue
            v *= v
        x[i] += v


wrong.grad(3)
