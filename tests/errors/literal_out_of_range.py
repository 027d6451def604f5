import quadrants as qd


@qd.kernel
def wrong():
    x = 3000000000


wrong()
