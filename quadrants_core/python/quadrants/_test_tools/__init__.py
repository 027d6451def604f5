"""Helpers for test suites of programs."""

_SUBMODULES = ("dataclass_test_tools", "load_kernel_string", "textwrap2", "warnings_helper")


def qd_init_same_arch(**options):
    """Calls qd.init with the current architecture and other options."""
    from quadrants import _runtime, _settings

    _runtime.init(arch=_settings.current().arch, **options)


def __getattr__(name):
    if name in _SUBMODULES:
        import importlib

        return importlib.import_module(f"quadrants._test_tools.{name}")
    raise AttributeError(f"module 'quadrants._test_tools' has no attribute {name!r}")
