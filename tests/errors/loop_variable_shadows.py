import quadrants as qd


@qd.kernel
def wrong():
    i = 1
    for i in range(3):
        pass


wrong()
