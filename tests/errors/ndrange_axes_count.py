import quadrants as qd


@qd.kernel
def wrong():
    for i, j in qd.ndrange(2, 3, axes=(0, 1, 2)):
        pass


wrong()
