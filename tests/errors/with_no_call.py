import quadrants as qd

qd.init()


@qd.kernel
def wrong():
    with qd:
        pass


wrong()
