import quadrants as qd


@qd.kernel
def wrong():
    try:
        x = 1
    except ValueError:
        pass


wrong()
