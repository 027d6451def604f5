import quadrants as qd
from quadrants._language.external import _Function

qd.init()
f = _Function("f", 1)


@qd.kernel
def wrong():
    a = qd.Vector([1.0, 2.0])
    f(1, a)


wrong()
