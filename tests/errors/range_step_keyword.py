import quadrants as qd

qd.init()


@qd.kernel
def wrong():
    for i in range(3, step=2):
        pass


wrong()
