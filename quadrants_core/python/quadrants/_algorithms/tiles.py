"""Reductions, scans and sorts of arrays on architectures whose threads form blocks.

A block of threads combines a tile of 256 elements; the results of the tiles are the elements of the next level, which are combined in the
same way until one tile is left. A level has a place in the scratch memory if there is more than one tile below it. Kernels contain the
tasks of as many levels as `depth`; those that the number of elements does not need have empty ranges."""

from quadrants import _dtypes
from quadrants._lanes import groups as _lanes, ops as _threads
from quadrants._language import annotations as _annotations, func as _func
from quadrants._language.ops import bit_cast, cast, loop_config, max as max_, select, static

TILE = 256
DIGIT_BITS = 8  # of a pass of the sort: one digit per thread of a block
OPS = _lanes.OPS
_template, _i32, _u32, _u64 = _annotations.template(), _dtypes.i32, _dtypes.u32, _dtypes.u64


def word(dtype):
    """Returns the type of the scratch memory's elements, which contain the bits of a number."""
    return _u32 if dtype.bits == 32 else _u64


def _is_real(dtype):
    return dtype.kind == "float"


def _is_signed(dtype):
    return dtype.kind == "int"


def _sign(dtype):
    return 1 << (dtype.bits - 1)


@_func.func
def tiles(n):
    return (n + static(TILE - 1)) // TILE


@_func.func
def _size(n, level: _template):
    """Returns the number of elements of a level, which is 0 if the level below is a single tile."""
    size = n
    for _ in static(range(level)):
        size = select(size > TILE, tiles(size), 0)
    return size


@_func.func
def _begin(n, level: _template):
    """Returns the index at which a level begins in the scratch memory."""
    begin = 0
    for k in static(range(1, level)):
        begin += _size(n, k)
    return begin


@_func.func
def _load(arr: _template, scratch: _template, at, i, dtype: _template, level: _template):
    result = cast(0, dtype)
    if static(level == 0):
        result = cast(arr[i], dtype)
    else:
        result = bit_cast(cast(scratch[at + i], static(word(dtype))), dtype)
    return result


@_func.func
def _store(to: _template, scratch: _template, at, i, value, dtype: _template, level: _template):
    if static(level == 0):
        to[i] = value
    else:
        scratch[at + i] = bit_cast(value, static(word(dtype)))


