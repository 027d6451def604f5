# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false
"""qd.algorithms: sorting and scanning of whole fields and ndarrays.

The funcs for use inside of kernels (reduce_*, exclusive_scan_*, reduce_by_key_add, select, sort) are for GPUs; how much
scratch memory they want, `*_scratch_slots` tells everywhere."""
import enum
from collections.abc import Iterator
from typing import Any, Self

class PrefixSumExecutor:
    """The inclusive prefix sum of a field of i32, in place; on CUDA and Vulkan.
    
    Args:
        length: how many elements.
    
    Raises:
        RuntimeError: on other devices, as it runs.
    
    Example:
        >>> executor = qd.algorithms.PrefixSumExecutor(8)"""

    def __init__(self, length: Any) -> None: ...

    def run(self, input_arr: Any) -> Any:
        """Works it out.
        
        Args:
            input_arr: a field of i32 with one axis."""

def exclusive_scan_add(arr: Any, out: Any, scratch: Any, n: Any, dtype: Any, log256_max_n: Any) -> Any:
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
        4"""

def exclusive_scan_max(arr: Any, out: Any, scratch: Any, n: Any, dtype: Any, log256_max_n: Any) -> Any:
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
        4"""

def exclusive_scan_min(arr: Any, out: Any, scratch: Any, n: Any, dtype: Any, log256_max_n: Any) -> Any:
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
        4"""

def exclusive_scan_scratch_slots(n: Any, log256_max_n: Any=None) -> Any:
    """Elements of scratch memory that the algorithm of this name wants.
    
    Args:
        n: how many elements it is for.
        log256_max_n: as the algorithm takes it; None: from n.
    
    Returns:
        An integer.
    
    Example:
        >>> qd.algorithms.reduce_scratch_slots(1000) > 0
        True"""

def parallel_sort(keys: Any, values: Any=None) -> Any:
    """Sorts a field or ndarray of numbers in place, upwards; equal keys keep their order.
    
    Args:
        keys: a field or ndarray with one axis.
        values: one of the same length that is moved as the keys are, or None.
    
    Raises:
        ValueError: they have other shapes.
    
    Example:
        >>> import numpy as np
        >>> x = qd.field(qd.i32, shape=3)
        >>> x.from_numpy(np.array([3, 1, 2], dtype=np.int32))
        >>> qd.algorithms.parallel_sort(x)
        >>> x.to_numpy()
        array([1, 2, 3], dtype=int32)"""

def reduce_add(arr: Any, out: Any, scratch: Any, n: Any, dtype: Any, log256_max_n: Any) -> Any:
    """out[0] = what the first n elements come to: their sum, greatest or least. For kernels on GPUs.
    
    Args:
        arr: the elements.
        out: where the result goes.
        scratch: memory of `reduce_scratch_slots(n)` elements.
        n: how many elements.
        dtype: their type.
        log256_max_n: a constant: 256 to this power is at least n.
    
    Example:
        See `qd.algorithms.reduce_scratch_slots`."""

def reduce_by_key_add(keys_in: Any, values_in: Any, keys_out: Any, values_out: Any, num_runs: Any, scratch: Any, n: Any, value_dtype: Any, log256_max_n: Any) -> Any:
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
        See `qd.algorithms.reduce_by_key_scratch_slots`."""

def reduce_by_key_scratch_slots(n: Any) -> Any:
    """Elements (u32) of scratch memory that the algorithm of this name wants: a position for each element, and their scan.
    
    Args:
        n: how many elements it is for.
    
    Returns:
        An integer.
    
    Example:
        >>> qd.algorithms.select_scratch_slots(1000) > 1000
        True"""

def reduce_max(arr: Any, out: Any, scratch: Any, n: Any, dtype: Any, log256_max_n: Any) -> Any:
    """out[0] = what the first n elements come to: their sum, greatest or least. For kernels on GPUs.
    
    Args:
        arr: the elements.
        out: where the result goes.
        scratch: memory of `reduce_scratch_slots(n)` elements.
        n: how many elements.
        dtype: their type.
        log256_max_n: a constant: 256 to this power is at least n.
    
    Example:
        See `qd.algorithms.reduce_scratch_slots`."""

def reduce_min(arr: Any, out: Any, scratch: Any, n: Any, dtype: Any, log256_max_n: Any) -> Any:
    """out[0] = what the first n elements come to: their sum, greatest or least. For kernels on GPUs.
    
    Args:
        arr: the elements.
        out: where the result goes.
        scratch: memory of `reduce_scratch_slots(n)` elements.
        n: how many elements.
        dtype: their type.
        log256_max_n: a constant: 256 to this power is at least n.
    
    Example:
        See `qd.algorithms.reduce_scratch_slots`."""

def reduce_scratch_slots(n: Any, log256_max_n: Any=None) -> Any:
    """Elements of scratch memory that the algorithm of this name wants.
    
    Args:
        n: how many elements it is for.
        log256_max_n: as the algorithm takes it; None: from n.
    
    Returns:
        An integer.
    
    Example:
        >>> qd.algorithms.reduce_scratch_slots(1000) > 0
        True"""

def select(arr: Any, flags: Any, out: Any, num_out: Any, scratch: Any, n: Any, log256_max_n: Any) -> Any:
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
        See `qd.algorithms.select_scratch_slots`."""

def select_scratch_slots(n: Any) -> Any:
    """Elements (u32) of scratch memory that the algorithm of this name wants: a position for each element, and their scan.
    
    Args:
        n: how many elements it is for.
    
    Returns:
        An integer.
    
    Example:
        >>> qd.algorithms.select_scratch_slots(1000) > 1000
        True"""

def sort(keys: Any, tmp_keys: Any, values: Any, tmp_values: Any, scratch: Any, n: Any, key_dtype: Any, has_values: Any, end_bit: Any, log256_max_n: Any) -> Any:
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
        See `qd.algorithms.sort_scratch_slots`."""

def sort_scratch_slots(n: Any, log256_max_n: Any=None) -> Any:
    """Elements of scratch memory that the algorithm of this name wants.
    
    Args:
        n: how many elements it is for.
        log256_max_n: as the algorithm takes it; None: from n.
    
    Returns:
        An integer.
    
    Example:
        >>> qd.algorithms.reduce_scratch_slots(1000) > 0
        True"""
