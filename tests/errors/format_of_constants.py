import quadrants as qd

qd.init()


@qd.kernel
def wrong():
    print("{} {} {}".format(1, 2, 3, 4))


wrong()
