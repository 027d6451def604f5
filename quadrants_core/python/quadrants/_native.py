"""The native library of the package: libquadrants_core.so, the file that the Jupyter kernel opens, too, is loaded on first use as the
extension module quadrants._lib.core.quadrants_python."""

loaded = None  # the extension module once it is loaded, else None
_NAME = "quadrants._lib.core.quadrants_python"
_waiting = []  # functions to call once it is loaded


def core():
    """Returns the extension module."""
    global loaded
    if loaded is None:
        loaded = _load()
        for callback in _waiting:
            callback(loaded)
    return loaded


def when_core_loads(callback):
    """Calls `callback(core)` now, or as soon as the extension module is loaded."""
    if loaded is not None:
        callback(loaded)
    else:
        _waiting.append(callback)


def _load():
    import importlib.machinery
    import importlib.util
    import os
    import sys

    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_lib", "libquadrants_core.so")
    if not os.path.exists(path):
        raise ImportError(f"{path} is missing: build the project first (make), or reinstall the package", name=_NAME, path=path)
    loader = importlib.machinery.ExtensionFileLoader(_NAME, path)
    module = importlib.util.module_from_spec(importlib.machinery.ModuleSpec(_NAME, loader, origin=path))
    sys.modules[_NAME] = module
    loader.exec_module(module)
    return module
