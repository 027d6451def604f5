import quadrants as qd


@qd.kernel
def wrong():
    for i in range(0, 10, 2):
        pass


wrong()
