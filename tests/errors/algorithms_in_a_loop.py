import quadrants as qd


@qd.kernel
def wrong(a: qd.template(), out: qd.template(), scratch: qd.template()):
    for i in range(3):
        qd.algorithms.exclusive_scan_add(a, out, scratch, 5, qd.f32, 1)


wrong(qd.field(qd.f32, 5), qd.field(qd.f32, 5), qd.field(qd.u32, qd.algorithms.exclusive_scan_scratch_slots(5)))
