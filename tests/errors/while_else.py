import quadrants as qd


@qd.kernel
def wrong():
    a = 1
    while a < 3:
        a += 1
    else:
        pass


wrong()
