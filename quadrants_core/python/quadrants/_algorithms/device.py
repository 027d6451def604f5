"""Algorithms on arrays for use inside of kernels, on GPUs, and how much scratch memory they want.

They work in tiles of 256 elements. With `log256_max_n` = D a kernel is compiled for up to 256**D elements.
"""

from quadrants import _dtypes, _exceptions
from quadrants._language import annotations as _annotations, func as _func
from quadrants._language.ops import static

_template, _i32 = _annotations.template(), _dtypes.i32
_TILE = 256
_DEEPEST = 4  # 256**4 elements are more than an index of 32 bits can tell apart


def _tiles(n):
    return (n + _TILE - 1) // _TILE


def _at_least_one(slots):
    """Memory has at least one element. Arithmetic alone, so that a kernel can compute it from an `n` of its own."""
    return slots + (slots < 1)


def _depth(n, log256_max_n):
    """The given one once it is checked, or the smallest that suffices for n elements."""
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
    """Tiles of n, tiles of those, and so on: the sum over `levels` levels."""
    total = 0
    for _ in range(levels):
        n = _tiles(n)
        total = total + n
    return total


def _partials(n):
    """The same until one tile is left, which needs no memory."""
    total = 0
    for _ in range(_DEEPEST):
        n = _tiles(n)
        total = total + n * (n > 1)
    return total


def reduce_scratch_slots(n, log256_max_n=None):
    """Elements of scratch memory that the algorithm of this name wants.

    Args:
        n: how many elements it is for.
        log256_max_n: as the algorithm takes it; None: from n.

    Returns:
        An integer.

    Example:
        >>> qd.algorithms.reduce_scratch_slots(1000) > 0
        True
    """
    return _at_least_one(_stairs(n, _depth(n, log256_max_n) - 1))


def exclusive_scan_scratch_slots(n, log256_max_n=None):
    """Elements of scratch memory that the algorithm of this name wants.

    Args:
        n: how many elements it is for.
        log256_max_n: as the algorithm takes it; None: from n.

    Returns:
        An integer.

    Example:
        >>> qd.algorithms.reduce_scratch_slots(1000) > 0
        True
    """
    return _at_least_one(_stairs(n, _depth(n, log256_max_n) - 1))


def sort_scratch_slots(n, log256_max_n=None):
    """Elements of scratch memory that the algorithm of this name wants.

    Args:
        n: how many elements it is for.
        log256_max_n: as the algorithm takes it; None: from n.

    Returns:
        An integer.

    Example:
        >>> qd.algorithms.reduce_scratch_slots(1000) > 0
        True
    """
    histograms = _tiles(n) * _TILE
    return _at_least_one(histograms + _stairs(histograms, _depth(n, log256_max_n) - 1))


def select_scratch_slots(n):
    """Elements (u32) of scratch memory that the algorithm of this name wants: a position for each element, and their scan.

    Args:
        n: how many elements it is for.

    Returns:
        An integer.

    Example:
        >>> qd.algorithms.select_scratch_slots(1000) > 1000
        True
    """
    tiles = _tiles(n)
    return _at_least_one((n + tiles + _partials(tiles)) * (n > 0))


def reduce_by_key_scratch_slots(n):
    """Elements (u32) of scratch memory that the algorithm of this name wants: a position for each element, and their scan.

    Args:
        n: how many elements it is for.

    Returns:
        An integer.

    Example:
        >>> qd.algorithms.select_scratch_slots(1000) > 1000
        True
    """
    tiles = _tiles(n)
    one_tile = (n > 0) * (1 - (n > _TILE))
    return _at_least_one(n * one_tile + (n + tiles + _partials(tiles)) * (n > _TILE))


def _refuse(name):
    raise _exceptions.QuadrantsSyntaxError(
        f"qd.algorithms.{name} requires a GPU backend; on the CPU write the loop itself, or use numpy between kernels"
    )


@_func.func(requires_top_level=True)
def reduce_add(arr: _template, out: _template, scratch: _template, n: _i32, dtype: _template, log256_max_n: _template):
    """out[0] = what the first n elements come to: their sum, greatest or least. For kernels on GPUs.

    Args:
        arr: the elements.
        out: where the result goes.
        scratch: memory of `reduce_scratch_slots(n)` elements.
        n: how many elements.
        dtype: their type.
        log256_max_n: a constant: 256 to this power is at least n.

    Example:
        See `qd.algorithms.reduce_scratch_slots`.
    """
    static(_refuse("reduce_add"))


@_func.func(requires_top_level=True)
def reduce_min(arr: _template, out: _template, scratch: _template, n: _i32, dtype: _template, log256_max_n: _template):
    """out[0] = what the first n elements come to: their sum, greatest or least. For kernels on GPUs.

    Args:
        arr: the elements.
        out: where the result goes.
        scratch: memory of `reduce_scratch_slots(n)` elements.
        n: how many elements.
        dtype: their type.
        log256_max_n: a constant: 256 to this power is at least n.

    Example:
        See `qd.algorithms.reduce_scratch_slots`.
    """
    static(_refuse("reduce_min"))


