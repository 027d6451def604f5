# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false
"""qd.simt.block: the threads of one block."""
import enum
from collections.abc import Iterator
from typing import Any, Self

def SharedArray(shape: Any, dtype: Any) -> Any:
    """An array that the threads of a block share.
    
    Args:
        shape: an integer or a tuple of them, constants.
        dtype: the type of the values.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.block.SharedArray(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.block.SharedArray is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def exclusive_add(value: Any, block_dim: Any, dtype: Any) -> Any:
    """In each thread, the sum of the values of the threads of the block before it; in the first, what changes nothing.
    
    Args:
        value: a number.
        block_dim: threads of a block, a constant.
        dtype: the type of the values.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.block.exclusive_add(1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.block.exclusive_add is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def exclusive_max(value: Any, block_dim: Any, dtype: Any) -> Any:
    """In each thread, the greatest of the values of the threads of the block before it; in the first, what changes nothing.
    
    Args:
        value: a number.
        block_dim: threads of a block, a constant.
        dtype: the type of the values.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.block.exclusive_max(1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.block.exclusive_max is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def exclusive_min(value: Any, block_dim: Any, dtype: Any) -> Any:
    """In each thread, the least of the values of the threads of the block before it; in the first, what changes nothing.
    
    Args:
        value: a number.
        block_dim: threads of a block, a constant.
        dtype: the type of the values.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.block.exclusive_min(1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.block.exclusive_min is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def exclusive_scan(value: Any, block_dim: Any, op: Any, identity: Any, dtype: Any) -> Any:
    """In each thread of the block, op of the values before it.
    
    Args:
        value: a number.
        block_dim: threads of a block, a constant.
        op: a func of two values.
        identity: the value that changes nothing.
        dtype: the type of the values.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.block.exclusive_scan(1, 1, 1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.block.exclusive_scan is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""
from quadrants import global_thread_idx as global_thread_idx

def inclusive_add(value: Any, block_dim: Any, dtype: Any) -> Any:
    """In each thread, the sum of the values of the threads of the block up to it.
    
    Args:
        value: a number.
        block_dim: threads of a block, a constant.
        dtype: the type of the values.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.block.inclusive_add(1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.block.inclusive_add is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def inclusive_max(value: Any, block_dim: Any, dtype: Any) -> Any:
    """In each thread, the greatest of the values of the threads of the block up to it.
    
    Args:
        value: a number.
        block_dim: threads of a block, a constant.
        dtype: the type of the values.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.block.inclusive_max(1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.block.inclusive_max is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def inclusive_min(value: Any, block_dim: Any, dtype: Any) -> Any:
    """In each thread, the least of the values of the threads of the block up to it.
    
    Args:
        value: a number.
        block_dim: threads of a block, a constant.
        dtype: the type of the values.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.block.inclusive_min(1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.block.inclusive_min is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def inclusive_scan(value: Any, block_dim: Any, op: Any, dtype: Any) -> Any:
    """In each thread of the block, op of the values up to it.
    
    Args:
        value: a number.
        block_dim: threads of a block, a constant.
        op: a func of two values.
        dtype: the type of the values.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.block.inclusive_scan(1, 1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.block.inclusive_scan is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def mem_fence() -> Any:
    """What this thread wrote before is seen by the others of the block before what it writes afterwards.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.block.mem_fence()
        Traceback (most recent call last):
        ValueError: qd.simt.block.mem_fence is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def mem_sync() -> Any:
    """The earlier name of `qd.simt.block.mem_fence`: warns once in a process.
    
    Example:
        See the new name."""

def radix_rank_match_atomic_or(key: Any, block_dim: Any, radix_bits: Any, bit_start: Any, num_bits: Any, bins: Any, excl_prefix: Any) -> Any:
    """The place of the thread's key among those of the block with the same digit or a lesser one.
    
    Args:
        key: the number to sort by; an unsigned integer.
        block_dim: threads of a block, a constant.
        radix_bits: bits of a digit.
        bit_start: the lowest bit of the digit.
        num_bits: how many of its bits count.
        bins: shared memory with a count for each digit.
        excl_prefix: shared memory for their scan.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.block.radix_rank_match_atomic_or(1, 1, 1, 1, 1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.block.radix_rank_match_atomic_or is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def reduce(value: Any, block_dim: Any, op: Any, dtype: Any) -> Any:
    """In the first thread of the block, op of the values of all.
    
    Args:
        value: a number.
        block_dim: threads of a block, a constant.
        op: a func of two values.
        dtype: the type of the values.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.block.reduce(1, 1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.block.reduce is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def reduce_add(value: Any, block_dim: Any, dtype: Any) -> Any:
    """In the first thread, the sum of the values of all threads of the block.
    
    Args:
        value: a number.
        block_dim: threads of a block, a constant.
        dtype: the type of the values.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.block.reduce_add(1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.block.reduce_add is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def reduce_all(value: Any, block_dim: Any, op: Any, dtype: Any) -> Any:
    """In every thread of the block, op of the values of all.
    
    Args:
        value: a number.
        block_dim: threads of a block, a constant.
        op: a func of two values.
        dtype: the type of the values.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.block.reduce_all(1, 1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.block.reduce_all is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def reduce_all_add(value: Any, block_dim: Any, dtype: Any) -> Any:
    """In every thread, the sum of the values of all threads of the block.
    
    Args:
        value: a number.
        block_dim: threads of a block, a constant.
        dtype: the type of the values.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.block.reduce_all_add(1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.block.reduce_all_add is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def reduce_all_max(value: Any, block_dim: Any, dtype: Any) -> Any:
    """In every thread, the greatest of the values of all threads of the block.
    
    Args:
        value: a number.
        block_dim: threads of a block, a constant.
        dtype: the type of the values.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.block.reduce_all_max(1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.block.reduce_all_max is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def reduce_all_min(value: Any, block_dim: Any, dtype: Any) -> Any:
    """In every thread, the least of the values of all threads of the block.
    
    Args:
        value: a number.
        block_dim: threads of a block, a constant.
        dtype: the type of the values.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.block.reduce_all_min(1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.block.reduce_all_min is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def reduce_max(value: Any, block_dim: Any, dtype: Any) -> Any:
    """In the first thread, the greatest of the values of all threads of the block.
    
    Args:
        value: a number.
        block_dim: threads of a block, a constant.
        dtype: the type of the values.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.block.reduce_max(1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.block.reduce_max is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def reduce_min(value: Any, block_dim: Any, dtype: Any) -> Any:
    """In the first thread, the least of the values of all threads of the block.
    
    Args:
        value: a number.
        block_dim: threads of a block, a constant.
        dtype: the type of the values.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.block.reduce_min(1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.block.reduce_min is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def sync() -> Any:
    """Waits until all threads of the block are here; what they wrote is seen.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.block.sync()
        Traceback (most recent call last):
        ValueError: qd.simt.block.sync is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def sync_all_nonzero(predicate: Any) -> Any:
    """As sync; whether the predicate holds in all threads.
    
    Args:
        predicate: a truth value.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.block.sync_all_nonzero(1)
        Traceback (most recent call last):
        ValueError: qd.simt.block.sync_all_nonzero is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def sync_any_nonzero(predicate: Any) -> Any:
    """As sync; whether the predicate holds in a thread.
    
    Args:
        predicate: a truth value.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.block.sync_any_nonzero(1)
        Traceback (most recent call last):
        ValueError: qd.simt.block.sync_any_nonzero is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def sync_count_nonzero(predicate: Any) -> Any:
    """As sync; in how many threads the predicate holds.
    
    Args:
        predicate: a truth value.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.block.sync_count_nonzero(1)
        Traceback (most recent call last):
        ValueError: qd.simt.block.sync_count_nonzero is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def thread_idx() -> Any:
    """The number of the thread in its block.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.block.thread_idx()
        Traceback (most recent call last):
        ValueError: qd.simt.block.thread_idx is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""
