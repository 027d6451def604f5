import quadrants as qd


@qd.kernel
def wrong():
    global x
    x = 1


wrong()
