import quadrants as qd

qd.init()


@qd.kernel
def wrong(n: qd.i32):
    for i in range(64):
        pad = qd.simt.block.SharedArray((n, 4), qd.f32)
        pad[0, 0] = 1.0


wrong(64)
