"""Algorithms called from Python: sorting fields and ndarrays on any architecture, and the prefix sum for CUDA and Vulkan."""

import functools
import warnings

from quadrants import _dtypes, _exceptions, _settings
from quadrants._algorithms import device as _device, tiles as _tiles
from quadrants._lanes.ops import size as group_size
from quadrants._language import annotations as _annotations, kernel as _kernel, ops as _ops
from quadrants._storage import field as _field, ndarray as _ndarray, tensor as _tensor
from quadrants._trees import layout as _layout

_template, _i32 = _annotations.template(), _dtypes.i32
_array = _annotations.NdarrayType
_BLOCKS = 64  # blocks of the keys that are counted and moved in parallel


@functools.cache
def _radix(word, signed, real, top):
    """Returns the kernels of a radix sort, 8 bits per pass, with the keys as unsigned words of `top` + 1 bits."""
    bit_cast, cast, static, loop_config, min_, select = _ops.bit_cast, _ops.cast, _ops.static, _ops.loop_config, _ops.min, _ops.select
    Tensor, Words, Numbers = _tensor.Tensor, _array(word, 1), _array(_i32, 1)
    sign = 1 << top

    @_kernel.kernel
    def load(keys: Tensor, first: _i32, words: Words, order: Numbers, n: _i32, kind: _template, ordered: _template):
        """Converts the keys to words with the same order."""
        for i in range(n):
            if static(kind == "float"):
                bits = bit_cast(cast(keys[first + i], real), word)
                words[i] = select(bits >> top == word(0), bits ^ word(sign), ~bits)
            elif static(kind == "signed"):
                words[i] = bit_cast(cast(keys[first + i], signed), word) ^ word(sign)
            else:
                words[i] = cast(keys[first + i], word)
            if static(ordered):
                order[i] = i

    @_kernel.kernel
    def store(keys: Tensor, first: _i32, words: Words, n: _i32, kind: _template, dtype: _template):
        for i in range(n):
            bits = words[i]
            if static(kind == "float"):
                keys[first + i] = cast(bit_cast(select(bits >> top == word(0), ~bits, bits ^ word(sign)), real), dtype)
            elif static(kind == "signed"):
                keys[first + i] = cast(bit_cast(bits ^ word(sign), signed), dtype)
            else:
                keys[first + i] = cast(bits, dtype)

    @_kernel.kernel
    def move(
        words: Words, to: Words, order: Numbers, order_to: Numbers, counts: Numbers, n: _i32, size: _i32, shift: _i32,
        ordered: _template,
    ):  # fmt: skip
        """Performs one pass; equal digits retain their order."""
        for b in range(_BLOCKS):
            for d in range(256):
                counts[b * 256 + d] = 0
            for i in range(b * size, min_(n, (b + 1) * size)):
                at = b * 256 + cast((words[i] >> shift) & word(255), _i32)
                counts[at] = counts[at] + 1
        total = 0
        loop_config(serialize=True)
        for d in range(256):
            for b in range(_BLOCKS):
                count = counts[b * 256 + d]
                counts[b * 256 + d] = total
                total += count
        for b in range(_BLOCKS):
            for i in range(b * size, min_(n, (b + 1) * size)):
                at = b * 256 + cast((words[i] >> shift) & word(255), _i32)
                place = counts[at]
                counts[at] = place + 1
                to[place] = words[i]
                if static(ordered):
                    order_to[place] = order[i]

    return load, move, store


@_kernel.kernel
def _permute(values: _tensor.Tensor, first: _i32, moved: _tensor.Tensor, order: _array(_i32, 1), n: _i32):
    for i in range(n):
        moved[i] = values[first + order[i]]
    for i in range(n):
        values[first + i] = moved[i]


def _kind(keys):
    dtype = keys.dtype
    if getattr(keys, "element_shape", ()) or isinstance(keys, _field.MatrixField):
        raise TypeError("parallel_sort cannot sort keys that are vectors or matrices")
    if not isinstance(dtype, _dtypes.DType):
        raise _exceptions.QuadrantsTypeError(f"parallel_sort cannot sort keys of type {dtype}")
    return "float" if dtype.kind == "float" else "signed" if dtype.kind == "int" else "unsigned"


def _one_axis(array, what):
    array = _tensor.unwrap(array)
    if not hasattr(array, "dtype") or not hasattr(array, "shape"):
        raise TypeError(f"parallel_sort takes fields or ndarrays as {what}, got {type(array).__name__}")
    if len(_layout.shape_of(array)) != 1:
        raise ValueError(f"parallel_sort takes {what} with one index, got the shape {array.shape}")
    return array


