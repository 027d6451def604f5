"""The running program: configuration, kernels, arrays and counters."""

from functools import partial as _partial

from quadrants import _exceptions, _native, _runtime, _settings
from quadrants._language import kernel as _kernel, matrix as _matrix
from quadrants._storage import ndarray as _ndarray
from quadrants._trees import helpers as _helpers, snode as _snode
from quadrants._language.annotations import Template, template
from quadrants._dtypes import f16, f32, f64, i32, i64, u32, u64
from quadrants._exceptions import QuadrantsRuntimeError, QuadrantsSyntaxError
from quadrants._storage.field import ScalarField, field
from quadrants._language.kernel import KernelInfo as Kernel
from quadrants._language.func import pyfunc as _pyfunc
from quadrants._storage.ndarray import ndarray
from quadrants._language.ops import builtin as _builtin
from quadrants._language.ops import grouped, one, static, static_assert, static_print, zero
from quadrants._trees.snode import FieldsBuilder, root
from quadrants.lang import _replaced
from quadrants.lang._absent import absent as _absent


def current_cfg():
    """Returns the current options: qd.cfg, or the defaults before qd.init."""
    return _settings.current()


def default_cfg():
    """Returns the options that qd.init starts from."""
    return _settings.defaults


@_pyfunc
def qd_float(x):
    return float(x)


@_pyfunc
def qd_int(x):
    return int(x)


@_pyfunc
def qd_bool(x):
    return bool(x)


@_pyfunc
def subscript(x, i):
    return x[i]


@_builtin
def call_internal(name, *args):
    """In a kernel, calls an operation of the runtime by name (quadrants_core/frontend/internal.cpp)."""
    raise QuadrantsRuntimeError("call_internal() is for kernels and funcs")


def get_cuda_compute_capability():
    """Returns the compute capability of the running device as major * 10 + minor; 0 if it is not a CUDA device."""
    return _device_number("compute_capability")


def get_max_shared_memory_bytes():
    """Returns the size of the shared memory of a block on the running device; 0 if it has none."""
    return _device_number("shared_memory_bytes")


def _device_number(name):
    _runtime.require_program()
    return getattr(_native.core(), name, lambda: 0)()


class _DeviceCaps:
    """The levels of qd.DeviceCapability of the running device; they describe SPIR-V devices."""

    def get(self, capability):
        """Returns the level of a capability; 0 if the device does not have it."""
        return 0


class _Program:
    """The program between qd.init and qd.reset."""

    def config(self):
        return _settings.current()

    def get_device_caps(self):
        return _DeviceCaps()

    def synchronize(self):
        _runtime.sync()

    def dump_cache_data_to_disk(self):
        """Publishes what has been compiled so far to the cache, as at the end of the program."""
        _native.core().publish()

    def get_num_offloaded_tasks_on_last_call(self):
        """Returns the number of tasks of the last launch."""
        return _native.core().tasks_on_last_call()

    def _get_max_reducer_dispatch_count(self):
        """Returns 0: no reductions are dispatched to determine the size of adstacks, since it follows from the loops at run time."""
        return 0

    def _reset_max_reducer_dispatch_count(self):
        pass

    def get_graph_last_yield_cp_id_on_last_call(self):
        """Returns the number of the checkpoint at which the last launch of a kernel with qd.checkpoint yielded, or -1."""
        return _native.core().yielded_on_last_call()

    # The devices here have no graphs of their own: the tasks of a graph are launched one by one.
    def get_graph_cache_size(self):
        return 0

    def get_graph_cache_used_on_last_call(self):
        return False

    def get_graph_num_nodes_on_last_call(self):
        return 0

    def get_graph_num_checkpoints_on_last_call(self):
        return 0

    def get_graph_total_builds(self):
        return 0

    def _get_num_ndarrays(self):
        """Returns the number of arrays of this program that have memory."""
        return _native.core().live_ndarrays()

    def __getattr__(self, name):
        raise AttributeError(f"the program has no {name!r}; qd.cfg, qd.sync and qd.profiler say what is known of it")


class PyQuadrants:
    """The object returned by get_runtime(), one per process. Programs replace `materialize` and `clear` to be notified when fields are
    allocated and when the program ends."""

    _program = None
    _generation = None

    @property
    def prog(self):
        """The program; None before qd.init and after qd.reset."""
        if _settings.cfg is None:
            return None
        generation = _native.core().generation()
        if self._generation != generation:
            self._program, self._generation = _Program(), generation
        return self._program

    @property
    def default_fp(self):
        return _settings.default_fp()

    @property
    def default_ip(self):
        return _settings.default_ip()

    @default_fp.setter
    def default_fp(self, fp):
        self.set_default_fp(fp)

    @default_ip.setter
    def default_ip(self, ip):
        self.set_default_ip(ip)

    def set_default_fp(self, fp):
        """Sets the type of real literals in later compilations."""
        self._set_default("default_fp", fp, (f16, f32, f64))

    def set_default_ip(self, ip):
        """Sets the type of integer literals in later compilations."""
        self._set_default("default_ip", ip, (i32, i64, u32, u64))

    def _set_default(self, option, value, choices):
        from quadrants import _dtypes

        _runtime.require_program()
        dtype = _dtypes.dtype(value)
        if dtype not in choices:
            raise ValueError(f"{option} must be one of {', '.join(map(str, choices))}, not {dtype}")
        setattr(_settings.current(), option, dtype)

    def materialize(self):
        """Allocates the fields placed so far."""
        _runtime.require_program()
        self.materialize_root_fb(False)
        _snode.check_all_placed()

    def clear(self):
        """Forgets the program that has ended."""
        self._program = self._generation = None

    def materialize_root_fb(self, is_first_call):
        """Allocates the tree of qd.root."""
        _runtime.require_program()
        builder = _snode.root._node()._builder
        if builder._root._children:
            builder._materialise()

    def get_num_compiled_functions(self):
        """Returns the number of specialisations of all kernels since qd.init, including those that fill, copy and clear whole fields."""
        return _kernel.compiled_functions() + _helpers.count()

    @property
    def kernels(self):
        """The KernelInfo of every kernel that is alive."""
        return [k._primal for ref in _kernel._all_kernels if (k := ref()) is not None]

    @property
    def ndarrays(self):
        """The arrays that have memory."""
        import gc
        import weakref

        base = _ndarray.class_named("Ndarray")
        return weakref.WeakSet(o for o in gc.get_objects() if isinstance(o, base) and o._alive)

    @property
    def compiling_callable(self):
        """The KernelInfo of the kernel that is being compiled; None outside compilation."""
        return _native.core().compiling()

    def sync(self):
        _runtime.sync()

    def __getattr__(self, name):
        raise AttributeError(f"the runtime has no {name!r}; qd.cfg, qd.root and get_runtime().prog say what is known of it")


_the_runtime = PyQuadrants()


def _call_replaced(name, own):
    """Calls the method of this name if a program has replaced it."""
    if getattr(PyQuadrants, name) is not own:
        getattr(_the_runtime, name)()


_snode.after_materialise.append(_partial(_call_replaced, "materialize", PyQuadrants.materialize))
_settings.after_reset.append(_partial(_call_replaced, "clear", PyQuadrants.clear))


def get_runtime():
    """Returns the object that represents the running program."""
    return _the_runtime


__getattr__ = _absent("quadrants.lang.impl", {"": "the language itself is in quadrants (qd.*), its options in qd.cfg"})
