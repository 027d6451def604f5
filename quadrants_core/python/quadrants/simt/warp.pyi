# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false
"""qd.simt.warp: the 32 threads of a warp, on CUDA."""
import enum
from collections.abc import Iterator
from typing import Any, Self

def active_mask() -> Any:
    """A bit for each thread of the warp that is here.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.warp.active_mask()
        Traceback (most recent call last):
        ValueError: qd.simt.warp.active_mask is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def all_nonzero(mask: Any, predicate: Any) -> Any:
    """Whether the predicate holds in all threads of the mask.
    
    Args:
        mask: of warps: a bit for each thread that takes part; of shuffle_xor: an integer.
        predicate: a truth value.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.warp.all_nonzero(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.warp.all_nonzero is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def any_nonzero(mask: Any, predicate: Any) -> Any:
    """Whether the predicate holds in a thread of the mask.
    
    Args:
        mask: of warps: a bit for each thread that takes part; of shuffle_xor: an integer.
        predicate: a truth value.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.warp.any_nonzero(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.warp.any_nonzero is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def ballot(predicate: Any) -> Any:
    """A bit for each thread of the warp: whether the predicate holds there.
    
    Args:
        predicate: a truth value.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.warp.ballot(1)
        Traceback (most recent call last):
        ValueError: qd.simt.warp.ballot is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def match_all(mask: Any, val: Any) -> Any:
    """The mask if all its threads have this value, else 0.
    
    Args:
        mask: of warps: a bit for each thread that takes part; of shuffle_xor: an integer.
        val: a number.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.warp.match_all(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.warp.match_all is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def match_any(mask: Any, value: Any) -> Any:
    """A bit for each thread of the mask that has this thread's value.
    
    Args:
        mask: of warps: a bit for each thread that takes part; of shuffle_xor: an integer.
        value: a number.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.warp.match_any(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.warp.match_any is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def shfl_down_f32(mask: Any, val: Any, offset: Any) -> Any:
    """The value of the thread `offset` behind this one.
    
    Args:
        mask: of warps: a bit for each thread that takes part; of shuffle_xor: an integer.
        val: a number.
        offset: how many threads.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.warp.shfl_down_f32(1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.warp.shfl_down_f32 is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def shfl_down_i32(mask: Any, val: Any, offset: Any) -> Any:
    """The value of the thread `offset` behind this one.
    
    Args:
        mask: of warps: a bit for each thread that takes part; of shuffle_xor: an integer.
        val: a number.
        offset: how many threads.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.warp.shfl_down_i32(1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.warp.shfl_down_i32 is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def shfl_sync_f32(mask: Any, val: Any, offset: Any) -> Any:
    """The value of the thread with the number `offset`.
    
    Args:
        mask: of warps: a bit for each thread that takes part; of shuffle_xor: an integer.
        val: a number.
        offset: how many threads.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.warp.shfl_sync_f32(1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.warp.shfl_sync_f32 is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def shfl_sync_i32(mask: Any, val: Any, offset: Any) -> Any:
    """The value of the thread with the number `offset`.
    
    Args:
        mask: of warps: a bit for each thread that takes part; of shuffle_xor: an integer.
        val: a number.
        offset: how many threads.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.warp.shfl_sync_i32(1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.warp.shfl_sync_i32 is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def shfl_up_f32(mask: Any, val: Any, offset: Any) -> Any:
    """The value of the thread `offset` before this one.
    
    Args:
        mask: of warps: a bit for each thread that takes part; of shuffle_xor: an integer.
        val: a number.
        offset: how many threads.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.warp.shfl_up_f32(1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.warp.shfl_up_f32 is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def shfl_up_i32(mask: Any, val: Any, offset: Any) -> Any:
    """The value of the thread `offset` before this one.
    
    Args:
        mask: of warps: a bit for each thread that takes part; of shuffle_xor: an integer.
        val: a number.
        offset: how many threads.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.warp.shfl_up_i32(1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.warp.shfl_up_i32 is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def shfl_xor_i32(mask: Any, val: Any, offset: Any) -> Any:
    """The value of the thread whose number is this one's, exclusive or the offset.
    
    Args:
        mask: of warps: a bit for each thread that takes part; of shuffle_xor: an integer.
        val: a number.
        offset: how many threads.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.warp.shfl_xor_i32(1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.warp.shfl_xor_i32 is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def sync(mask: Any) -> Any:
    """Waits until all threads of the warp are here; what they wrote is seen.
    
    Args:
        mask: of warps: a bit for each thread that takes part; of shuffle_xor: an integer.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.warp.sync(1)
        Traceback (most recent call last):
        ValueError: qd.simt.warp.sync is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def unique(mask: Any, predicate: Any) -> Any:
    """Whether no other thread of the mask has this thread's value.
    
    Args:
        mask: of warps: a bit for each thread that takes part; of shuffle_xor: an integer.
        predicate: a truth value.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.warp.unique(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.warp.unique is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""
