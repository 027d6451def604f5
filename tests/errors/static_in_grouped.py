import quadrants as qd

qd.init()


@qd.kernel
def wrong():
    for I in qd.grouped(qd.static(qd.ndrange(2, 2))):
        pass


wrong()
