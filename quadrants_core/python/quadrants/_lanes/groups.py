"""The operations of qd.simt on architectures whose threads form blocks and subgroups: builtins, and funcs made of them.

`operations` maps a name such as "simt.block.sync" to what a kernel calls instead of the placeholder of that name."""

from quadrants import _dtypes
from quadrants._language import annotations as _annotations
from quadrants._language.func import func as _func
from quadrants._language.ops import cast, select, static
from quadrants._lanes import ops as _ops
from quadrants._lanes.ops import (
    SharedArray as _SharedArray,
    ballot as _ballot,
    block_sync as _sync,
    lane as _lane,
    log2 as _log2,
    popcnt as _popcnt,
    shuffle as _shuffle,
    shuffle_down as _shuffle_down,
    shuffle_up as _shuffle_up,
    shuffle_xor as _shuffle_xor,
    size as _size,
    thread as _thread,
)

_template = _annotations.template()
_i32, _u32, _u64 = _dtypes.i32, _dtypes.u32, _dtypes.u64


@_func
def _group_fence():
    _ops.fence(_ops.GROUP)


@_func
def _block_fence():
    _ops.fence(_ops.BLOCK)


@_func
def _device_fence():
    _ops.fence(_ops.DEVICE)


@_func
def _elect():
    return _lane() == 0


@_func
def _log2_group_size():
    return static(_log2())


@_func
def _ballot_first_n(predicate, n: _template):
    return cast(_ballot(predicate), _u32) & static((1 << n) - 1)


@_func
def _broadcast_first(value):
    return _shuffle(value, 0)


# Tiles: 2**log2 consecutive lanes of a subgroup.


@_func
def _all_true(predicate, log2: _template):
    return _reduce_all(predicate != 0, _and, log2)


@_func
def _any_true(predicate, log2: _template):
    return _reduce_all(predicate != 0, _or, log2)


@_func
def _all_equal(value, log2: _template):
    first = _shuffle(value, _lane() & static(~((1 << log2) - 1)))
    return _reduce_all(value == first, _and, log2)


@_func
def _reduce(value, op: _template, log2: _template):
    result = value
    for k in static(range(log2)):
        result = op(result, _shuffle_down(result, static(1 << (log2 - 1 - k))))
    return result


@_func
def _reduce_all(value, op: _template, log2: _template):
    result = value
    for k in static(range(log2)):
        result = op(result, _shuffle_xor(result, static(1 << k)))
    return result


@_func
def _inclusive(value, op: _template, log2: _template):
    result = value
    at = _lane() & static((1 << log2) - 1)
    for k in static(range(log2)):
        before = _shuffle_up(result, static(1 << k))
        result = select(at >= static(1 << k), op(before, result), result)
    return result


@_func
def _exclusive(value, op: _template, identity: _template, log2: _template):
    before = _shuffle_up(_inclusive(value, op, log2), 1)
    return select((_lane() & static((1 << log2) - 1)) == 0, identity(value), before)


@_func
def segmented_reduce(value, head_flag, op: _template, log2: _template):
    """After step k, `result` covers 2**k lanes of the segment, and `ended` says whether it ends within these."""
    result = value
    last = (_lane() & static((1 << log2) - 1)) == static((1 << log2) - 1)
    ended = cast(last, _i32) | _shuffle_down(cast(head_flag != 0, _i32), 1)
    for k in static(range(log2)):
        after, ends = _shuffle_down(result, static(1 << k)), _shuffle_down(ended, static(1 << k))
        result = select(ended == 0, op(result, after), result)
        ended = ended | ends
    return result


@_func
def _bitonic_sort_kv(key, value, log2: _template):
    k, v = key, value
    lane = _lane() & static((1 << log2) - 1)
    for stage in static(range(log2)):
        for step in static(range(stage, -1, -1)):
            other_k, other_v = _shuffle_xor(k, static(1 << step)), _shuffle_xor(v, static(1 << step))
            wants_less = ((lane & static(1 << step)) == 0) == ((lane & static(2 << stage)) == 0)
            swaps = select(wants_less, other_k < k, other_k > k)
            k, v = select(swaps, other_k, k), select(swaps, other_v, v)
    return k, v


@_func
def add(a, b):
    return a + b


@_func
def _mul(a, b):
    return a * b


@_func
def _min(a, b):
    return min(a, b)


@_func
def _max(a, b):
    return max(a, b)


@_func
def _and(a, b):
    return a & b


@_func
def _or(a, b):
    return a | b


@_func
def _xor(a, b):
    return a ^ b


OPS = {"add": add, "mul": _mul, "min": _min, "max": _max, "and": _and, "or": _or, "xor": _xor}


