import quadrants as qd

qd.init(offline_cache=False, ad_stack_experimental_enabled=True, ad_stack_size=32)
x = qd.field(qd.f32, 4, needs_grad=True)
loss = qd.field(qd.f32, (), needs_grad=True)


@qd.kernel
def compute():
    for i in x:
        value = x[i]
        for _ in range(64):
            value = qd.sin(value)
        loss[None] += value


compute.grad()
