"""Algorithms on arrays for use in kernels, on architectures whose threads form blocks, and the size of their scratch memory.

They work in tiles of 256 elements. With `log256_max_n` = D a kernel is compiled for up to 256**D elements.
"""

from quadrants import _dtypes, _exceptions
from quadrants._algorithms import tiles as _t
from quadrants._lanes.ops import size as group_size
from quadrants._language import annotations as _annotations, func as _func
from quadrants._language.ops import static

_template, _i32 = _annotations.template(), _dtypes.i32
_TYPES = (_dtypes.i32, _dtypes.u32, _dtypes.f32, _dtypes.i64, _dtypes.u64, _dtypes.f64)
_TILE = 256
_DEEPEST = 4  # 256**4 elements exceed the range of 32-bit indices


def _tiles(n):
    return (n + _TILE - 1) // _TILE


def _at_least_one(slots):
    """Returns at least 1, since memory has at least one element. Only arithmetic is used, so that a kernel can compute it from its own
    `n`."""
    return slots + (slots < 1)


def depth(n, log256_max_n=None):
    """Returns the given depth after validation, or the smallest that suffices for n elements."""
    if log256_max_n is None:
        log256_max_n = 1
        while log256_max_n <= _DEEPEST and _TILE**log256_max_n < n:
            log256_max_n += 1
    if log256_max_n > _DEEPEST:
        raise ValueError(
            f"log256_max_n={log256_max_n} exceeds the maximum of {_DEEPEST}: arrays are indexed by 32 bits, and 256**4 is 2**32"
        )
    return log256_max_n


def _stairs(n, levels):
    """Returns the number of tiles of n, plus the tiles of those, and so on, over `levels` levels."""
    total = 0
    for _ in range(levels):
        n = _tiles(n)
        total = total + n
    return total


def _partials(n):
    """Like _stairs, until one tile is left, which needs no memory."""
    total = 0
    for _ in range(_DEEPEST):
        n = _tiles(n)
        total = total + n * (n > 1)
    return total


def reduce_scratch_slots(n, log256_max_n=None):
    """Returns the size of the scratch memory for `reduce_add`, `reduce_min` and `reduce_max`, in elements.

    Args:
        n: number of elements to reduce.
        log256_max_n: as for the algorithm; None: derived from n.

    Returns:
        An integer.

    Example:
        >>> qd.algorithms.reduce_scratch_slots(1000) > 0
        True
    """
    return _at_least_one(_stairs(n, depth(n, log256_max_n) - 1))


def exclusive_scan_scratch_slots(n, log256_max_n=None):
    """Returns the size of the scratch memory for `exclusive_scan_add`, `exclusive_scan_min` and `exclusive_scan_max`, in elements.

    Args:
        n: number of elements to scan.
        log256_max_n: as for the algorithm; None: derived from n.

    Returns:
        An integer.

    Example:
        >>> qd.algorithms.reduce_scratch_slots(1000) > 0
        True
    """
    return _at_least_one(_stairs(n, depth(n, log256_max_n) - 1))


def sort_scratch_slots(n, log256_max_n=None):
    """Returns the size of the scratch memory for `sort`, in elements.

    Args:
        n: number of elements to sort.
        log256_max_n: as for the algorithm; None: derived from n.

    Returns:
        An integer.

    Example:
        >>> qd.algorithms.reduce_scratch_slots(1000) > 0
        True
    """
    histograms = _tiles(n) * _TILE
    return _at_least_one(histograms + _stairs(histograms, depth(n, log256_max_n) - 1))


def select_scratch_slots(n):
    """Returns the size of the scratch memory for `select`, in u32 elements: a position for each element, and their scan.

    Args:
        n: number of elements to select from.

    Returns:
        An integer.

    Example:
        >>> qd.algorithms.select_scratch_slots(1000) > 1000
        True
    """
    tiles = _tiles(n)
    return _at_least_one((n + tiles + _partials(tiles)) * (n > 0))


def reduce_by_key_scratch_slots(n):
    """Returns the size of the scratch memory for `reduce_by_key_add`, in u32 elements: a position for each element, and their scan.

    Args:
        n: number of keys.

    Returns:
        An integer.

    Example:
        >>> qd.algorithms.select_scratch_slots(1000) > 1000
        True
    """
    tiles = _tiles(n)
    one_tile = (n > 0) * (1 - (n > _TILE))
    return _at_least_one(n * one_tile + (n + tiles + _partials(tiles)) * (n > _TILE))


