import quadrants as qd


@qd.kernel
def wrong():
    print("{k}".format())


wrong()
