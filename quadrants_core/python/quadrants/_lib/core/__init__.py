"""Opens libquadrants_core.so, the file that the Jupyter kernel opens as well, as the extension module quadrants_python."""

import importlib.machinery as _machinery
import importlib.util as _util
import os as _os
import sys as _sys


def _load():
    name = __name__ + ".quadrants_python"
    path = _os.path.join(_os.path.dirname(_os.path.dirname(_os.path.abspath(__file__))), "libquadrants_core.so")
    if not _os.path.exists(path):
        raise ImportError(f"{path} is missing: build the project first (make), or reinstall the package", name=name, path=path)
    loader = _machinery.ExtensionFileLoader(name, path)
    module = _util.module_from_spec(_machinery.ModuleSpec(name, loader, origin=path))
    _sys.modules[name] = module
    loader.exec_module(module)
    return module


quadrants_python = _load()


def __getattr__(name):
    """Names that programs look for here."""
    if name.startswith("__"):
        raise AttributeError(name)
    from quadrants._lib import _core_names

    return _core_names.find(name)
