import quadrants as qd

qd.init()


@qd.kernel
def wrong():
    qd.loop_config(block_dim=33)
    for i in range(3):
        pass


wrong()