@_func.func(requires_top_level=True)
def reduce_max(arr: _template, out: _template, scratch: _template, n: _i32, dtype: _template, log256_max_n: _template):
    """out[0] = what the first n elements come to: their sum, greatest or least. For kernels on GPUs.

    Args:
        arr: the elements.
        out: where the result goes.
        scratch: memory of `reduce_scratch_slots(n)` elements.
        n: how many elements.
        dtype: their type.
        log256_max_n: a constant: 256 to this power is at least n.

    Example:
        See `qd.algorithms.reduce_scratch_slots`.
    """
    static(_refuse("reduce_max"))


@_func.func(requires_top_level=True)
def exclusive_scan_add(arr: _template, out: _template, scratch: _template, n: _i32, dtype: _template, log256_max_n: _template):
    """out[i] = what the elements before i come to: their sum, greatest or least. For kernels on GPUs.

    Args:
        arr: the elements.
        out: where the results go.
        scratch: memory of `exclusive_scan_scratch_slots(n)` elements.
        n: how many elements.
        dtype: their type.
        log256_max_n: a constant: 256 to this power is at least n.

    Example:
        >>> qd.algorithms.exclusive_scan_scratch_slots(1000)
        4
    """
    static(_refuse("exclusive_scan_add"))


@_func.func(requires_top_level=True)
def exclusive_scan_min(arr: _template, out: _template, scratch: _template, n: _i32, dtype: _template, log256_max_n: _template):
    """out[i] = what the elements before i come to: their sum, greatest or least. For kernels on GPUs.

    Args:
        arr: the elements.
        out: where the results go.
        scratch: memory of `exclusive_scan_scratch_slots(n)` elements.
        n: how many elements.
        dtype: their type.
        log256_max_n: a constant: 256 to this power is at least n.

    Example:
        >>> qd.algorithms.exclusive_scan_scratch_slots(1000)
        4
    """
    static(_refuse("exclusive_scan_min"))


@_func.func(requires_top_level=True)
def exclusive_scan_max(arr: _template, out: _template, scratch: _template, n: _i32, dtype: _template, log256_max_n: _template):
    """out[i] = what the elements before i come to: their sum, greatest or least. For kernels on GPUs.

    Args:
        arr: the elements.
        out: where the results go.
        scratch: memory of `exclusive_scan_scratch_slots(n)` elements.
        n: how many elements.
        dtype: their type.
        log256_max_n: a constant: 256 to this power is at least n.

    Example:
        >>> qd.algorithms.exclusive_scan_scratch_slots(1000)
        4
    """
    static(_refuse("exclusive_scan_max"))


@_func.func(requires_top_level=True)
def reduce_by_key_add(
    keys_in: _template, values_in: _template, keys_out: _template, values_out: _template, num_runs: _template,
    scratch: _template, n: _i32, value_dtype: _template, log256_max_n: _template,
):  # fmt: skip
    """One key and the sum of its values for each run of equal keys. For kernels on GPUs.

    Args:
        keys_in: the keys.
        values_in: a value for each.
        keys_out: the key of each run.
        values_out: the sum of each run.
        num_runs: num_runs[0] = how many there are.
        scratch: memory of `reduce_by_key_scratch_slots(n)` elements.
        n: how many keys.
        value_dtype: the type of the values.
        log256_max_n: a constant: 256 to this power is at least n.

    Example:
        See `qd.algorithms.reduce_by_key_scratch_slots`.
    """
    static(_refuse("reduce_by_key_add"))


@_func.func(requires_top_level=True)
def select(
    arr: _template, flags: _template, out: _template, num_out: _template, scratch: _template, n: _i32, log256_max_n: _template
):
    """The elements whose flag is 1, in order. For kernels on GPUs.

    Args:
        arr: the elements.
        flags: a 0 or 1 for each.
        out: where they go.
        num_out: num_out[0] = how many there are.
        scratch: memory of `select_scratch_slots(n)` elements.
        n: how many elements.
        log256_max_n: a constant: 256 to this power is at least n.

    Example:
        See `qd.algorithms.select_scratch_slots`.
    """
    static(_refuse("select"))


@_func.func(requires_top_level=True)
def sort(
    keys: _template, tmp_keys: _template, values: _template, tmp_values: _template, scratch: _template, n: _template,
    key_dtype: _template, has_values: _template, end_bit: _template, log256_max_n: _template,
):  # fmt: skip
    """Sorts keys, and values with them, by their lowest bits. For kernels on GPUs.

    Args:
        keys: the keys, and the result.
        tmp_keys: memory of as many.
        values: a value for each.
        tmp_values: memory of as many.
        scratch: memory of `sort_scratch_slots(n)` elements.
        n: an array of one element: how many keys.
        key_dtype: the type of the keys.
        has_values: whether values are moved.
        end_bit: how many bits count.
        log256_max_n: a constant: 256 to this power is at least n.

    Example:
        See `qd.algorithms.sort_scratch_slots`.
    """
    static(_refuse("sort"))
