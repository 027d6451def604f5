import quadrants as qd


def helper(x):
    raise KeyError('no such thing')


@qd.kernel
def wrong():
    y = qd.static(helper(2))


wrong()
