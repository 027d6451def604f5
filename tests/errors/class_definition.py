import quadrants as qd


@qd.kernel
def wrong():
    class A:
        pass


wrong()
