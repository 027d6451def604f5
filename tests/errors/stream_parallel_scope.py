import quadrants as qd

qd.init()


@qd.kernel
def wrong():
    with qd.stream_parallel():
        a = 1
    with qd.stream_parallel():
        b = a


wrong()
