import quadrants as qd


@qd.kernel
def wrong():
    x = "text"


wrong()
