import quadrants as qd


@qd.kernel
def wrong():
    s = 0
    for i in qd.static(range(40)):
        s += i
    b = missing


wrong()
