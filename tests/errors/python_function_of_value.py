import quadrants as qd


def helper(x):
    return x + 1


@qd.kernel
def wrong(x: qd.f32):
    y = helper(x)


wrong(1.0)
