import quadrants as qd


@qd.kernel(checkpoints=True)
def wrong():
    pass
