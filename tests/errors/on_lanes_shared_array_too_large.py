import quadrants as qd

qd.init()


@qd.kernel
def wrong():
    for i in range(64):
        pad = qd.simt.block.SharedArray((2**27,) * 3, qd.f32)
        pad[0, 0, 0] = 1.0


wrong()
