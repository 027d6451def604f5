"""Internal names of the reference implementation that programs use. Each is computed from the actual state on access, and submodules are
imported on first access; nothing else in the package imports from here."""

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
    """Returns an attribute of k._primal that the compiler does not need itself."""
    from quadrants.lang import _primal

    return _primal.attribute(info, name)


_core_kernel.KernelInfo.__getattr__ = _of_kernel
