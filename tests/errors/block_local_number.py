import quadrants as qd


@qd.kernel
def wrong():
    qd.block_local(3)


wrong()