def _check(name, dtype, log256_max_n, supported=_TYPES):
    """Raises an error if the architecture or the arguments do not suit the algorithm."""
    if not group_size():
        raise _exceptions.QuadrantsSyntaxError(
            f"qd.algorithms.{name} requires a GPU backend; on the CPU write the loop itself, or use numpy between kernels"
        )
    if dtype not in supported:
        raise NotImplementedError(f"qd.algorithms.{name} supports the types {', '.join(t.name for t in supported)}, not {dtype}")
    if log256_max_n < 1:
        raise ValueError(f"qd.algorithms.{name}: log256_max_n must be from 1 to {_DEEPEST}, not {log256_max_n}")
    depth(0, log256_max_n)


def _check_sort(dtype, end_bit, log256_max_n):
    _check("sort", dtype, log256_max_n)
    step = 2 * _t.DIGIT_BITS
    if end_bit <= 0 or end_bit % step or end_bit > dtype.bits:
        raise ValueError(f"qd.algorithms.sort: end_bit must be a multiple of {step}, at most the {dtype.bits} bits of a key, not {end_bit}")


@_func.func(requires_top_level=True)
def reduce_add(arr: _template, out: _template, scratch: _template, n: _i32, dtype: _template, log256_max_n: _template):
    """Stores the sum of the first n elements in out[0]. For kernels on GPUs, and on `interp`.

    Args:
        arr: the elements.
        out: the memory of the result.
        scratch: memory with `reduce_scratch_slots(n)` elements.
        n: number of elements.
        dtype: type of the elements.
        log256_max_n: a constant; 256 to this power must be at least n.

    Example:
        See `qd.algorithms.reduce_scratch_slots`.
    """
    static(_check("reduce_add", dtype, log256_max_n))
    _t.reduce(arr, out, scratch, n, dtype, static("add"), log256_max_n)


@_func.func(requires_top_level=True)
def reduce_min(arr: _template, out: _template, scratch: _template, n: _i32, dtype: _template, log256_max_n: _template):
    """Stores the minimum of the first n elements in out[0]. For kernels on GPUs, and on `interp`.

    Args:
        arr: the elements.
        out: the memory of the result.
        scratch: memory with `reduce_scratch_slots(n)` elements.
        n: number of elements.
        dtype: type of the elements.
        log256_max_n: a constant; 256 to this power must be at least n.

    Example:
        See `qd.algorithms.reduce_scratch_slots`.
    """
    static(_check("reduce_min", dtype, log256_max_n))
    _t.reduce(arr, out, scratch, n, dtype, static("min"), log256_max_n)


@_func.func(requires_top_level=True)
def reduce_max(arr: _template, out: _template, scratch: _template, n: _i32, dtype: _template, log256_max_n: _template):
    """Stores the maximum of the first n elements in out[0]. For kernels on GPUs, and on `interp`.

    Args:
        arr: the elements.
        out: the memory of the result.
        scratch: memory with `reduce_scratch_slots(n)` elements.
        n: number of elements.
        dtype: type of the elements.
        log256_max_n: a constant; 256 to this power must be at least n.

    Example:
        See `qd.algorithms.reduce_scratch_slots`.
    """
    static(_check("reduce_max", dtype, log256_max_n))
    _t.reduce(arr, out, scratch, n, dtype, static("max"), log256_max_n)


@_func.func(requires_top_level=True)
def exclusive_scan_add(arr: _template, out: _template, scratch: _template, n: _i32, dtype: _template, log256_max_n: _template):
    """Stores the sum of the elements before i in out[i]. For kernels on GPUs, and on `interp`.

    Args:
        arr: the elements.
        out: the memory of the results.
        scratch: memory with `exclusive_scan_scratch_slots(n)` elements.
        n: number of elements.
        dtype: type of the elements.
        log256_max_n: a constant; 256 to this power must be at least n.

    Example:
        >>> qd.algorithms.exclusive_scan_scratch_slots(1000)
        4
    """
    static(_check("exclusive_scan_add", dtype, log256_max_n))
    _t.scan(arr, out, scratch, 0, n, dtype, static("add"), static(False), log256_max_n)


