import quadrants as qd


@qd.kernel
def wrong(a: qd.template(), out: qd.template(), scratch: qd.template()):
    qd.algorithms.reduce_add(a, out, scratch, 5, qd.f16, 1)


wrong(qd.field(qd.f16, 5), qd.field(qd.f16, 1), qd.field(qd.u32, 1))