@_func.func(requires_top_level=True)
def _reduce_level(
    arr: _template, out: _template, scratch: _template, base, n, dtype: _template, op: _template, depth: _template, level: _template
):  # fmt: skip
    """Combines the tiles of a level: the only one to out[0], several to the next level. If `out` is None, the only one is left out."""
    size = _size(n, level)
    begin, above = base + _begin(n, level), base + _begin(n, static(level + 1))
    count = tiles(size)
    if static(out is None):
        count = select(size > TILE, count, 0)
    elif static(level == 0):
        count = max_(count, 1)
    loop_config(block_dim=static(TILE))
    for i in range(count * TILE):
        value = static(_threads.identity[op])(cast(0, dtype))
        if i < size:
            value = _load(arr, scratch, begin, i, dtype, level)
        total = _lanes.block_reduce(value, static(TILE), static(OPS[op]), dtype)
        if i % TILE == 0:
            if static(out is not None):
                if size <= TILE:
                    out[0] = total
            if static(level + 1 < depth):
                if size > TILE:
                    _store(arr, scratch, above, i // TILE, total, dtype, static(level + 1))


@_func.func(requires_top_level=True)
def reduce(arr: _template, out: _template, scratch: _template, n, dtype: _template, op: _template, depth: _template):
    for level in static(range(depth)):
        _reduce_level(arr, out, scratch, 0, n, dtype, op, depth, level)


@_func.func(requires_top_level=True)
def _scan_level(
    arr: _template, out: _template, scratch: _template, base, n, dtype: _template, op: _template, inclusive: _template,
    depth: _template, level: _template,
):  # fmt: skip
    """Scans the tiles of a level, each beginning with the result of the tiles before it."""
    size = _size(n, level)
    begin, above = base + _begin(n, level), base + _begin(n, static(level + 1))
    loop_config(block_dim=static(TILE))
    for i in range(tiles(size) * TILE):
        value = static(_threads.identity[op])(cast(0, dtype))
        if i < size:
            value = _load(arr, scratch, begin, i, dtype, level)
        before = _lanes.block_exclusive(value, static(TILE), static(OPS[op]), static(_threads.identity[op])(value), dtype)
        if static(level + 1 < depth):
            if size > TILE:
                before = static(OPS[op])(_load(arr, scratch, above, i // TILE, dtype, static(level + 1)), before)
        if static(inclusive and level == 0):
            before = static(OPS[op])(before, value)
        if i < size:
            _store(out, scratch, begin, i, before, dtype, level)


@_func.func(requires_top_level=True)
def scan(
    arr: _template, out: _template, scratch: _template, base, n, dtype: _template, op: _template, inclusive: _template, depth: _template
):  # fmt: skip
    """`base`: the index at which the scratch memory of the levels begins."""
    for level in static(range(depth - 1)):
        _reduce_level(arr, None, scratch, base, n, dtype, op, depth, level)
    for level in static(range(depth - 1, -1, -1)):
        _scan_level(arr, out, scratch, base, n, dtype, op, inclusive, depth, level)


@_func.func(requires_top_level=True)
def select_flagged(arr: _template, flags: _template, out: _template, num_out: _template, scratch: _template, n, depth: _template):
    """The positions of the elements in `out` are the scan of their flags."""
    for i in range(n):
        scratch[i] = cast(flags[i] != 0, _u32)
    scan(scratch, scratch, scratch, n, n, _u32, static("add"), static(False), depth)
    for i in range(max_(n, 1)):
        if n == 0:
            num_out[0] = 0
        else:
            position = cast(scratch[i], _i32)
            if flags[i] != 0:
                out[position] = arr[i]
            if i == n - 1:
                num_out[0] = position + cast(flags[i] != 0, _i32)


@_func.func
def _is_head(keys: _template, i):
    head = 1
    if i > 0:
        head = cast(keys[i] != keys[max_(i - 1, 0)], _i32)
    return head


@_func.func(requires_top_level=True)
def add_by_key(
    keys_in: _template, values_in: _template, keys_out: _template, values_out: _template, num_runs: _template, scratch: _template,
    n, dtype: _template, depth: _template,
):  # fmt: skip
    """The subgroups add the values of their part of each run; one thread per part adds the sum to the element of the run."""
    for i in range(n):
        scratch[i] = cast(_is_head(keys_in, i), _u32)
    scan(scratch, scratch, scratch, n, n, _u32, static("add"), static(True), depth)
    for i in range(max_(n, 1)):
        if n == 0:
            num_runs[0] = 0
        else:
            if _is_head(keys_in, i):
                run = cast(scratch[i], _i32) - 1
                keys_out[run] = keys_in[i]
                values_out[run] = cast(0, dtype)
            if i == n - 1:
                num_runs[0] = cast(scratch[i], _i32)
    loop_config(block_dim=static(TILE))
    for i in range(tiles(n) * TILE):
        value, head, run = cast(0, dtype), 1, 0
        if i < n:
            value, head, run = cast(values_in[i], dtype), _is_head(keys_in, i), cast(scratch[i], _i32) - 1
        total = _lanes.segmented_reduce(value, head, _lanes.add, static(_threads.log2()))
        if i < n and (head != 0 or _threads.lane() == 0):
            values_out[run] += total


# Radix sort


@_func.func
def _ordered(key, dtype: _template):
    """Returns a word that is ordered as the keys are."""
    bits = bit_cast(key, static(word(dtype)))
    if static(_is_real(dtype)):
        sign = static(word(dtype))(static(_sign(dtype)))
        bits = select(bits & sign == 0, bits ^ sign, ~bits)
    elif static(_is_signed(dtype)):
        bits = bits ^ static(word(dtype))(static(_sign(dtype)))
    return bits


@_func.func(requires_top_level=True)
def _sort_pass(
    keys: _template, to_keys: _template, values: _template, to_values: _template, scratch: _template, n, dtype: _template,
    has_values: _template, first_bit: _template, depth: _template,
):  # fmt: skip
    """Sorts by one digit. The scan of the numbers of keys, by digit and tile, gives where the keys of a tile with that digit begin."""
    count = tiles(n)
    loop_config(block_dim=static(TILE))
    for i in range(count * TILE):
        bins = _threads.SharedArray(static(TILE), _i32)
        thread = _threads.thread()
        bins[thread] = 0
        _threads.block_sync()
        if i < n:
            digit = cast(_ordered(cast(keys[i], dtype), dtype) >> static(first_bit), _i32) & static(TILE - 1)
            bins[digit] += 1
        _threads.block_sync()
        scratch[thread * count + i // TILE] = cast(bins[thread], _u32)
    scan(scratch, scratch, scratch, count * TILE, count * TILE, _u32, static("add"), static(False), depth)
    loop_config(block_dim=static(TILE))
    for i in range(count * TILE):
        bins, smaller = _threads.SharedArray(static(TILE), _i32), _threads.SharedArray(static(TILE), _i32)
        key = cast(0, dtype)
        bits = ~static(word(dtype))(0)  # behind the keys
        if i < n:
            key = cast(keys[i], dtype)
            bits = _ordered(key, dtype)
        rank = _lanes.radix_rank(bits, static(TILE), static(DIGIT_BITS), static(first_bit), static(DIGIT_BITS), bins, smaller)
        if i < n:
            digit = cast(bits >> static(first_bit), _i32) & static(TILE - 1)
            position = cast(scratch[digit * count + i // TILE], _i32) + rank - smaller[digit]
            to_keys[position] = key
            if static(has_values):
                to_values[position] = values[i]


@_func.func(requires_top_level=True)
def sort(
    keys: _template, tmp_keys: _template, values: _template, tmp_values: _template, scratch: _template, n, dtype: _template,
    has_values: _template, end_bit: _template, depth: _template,
):  # fmt: skip
    for first_bit in static(range(0, end_bit, 2 * DIGIT_BITS)):
        _sort_pass(keys, tmp_keys, values, tmp_values, scratch, n, dtype, has_values, first_bit, depth)
        _sort_pass(tmp_keys, keys, tmp_values, values, scratch, n, dtype, has_values, static(first_bit + DIGIT_BITS), depth)
