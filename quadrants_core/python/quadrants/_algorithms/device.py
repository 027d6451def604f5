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
        while _TILE**log256_max_n < n:
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
    """Elements of scratch memory that reduce_add, reduce_min and reduce_max want for n elements."""
    return _at_least_one(_stairs(n, _depth(n, log256_max_n) - 1))


def exclusive_scan_scratch_slots(n, log256_max_n=None):
    """Elements of scratch memory that exclusive_scan_add, _min and _max want for n elements."""
    return _at_least_one(_stairs(n, _depth(n, log256_max_n) - 1))


def sort_scratch_slots(n, log256_max_n=None):
    """Elements (u32) of scratch memory that sort wants for n keys: a histogram of 256 digits per tile, and their scan."""
    histograms = _tiles(n) * _TILE
    return _at_least_one(histograms + _stairs(histograms, _depth(n, log256_max_n) - 1))


def select_scratch_slots(n):
    """Elements (u32) of scratch memory that select wants for n elements: a position for each, and their scan."""
    tiles = _tiles(n)
    return _at_least_one((n + tiles + _partials(tiles)) * (n > 0))


def reduce_by_key_scratch_slots(n):
    """Elements (u32) of scratch memory that reduce_by_key_add wants for n elements: a position for each, and their scan."""
    tiles = _tiles(n)
    one_tile = (n > 0) * (1 - (n > _TILE))
    return _at_least_one(n * one_tile + (n + tiles + _partials(tiles)) * (n > _TILE))


def _refuse(name):
    raise _exceptions.QuadrantsSyntaxError(
        f"qd.algorithms.{name} requires a GPU backend; on the CPU write the loop itself, or use numpy between kernels"
    )


@_func.func(requires_top_level=True)
def reduce_add(arr: _template, out: _template, scratch: _template, n: _i32, dtype: _template, log256_max_n: _template):
    """out[0] = the sum of the first n elements."""
    static(_refuse("reduce_add"))


@_func.func(requires_top_level=True)
def reduce_min(arr: _template, out: _template, scratch: _template, n: _i32, dtype: _template, log256_max_n: _template):
    """out[0] = the least of the first n elements."""
    static(_refuse("reduce_min"))


@_func.func(requires_top_level=True)
def reduce_max(arr: _template, out: _template, scratch: _template, n: _i32, dtype: _template, log256_max_n: _template):
    """out[0] = the greatest of the first n elements."""
    static(_refuse("reduce_max"))


@_func.func(requires_top_level=True)
def exclusive_scan_add(arr: _template, out: _template, scratch: _template, n: _i32, dtype: _template, log256_max_n: _template):
    """out[i] = the sum of the elements before i."""
    static(_refuse("exclusive_scan_add"))


@_func.func(requires_top_level=True)
def exclusive_scan_min(arr: _template, out: _template, scratch: _template, n: _i32, dtype: _template, log256_max_n: _template):
    """out[i] = the least of the elements before i."""
    static(_refuse("exclusive_scan_min"))


@_func.func(requires_top_level=True)
def exclusive_scan_max(arr: _template, out: _template, scratch: _template, n: _i32, dtype: _template, log256_max_n: _template):
    """out[i] = the greatest of the elements before i."""
    static(_refuse("exclusive_scan_max"))


@_func.func(requires_top_level=True)
def reduce_by_key_add(
    keys_in: _template, values_in: _template, keys_out: _template, values_out: _template, num_runs: _template,
    scratch: _template, n: _i32, value_dtype: _template, log256_max_n: _template,
):  # fmt: skip
    """One key and the sum of its values for each run of equal keys; num_runs[0] = how many there are."""
    static(_refuse("reduce_by_key_add"))


@_func.func(requires_top_level=True)
def select(
    arr: _template, flags: _template, out: _template, num_out: _template, scratch: _template, n: _i32, log256_max_n: _template
):
    """The elements whose flag is 1, in order; num_out[0] = how many there are."""
    static(_refuse("select"))


@_func.func(requires_top_level=True)
def sort(
    keys: _template, tmp_keys: _template, values: _template, tmp_values: _template, scratch: _template, n: _template,
    key_dtype: _template, has_values: _template, end_bit: _template, log256_max_n: _template,
):  # fmt: skip
    """Sorts n[()] keys, and values with them, by their lowest `end_bit` bits."""
    static(_refuse("sort"))
