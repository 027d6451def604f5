"""qd.tools: files for other programs, and what this installation can do."""

_MODULES = {"PLYWriter": "np2ply", "write_vtk": "vtk"}


def __getattr__(name):
    import importlib

    if name in ("diagnose", *_MODULES.values()):
        return importlib.import_module(f"quadrants.tools.{name}")
    if name in _MODULES:
        return getattr(importlib.import_module(f"quadrants.tools.{_MODULES[name]}"), name)
    raise AttributeError(f"module 'quadrants.tools' has no attribute {name!r}")


def __dir__():
    return ["diagnose", *_MODULES]
