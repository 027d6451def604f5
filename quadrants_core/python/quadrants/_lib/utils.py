"""Where the native module is."""


def import_qd_python_core():
    """The native module, quadrants._lib.core."""
    from quadrants._lib import core

    return core
