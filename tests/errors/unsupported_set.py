import quadrants as qd


@qd.kernel
def wrong():
    x = {1, 2}


wrong()
