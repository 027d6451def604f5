"""Native libraries of the package."""


def __getattr__(name):
    if name in ("core", "utils"):
        import importlib

        return importlib.import_module("quadrants._lib." + name)
    raise AttributeError(f"module 'quadrants._lib' has no attribute {name!r}")
