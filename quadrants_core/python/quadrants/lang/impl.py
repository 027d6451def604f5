"""The running program: configuration, kernels, arrays, counts."""

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
    """The live options: qd.cfg, or the defaults before qd.init."""
    return _settings.current()


def default_cfg():
    """The options that qd.init starts from."""
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
    """In a kernel: an operation of the runtime, by name (quadrants_core/frontend/internal.cpp)."""
    raise QuadrantsRuntimeError("call_internal() is for kernels and funcs")


def get_cuda_compute_capability():
    """Of the running device, major * 10 + minor; 0 if it is no CUDA device."""
    return _device_number("compute_capability")


def get_max_shared_memory_bytes():
    """Of a block of the running device; 0 if its blocks share no memory."""
    return _device_number("shared_memory_bytes")


def _device_number(name):
    _runtime.require_program()
    return getattr(_native.core(), name, lambda: 0)()


class _DeviceCaps:
    """What the running device offers of qd.DeviceCapability; these are levels of SPIR-V devices."""

    def get(self, capability):
        """Level of a capability, 0 where the device has none."""
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
        """Publishes what was compiled so far, as the end of the program does."""
        _native.core().publish()

    def get_num_offloaded_tasks_on_last_call(self):
        """Tasks of the last launch."""
        return _native.core().tasks_on_last_call()

    def _get_max_reducer_dispatch_count(self):
        """Stacks are as large as their loops say when these are reached: nothing is worked out before."""
        return 0

    def _reset_max_reducer_dispatch_count(self):
        pass

    def get_graph_last_yield_cp_id_on_last_call(self):
        """Number of the checkpoint at which the last launch of a kernel with qd.checkpoint yielded, or -1."""
        return _native.core().yielded_on_last_call()

    # The devices here have no graphs of their own: tasks of a graph are launched one by one.
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
        """Arrays of this program that have memory."""
        return _native.core().live_ndarrays()

    def __getattr__(self, name):
        raise AttributeError(f"the program has no {name!r}; qd.cfg, qd.sync and qd.profiler say what is known of it")


class PyQuadrants:
    """What get_runtime() gives: one object for the process. Programs replace `materialize` and `clear` to be told when
    fields get their memory and when the program ends."""

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
        """Type of real literals from the next compilation on."""
        self._set_default("default_fp", fp, (f16, f32, f64))

    def set_default_ip(self, ip):
        """Type of integer literals from the next compilation on."""
        self._set_default("default_ip", ip, (i32, i64, u32, u64))

    def _set_default(self, option, value, choices):
        from quadrants import _dtypes

        _runtime.require_program()
        dtype = _dtypes.dtype(value)
        if dtype not in choices:
            raise ValueError(f"{option} is one of {', '.join(map(str, choices))}, not {dtype}")
        setattr(_settings.current(), option, dtype)

    def materialize(self):
        """Gives memory to the fields placed so far."""
        _runtime.require_program()
        self.materialize_root_fb(False)
        _snode.check_all_placed()

    def clear(self):
        """Forgets the program that has ended."""
        self._program = self._generation = None

    def materialize_root_fb(self, is_first_call):
        """Gives memory to what hangs below qd.root."""
        _runtime.require_program()
        builder = _snode.root._node()._builder
        if builder._root._children:
            builder._materialise()

    def get_num_compiled_functions(self):
        """Specialisations of all kernels since qd.init, and what fills, copies and clears whole fields."""
        return _kernel.compiled_functions() + _helpers.count()

    @property
    def kernels(self):
        """What qd.kernel keeps of every kernel that is alive."""
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
        """What qd.kernel keeps of the kernel that is being compiled; None outside of compilation."""
        return _native.core().compiling()

    def sync(self):
        _runtime.sync()

    def __getattr__(self, name):
        raise AttributeError(f"the runtime has no {name!r}; qd.cfg, qd.root and get_runtime().prog say what is known of it")


_the_runtime = PyQuadrants()


def _tell(name, own):
    """Calls the method of this name if a program has put one of its own in its place."""
    if getattr(PyQuadrants, name) is not own:
        getattr(_the_runtime, name)()


_snode.after_materialise.append(_partial(_tell, "materialize", PyQuadrants.materialize))
_settings.after_reset.append(_partial(_tell, "clear", PyQuadrants.clear))


def get_runtime():
    """The object that stands for the running program."""
    return _the_runtime


__getattr__ = _absent("quadrants.lang.impl", {"": "the language itself is in quadrants (qd.*), its options in qd.cfg"})
