import quadrants as qd

qd.init()


class Helper:
    __name__ = "helper"

    def __call__(self, v):
        return v + 1


helper = Helper()


@qd.kernel
def wrong(x: qd.f32):
    y = helper(x)


wrong(1.0)
