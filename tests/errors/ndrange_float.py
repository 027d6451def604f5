import quadrants as qd


@qd.kernel
def wrong():
    for i in qd.ndrange(2.5):
        pass


wrong()
