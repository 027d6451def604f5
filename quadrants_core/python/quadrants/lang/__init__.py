"""Names that programs written for the reference reach into; nothing of this package imports from here."""

from quadrants._arch import amdgpu, cpu, cuda, gpu, metal, vulkan


def __getattr__(name):
    import importlib

    try:
        return importlib.import_module(f"quadrants.lang.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"quadrants.lang.{name}":
            raise
    raise AttributeError(f"module 'quadrants.lang' has no attribute {name!r}")
