import quadrants as qd
from quadrants.lang.misc import loop_unique


@qd.kernel
def wrong():
    for i in range(3):
        print(loop_unique(i, covers=[i]))


wrong()
