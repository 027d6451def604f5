# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false
"""qd.simt.subgroup: the threads that a GPU runs in step."""
import enum
from collections.abc import Iterator
from typing import Any, Self

def all_equal(value: Any) -> Any:
    """Whether all threads of the subgroup have the same value.
    
    Args:
        value: a number.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.all_equal(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.all_equal is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def all_equal_tiled(value: Any, log2_size: Any) -> Any:
    """Whether all threads of the subgroup have the same value.
    
    Args:
        value: a number.
        log2_size: the subgroup is taken as tiles of 2 to this power of threads, each for itself; a constant.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.all_equal_tiled(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.all_equal_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def all_true(predicate: Any) -> Any:
    """Whether the predicate holds in all threads of the subgroup.
    
    Args:
        predicate: a truth value.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.all_true(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.all_true is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def all_true_tiled(predicate: Any, log2_size: Any) -> Any:
    """Whether the predicate holds in all threads of the subgroup.
    
    Args:
        predicate: a truth value.
        log2_size: the subgroup is taken as tiles of 2 to this power of threads, each for itself; a constant.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.all_true_tiled(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.all_true_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def any_true(predicate: Any) -> Any:
    """Whether the predicate holds in a thread of the subgroup.
    
    Args:
        predicate: a truth value.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.any_true(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.any_true is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def any_true_tiled(predicate: Any, log2_size: Any) -> Any:
    """Whether the predicate holds in a thread of the subgroup.
    
    Args:
        predicate: a truth value.
        log2_size: the subgroup is taken as tiles of 2 to this power of threads, each for itself; a constant.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.any_true_tiled(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.any_true_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def ballot(predicate: Any) -> Any:
    """A bit for each thread of the subgroup: whether the predicate holds there.
    
    Args:
        predicate: a truth value.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.ballot(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.ballot is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def ballot_first_n(predicate: Any, n: Any) -> Any:
    """A bit for each of the first n threads: whether the predicate holds there.
    
    Args:
        predicate: a truth value.
        n: how many threads.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.ballot_first_n(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.ballot_first_n is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def ballot_full_subgroup(predicate: Any) -> Any:
    """The earlier name of `qd.simt.subgroup.ballot`: warns once in a process.
    
    Args:
        predicate: a truth value.
    
    Example:
        See the new name."""

def barrier() -> Any:
    """The earlier name of `qd.simt.subgroup.sync`: warns once in a process.
    
    Example:
        See the new name."""

def bitonic_sort_kv(key: Any, value: Any) -> Any:
    """Sorts the keys of the threads, and values with them: (key, value) of the thread's place.
    
    Args:
        key: the number to sort by; an unsigned integer.
        value: a number.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.bitonic_sort_kv(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.bitonic_sort_kv is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def bitonic_sort_kv_tiled(key: Any, value: Any, log2_size: Any) -> Any:
    """Sorts the keys of the threads, and values with them: (key, value) of the thread's place.
    
    Args:
        key: the number to sort by; an unsigned integer.
        value: a number.
        log2_size: the subgroup is taken as tiles of 2 to this power of threads, each for itself; a constant.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.bitonic_sort_kv_tiled(1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.bitonic_sort_kv_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def broadcast(value: Any, index: Any) -> Any:
    """The value of the thread with this index.
    
    Args:
        value: a number.
        index: the number of a thread of the subgroup.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.broadcast(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.broadcast is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def broadcast_first(value: Any) -> Any:
    """The value of the first thread.
    
    Args:
        value: a number.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.broadcast_first(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.broadcast_first is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def elect() -> Any:
    """True in one thread of the subgroup.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.elect()
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.elect is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def exclusive_add(value: Any) -> Any:
    """In each thread, the sum of the values of the threads of the subgroup before it; in the first, what changes nothing.
    
    Args:
        value: a number.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.exclusive_add(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.exclusive_add is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def exclusive_add_tiled(value: Any, log2_size: Any) -> Any:
    """In each thread, the sum of the values of the threads of the subgroup before it; in the first, what changes nothing.
    
    Args:
        value: a number.
        log2_size: the subgroup is taken as tiles of 2 to this power of threads, each for itself; a constant.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.exclusive_add_tiled(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.exclusive_add_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def exclusive_and(value: Any) -> Any:
    """In each thread, the bits that all have of the values of the threads of the subgroup before it; in the first, what changes nothing.
    
    Args:
        value: a number.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.exclusive_and(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.exclusive_and is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def exclusive_and_tiled(value: Any, log2_size: Any) -> Any:
    """In each thread, the bits that all have of the values of the threads of the subgroup before it; in the first, what changes nothing.
    
    Args:
        value: a number.
        log2_size: the subgroup is taken as tiles of 2 to this power of threads, each for itself; a constant.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.exclusive_and_tiled(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.exclusive_and_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def exclusive_max(value: Any) -> Any:
    """In each thread, the greatest of the values of the threads of the subgroup before it; in the first, what changes nothing.
    
    Args:
        value: a number.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.exclusive_max(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.exclusive_max is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def exclusive_max_tiled(value: Any, log2_size: Any) -> Any:
    """In each thread, the greatest of the values of the threads of the subgroup before it; in the first, what changes nothing.
    
    Args:
        value: a number.
        log2_size: the subgroup is taken as tiles of 2 to this power of threads, each for itself; a constant.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.exclusive_max_tiled(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.exclusive_max_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def exclusive_min(value: Any) -> Any:
    """In each thread, the least of the values of the threads of the subgroup before it; in the first, what changes nothing.
    
    Args:
        value: a number.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.exclusive_min(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.exclusive_min is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def exclusive_min_tiled(value: Any, log2_size: Any) -> Any:
    """In each thread, the least of the values of the threads of the subgroup before it; in the first, what changes nothing.
    
    Args:
        value: a number.
        log2_size: the subgroup is taken as tiles of 2 to this power of threads, each for itself; a constant.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.exclusive_min_tiled(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.exclusive_min_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def exclusive_mul(value: Any) -> Any:
    """In each thread, the product of the values of the threads of the subgroup before it; in the first, what changes nothing.
    
    Args:
        value: a number.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.exclusive_mul(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.exclusive_mul is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def exclusive_mul_tiled(value: Any, log2_size: Any) -> Any:
    """In each thread, the product of the values of the threads of the subgroup before it; in the first, what changes nothing.
    
    Args:
        value: a number.
        log2_size: the subgroup is taken as tiles of 2 to this power of threads, each for itself; a constant.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.exclusive_mul_tiled(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.exclusive_mul_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def exclusive_or(value: Any) -> Any:
    """In each thread, the bits that any has of the values of the threads of the subgroup before it; in the first, what changes nothing.
    
    Args:
        value: a number.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.exclusive_or(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.exclusive_or is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def exclusive_or_tiled(value: Any, log2_size: Any) -> Any:
    """In each thread, the bits that any has of the values of the threads of the subgroup before it; in the first, what changes nothing.
    
    Args:
        value: a number.
        log2_size: the subgroup is taken as tiles of 2 to this power of threads, each for itself; a constant.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.exclusive_or_tiled(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.exclusive_or_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def exclusive_xor(value: Any) -> Any:
    """In each thread, the exclusive or of the bits of the values of the threads of the subgroup before it; in the first, what changes nothing.
    
    Args:
        value: a number.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.exclusive_xor(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.exclusive_xor is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def exclusive_xor_tiled(value: Any, log2_size: Any) -> Any:
    """In each thread, the exclusive or of the bits of the values of the threads of the subgroup before it; in the first, what changes nothing.
    
    Args:
        value: a number.
        log2_size: the subgroup is taken as tiles of 2 to this power of threads, each for itself; a constant.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.exclusive_xor_tiled(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.exclusive_xor_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def group_size() -> Any:
    """Threads of a subgroup, a number at compile time; 0 where there are no subgroups.
    
    Example:
        >>> qd.simt.subgroup.group_size()
        0"""

def inclusive_add(value: Any) -> Any:
    """In each thread, the sum of the values of the threads of the subgroup up to it.
    
    Args:
        value: a number.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.inclusive_add(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.inclusive_add is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def inclusive_add_tiled(value: Any, log2_size: Any) -> Any:
    """In each thread, the sum of the values of the threads of the subgroup up to it.
    
    Args:
        value: a number.
        log2_size: the subgroup is taken as tiles of 2 to this power of threads, each for itself; a constant.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.inclusive_add_tiled(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.inclusive_add_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def inclusive_and(value: Any) -> Any:
    """In each thread, the bits that all have of the values of the threads of the subgroup up to it.
    
    Args:
        value: a number.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.inclusive_and(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.inclusive_and is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def inclusive_and_tiled(value: Any, log2_size: Any) -> Any:
    """In each thread, the bits that all have of the values of the threads of the subgroup up to it.
    
    Args:
        value: a number.
        log2_size: the subgroup is taken as tiles of 2 to this power of threads, each for itself; a constant.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.inclusive_and_tiled(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.inclusive_and_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def inclusive_max(value: Any) -> Any:
    """In each thread, the greatest of the values of the threads of the subgroup up to it.
    
    Args:
        value: a number.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.inclusive_max(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.inclusive_max is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def inclusive_max_tiled(value: Any, log2_size: Any) -> Any:
    """In each thread, the greatest of the values of the threads of the subgroup up to it.
    
    Args:
        value: a number.
        log2_size: the subgroup is taken as tiles of 2 to this power of threads, each for itself; a constant.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.inclusive_max_tiled(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.inclusive_max_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def inclusive_min(value: Any) -> Any:
    """In each thread, the least of the values of the threads of the subgroup up to it.
    
    Args:
        value: a number.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.inclusive_min(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.inclusive_min is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def inclusive_min_tiled(value: Any, log2_size: Any) -> Any:
    """In each thread, the least of the values of the threads of the subgroup up to it.
    
    Args:
        value: a number.
        log2_size: the subgroup is taken as tiles of 2 to this power of threads, each for itself; a constant.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.inclusive_min_tiled(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.inclusive_min_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def inclusive_mul(value: Any) -> Any:
    """In each thread, the product of the values of the threads of the subgroup up to it.
    
    Args:
        value: a number.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.inclusive_mul(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.inclusive_mul is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def inclusive_mul_tiled(value: Any, log2_size: Any) -> Any:
    """In each thread, the product of the values of the threads of the subgroup up to it.
    
    Args:
        value: a number.
        log2_size: the subgroup is taken as tiles of 2 to this power of threads, each for itself; a constant.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.inclusive_mul_tiled(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.inclusive_mul_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def inclusive_or(value: Any) -> Any:
    """In each thread, the bits that any has of the values of the threads of the subgroup up to it.
    
    Args:
        value: a number.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.inclusive_or(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.inclusive_or is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def inclusive_or_tiled(value: Any, log2_size: Any) -> Any:
    """In each thread, the bits that any has of the values of the threads of the subgroup up to it.
    
    Args:
        value: a number.
        log2_size: the subgroup is taken as tiles of 2 to this power of threads, each for itself; a constant.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.inclusive_or_tiled(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.inclusive_or_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def inclusive_xor(value: Any) -> Any:
    """In each thread, the exclusive or of the bits of the values of the threads of the subgroup up to it.
    
    Args:
        value: a number.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.inclusive_xor(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.inclusive_xor is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def inclusive_xor_tiled(value: Any, log2_size: Any) -> Any:
    """In each thread, the exclusive or of the bits of the values of the threads of the subgroup up to it.
    
    Args:
        value: a number.
        log2_size: the subgroup is taken as tiles of 2 to this power of threads, each for itself; a constant.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.inclusive_xor_tiled(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.inclusive_xor_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def invocation_id() -> Any:
    """The number of the thread in its subgroup.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.invocation_id()
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.invocation_id is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def lanemask_eq(lane_id: Any) -> Any:
    """Bits of a subgroup: of its lanes the one of `lane_id`.
    
    Args:
        lane_id: the number of a lane, from 0 on.
    
    Returns:
        A u32.
    
    Example:
        >>> bin(qd.simt.subgroup.lanemask_eq(2) & 15)
        '0b100'"""

def lanemask_ge(lane_id: Any) -> Any:
    """Bits of a subgroup: of its lanes those from `lane_id`.
    
    Args:
        lane_id: the number of a lane, from 0 on.
    
    Returns:
        A u32.
    
    Example:
        >>> bin(qd.simt.subgroup.lanemask_ge(2) & 15)
        '0b1100'"""

def lanemask_gt(lane_id: Any) -> Any:
    """Bits of a subgroup: of its lanes those behind `lane_id`.
    
    Args:
        lane_id: the number of a lane, from 0 on.
    
    Returns:
        A u32.
    
    Example:
        >>> bin(qd.simt.subgroup.lanemask_gt(2) & 15)
        '0b1000'"""

def lanemask_le(lane_id: Any) -> Any:
    """Bits of a subgroup: of its lanes those up to `lane_id`.
    
    Args:
        lane_id: the number of a lane, from 0 on.
    
    Returns:
        A u32.
    
    Example:
        >>> bin(qd.simt.subgroup.lanemask_le(2) & 15)
        '0b111'"""

def lanemask_lt(lane_id: Any) -> Any:
    """Bits of a subgroup: of its lanes those before `lane_id`.
    
    Args:
        lane_id: the number of a lane, from 0 on.
    
    Returns:
        A u32.
    
    Example:
        >>> bin(qd.simt.subgroup.lanemask_lt(2) & 15)
        '0b11'"""

def log2_group_size() -> Any:
    """Logarithm to the base 2 of the threads of a subgroup.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.log2_group_size()
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.log2_group_size is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def mem_fence() -> Any:
    """What this thread wrote before is seen by the others of the subgroup before what it writes afterwards.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.mem_fence()
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.mem_fence is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def memory_barrier() -> Any:
    """The earlier name of `qd.simt.subgroup.mem_fence`: warns once in a process.
    
    Example:
        See the new name."""

def reduce_add(value: Any) -> Any:
    """In the first thread, the sum of the values of all threads of the subgroup.
    
    Args:
        value: a number.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.reduce_add(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.reduce_add is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def reduce_add_tiled(value: Any, log2_size: Any) -> Any:
    """In the first thread, the sum of the values of all threads of the subgroup.
    
    Args:
        value: a number.
        log2_size: the subgroup is taken as tiles of 2 to this power of threads, each for itself; a constant.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.reduce_add_tiled(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.reduce_add_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def reduce_all_add(value: Any) -> Any:
    """In every thread, the sum of the values of all threads of the subgroup.
    
    Args:
        value: a number.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.reduce_all_add(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.reduce_all_add is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def reduce_all_add_tiled(value: Any, log2_size: Any) -> Any:
    """In every thread, the sum of the values of all threads of the subgroup.
    
    Args:
        value: a number.
        log2_size: the subgroup is taken as tiles of 2 to this power of threads, each for itself; a constant.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.reduce_all_add_tiled(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.reduce_all_add_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def reduce_all_max(value: Any) -> Any:
    """In every thread, the greatest of the values of all threads of the subgroup.
    
    Args:
        value: a number.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.reduce_all_max(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.reduce_all_max is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def reduce_all_max_tiled(value: Any, log2_size: Any) -> Any:
    """In every thread, the greatest of the values of all threads of the subgroup.
    
    Args:
        value: a number.
        log2_size: the subgroup is taken as tiles of 2 to this power of threads, each for itself; a constant.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.reduce_all_max_tiled(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.reduce_all_max_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def reduce_all_min(value: Any) -> Any:
    """In every thread, the least of the values of all threads of the subgroup.
    
    Args:
        value: a number.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.reduce_all_min(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.reduce_all_min is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def reduce_all_min_tiled(value: Any, log2_size: Any) -> Any:
    """In every thread, the least of the values of all threads of the subgroup.
    
    Args:
        value: a number.
        log2_size: the subgroup is taken as tiles of 2 to this power of threads, each for itself; a constant.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.reduce_all_min_tiled(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.reduce_all_min_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def reduce_max(value: Any) -> Any:
    """In the first thread, the greatest of the values of all threads of the subgroup.
    
    Args:
        value: a number.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.reduce_max(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.reduce_max is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def reduce_max_tiled(value: Any, log2_size: Any) -> Any:
    """In the first thread, the greatest of the values of all threads of the subgroup.
    
    Args:
        value: a number.
        log2_size: the subgroup is taken as tiles of 2 to this power of threads, each for itself; a constant.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.reduce_max_tiled(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.reduce_max_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def reduce_min(value: Any) -> Any:
    """In the first thread, the least of the values of all threads of the subgroup.
    
    Args:
        value: a number.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.reduce_min(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.reduce_min is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def reduce_min_tiled(value: Any, log2_size: Any) -> Any:
    """In the first thread, the least of the values of all threads of the subgroup.
    
    Args:
        value: a number.
        log2_size: the subgroup is taken as tiles of 2 to this power of threads, each for itself; a constant.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.reduce_min_tiled(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.reduce_min_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def segmented_reduce_add(value: Any, head_flag: Any) -> Any:
    """In the first thread of each segment, the sum of its values; a segment begins where head_flag is set.
    
    Args:
        value: a number.
        head_flag: whether a segment begins at this thread.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.segmented_reduce_add(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.segmented_reduce_add is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def segmented_reduce_add_tiled(value: Any, head_flag: Any, log2_size: Any) -> Any:
    """In the first thread of each segment, the sum of its values; a segment begins where head_flag is set.
    
    Args:
        value: a number.
        head_flag: whether a segment begins at this thread.
        log2_size: the subgroup is taken as tiles of 2 to this power of threads, each for itself; a constant.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.segmented_reduce_add_tiled(1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.segmented_reduce_add_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def segmented_reduce_max(value: Any, head_flag: Any) -> Any:
    """In the first thread of each segment, the greatest of its values; a segment begins where head_flag is set.
    
    Args:
        value: a number.
        head_flag: whether a segment begins at this thread.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.segmented_reduce_max(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.segmented_reduce_max is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def segmented_reduce_max_tiled(value: Any, head_flag: Any, log2_size: Any) -> Any:
    """In the first thread of each segment, the greatest of its values; a segment begins where head_flag is set.
    
    Args:
        value: a number.
        head_flag: whether a segment begins at this thread.
        log2_size: the subgroup is taken as tiles of 2 to this power of threads, each for itself; a constant.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.segmented_reduce_max_tiled(1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.segmented_reduce_max_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def segmented_reduce_min(value: Any, head_flag: Any) -> Any:
    """In the first thread of each segment, the least of its values; a segment begins where head_flag is set.
    
    Args:
        value: a number.
        head_flag: whether a segment begins at this thread.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.segmented_reduce_min(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.segmented_reduce_min is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def segmented_reduce_min_tiled(value: Any, head_flag: Any, log2_size: Any) -> Any:
    """In the first thread of each segment, the least of its values; a segment begins where head_flag is set.
    
    Args:
        value: a number.
        head_flag: whether a segment begins at this thread.
        log2_size: the subgroup is taken as tiles of 2 to this power of threads, each for itself; a constant.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.segmented_reduce_min_tiled(1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.segmented_reduce_min_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def shuffle(value: Any, index: Any) -> Any:
    """The value of the thread with this index, which may differ from thread to thread.
    
    Args:
        value: a number.
        index: the number of a thread of the subgroup.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.shuffle(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.shuffle is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def shuffle_down(value: Any, offset: Any) -> Any:
    """The value of the thread `offset` behind this one.
    
    Args:
        value: a number.
        offset: how many threads.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.shuffle_down(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.shuffle_down is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def shuffle_up(value: Any, offset: Any) -> Any:
    """The value of the thread `offset` before this one.
    
    Args:
        value: a number.
        offset: how many threads.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.shuffle_up(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.shuffle_up is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def shuffle_xor(value: Any, mask: Any) -> Any:
    """The value of the thread whose number is this one's, exclusive or the mask.
    
    Args:
        value: a number.
        mask: of warps: a bit for each thread that takes part; of shuffle_xor: an integer.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.shuffle_xor(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.shuffle_xor is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def sync() -> Any:
    """Waits until all threads of the subgroup are here; what they wrote is seen.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.subgroup.sync()
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.sync is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""
