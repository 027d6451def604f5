import quadrants as qd

qd.init()


@qd.func
def part():
    with qd.stream_parallel():
        pass


@qd.kernel
def wrong():
    part()


wrong()
