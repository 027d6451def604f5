import itertools

import quadrants as qd

qd.init(offline_cache=False)


@qd.kernel
def summed() -> qd.i32:
    return sum(itertools.cycle([1, 2]))


summed()
