import types

import quadrants as qd

config = types.SimpleNamespace(n=3)


@qd.func
def grown(x):
    return x + config.n


@qd.kernel(fastcache=True)
def wrong(x: qd.i32) -> qd.i32:
    return grown(x)


wrong(1)
