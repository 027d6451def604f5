"""Names that programs written for the reference reach into. Each is computed from the real state when it is asked for;
submodules are imported when they are first named; nothing else of the package imports from here."""

from quadrants._language import kernel as _core_kernel
from quadrants._arch import amdgpu, cpu, cuda, gpu, metal, vulkan

_SUBMODULES = frozenset(
    "_fast_caching _kernel_coverage _kernel_types _ndrange _perf_dispatch _template_mapper ast exception graph impl kernel_impl "
    "matrix mesh misc ops simt source_builder stream struct util".split()
)


def __getattr__(name):
    import importlib

    if name in _SUBMODULES:
        try:
            return importlib.import_module("quadrants.lang." + name)
        except ModuleNotFoundError as error:
            if error.name != "quadrants.lang." + name:
                raise
    raise AttributeError(f"module 'quadrants.lang' has no attribute {name!r}; the language itself is in quadrants (qd.{name})")


def _of_kernel(info, name):
    """An attribute of k._primal beyond those that the compiler needs."""
    from quadrants.lang import _primal

    return _primal.attribute(info, name)


_core_kernel.KernelInfo.__getattr__ = _of_kernel
