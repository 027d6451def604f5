# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false
"""qd.algorithms: sorting and scanning of whole fields and ndarrays.

The funcs for use inside of kernels (reduce_*, exclusive_scan_*, reduce_by_key_add, select, sort) are for GPUs; how much
scratch memory they want, `*_scratch_slots` tells everywhere."""
import enum
from collections.abc import Iterator
from typing import Any, Self

class PrefixSumExecutor:
    """The inclusive prefix sum of a field of i32, in place; on CUDA and Vulkan."""

    def __init__(self, length: Any) -> None: ...

    def run(self, input_arr: Any) -> Any: ...

def exclusive_scan_add(arr: Any, out: Any, scratch: Any, n: Any, dtype: Any, log256_max_n: Any) -> Any:
    """out[i] = the sum of the elements before i."""

def exclusive_scan_max(arr: Any, out: Any, scratch: Any, n: Any, dtype: Any, log256_max_n: Any) -> Any:
    """out[i] = the greatest of the elements before i."""

def exclusive_scan_min(arr: Any, out: Any, scratch: Any, n: Any, dtype: Any, log256_max_n: Any) -> Any:
    """out[i] = the least of the elements before i."""

def exclusive_scan_scratch_slots(n: Any, log256_max_n: Any=None) -> Any:
    """Elements of scratch memory that exclusive_scan_add, _min and _max want for n elements."""

def parallel_sort(keys: Any, values: Any=None) -> Any:
    """Sorts a field or ndarray of numbers in place, upwards; `values` are moved as their keys are. Equal keys keep their order."""

def reduce_add(arr: Any, out: Any, scratch: Any, n: Any, dtype: Any, log256_max_n: Any) -> Any:
    """out[0] = the sum of the first n elements."""

def reduce_by_key_add(keys_in: Any, values_in: Any, keys_out: Any, values_out: Any, num_runs: Any, scratch: Any, n: Any, value_dtype: Any, log256_max_n: Any) -> Any:
    """One key and the sum of its values for each run of equal keys; num_runs[0] = how many there are."""

def reduce_by_key_scratch_slots(n: Any) -> Any:
    """Elements (u32) of scratch memory that reduce_by_key_add wants for n elements: a position for each, and their scan."""

def reduce_max(arr: Any, out: Any, scratch: Any, n: Any, dtype: Any, log256_max_n: Any) -> Any:
    """out[0] = the greatest of the first n elements."""

def reduce_min(arr: Any, out: Any, scratch: Any, n: Any, dtype: Any, log256_max_n: Any) -> Any:
    """out[0] = the least of the first n elements."""

def reduce_scratch_slots(n: Any, log256_max_n: Any=None) -> Any:
    """Elements of scratch memory that reduce_add, reduce_min and reduce_max want for n elements."""

def select(arr: Any, flags: Any, out: Any, num_out: Any, scratch: Any, n: Any, log256_max_n: Any) -> Any:
    """The elements whose flag is 1, in order; num_out[0] = how many there are."""

def select_scratch_slots(n: Any) -> Any:
    """Elements (u32) of scratch memory that select wants for n elements: a position for each, and their scan."""

def sort(keys: Any, tmp_keys: Any, values: Any, tmp_values: Any, scratch: Any, n: Any, key_dtype: Any, has_values: Any, end_bit: Any, log256_max_n: Any) -> Any:
    """Sorts n[()] keys, and values with them, by their lowest `end_bit` bits."""

def sort_scratch_slots(n: Any, log256_max_n: Any=None) -> Any:
    """Elements (u32) of scratch memory that sort wants for n keys: a histogram of 256 digits per tile, and their scan."""
