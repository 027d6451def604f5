import quadrants as qd


@qd.kernel
def wrong():
    x = qd.static(qd.static(1))


wrong()
