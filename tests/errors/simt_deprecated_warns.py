import quadrants as qd
qd.simt.block._mem_sync_deprecation_warned = False  # other programs of this process may have warned already
qd.init()


@qd.kernel
def wrong():
    for i in range(64):
        qd.simt.block.mem_sync()


wrong()
