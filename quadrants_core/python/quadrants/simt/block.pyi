# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false, reportAssignmentType=false
"""qd.simt.block: operations on the threads of a block."""
import enum
from collections.abc import Iterator
from typing import Any, Self

def SharedArray(shape: Any, dtype: Any) -> Any:
    """An array shared by the threads of a block.
    
    Args:
        shape: an integer or a tuple of integers, constant.
        dtype: the type of the values.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.block.SharedArray(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.block.SharedArray is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def exclusive_add(value: Any, block_dim: Any, dtype: Any) -> Any:
    """Returns the sum of the values of the threads of the block before this one; in the first thread, the identity.
    
    Args:
        value: a number.
        block_dim: number of threads in a block, a constant.
        dtype: the type of the values.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.block.exclusive_add(1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.block.exclusive_add is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def exclusive_max(value: Any, block_dim: Any, dtype: Any) -> Any:
    """Returns the maximum of the values of the threads of the block before this one; in the first thread, the identity.
    
    Args:
        value: a number.
        block_dim: number of threads in a block, a constant.
        dtype: the type of the values.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.block.exclusive_max(1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.block.exclusive_max is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def exclusive_min(value: Any, block_dim: Any, dtype: Any) -> Any:
    """Returns the minimum of the values of the threads of the block before this one; in the first thread, the identity.
    
    Args:
        value: a number.
        block_dim: number of threads in a block, a constant.
        dtype: the type of the values.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.block.exclusive_min(1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.block.exclusive_min is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def exclusive_scan(value: Any, block_dim: Any, op: Any, identity: Any, dtype: Any) -> Any:
    """Returns the values of the threads of the block before this one, combined by op.
    
    Args:
        value: a number.
        block_dim: number of threads in a block, a constant.
        op: a func that takes two values.
        identity: the identity element of op.
        dtype: the type of the values.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.block.exclusive_scan(1, 1, 1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.block.exclusive_scan is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def global_thread_idx() -> Any:
    """Returns the index of the thread among all threads of the launch. On architectures without blocks of threads, it is the same as
    `qd.global_thread_idx`.
    
    Returns:
        An i32, starting at 0.
    
    Raises:
        QuadrantsSyntaxError: the call is outside of a kernel.
    
    Example:
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     return qd.simt.block.global_thread_idx() >= 0
        >>> f()
        1"""

def inclusive_add(value: Any, block_dim: Any, dtype: Any) -> Any:
    """Returns the sum of the values of the threads of the block up to and including this one.
    
    Args:
        value: a number.
        block_dim: number of threads in a block, a constant.
        dtype: the type of the values.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.block.inclusive_add(1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.block.inclusive_add is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def inclusive_max(value: Any, block_dim: Any, dtype: Any) -> Any:
    """Returns the maximum of the values of the threads of the block up to and including this one.
    
    Args:
        value: a number.
        block_dim: number of threads in a block, a constant.
        dtype: the type of the values.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.block.inclusive_max(1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.block.inclusive_max is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def inclusive_min(value: Any, block_dim: Any, dtype: Any) -> Any:
    """Returns the minimum of the values of the threads of the block up to and including this one.
    
    Args:
        value: a number.
        block_dim: number of threads in a block, a constant.
        dtype: the type of the values.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.block.inclusive_min(1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.block.inclusive_min is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def inclusive_scan(value: Any, block_dim: Any, op: Any, dtype: Any) -> Any:
    """Returns the values of the threads of the block up to and including this one, combined by op.
    
    Args:
        value: a number.
        block_dim: number of threads in a block, a constant.
        op: a func that takes two values.
        dtype: the type of the values.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.block.inclusive_scan(1, 1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.block.inclusive_scan is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def mem_fence() -> Any:
    """Orders memory accesses: the other threads of the block see earlier writes of this thread before later ones.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.block.mem_fence()
        Traceback (most recent call last):
        ValueError: qd.simt.block.mem_fence is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def mem_sync() -> Any:
    """Former name of `qd.simt.block.mem_fence`; warns once per process.
    
    Example:
        See the new name."""

def radix_rank_match_atomic_or(key: Any, block_dim: Any, radix_bits: Any, bit_start: Any, num_bits: Any, bins: Any, excl_prefix: Any) -> Any:
    """Returns the position that the thread's key has when the keys of the block are sorted by a digit; equal digits retain their order.
    
    Args:
        key: the sort key, an unsigned integer.
        block_dim: number of threads in a block, a constant.
        radix_bits: number of bits of a digit.
        bit_start: the lowest bit of the digit.
        num_bits: number of bits of the digit that are used.
        bins: a SharedArray for the number of keys with each digit.
        excl_prefix: a SharedArray for the number of keys with a smaller digit.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.block.radix_rank_match_atomic_or(1, 1, 1, 1, 1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.block.radix_rank_match_atomic_or is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def reduce(value: Any, block_dim: Any, op: Any, dtype: Any) -> Any:
    """Returns, in the first thread of the block, the values of all threads combined by op.
    
    Args:
        value: a number.
        block_dim: number of threads in a block, a constant.
        op: a func that takes two values.
        dtype: the type of the values.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.block.reduce(1, 1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.block.reduce is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def reduce_add(value: Any, block_dim: Any, dtype: Any) -> Any:
    """Returns, in the first thread, the sum of the values of all threads of the block.
    
    Args:
        value: a number.
        block_dim: number of threads in a block, a constant.
        dtype: the type of the values.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.block.reduce_add(1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.block.reduce_add is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def reduce_all(value: Any, block_dim: Any, op: Any, dtype: Any) -> Any:
    """Returns, in every thread of the block, the values of all threads combined by op.
    
    Args:
        value: a number.
        block_dim: number of threads in a block, a constant.
        op: a func that takes two values.
        dtype: the type of the values.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.block.reduce_all(1, 1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.block.reduce_all is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def reduce_all_add(value: Any, block_dim: Any, dtype: Any) -> Any:
    """Returns, in every thread, the sum of the values of all threads of the block.
    
    Args:
        value: a number.
        block_dim: number of threads in a block, a constant.
        dtype: the type of the values.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.block.reduce_all_add(1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.block.reduce_all_add is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def reduce_all_max(value: Any, block_dim: Any, dtype: Any) -> Any:
    """Returns, in every thread, the maximum of the values of all threads of the block.
    
    Args:
        value: a number.
        block_dim: number of threads in a block, a constant.
        dtype: the type of the values.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.block.reduce_all_max(1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.block.reduce_all_max is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def reduce_all_min(value: Any, block_dim: Any, dtype: Any) -> Any:
    """Returns, in every thread, the minimum of the values of all threads of the block.
    
    Args:
        value: a number.
        block_dim: number of threads in a block, a constant.
        dtype: the type of the values.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.block.reduce_all_min(1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.block.reduce_all_min is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def reduce_max(value: Any, block_dim: Any, dtype: Any) -> Any:
    """Returns, in the first thread, the maximum of the values of all threads of the block.
    
    Args:
        value: a number.
        block_dim: number of threads in a block, a constant.
        dtype: the type of the values.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.block.reduce_max(1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.block.reduce_max is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def reduce_min(value: Any, block_dim: Any, dtype: Any) -> Any:
    """Returns, in the first thread, the minimum of the values of all threads of the block.
    
    Args:
        value: a number.
        block_dim: number of threads in a block, a constant.
        dtype: the type of the values.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.block.reduce_min(1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.block.reduce_min is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def sync() -> Any:
    """Waits until all threads of the block have reached this point; their writes are then visible.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.block.sync()
        Traceback (most recent call last):
        ValueError: qd.simt.block.sync is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def sync_all_nonzero(predicate: Any) -> Any:
    """Synchronises like sync, and returns whether the predicate is true in all threads.
    
    Args:
        predicate: a boolean.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.block.sync_all_nonzero(1)
        Traceback (most recent call last):
        ValueError: qd.simt.block.sync_all_nonzero is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def sync_any_nonzero(predicate: Any) -> Any:
    """Synchronises like sync, and returns whether the predicate is true in any thread.
    
    Args:
        predicate: a boolean.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.block.sync_any_nonzero(1)
        Traceback (most recent call last):
        ValueError: qd.simt.block.sync_any_nonzero is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def sync_count_nonzero(predicate: Any) -> Any:
    """Synchronises like sync, and returns the number of threads in which the predicate is true.
    
    Args:
        predicate: a boolean.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.block.sync_count_nonzero(1)
        Traceback (most recent call last):
        ValueError: qd.simt.block.sync_count_nonzero is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def thread_idx() -> Any:
    """Returns the index of the thread in its block.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.block.thread_idx()
        Traceback (most recent call last):
        ValueError: qd.simt.block.thread_idx is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""