@_func.func(requires_top_level=True)
def exclusive_scan_min(arr: _template, out: _template, scratch: _template, n: _i32, dtype: _template, log256_max_n: _template):
    """Stores the minimum of the elements before i in out[i]. For kernels on GPUs, and on `interp`.

    Args:
        arr: the elements.
        out: the memory of the results.
        scratch: memory with `exclusive_scan_scratch_slots(n)` elements.
        n: number of elements.
        dtype: type of the elements.
        log256_max_n: a constant; 256 to this power must be at least n.

    Example:
        >>> qd.algorithms.exclusive_scan_scratch_slots(1000)
        4
    """
    static(_check("exclusive_scan_min", dtype, log256_max_n))
    _t.scan(arr, out, scratch, 0, n, dtype, static("min"), static(False), log256_max_n)


@_func.func(requires_top_level=True)
def exclusive_scan_max(arr: _template, out: _template, scratch: _template, n: _i32, dtype: _template, log256_max_n: _template):
    """Stores the maximum of the elements before i in out[i]. For kernels on GPUs, and on `interp`.

    Args:
        arr: the elements.
        out: the memory of the results.
        scratch: memory with `exclusive_scan_scratch_slots(n)` elements.
        n: number of elements.
        dtype: type of the elements.
        log256_max_n: a constant; 256 to this power must be at least n.

    Example:
        >>> qd.algorithms.exclusive_scan_scratch_slots(1000)
        4
    """
    static(_check("exclusive_scan_max", dtype, log256_max_n))
    _t.scan(arr, out, scratch, 0, n, dtype, static("max"), static(False), log256_max_n)


@_func.func(requires_top_level=True)
def reduce_by_key_add(
    keys_in: _template, values_in: _template, keys_out: _template, values_out: _template, num_runs: _template,
    scratch: _template, n: _i32, value_dtype: _template, log256_max_n: _template,
):  # fmt: skip
    """Stores one key and the sum of its values for each run of equal keys. For kernels on GPUs, and on `interp`.

    Args:
        keys_in: the keys.
        values_in: one value per key.
        keys_out: the key of each run.
        values_out: the sum of each run.
        num_runs: the number of runs is stored in num_runs[0].
        scratch: memory with `reduce_by_key_scratch_slots(n)` elements.
        n: number of keys.
        value_dtype: type of the values.
        log256_max_n: a constant; 256 to this power must be at least n.

    Example:
        See `qd.algorithms.reduce_by_key_scratch_slots`.
    """
    static(_check("reduce_by_key_add", value_dtype, log256_max_n, _TYPES[:3]))
    _t.add_by_key(keys_in, values_in, keys_out, values_out, num_runs, scratch, n, value_dtype, log256_max_n)


@_func.func(requires_top_level=True)
def select(
    arr: _template, flags: _template, out: _template, num_out: _template, scratch: _template, n: _i32, log256_max_n: _template
):
    """Copies the elements whose flag is 1, in order. For kernels on GPUs, and on `interp`.

    Args:
        arr: the elements.
        flags: 0 or 1 for each element.
        out: the memory of the result.
        num_out: the number of copied elements is stored in num_out[0].
        scratch: memory with `select_scratch_slots(n)` elements.
        n: number of elements.
        log256_max_n: a constant; 256 to this power must be at least n.

    Example:
        See `qd.algorithms.select_scratch_slots`.
    """
    static(_check("select", _i32, log256_max_n))
    _t.select_flagged(arr, flags, out, num_out, scratch, n, log256_max_n)


@_func.func(requires_top_level=True)
def sort(
    keys: _template, tmp_keys: _template, values: _template, tmp_values: _template, scratch: _template, n: _template,
    key_dtype: _template, has_values: _template, end_bit: _template, log256_max_n: _template,
):  # fmt: skip
    """Sorts keys, and optionally values with them, by the lowest bits of the keys. For kernels on GPUs, and on `interp`.

    Args:
        keys: the keys; they are sorted in place.
        tmp_keys: memory with as many elements as `keys`.
        values: one value per key.
        tmp_values: memory with as many elements as `values`.
        scratch: memory with `sort_scratch_slots(n)` elements.
        n: an array with one element, the number of keys.
        key_dtype: type of the keys.
        has_values: whether to reorder the values as well.
        end_bit: number of key bits to compare.
        log256_max_n: a constant; 256 to this power must be at least n.

    Example:
        See `qd.algorithms.sort_scratch_slots`.
    """
    static(_check_sort(key_dtype, end_bit, log256_max_n))
    _t.sort(keys, tmp_keys, values, tmp_values, scratch, n[0], key_dtype, has_values, end_bit, log256_max_n)
