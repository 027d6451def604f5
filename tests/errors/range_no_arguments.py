import quadrants as qd


@qd.kernel
def wrong():
    for i in range():
        pass


wrong()
