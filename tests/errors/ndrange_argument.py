import quadrants as qd


@qd.kernel
def wrong():
    for i in qd.ndrange((1, 2, 3)):
        pass


wrong()
