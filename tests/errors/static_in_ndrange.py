import quadrants as qd

qd.init()


@qd.kernel
def wrong():
    for i, j in qd.ndrange(qd.static(range(2)), 3):
        pass


wrong()
