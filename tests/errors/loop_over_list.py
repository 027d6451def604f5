import quadrants as qd


@qd.kernel
def wrong():
    for i in [1, 2]:
        pass


wrong()
