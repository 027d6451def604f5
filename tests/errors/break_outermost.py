import quadrants as qd


@qd.kernel
def wrong():
    for i in range(3):
        break


wrong()
