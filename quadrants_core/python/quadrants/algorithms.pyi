# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false, reportAssignmentType=false
"""qd.algorithms: sorting and scanning of whole fields and ndarrays.

The funcs for use in kernels (reduce_*, exclusive_scan_*, reduce_by_key_add, select, sort) need blocks of threads, which GPUs and `interp`
have; `*_scratch_slots` returns the size of their scratch memory on every architecture."""
import enum
from collections.abc import Iterator
from typing import Any, Self

class PrefixSumExecutor:
    """The inclusive prefix sum of a field of i32, in place, on GPUs and on `interp`.
    
    Args:
        length: number of elements.
    
    Raises:
        RuntimeError: raised by `run` on other devices.
    
    Example:
        >>> executor = qd.algorithms.PrefixSumExecutor(8)"""

    def __init__(self, length: Any) -> None: ...

    def run(self, input_arr: Any) -> Any:
        """Computes the prefix sum.
        
        Args:
            input_arr: a field of i32 with one axis."""

def exclusive_scan_add(arr: Any, out: Any, scratch: Any, n: Any, dtype: Any, log256_max_n: Any) -> Any:
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
        4"""

def exclusive_scan_max(arr: Any, out: Any, scratch: Any, n: Any, dtype: Any, log256_max_n: Any) -> Any:
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
        4"""

def exclusive_scan_min(arr: Any, out: Any, scratch: Any, n: Any, dtype: Any, log256_max_n: Any) -> Any:
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
        4"""

def exclusive_scan_scratch_slots(n: Any, log256_max_n: Any=None) -> Any:
    """Returns the size of the scratch memory for `exclusive_scan_add`, `exclusive_scan_min` and `exclusive_scan_max`, in elements.
    
    Args:
        n: number of elements to scan.
        log256_max_n: as for the algorithm; None: derived from n.
    
    Returns:
        An integer.
    
    Example:
        >>> qd.algorithms.reduce_scratch_slots(1000) > 0
        True"""

def parallel_sort(keys: Any, values: Any=None) -> Any:
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
        array([1, 2, 3], dtype=int32)"""

def reduce_add(arr: Any, out: Any, scratch: Any, n: Any, dtype: Any, log256_max_n: Any) -> Any:
    """Stores the sum of the first n elements in out[0]. For kernels on GPUs, and on `interp`.
    
    Args:
        arr: the elements.
        out: the memory of the result.
        scratch: memory with `reduce_scratch_slots(n)` elements.
        n: number of elements.
        dtype: type of the elements.
        log256_max_n: a constant; 256 to this power must be at least n.
    
    Example:
        See `qd.algorithms.reduce_scratch_slots`."""

def reduce_by_key_add(keys_in: Any, values_in: Any, keys_out: Any, values_out: Any, num_runs: Any, scratch: Any, n: Any, value_dtype: Any, log256_max_n: Any) -> Any:
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
        See `qd.algorithms.reduce_by_key_scratch_slots`."""

def reduce_by_key_scratch_slots(n: Any) -> Any:
    """Returns the size of the scratch memory for `reduce_by_key_add`, in u32 elements: a position for each element, and their scan.
    
    Args:
        n: number of keys.
    
    Returns:
        An integer.
    
    Example:
        >>> qd.algorithms.select_scratch_slots(1000) > 1000
        True"""

def reduce_max(arr: Any, out: Any, scratch: Any, n: Any, dtype: Any, log256_max_n: Any) -> Any:
    """Stores the maximum of the first n elements in out[0]. For kernels on GPUs, and on `interp`.
    
    Args:
        arr: the elements.
        out: the memory of the result.
        scratch: memory with `reduce_scratch_slots(n)` elements.
        n: number of elements.
        dtype: type of the elements.
        log256_max_n: a constant; 256 to this power must be at least n.
    
    Example:
        See `qd.algorithms.reduce_scratch_slots`."""

def reduce_min(arr: Any, out: Any, scratch: Any, n: Any, dtype: Any, log256_max_n: Any) -> Any:
    """Stores the minimum of the first n elements in out[0]. For kernels on GPUs, and on `interp`.
    
    Args:
        arr: the elements.
        out: the memory of the result.
        scratch: memory with `reduce_scratch_slots(n)` elements.
        n: number of elements.
        dtype: type of the elements.
        log256_max_n: a constant; 256 to this power must be at least n.
    
    Example:
        See `qd.algorithms.reduce_scratch_slots`."""

def reduce_scratch_slots(n: Any, log256_max_n: Any=None) -> Any:
    """Returns the size of the scratch memory for `reduce_add`, `reduce_min` and `reduce_max`, in elements.
    
    Args:
        n: number of elements to reduce.
        log256_max_n: as for the algorithm; None: derived from n.
    
    Returns:
        An integer.
    
    Example:
        >>> qd.algorithms.reduce_scratch_slots(1000) > 0
        True"""

def select(arr: Any, flags: Any, out: Any, num_out: Any, scratch: Any, n: Any, log256_max_n: Any) -> Any:
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
        See `qd.algorithms.select_scratch_slots`."""

def select_scratch_slots(n: Any) -> Any:
    """Returns the size of the scratch memory for `select`, in u32 elements: a position for each element, and their scan.
    
    Args:
        n: number of elements to select from.
    
    Returns:
        An integer.
    
    Example:
        >>> qd.algorithms.select_scratch_slots(1000) > 1000
        True"""

def sort(keys: Any, tmp_keys: Any, values: Any, tmp_values: Any, scratch: Any, n: Any, key_dtype: Any, has_values: Any, end_bit: Any, log256_max_n: Any) -> Any:
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
        See `qd.algorithms.sort_scratch_slots`."""

def sort_scratch_slots(n: Any, log256_max_n: Any=None) -> Any:
    """Returns the size of the scratch memory for `sort`, in elements.
    
    Args:
        n: number of elements to sort.
        log256_max_n: as for the algorithm; None: derived from n.
    
    Returns:
        An integer.
    
    Example:
        >>> qd.algorithms.reduce_scratch_slots(1000) > 0
        True"""
