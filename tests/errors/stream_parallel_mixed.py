import quadrants as qd

qd.init()


@qd.kernel
def wrong(n: qd.i32):
    """A docstring is not a statement."""
    with qd.stream_parallel():
        pass
    for i in range(n):
        pass


wrong(3)
