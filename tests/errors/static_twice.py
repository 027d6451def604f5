import quadrants as qd


@qd.kernel
def wrong():
    a = 1
    a = qd.static(2)


wrong()
