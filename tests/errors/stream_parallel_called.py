import quadrants as qd

qd.init()


@qd.kernel
def wrong():
    qd.stream_parallel()


wrong()
