import quadrants as qd

qd.init()


@qd.kernel
def wrong():
    with qd.stream_parallel(2):
        pass


wrong()
