import quadrants as qd

qd.init()


@qd.kernel
def wrong():
    for i in range(64):
        qd.simt.subgroup.reduce_add_tiled(i, 6)


wrong()
