import quadrants as qd
from quadrants.lang import impl


@qd.kernel
def wrong() -> qd.i32:
    return impl.call_internal("test_internal_func_args", 1, 2.0, 3)


wrong()
