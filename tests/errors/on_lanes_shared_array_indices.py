import quadrants as qd

qd.init()


@qd.kernel
def wrong():
    for i in range(64):
        pad = qd.simt.block.SharedArray((8, 8), qd.i32)
        pad[i] = 1


wrong()
