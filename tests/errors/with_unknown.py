import quadrants as qd


@qd.kernel
def wrong():
    with open('x'):
        pass


wrong()
