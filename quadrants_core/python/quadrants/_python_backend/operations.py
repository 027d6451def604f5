"""Imports all functions of the language. Numbers, vectors and matrices have separate modules; the remaining functions are here."""

import ctypes as _ctypes
import math as _math
import operator as _operator
import time as _time

from quadrants import _dtypes, _exceptions, _settings
from quadrants._language import ops as _ops
from quadrants._python_backend import (  # noqa: F401
    atomics, elementary, linear_algebra, matrices, meshes, numbers, output, places, shading, storage,
)  # fmt: skip
from quadrants._python_backend.numbers import DryRun, Scalar, as_kind, fail_type, value_as
from quadrants._python_backend.table import data_type, named, table
from quadrants._python_backend.values import Place, Record, Var, fresh, make, to_mat, value_of

# Threads, time, random numbers


@named("clock_counter")
def clock_counter():
    return Scalar(_dtypes.i64, _time.perf_counter_ns())


@named("global_thread_idx")
def global_thread_idx():
    return Scalar(numbers.i32, 0)


table["simt.block.global_thread_idx"] = global_thread_idx
table["simt.subgroup.group_size"] = lambda: 0


def _lane_mask(name, bits):
    """Returns the lane mask of the lanes that compare in this way with a given one."""

    def op(lane):
        bit = 1 << value_as(value_of(lane), numbers.u32) % 32
        return Scalar(numbers.u32, bits(bit) & 0xFFFFFFFF)

    table["simt.subgroup.lanemask_" + name] = op


_lane_mask("lt", lambda bit: bit - 1)
_lane_mask("le", lambda bit: bit | bit - 1)
_lane_mask("eq", lambda bit: bit)
_lane_mask("gt", lambda bit: ~(bit | bit - 1))
_lane_mask("ge", lambda bit: ~(bit - 1))


def external(function, *args):
    """Calls a library function with the addresses of copies of its arguments; places receive the values that it leaves there."""
    kept = [fresh(a) for a in args]
    if DryRun.active:
        return
    copies = [_C[a.kind.name](a.value) for a in kept]
    _ctypes.CFUNCTYPE(None, *[_ctypes.c_void_p] * len(copies))(function._address)(*map(_ctypes.addressof, copies))
    for arg, old, new in zip(args, kept, copies):
        if isinstance(arg, (Var, Place)):
            arg.set(Scalar(old.kind, int(new.value) if isinstance(new.value, bool) else new.value))


_C = {f"{sign}{bits}": getattr(_ctypes, f"c_{'u' * (sign == 'u')}int{bits}") for sign in "iu" for bits in (8, 16, 32, 64)}
_C |= {"u1": _ctypes.c_bool, "f32": _ctypes.c_float, "f64": _ctypes.c_double}


@named("call_internal")
def call_internal(name, a=0, b=0, n=0):
    """Implements the operations that tests call: (a + b) * n, and one that tests itself."""
    if name == "test_stack":
        return as_kind(0, numbers.i32)
    return as_kind(numbers.binary("*", numbers.binary("+", value_of(a), value_of(b)), value_of(n)), numbers.i32)


@named("random")
def random(dtype=float):
    kind = data_type(dtype)
    if DryRun.active:
        return as_kind(0, kind)
    if not numbers.is_real(kind):
        return Scalar(kind, int(_ops.random(kind)))
    digits = {16: 11, 32: 24, 64: 53}[kind.bits]
    return Scalar(kind, _math.floor(_ops.random(kind) * 2.0**digits) * 2.0**-digits)


@named("randn")
def randn(dt=None):
    kind = _settings.default_fp() if dt is None else data_type(dt)
    if not numbers.is_real(kind):
        fail_type(f"`randn` gives real numbers, not {kind}")
    return Scalar(kind, numbers._ROUND[kind](0.0 if DryRun.active else _ops.randn()))

# Structs, output, hints


@named("Struct")
def new_struct(*args, **members):
    for arg in args:
        arg = value_of(arg)
        if isinstance(arg, Record):
            return arg.copy()
        members = {**arg, **members}
    made = {}
    for name, value in members.items():
        value = value_of(value)
        made[name] = fresh(to_mat(value) if isinstance(value, (list, tuple)) else value)
    return Record(None, made)


table["print"] = output.show


@named("assume_in_range")
def assume_in_range(value, base, low, high):
    value = fresh(value)
    base = value_as(value_of(base), value.kind)
    if numbers.Debug.active and not base + low <= value.value < base + high and not DryRun.active:
        places.fail(f"assume_in_range: {value.value} is not in [{base + low}, {base + high})")
    return value


@named("rescale_index")
def rescale_index(from_, to, index):
    """Converts an index of `from_` to one of `to`; their extents must divide each other."""

    def one(i, extent, other):
        i = as_kind(i, numbers.i32)
        if extent > other:
            return numbers.binary("//", i, extent // other)
        return numbers.binary("*", i, other // extent) if extent < other else i

    index = to_mat(index).components()
    extents = [*zip(from_.shape, to.shape)] + [(1, 1)] * len(index)
    return make([one(i, *pair) for i, pair in zip(index, extents)], len(index), 1, 1)


@named("BufferView")
def buffer_view(array, offset, size):
    whole = storage.storage_of(value_of(array))
    first, size = (value_as(value_of(x), numbers.i32) for x in (offset, size))
    return storage.ViewStorage(whole, 0, whole.shape[0]).part(first, first + size, "BufferView construction out of range")


table["loop_unique"] = lambda value, covers=None: fresh(value)
table["mesh_patch_idx"] = meshes.patch

for _name in ("loop_config", "block_local", "cache_read_only", "mesh_local", "no_activate", "stop_grad"):
    table[_name] = lambda *args, **keywords: None


def _refused(name, why):
    def op(*args):
        raise _exceptions.QuadrantsRuntimeError(f"qd.{name}: {why}")

    table[name] = op


for _name in ("is_active", "activate", "deactivate", "append", "length"):
    _refused(_name, "sparse trees are not supported on this backend.")
_refused("get_addr", "elements have no addresses on qd.python; run the kernel on another arch")
_refused("stream_parallel", "is written `with qd.stream_parallel():`")
_refused("checkpoint", "is written `with qd.checkpoint(cp_id, yield_on=flag):`")
_refused("graph.do_while", "is written `while qd.graph.do_while(flag):`")
_refused("graph.parallel_context", "is written `with qd.graph.parallel_context():`")
_refused("graph.parallel", "is written `with qd.graph.parallel():`")

PYTHON = {
    print: "print", min: "min", max: "max", int: "int", float: "float", bool: "bool", abs: "abs", pow: "pow", any: "any",
    all: "all", sum: "sum", len: "len", _operator.matmul: "matmul",
}  # fmt: skip
