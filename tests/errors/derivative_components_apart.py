import quadrants as qd

v = qd.Vector.field(3, qd.f32)
loss = qd.field(qd.f32, (), needs_grad=True)
qd.root.dense(qd.i, 4).place(v)
for k in range(3):
    qd.root.dense(qd.i, 4 + k).place(v.grad.get_scalar_field(k))


@qd.kernel
def wrong(k: qd.i32):
    for i in range(4):
        loss[None] += v[i][k]


wrong.grad(1)
