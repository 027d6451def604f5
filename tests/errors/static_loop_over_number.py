import quadrants as qd


@qd.kernel
def wrong():
    for i in qd.static(3):
        pass


wrong()
