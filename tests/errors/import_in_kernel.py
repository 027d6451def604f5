import quadrants as qd


@qd.kernel
def wrong():
    import math


wrong()
