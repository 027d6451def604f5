import quadrants as qd


@qd.kernel
def wrong():
    def f():
        pass


wrong()
