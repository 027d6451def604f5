import quadrants as qd

qd.init()


@qd.kernel
def wrong():
    qd.loop_config(block_dim=64)
    for i in range(64):
        shared = qd.simt.block.SharedArray((64,), qd.f32)
        shared[i] = 1.0


wrong()