def _first(array):
    """Returns the index of the first element."""
    parts = getattr(array, "_parts", None)
    return parts[0].offset[0] if parts else 0


def _like(values, n):
    """Makes an ndarray for n elements with the type of those of a field or ndarray."""
    rows, cols = getattr(values, "n", 1), getattr(values, "m", 1)
    if hasattr(values, "_description"):
        rows, cols, ndim = values._description()[:3]
    else:
        ndim = values.ndim if isinstance(values, _field.MatrixField) else 0
    if ndim == 0:
        return _ndarray.ndarray(values.dtype, n)
    return _ndarray.matrix_ndarray(rows, cols, ndim, values.dtype, n)


def parallel_sort(keys, values=None):
    """Sorts a field or ndarray of numbers in place, in ascending order. The sort is stable.

    Args:
        keys: a field or ndarray with one axis.
        values: a field or ndarray of the same length that is reordered like the keys, or None.

    Raises:
        ValueError: the shapes are not valid.

    Example:
        >>> import numpy as np
        >>> x = qd.field(qd.i32, shape=3)
        >>> x.from_numpy(np.array([3, 1, 2], dtype=np.int32))
        >>> qd.algorithms.parallel_sort(x)
        >>> x.to_numpy()
        array([1, 2, 3], dtype=int32)
    """
    warnings.warn(
        "qd.algorithms.parallel_sort is deprecated; on GPUs use qd.algorithms.sort inside of a kernel", DeprecationWarning, stacklevel=2
    )
    keys = _one_axis(keys, "keys")
    n, dtype = keys.shape[0], keys.dtype
    ordered = values is not None
    if ordered:
        values = _one_axis(values, "values")
        if values.shape[0] < n:
            raise ValueError(f"parallel_sort: {n} keys, but {values.shape[0]} values")
    kind = _kind(keys)
    types = (_dtypes.u64, _dtypes.i64, _dtypes.f64, 63) if dtype.bits == 64 else (_dtypes.u32, _dtypes.i32, _dtypes.f32, 31)
    load, move, store = _radix(*types)
    words = [_ndarray.ndarray(types[0], n) for _ in range(2)]
    order = [_ndarray.ndarray(_i32, n if ordered else 1) for _ in range(2)]
    counts = _ndarray.ndarray(_i32, _BLOCKS * 256)
    load(keys, _first(keys), words[0], order[0], n, kind, ordered)
    for shift in range(0, types[3], 8):
        move(words[0], words[1], order[0], order[1], counts, n, (n + _BLOCKS - 1) // _BLOCKS, shift, ordered)
        words.reverse()
        order.reverse()
    store(keys, _first(keys), words[0], n, kind, dtype)
    if ordered:
        _permute(values, _first(values), _like(values, n), order[0], n)


@functools.cache
def _prefix_sum(depth):
    Tensor = _tensor.Tensor

    @_kernel.kernel
    def prefix_sum(array: Tensor, scratch: _array(_dtypes.u32, 1), n: _i32):
        _tiles.scan(array, array, scratch, 0, n, _i32, _ops.static("add"), _ops.static(True), depth)

    return prefix_sum


class PrefixSumExecutor:
    """The inclusive prefix sum of a field of i32, in place, on GPUs and on `interp`.

    Args:
        length: number of elements.

    Raises:
        RuntimeError: raised by `run` on other devices.

    Example:
        >>> executor = qd.algorithms.PrefixSumExecutor(8)
    """

    def __init__(self, length):
        warnings.warn(
            "qd.algorithms.PrefixSumExecutor is deprecated; use qd.algorithms.exclusive_scan_add inside of a kernel",
            DeprecationWarning,
            stacklevel=2,
        )
        self.sorting_length = length

    def run(self, input_arr):
        """Computes the prefix sum.

        Args:
            input_arr: a field of i32 with one axis.
        """
        if input_arr.dtype != _i32:
            raise RuntimeError("Only qd.i32 type is supported for prefix sum.")
        arch = _settings.current().arch
        if not group_size():
            raise RuntimeError(f"{arch} is not supported for prefix sum.")
        slots = _device.exclusive_scan_scratch_slots(self.sorting_length)
        depth = _device.depth(self.sorting_length)
        _prefix_sum(depth)(input_arr, _ndarray.ndarray(_dtypes.u32, slots), self.sorting_length)
