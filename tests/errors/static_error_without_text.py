import quadrants as qd


class Mute(Exception):
    def __str__(self):
        raise Mute


def fails():
    raise Mute


@qd.kernel
def wrong():
    x = qd.static(fails())


wrong()
