import quadrants as qd


@qd.kernel
def wrong(a: qd.template(), out: qd.template(), scratch: qd.template()):
    qd.algorithms.reduce_add(a, out, scratch, 5, qd.f32, 1)


wrong(qd.field(qd.f32, 5), qd.field(qd.f32, 1), qd.field(qd.u32, qd.algorithms.reduce_scratch_slots(5)))
