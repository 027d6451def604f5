import quadrants as qd
from quadrants.lang import impl


@qd.kernel
def wrong():
    impl.call_internal("no_such_operation")


wrong()
