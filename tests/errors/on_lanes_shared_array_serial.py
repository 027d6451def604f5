import quadrants as qd

qd.init()


@qd.kernel
def wrong() -> qd.i32:
    pad = qd.simt.block.SharedArray(64, qd.i32)
    pad[0] = 1
    return pad[0]


wrong()
