import itertools

import quadrants as qd

qd.init(offline_cache=False)


@qd.kernel
def unrolled() -> qd.i32:
    s = 0
    for x in qd.static(itertools.count()):
        s += x
    return s


unrolled()
