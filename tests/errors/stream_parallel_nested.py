import quadrants as qd

qd.init()


@qd.kernel
def wrong():
    with qd.stream_parallel():
        with qd.stream_parallel():
            pass


wrong()
