import quadrants as qd


@qd.kernel
def wrong():
    for i in 5:
        pass


wrong()
