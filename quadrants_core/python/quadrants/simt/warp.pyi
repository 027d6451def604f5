# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false, reportAssignmentType=false
"""qd.simt.warp: operations on the threads of a warp: a subgroup of 32 threads, as on CUDA. A mask has a bit for each thread that takes part."""
import enum
from collections.abc import Iterator
from typing import Any, Self

def active_mask() -> Any:
    """Returns a mask of the active threads of the warp.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.warp.active_mask()
        Traceback (most recent call last):
        ValueError: qd.simt.warp.active_mask is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def all_nonzero(mask: Any, predicate: Any) -> Any:
    """Returns whether the predicate is true in all threads of the mask.
    
    Args:
        mask: for warps: one bit per participating thread; for shuffle_xor: an integer.
        predicate: a boolean.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.warp.all_nonzero(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.warp.all_nonzero is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def any_nonzero(mask: Any, predicate: Any) -> Any:
    """Returns whether the predicate is true in any thread of the mask.
    
    Args:
        mask: for warps: one bit per participating thread; for shuffle_xor: an integer.
        predicate: a boolean.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.warp.any_nonzero(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.warp.any_nonzero is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def ballot(predicate: Any) -> Any:
    """Returns a mask with one bit per thread of the warp, set where the predicate is true.
    
    Args:
        predicate: a boolean.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.warp.ballot(1)
        Traceback (most recent call last):
        ValueError: qd.simt.warp.ballot is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def match_all(mask: Any, val: Any) -> Any:
    """Returns the mask if all its threads have the same value, else 0.
    
    Args:
        mask: for warps: one bit per participating thread; for shuffle_xor: an integer.
        val: a number.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.warp.match_all(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.warp.match_all is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def match_any(mask: Any, value: Any) -> Any:
    """Returns a mask of the threads in the mask that have the value of this thread.
    
    Args:
        mask: for warps: one bit per participating thread; for shuffle_xor: an integer.
        value: a number.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.warp.match_any(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.warp.match_any is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def shfl_down_f32(mask: Any, val: Any, offset: Any) -> Any:
    """Returns the value of the thread `offset` positions after this one.
    
    Args:
        mask: for warps: one bit per participating thread; for shuffle_xor: an integer.
        val: a number.
        offset: number of threads.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.warp.shfl_down_f32(1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.warp.shfl_down_f32 is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def shfl_down_i32(mask: Any, val: Any, offset: Any) -> Any:
    """Returns the value of the thread `offset` positions after this one.
    
    Args:
        mask: for warps: one bit per participating thread; for shuffle_xor: an integer.
        val: a number.
        offset: number of threads.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.warp.shfl_down_i32(1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.warp.shfl_down_i32 is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def shfl_sync_f32(mask: Any, val: Any, offset: Any) -> Any:
    """Returns the value of the thread with index `offset`.
    
    Args:
        mask: for warps: one bit per participating thread; for shuffle_xor: an integer.
        val: a number.
        offset: number of threads.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.warp.shfl_sync_f32(1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.warp.shfl_sync_f32 is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def shfl_sync_i32(mask: Any, val: Any, offset: Any) -> Any:
    """Returns the value of the thread with index `offset`.
    
    Args:
        mask: for warps: one bit per participating thread; for shuffle_xor: an integer.
        val: a number.
        offset: number of threads.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.warp.shfl_sync_i32(1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.warp.shfl_sync_i32 is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def shfl_up_f32(mask: Any, val: Any, offset: Any) -> Any:
    """Returns the value of the thread `offset` positions before this one.
    
    Args:
        mask: for warps: one bit per participating thread; for shuffle_xor: an integer.
        val: a number.
        offset: number of threads.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.warp.shfl_up_f32(1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.warp.shfl_up_f32 is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def shfl_up_i32(mask: Any, val: Any, offset: Any) -> Any:
    """Returns the value of the thread `offset` positions before this one.
    
    Args:
        mask: for warps: one bit per participating thread; for shuffle_xor: an integer.
        val: a number.
        offset: number of threads.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.warp.shfl_up_i32(1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.warp.shfl_up_i32 is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def shfl_xor_i32(mask: Any, val: Any, offset: Any) -> Any:
    """Returns the value of the thread whose index is that of this thread, exclusive or the offset.
    
    Args:
        mask: for warps: one bit per participating thread; for shuffle_xor: an integer.
        val: a number.
        offset: number of threads.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.warp.shfl_xor_i32(1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.warp.shfl_xor_i32 is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def sync(mask: Any) -> Any:
    """Waits until all threads of the warp have reached this point; their writes are then visible.
    
    Args:
        mask: for warps: one bit per participating thread; for shuffle_xor: an integer.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.warp.sync(1)
        Traceback (most recent call last):
        ValueError: qd.simt.warp.sync is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def unique(mask: Any, predicate: Any) -> Any:
    """Returns whether the predicate is the same, zero or not, in all threads of the mask.
    
    Args:
        mask: for warps: one bit per participating thread; for shuffle_xor: an integer.
        predicate: a boolean.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.warp.unique(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.warp.unique is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""
