import quadrants as qd

qd.init()


@qd.kernel
def wrong():
    for i in range(64):
        pad = qd.simt.block.SharedArray(64, "float")
        pad[0] = 1.0


wrong()
