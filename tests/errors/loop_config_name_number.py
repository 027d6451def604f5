import quadrants as qd

qd.init()


@qd.kernel
def wrong():
    qd.loop_config(name=3)
    for i in range(3):
        pass


wrong()
