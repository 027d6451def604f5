import quadrants as qd


@qd.kernel
def wrong():
    for i, j in qd.grouped(qd.ndrange(2, 3)):
        pass


wrong()
