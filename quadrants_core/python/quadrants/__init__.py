"""Quadrants: data-parallel kernels in Python, compiled by a C++ core."""

import gc as _gc
import sys as _sys

_collects = _gc.isenabled()
_gc.disable()  # objects created by the import are permanent, and collecting garbage meanwhile takes a tenth of the import time
try:
    from quadrants import _arch, _environment, _installation, _logging, _on_demand, _settings, math, types
    from quadrants._arch import Extension as extension
    from quadrants._arch import amdgpu, arm64, cpu, cuda, gpu, metal, python, vulkan, x64
    from quadrants._dtypes import f16, f32, f64, i8, i16, i32, i64, u1, u8, u16, u32, u64
    from quadrants._exceptions import (
        QuadrantsAssertionError,
        QuadrantsCompilationError,
        QuadrantsInterruptedError,
        QuadrantsNameError,
        QuadrantsRuntimeError,
        QuadrantsRuntimeTypeError,
        QuadrantsSyntaxError,
        QuadrantsTypeError,
    )
    from quadrants._language.annotations import Template, sparse_matrix_builder, template
    from quadrants._language.func import func, pyfunc, real_func, ref
    from quadrants._language.graph import GraphStatus, checkpoint
    from quadrants._language.graph import do_while as graph_do_while
    from quadrants._language.graph import parallel as graph_parallel
    from quadrants._language.graph import parallel_context as graph_parallel_context
    from quadrants._language.kernel import data_oriented, kernel, pure
    from quadrants._language.matrix import Matrix, Vector
    from quadrants._language.ops import (
        activate, append, assume_in_range, atomic_add, atomic_and, atomic_cas, atomic_exchange, atomic_max, atomic_min,
        atomic_mul, atomic_or, atomic_sub, atomic_xor, bit_cast, block_local, cache_read_only, cast, ceil, clock_counter,
        clock_freq_hz, deactivate, eig, floor, get_addr, global_thread_idx, grouped, is_active, length, loop_config,
        make_spd, max, mesh_local, mesh_patch_idx, min, ndrange, no_activate, one, polar_decompose, randn, random,
        rescale_index, round, solve, static, static_assert, static_print, stop_grad, stream_parallel, svd, sym_eig, volatile_load,
        zero,
    )  # fmt: skip
    from quadrants._language.ops import elementary as _elementary
    from quadrants._logging import CRITICAL, DEBUG, ERROR, INFO, TRACE, WARN, is_logging_effective, set_logging_level
    from quadrants import _runtime
    from quadrants._runtime import init, is_initialized, reset, sync
    from quadrants._storage.field import Field, MatrixField, ScalarField, field
    from quadrants._storage.ndarray import ndarray
    from quadrants._storage.struct import Struct, StructField, dataclass
    from quadrants._stream import Event, Stream, create_event, create_stream
    from quadrants._trees import snode as _snode
    from quadrants._trees.layout import Layout
    from quadrants._trees.snode import FieldsBuilder, SNode, axes, deactivate_all_snodes, root
    from quadrants._version import version as __version__
    from quadrants._version import version_str as __version_str__
    from quadrants import lang
finally:
    if _collects:
        _gc.enable()

globals().update(_elementary)
x86_64 = x64
float16, float32, float64 = f16, f32, f64
int8, int16, int32, int64 = i8, i16, i32, i64
uint1, uint8, uint16, uint32, uint64 = u1, u8, u16, u32, u64
i, j, k, l, ij, ik, il, jk, jl, kl, ijk, ijl, ikl, jkl, ijkl = _snode.named_axes.values()


_found_on_demand = {  # name -> module, imported on first use
    **dict.fromkeys("Backend MatrixTensor Tensor VectorTensor tensor wrap".split(), "_storage.tensor"),
    **dict.fromkeys("_MatrixTensor _Tensor _VectorTensor _wrap".split(), "_storage.tensor"),
    "BitpackedFields": "_trees.quant",
    "BufferView": "_storage.buffer_view",
    **dict.fromkeys("Mesh MeshInstance".split(), "_storage.mesh"),
    "perf_dispatch": "_perf_dispatch",
    **dict.fromkeys("DeviceCapability Format".split(), "_device"),
    **dict.fromkeys("GUI rgb_to_hex hex_to_rgb".split(), "_windows.gui"),
    "inspect": "_inspect.inspector",
}
_modules = {  # name -> module, likewise imported on first use
    **{name: name for name in "_lib _tensor ad algorithms cache distributed experimental interop linalg profiler simt sparse tools ui".split()},
    "graph": "lang.graph",
}


def is_extension_enabled(ext):
    """Returns whether the running architecture supports an extension.

    Args:
        ext: a member of `qd.extension`, such as `qd.extension.sparse`.

    Returns:
        True or False.

    Example:
        >>> qd.is_extension_enabled(qd.extension.sparse)
        True
    """
    config = _settings.current()
    wanted = config.ad_stack_experimental_enabled or ext != extension.adstack
    return bool(wanted and _arch.is_extension_supported(config.arch, ext))


def dump_compile_config():
    """Prints every compile option and its value, one per line.

    Example:
        >>> qd.dump_compile_config()  # doctest: +ELLIPSIS
        ad_stack_budget_bytes=0
        ...
    """
    config = _settings.current()
    for name, value in sorted({**vars(config), "default_up": config.default_up}.items()):
        print(f"{name}={value}")


def __getattr__(name):
    if name == "cfg":
        return _settings.cfg
    if name == "coverage":
        import importlib

        return importlib.import_module("quadrants.coverage")
    if name in ("Ndarray", "ScalarNdarray", "VectorNdarray", "MatrixNdarray"):
        from quadrants._storage import ndarray as _ndarray

        return _ndarray.class_named(name)
    if name in _modules:
        import importlib

        return importlib.import_module("quadrants." + _modules[name])
    if name in _found_on_demand:
        import importlib

        found = getattr(importlib.import_module("quadrants." + _found_on_demand[name]), name.lstrip("_"))
        globals()[name] = found
        return found
    if name == "clear_all_gradients":
        from quadrants._gradients import tape as _tape

        return _tape.clear_all_gradients
    if name == "outer":
        from quadrants.simt import _tile

        return _tile.outer
    # given `name` and `obj`, Python adds a suggestion for a misspelt name when it shows the error
    raise AttributeError(f"module 'quadrants' has no attribute {name!r}", name=name, obj=_sys.modules[__name__])


def __dir__():
    shown = {*globals(), *_found_on_demand, *_modules, "Ndarray", "ScalarNdarray", "VectorNdarray", "MatrixNdarray"}
    return sorted(shown - {"_lib", "_tensor", "cache", "coverage", "distributed", "examples", "is_initialized", "pytest_plugin"})  # the list of other names is part of the language


def _publish():
    """Sets the module of what the package defines to its public name, which tracebacks show."""
    for name, value in globals().items():
        if getattr(value, "__name__", None) == name and callable(value) and value.__module__.startswith("quadrants._"):
            value.__module__ = "quadrants"


_publish()
if "IPython" in _sys.modules or hasattr(_sys, "ps1"):  # an interactive shell, which completes names
    _runtime.describe(init, _runtime.options())
    _runtime.describe(field, {"layout": None})
_logging.print_header()
_installation.check()
if _environment.asks_for_window():
    from quadrants._inspect.inspector import of_environment as _inspect_as_requested

    _inspect_as_requested()
