"""The operations of qd.simt.warp: those of a subgroup with 32 threads, limited to the threads whose bit is set in a mask.

All threads of the subgroup call them together, also those that are not in the mask."""

from quadrants import _dtypes
from quadrants._language.func import func as _func
from quadrants._language.ops import cast, select, static
from quadrants._lanes import ops as _ops
from quadrants._lanes.ops import lane as _lane, shuffle as _shuffle, shuffle_down as _shuffle_down, shuffle_up as _shuffle_up

SIZE = 32
_i32, _u32, _f32 = _dtypes.i32, _dtypes.u32, _dtypes.f32


@_func
def _ballot(predicate):
    return cast(_ops.ballot(predicate), _u32)


@_func
def _active_mask():
    return _ballot(1)


@_func
def _all_nonzero(mask, predicate):
    return cast((_ballot(predicate == 0) & cast(mask, _u32)) == 0, _i32)


@_func
def _any_nonzero(mask, predicate):
    return cast((_ballot(predicate) & cast(mask, _u32)) != 0, _i32)


@_func
def _unique(mask, predicate):
    zeros, others = _ballot(predicate == 0), _ballot(predicate)
    return cast((zeros & cast(mask, _u32)) == 0 or (others & cast(mask, _u32)) == 0, _i32)


@_func
def _match_any(mask, value):
    same = _u32(0)
    for k in range(static(SIZE)):
        if _shuffle(value, k) == value:
            same |= _u32(1) << _u32(k)
    return same & cast(mask, _u32) & _active_mask()


@_func
def _match_all(mask, val):
    taking_part = cast(mask, _u32) & _active_mask()
    return select(_match_any(mask, val) == taking_part, taking_part, _u32(0))


@_func
def _sync_mask(mask):
    _ops.group_sync()


def _shuffles(dtype):
    """Returns the shuffles of one type. A thread whose source does not exist gets its own value."""

    def sync(mask, val, offset):
        return _shuffle(cast(val, dtype), cast(offset, _i32) & static(SIZE - 1))

    def up(mask, val, offset):
        own = cast(val, dtype)
        other = _shuffle_up(own, cast(offset, _i32))
        return select(_lane() >= cast(offset, _i32), other, own)

    def down(mask, val, offset):
        own = cast(val, dtype)
        other = _shuffle_down(own, cast(offset, _i32))
        return select(_lane() + cast(offset, _i32) < static(SIZE), other, own)

    return {"sync": _func(sync), "up": _func(up), "down": _func(down)}


@_func
def _shuffle_xor_i32(mask, val, offset):
    return _ops.shuffle_xor(cast(val, _i32), cast(offset, _i32) & static(SIZE - 1))


operations = {
    "simt.warp.active_mask": _active_mask,
    "simt.warp.all_nonzero": _all_nonzero,
    "simt.warp.any_nonzero": _any_nonzero,
    "simt.warp.ballot": _ballot,
    "simt.warp.match_all": _match_all,
    "simt.warp.match_any": _match_any,
    "simt.warp.unique": _unique,
    "simt.warp.sync": _sync_mask,
    "simt.warp.shfl_xor_i32": _shuffle_xor_i32,
}
for _name, _type in (("i32", _i32), ("f32", _f32)):
    for _way, _op in _shuffles(_type).items():
        operations[f"simt.warp.shfl_{_way}_{_name}"] = _op
