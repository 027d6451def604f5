import quadrants as qd

qd.init()


@qd.func
def wrong(a, *more):
    return a
