"""The extension module quadrants_python, and further names that programs access."""

from quadrants import _native

quadrants_python = _native.core()


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    from quadrants._lib import _core_names

    return _core_names.find(name)
