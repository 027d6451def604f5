"""qd.tools: files for other programs, pictures and videos, and what this installation can do."""

_MODULES = {
    "PLYWriter": "np2ply",
    "VideoManager": "video",
    **dict.fromkeys("imread imresize imwrite".split(), "image"),
    "imshow": "show",
    "write_vtk": "vtk",
}


def _place(module):
    """Pictures in files are what windows stand on."""
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
