import quadrants as qd


@qd.kernel
def wrong():
    for I in qd.grouped(qd.grouped(qd.ndrange(2, 3))):
        pass


wrong()
