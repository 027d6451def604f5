"""Location of the native module."""


def import_qd_python_core():
    """Returns the native module, quadrants._lib.core."""
    from quadrants._lib import core

    return core
