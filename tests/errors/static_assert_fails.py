import quadrants as qd


N = 2


@qd.kernel
def wrong():
    qd.static_assert(N > 3, "N is too small")


wrong()
