"""qd.tools: file export, pictures and videos, and diagnosis of the installation."""

_MODULES = {
    "PLYWriter": "np2ply",
    "VideoManager": "video",
    **dict.fromkeys("imread imresize imwrite".split(), "image"),
    "imshow": "show",
    "write_vtk": "vtk",
}


def _place(module):
    """Returns the module of a name; windows depend on the picture functions, so these are in another package."""
    return "quadrants._windows.image" if module == "image" else f"quadrants.tools.{module}"


def __getattr__(name):
    import importlib

    if name in ("diagnose", *_MODULES.values()):
        return importlib.import_module(_place(name))
    if name in _MODULES:
        return getattr(importlib.import_module(_place(_MODULES[name])), name)
    raise AttributeError(f"module 'quadrants.tools' has no attribute {name!r}")


def __dir__():
    return ["diagnose", *_MODULES]
