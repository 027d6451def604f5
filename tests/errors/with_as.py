import quadrants as qd


@qd.kernel
def wrong():
    with qd.static(1) as a:
        pass


wrong()