# Blocks. The last barrier of each func lets the next call store to the same memory.


@_func
def _count_nonzero(predicate):
    count = _SharedArray(1, _i32)
    if _thread() == 0:
        count[0] = 0
    _sync()
    if predicate != 0:
        count[0] += 1
    _sync()
    result = count[0]
    _sync()
    return result


@_func
def _any_nonzero(predicate):
    return cast(_count_nonzero(predicate) > 0, _i32)


@_func
def _all_nonzero(predicate):
    return cast(_count_nonzero(predicate == 0) == 0, _i32)


def _groups(block_dim, name="reduce"):
    """Returns the number of subgroups of a block; `name` is the function of qd.simt.block for which it is asked."""
    if block_dim <= 0 or block_dim % _size():
        raise ValueError(f"block.{name}: block_dim must be a positive multiple of subgroup size {_size()}, not {block_dim}")
    return block_dim // _size()


@_func
def block_reduce(value, block_dim: _template, op: _template, dtype: _template):
    partial = _SharedArray(static(_groups(block_dim)), dtype)
    of_group = _reduce(cast(value, dtype), op, static(_log2()))
    if _lane() == 0:
        partial[_thread() // static(_size())] = of_group
    _sync()
    result = partial[0]
    for k in static(range(1, _groups(block_dim))):
        result = op(result, partial[k])
    _sync()
    return result


@_func
def _block_inclusive(value, block_dim: _template, op: _template, dtype: _template):
    partial = _SharedArray(static(_groups(block_dim, "inclusive_scan")), dtype)
    result = _inclusive(cast(value, dtype), op, static(_log2()))
    group = _thread() // static(_size())
    if _lane() == static(_size() - 1):
        partial[group] = result
    _sync()
    for k in static(range(_groups(block_dim) - 2, -1, -1)):
        result = select(k < group, op(partial[k], result), result)
    _sync()
    return result


@_func
def block_exclusive(value, block_dim: _template, op: _template, identity: _template, dtype: _template):
    static(_groups(block_dim, "exclusive_scan"))
    last = _SharedArray(block_dim, dtype)
    last[_thread()] = _block_inclusive(value, block_dim, op, dtype)
    _sync()
    result = cast(identity, dtype)
    if _thread() > 0:
        result = last[_thread() - 1]
    _sync()
    return result


def _digits_per_thread(radix_bits, block_dim):
    return -(-(1 << radix_bits) // block_dim)


@_func
def _same_digit(digit, num_bits):
    """Returns a mask of the lanes with the same digit."""
    same = _ballot(1)
    for b in range(num_bits):
        bit = (digit >> b) & 1
        ones = _ballot(bit)
        same &= select(bit != 0, ones, ~ones)
    return same


@_func
def radix_rank(
    key, block_dim: _template, radix_bits: _template, bit_start, num_bits, bins, excl_prefix
):  # fmt: skip
    """Each subgroup counts its digits. The sums of the counts of the subgroups before it, and of all smaller digits, give the ranks."""
    digits, groups = static(1 << radix_bits), static(_groups(block_dim, "radix_rank_match_atomic_or"))
    counts = _SharedArray(static(_groups(block_dim) << radix_bits), _i32)
    thread, group = _thread(), _thread() // static(_size())
    for k in range((digits * groups + block_dim - 1) // block_dim):
        if k * block_dim + thread < digits * groups:
            counts[k * block_dim + thread] = 0
    _sync()
    digit = cast(key >> bit_start, _i32) & ((1 << num_bits) - 1)
    same = _same_digit(digit, num_bits)
    before = cast(_popcnt(same & ((_u64(1) << cast(_lane(), _u64)) - _u64(1))), _i32)
    if before == 0:
        counts[group * digits + digit] = cast(_popcnt(same), _i32)
    _sync()
    per_thread = static(_digits_per_thread(radix_bits, block_dim))
    total = 0
    for d in range(thread * per_thread, min((thread + 1) * per_thread, digits)):
        of_digit = 0
        for g in range(groups):
            count = counts[g * digits + d]
            counts[g * digits + d] = of_digit
            of_digit += count
        bins[d] = of_digit
        total += of_digit
    smaller = block_exclusive(total, block_dim, add, 0, _i32)
    for d in range(thread * per_thread, min((thread + 1) * per_thread, digits)):
        excl_prefix[d] = smaller
        smaller += cast(bins[d], _i32)
    _sync()
    rank = cast(excl_prefix[digit], _i32) + counts[group * digits + digit] + before
    _sync()
    return rank


def _check_tile(log2):
    if not 0 <= log2 <= _log2():
        raise ValueError(f"tiles of 2**{log2} threads do not fit into subgroups of {_size()}")


def _of_subgroup(kind, name):
    """Returns the funcs of a collective operation: on a subgroup, and on tiles of it."""
    op, identity = OPS[name], _ops.identity[name]

    if kind == "exclusive":

        def whole(value):
            return _exclusive(value, op, identity, static(_log2()))

        def tiled(value, log2_size: _template):
            static(_check_tile(log2_size))
            return _exclusive(value, op, identity, log2_size)

    elif kind == "segmented_reduce":

        def whole(value, head_flag):
            return segmented_reduce(value, head_flag, op, static(_log2()))

        def tiled(value, head_flag, log2_size: _template):
            static(_check_tile(log2_size))
            return segmented_reduce(value, head_flag, op, log2_size)

    else:
        combine = {"reduce": _reduce, "reduce_all": _reduce_all, "inclusive": _inclusive}[kind]

        def whole(value):
            return combine(value, op, static(_log2()))

        def tiled(value, log2_size: _template):
            static(_check_tile(log2_size))
            return combine(value, op, log2_size)

    return _func(whole), _func(tiled)


def _of_block(kind, name):
    op, identity = OPS[name], _ops.identity[name]

    def exclusive(value, block_dim: _template, dtype: _template):
        return block_exclusive(value, block_dim, op, identity(cast(value, dtype)), dtype)

    def other(value, block_dim: _template, dtype: _template):
        return combine(value, block_dim, op, dtype)

    combine = _block_inclusive if kind == "inclusive" else block_reduce
    return _func(exclusive if kind == "exclusive" else other)


def _with_tiles(name, combine):
    def whole(value):
        return combine(value, static(_log2()))

    def tiled(value, log2_size: _template):
        static(_check_tile(log2_size))
        return combine(value, log2_size)

    return {f"simt.subgroup.{name}": _func(whole), f"simt.subgroup.{name}_tiled": _func(tiled)}


@_func
def _sort(key, value):
    return _bitonic_sort_kv(key, value, static(_log2()))


@_func
def _sort_tiled(key, value, log2_size: _template):
    static(_check_tile(log2_size))
    return _bitonic_sort_kv(key, value, log2_size)


operations = {
    "simt.block.sync": _sync,
    "simt.block.mem_fence": _block_fence,
    "simt.block.thread_idx": _thread,
    "simt.block.SharedArray": _SharedArray,
    "simt.block.sync_count_nonzero": _count_nonzero,
    "simt.block.sync_any_nonzero": _any_nonzero,
    "simt.block.sync_all_nonzero": _all_nonzero,
    "simt.block.reduce": block_reduce,
    "simt.block.reduce_all": block_reduce,
    "simt.block.inclusive_scan": _block_inclusive,
    "simt.block.exclusive_scan": block_exclusive,
    "simt.block.radix_rank_match_atomic_or": radix_rank,
    **{f"simt.block.{k}_{op}": _of_block(k, op) for k in ("reduce", "reduce_all", "inclusive", "exclusive") for op in ("add", "min", "max")},
    "simt.grid.mem_fence": _device_fence,
    "simt.subgroup.sync": _ops.group_sync,
    "simt.subgroup.mem_fence": _group_fence,
    "simt.subgroup.elect": _elect,
    "simt.subgroup.log2_group_size": _log2_group_size,
    "simt.subgroup.invocation_id": _lane,
    "simt.subgroup.ballot": _ballot,
    "simt.subgroup.ballot_first_n": _ballot_first_n,
    "simt.subgroup.broadcast": _shuffle,
    "simt.subgroup.broadcast_first": _broadcast_first,
    "simt.subgroup.shuffle": _shuffle,
    "simt.subgroup.shuffle_xor": _shuffle_xor,
    "simt.subgroup.shuffle_up": _shuffle_up,
    "simt.subgroup.shuffle_down": _shuffle_down,
    "simt.subgroup.bitonic_sort_kv": _sort,
    "simt.subgroup.bitonic_sort_kv_tiled": _sort_tiled,
    **_with_tiles("all_true", _all_true),
    **_with_tiles("any_true", _any_true),
    **_with_tiles("all_equal", _all_equal),
}
for _kind, _names in (
    ("reduce", ("add", "min", "max")), ("reduce_all", ("add", "min", "max")), ("segmented_reduce", ("add", "min", "max")),
    ("inclusive", OPS), ("exclusive", OPS),
):  # fmt: skip
    for _name in _names:
        operations[f"simt.subgroup.{_kind}_{_name}"], operations[f"simt.subgroup.{_kind}_{_name}_tiled"] = _of_subgroup(_kind, _name)
