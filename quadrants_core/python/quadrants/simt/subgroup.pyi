# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false, reportAssignmentType=false
"""qd.simt.subgroup: operations on the threads that a GPU runs in lockstep."""
import enum
from collections.abc import Iterator
from typing import Any, Self

def all_equal(value: Any) -> Any:
    """Returns whether all threads of the subgroup have the same value.
    
    Args:
        value: a number.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.all_equal(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.all_equal is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def all_equal_tiled(value: Any, log2_size: Any) -> Any:
    """Returns whether all threads of the subgroup have the same value.
    
    Args:
        value: a number.
        log2_size: base-2 logarithm of the number of threads in a tile, a constant; each tile of the subgroup is processed separately.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.all_equal_tiled(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.all_equal_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def all_true(predicate: Any) -> Any:
    """Returns whether the predicate is true in all threads of the subgroup.
    
    Args:
        predicate: a boolean.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.all_true(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.all_true is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def all_true_tiled(predicate: Any, log2_size: Any) -> Any:
    """Returns whether the predicate is true in all threads of the subgroup.
    
    Args:
        predicate: a boolean.
        log2_size: base-2 logarithm of the number of threads in a tile, a constant; each tile of the subgroup is processed separately.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.all_true_tiled(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.all_true_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def any_true(predicate: Any) -> Any:
    """Returns whether the predicate is true in any thread of the subgroup.
    
    Args:
        predicate: a boolean.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.any_true(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.any_true is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def any_true_tiled(predicate: Any, log2_size: Any) -> Any:
    """Returns whether the predicate is true in any thread of the subgroup.
    
    Args:
        predicate: a boolean.
        log2_size: base-2 logarithm of the number of threads in a tile, a constant; each tile of the subgroup is processed separately.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.any_true_tiled(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.any_true_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def ballot(predicate: Any) -> Any:
    """Returns a mask with one bit per thread of the subgroup, set where the predicate is true.
    
    Args:
        predicate: a boolean.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.ballot(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.ballot is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def ballot_first_n(predicate: Any, n: Any) -> Any:
    """Returns a mask with one bit for each of the first n threads, set where the predicate is true.
    
    Args:
        predicate: a boolean.
        n: number of threads.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.ballot_first_n(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.ballot_first_n is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def ballot_full_subgroup(predicate: Any) -> Any:
    """Former name of `qd.simt.subgroup.ballot`; warns once per process.
    
    Args:
        predicate: a boolean.
    
    Example:
        See the new name."""

def barrier() -> Any:
    """Former name of `qd.simt.subgroup.sync`; warns once per process.
    
    Example:
        See the new name."""

def bitonic_sort_kv(key: Any, value: Any) -> Any:
    """Sorts the keys of the threads, and values with them; returns the (key, value) at the position of the thread.
    
    Args:
        key: the sort key, an unsigned integer.
        value: a number.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.bitonic_sort_kv(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.bitonic_sort_kv is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def bitonic_sort_kv_tiled(key: Any, value: Any, log2_size: Any) -> Any:
    """Sorts the keys of the threads, and values with them; returns the (key, value) at the position of the thread.
    
    Args:
        key: the sort key, an unsigned integer.
        value: a number.
        log2_size: base-2 logarithm of the number of threads in a tile, a constant; each tile of the subgroup is processed separately.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.bitonic_sort_kv_tiled(1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.bitonic_sort_kv_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def broadcast(value: Any, index: Any) -> Any:
    """Returns the value of the thread with the given index.
    
    Args:
        value: a number.
        index: the index of a thread in the subgroup.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.broadcast(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.broadcast is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def broadcast_first(value: Any) -> Any:
    """Returns the value of the first thread.
    
    Args:
        value: a number.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.broadcast_first(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.broadcast_first is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def elect() -> Any:
    """Returns True in exactly one thread of the subgroup.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.elect()
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.elect is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def exclusive_add(value: Any) -> Any:
    """Returns the sum of the values of the threads of the subgroup before this one; in the first thread, the identity.
    
    Args:
        value: a number.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.exclusive_add(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.exclusive_add is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def exclusive_add_tiled(value: Any, log2_size: Any) -> Any:
    """Returns the sum of the values of the threads of the subgroup before this one; in the first thread, the identity.
    
    Args:
        value: a number.
        log2_size: base-2 logarithm of the number of threads in a tile, a constant; each tile of the subgroup is processed separately.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.exclusive_add_tiled(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.exclusive_add_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def exclusive_and(value: Any) -> Any:
    """Returns the bitwise and of the values of the threads of the subgroup before this one; in the first thread, the identity.
    
    Args:
        value: a number.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.exclusive_and(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.exclusive_and is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def exclusive_and_tiled(value: Any, log2_size: Any) -> Any:
    """Returns the bitwise and of the values of the threads of the subgroup before this one; in the first thread, the identity.
    
    Args:
        value: a number.
        log2_size: base-2 logarithm of the number of threads in a tile, a constant; each tile of the subgroup is processed separately.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.exclusive_and_tiled(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.exclusive_and_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def exclusive_max(value: Any) -> Any:
    """Returns the maximum of the values of the threads of the subgroup before this one; in the first thread, the identity.
    
    Args:
        value: a number.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.exclusive_max(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.exclusive_max is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def exclusive_max_tiled(value: Any, log2_size: Any) -> Any:
    """Returns the maximum of the values of the threads of the subgroup before this one; in the first thread, the identity.
    
    Args:
        value: a number.
        log2_size: base-2 logarithm of the number of threads in a tile, a constant; each tile of the subgroup is processed separately.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.exclusive_max_tiled(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.exclusive_max_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def exclusive_min(value: Any) -> Any:
    """Returns the minimum of the values of the threads of the subgroup before this one; in the first thread, the identity.
    
    Args:
        value: a number.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.exclusive_min(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.exclusive_min is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def exclusive_min_tiled(value: Any, log2_size: Any) -> Any:
    """Returns the minimum of the values of the threads of the subgroup before this one; in the first thread, the identity.
    
    Args:
        value: a number.
        log2_size: base-2 logarithm of the number of threads in a tile, a constant; each tile of the subgroup is processed separately.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.exclusive_min_tiled(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.exclusive_min_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def exclusive_mul(value: Any) -> Any:
    """Returns the product of the values of the threads of the subgroup before this one; in the first thread, the identity.
    
    Args:
        value: a number.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.exclusive_mul(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.exclusive_mul is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def exclusive_mul_tiled(value: Any, log2_size: Any) -> Any:
    """Returns the product of the values of the threads of the subgroup before this one; in the first thread, the identity.
    
    Args:
        value: a number.
        log2_size: base-2 logarithm of the number of threads in a tile, a constant; each tile of the subgroup is processed separately.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.exclusive_mul_tiled(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.exclusive_mul_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def exclusive_or(value: Any) -> Any:
    """Returns the bitwise or of the values of the threads of the subgroup before this one; in the first thread, the identity.
    
    Args:
        value: a number.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.exclusive_or(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.exclusive_or is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def exclusive_or_tiled(value: Any, log2_size: Any) -> Any:
    """Returns the bitwise or of the values of the threads of the subgroup before this one; in the first thread, the identity.
    
    Args:
        value: a number.
        log2_size: base-2 logarithm of the number of threads in a tile, a constant; each tile of the subgroup is processed separately.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.exclusive_or_tiled(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.exclusive_or_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def exclusive_xor(value: Any) -> Any:
    """Returns the bitwise exclusive or of the values of the threads of the subgroup before this one; in the first thread, the identity.
    
    Args:
        value: a number.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.exclusive_xor(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.exclusive_xor is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def exclusive_xor_tiled(value: Any, log2_size: Any) -> Any:
    """Returns the bitwise exclusive or of the values of the threads of the subgroup before this one; in the first thread, the identity.
    
    Args:
        value: a number.
        log2_size: base-2 logarithm of the number of threads in a tile, a constant; each tile of the subgroup is processed separately.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.exclusive_xor_tiled(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.exclusive_xor_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def group_size() -> Any:
    """Returns the number of threads in a subgroup, known at compile time; 0 if there are no subgroups.
    
    Example:
        >>> qd.simt.subgroup.group_size()
        0"""

def inclusive_add(value: Any) -> Any:
    """Returns the sum of the values of the threads of the subgroup up to and including this one.
    
    Args:
        value: a number.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.inclusive_add(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.inclusive_add is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def inclusive_add_tiled(value: Any, log2_size: Any) -> Any:
    """Returns the sum of the values of the threads of the subgroup up to and including this one.
    
    Args:
        value: a number.
        log2_size: base-2 logarithm of the number of threads in a tile, a constant; each tile of the subgroup is processed separately.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.inclusive_add_tiled(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.inclusive_add_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def inclusive_and(value: Any) -> Any:
    """Returns the bitwise and of the values of the threads of the subgroup up to and including this one.
    
    Args:
        value: a number.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.inclusive_and(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.inclusive_and is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def inclusive_and_tiled(value: Any, log2_size: Any) -> Any:
    """Returns the bitwise and of the values of the threads of the subgroup up to and including this one.
    
    Args:
        value: a number.
        log2_size: base-2 logarithm of the number of threads in a tile, a constant; each tile of the subgroup is processed separately.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.inclusive_and_tiled(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.inclusive_and_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def inclusive_max(value: Any) -> Any:
    """Returns the maximum of the values of the threads of the subgroup up to and including this one.
    
    Args:
        value: a number.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.inclusive_max(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.inclusive_max is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def inclusive_max_tiled(value: Any, log2_size: Any) -> Any:
    """Returns the maximum of the values of the threads of the subgroup up to and including this one.
    
    Args:
        value: a number.
        log2_size: base-2 logarithm of the number of threads in a tile, a constant; each tile of the subgroup is processed separately.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.inclusive_max_tiled(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.inclusive_max_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def inclusive_min(value: Any) -> Any:
    """Returns the minimum of the values of the threads of the subgroup up to and including this one.
    
    Args:
        value: a number.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.inclusive_min(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.inclusive_min is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def inclusive_min_tiled(value: Any, log2_size: Any) -> Any:
    """Returns the minimum of the values of the threads of the subgroup up to and including this one.
    
    Args:
        value: a number.
        log2_size: base-2 logarithm of the number of threads in a tile, a constant; each tile of the subgroup is processed separately.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.inclusive_min_tiled(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.inclusive_min_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def inclusive_mul(value: Any) -> Any:
    """Returns the product of the values of the threads of the subgroup up to and including this one.
    
    Args:
        value: a number.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.inclusive_mul(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.inclusive_mul is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def inclusive_mul_tiled(value: Any, log2_size: Any) -> Any:
    """Returns the product of the values of the threads of the subgroup up to and including this one.
    
    Args:
        value: a number.
        log2_size: base-2 logarithm of the number of threads in a tile, a constant; each tile of the subgroup is processed separately.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.inclusive_mul_tiled(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.inclusive_mul_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def inclusive_or(value: Any) -> Any:
    """Returns the bitwise or of the values of the threads of the subgroup up to and including this one.
    
    Args:
        value: a number.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.inclusive_or(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.inclusive_or is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def inclusive_or_tiled(value: Any, log2_size: Any) -> Any:
    """Returns the bitwise or of the values of the threads of the subgroup up to and including this one.
    
    Args:
        value: a number.
        log2_size: base-2 logarithm of the number of threads in a tile, a constant; each tile of the subgroup is processed separately.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.inclusive_or_tiled(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.inclusive_or_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def inclusive_xor(value: Any) -> Any:
    """Returns the bitwise exclusive or of the values of the threads of the subgroup up to and including this one.
    
    Args:
        value: a number.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.inclusive_xor(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.inclusive_xor is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def inclusive_xor_tiled(value: Any, log2_size: Any) -> Any:
    """Returns the bitwise exclusive or of the values of the threads of the subgroup up to and including this one.
    
    Args:
        value: a number.
        log2_size: base-2 logarithm of the number of threads in a tile, a constant; each tile of the subgroup is processed separately.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.inclusive_xor_tiled(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.inclusive_xor_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def invocation_id() -> Any:
    """Returns the index of the thread in its subgroup.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.invocation_id()
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.invocation_id is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def lanemask_eq(lane_id: Any) -> Any:
    """Returns a mask of the lanes of a subgroup whose index is equal to `lane_id`.
    
    Args:
        lane_id: the index of a lane, starting at 0.
    
    Returns:
        A u32.
    
    Example:
        >>> bin(qd.simt.subgroup.lanemask_eq(2) & 15)
        '0b100'"""

def lanemask_ge(lane_id: Any) -> Any:
    """Returns a mask of the lanes of a subgroup whose index is at least `lane_id`.
    
    Args:
        lane_id: the index of a lane, starting at 0.
    
    Returns:
        A u32.
    
    Example:
        >>> bin(qd.simt.subgroup.lanemask_ge(2) & 15)
        '0b1100'"""

def lanemask_gt(lane_id: Any) -> Any:
    """Returns a mask of the lanes of a subgroup whose index is greater than `lane_id`.
    
    Args:
        lane_id: the index of a lane, starting at 0.
    
    Returns:
        A u32.
    
    Example:
        >>> bin(qd.simt.subgroup.lanemask_gt(2) & 15)
        '0b1000'"""

def lanemask_le(lane_id: Any) -> Any:
    """Returns a mask of the lanes of a subgroup whose index is at most `lane_id`.
    
    Args:
        lane_id: the index of a lane, starting at 0.
    
    Returns:
        A u32.
    
    Example:
        >>> bin(qd.simt.subgroup.lanemask_le(2) & 15)
        '0b111'"""

def lanemask_lt(lane_id: Any) -> Any:
    """Returns a mask of the lanes of a subgroup whose index is less than `lane_id`.
    
    Args:
        lane_id: the index of a lane, starting at 0.
    
    Returns:
        A u32.
    
    Example:
        >>> bin(qd.simt.subgroup.lanemask_lt(2) & 15)
        '0b11'"""

def log2_group_size() -> Any:
    """Returns the logarithm to the base 2 of the number of threads in a subgroup.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.log2_group_size()
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.log2_group_size is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def mem_fence() -> Any:
    """Orders memory accesses: the other threads of the subgroup see earlier writes of this thread before later ones.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.mem_fence()
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.mem_fence is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def memory_barrier() -> Any:
    """Former name of `qd.simt.subgroup.mem_fence`; warns once per process.
    
    Example:
        See the new name."""

def reduce_add(value: Any) -> Any:
    """Returns, in the first thread, the sum of the values of all threads of the subgroup.
    
    Args:
        value: a number.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.reduce_add(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.reduce_add is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def reduce_add_tiled(value: Any, log2_size: Any) -> Any:
    """Returns, in the first thread, the sum of the values of all threads of the subgroup.
    
    Args:
        value: a number.
        log2_size: base-2 logarithm of the number of threads in a tile, a constant; each tile of the subgroup is processed separately.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.reduce_add_tiled(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.reduce_add_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def reduce_all_add(value: Any) -> Any:
    """Returns, in every thread, the sum of the values of all threads of the subgroup.
    
    Args:
        value: a number.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.reduce_all_add(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.reduce_all_add is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def reduce_all_add_tiled(value: Any, log2_size: Any) -> Any:
    """Returns, in every thread, the sum of the values of all threads of the subgroup.
    
    Args:
        value: a number.
        log2_size: base-2 logarithm of the number of threads in a tile, a constant; each tile of the subgroup is processed separately.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.reduce_all_add_tiled(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.reduce_all_add_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def reduce_all_max(value: Any) -> Any:
    """Returns, in every thread, the maximum of the values of all threads of the subgroup.
    
    Args:
        value: a number.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.reduce_all_max(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.reduce_all_max is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def reduce_all_max_tiled(value: Any, log2_size: Any) -> Any:
    """Returns, in every thread, the maximum of the values of all threads of the subgroup.
    
    Args:
        value: a number.
        log2_size: base-2 logarithm of the number of threads in a tile, a constant; each tile of the subgroup is processed separately.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.reduce_all_max_tiled(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.reduce_all_max_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def reduce_all_min(value: Any) -> Any:
    """Returns, in every thread, the minimum of the values of all threads of the subgroup.
    
    Args:
        value: a number.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.reduce_all_min(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.reduce_all_min is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def reduce_all_min_tiled(value: Any, log2_size: Any) -> Any:
    """Returns, in every thread, the minimum of the values of all threads of the subgroup.
    
    Args:
        value: a number.
        log2_size: base-2 logarithm of the number of threads in a tile, a constant; each tile of the subgroup is processed separately.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.reduce_all_min_tiled(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.reduce_all_min_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def reduce_max(value: Any) -> Any:
    """Returns, in the first thread, the maximum of the values of all threads of the subgroup.
    
    Args:
        value: a number.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.reduce_max(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.reduce_max is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def reduce_max_tiled(value: Any, log2_size: Any) -> Any:
    """Returns, in the first thread, the maximum of the values of all threads of the subgroup.
    
    Args:
        value: a number.
        log2_size: base-2 logarithm of the number of threads in a tile, a constant; each tile of the subgroup is processed separately.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.reduce_max_tiled(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.reduce_max_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def reduce_min(value: Any) -> Any:
    """Returns, in the first thread, the minimum of the values of all threads of the subgroup.
    
    Args:
        value: a number.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.reduce_min(1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.reduce_min is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def reduce_min_tiled(value: Any, log2_size: Any) -> Any:
    """Returns, in the first thread, the minimum of the values of all threads of the subgroup.
    
    Args:
        value: a number.
        log2_size: base-2 logarithm of the number of threads in a tile, a constant; each tile of the subgroup is processed separately.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.reduce_min_tiled(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.reduce_min_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def segmented_reduce_add(value: Any, head_flag: Any) -> Any:
    """Returns, in the first thread of each segment, the sum of its values; a segment begins where head_flag is set.
    
    Args:
        value: a number.
        head_flag: whether a segment begins at this thread.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.segmented_reduce_add(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.segmented_reduce_add is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def segmented_reduce_add_tiled(value: Any, head_flag: Any, log2_size: Any) -> Any:
    """Returns, in the first thread of each segment, the sum of its values; a segment begins where head_flag is set.
    
    Args:
        value: a number.
        head_flag: whether a segment begins at this thread.
        log2_size: base-2 logarithm of the number of threads in a tile, a constant; each tile of the subgroup is processed separately.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.segmented_reduce_add_tiled(1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.segmented_reduce_add_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def segmented_reduce_max(value: Any, head_flag: Any) -> Any:
    """Returns, in the first thread of each segment, the maximum of its values; a segment begins where head_flag is set.
    
    Args:
        value: a number.
        head_flag: whether a segment begins at this thread.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.segmented_reduce_max(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.segmented_reduce_max is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def segmented_reduce_max_tiled(value: Any, head_flag: Any, log2_size: Any) -> Any:
    """Returns, in the first thread of each segment, the maximum of its values; a segment begins where head_flag is set.
    
    Args:
        value: a number.
        head_flag: whether a segment begins at this thread.
        log2_size: base-2 logarithm of the number of threads in a tile, a constant; each tile of the subgroup is processed separately.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.segmented_reduce_max_tiled(1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.segmented_reduce_max_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def segmented_reduce_min(value: Any, head_flag: Any) -> Any:
    """Returns, in the first thread of each segment, the minimum of its values; a segment begins where head_flag is set.
    
    Args:
        value: a number.
        head_flag: whether a segment begins at this thread.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.segmented_reduce_min(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.segmented_reduce_min is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def segmented_reduce_min_tiled(value: Any, head_flag: Any, log2_size: Any) -> Any:
    """Returns, in the first thread of each segment, the minimum of its values; a segment begins where head_flag is set.
    
    Args:
        value: a number.
        head_flag: whether a segment begins at this thread.
        log2_size: base-2 logarithm of the number of threads in a tile, a constant; each tile of the subgroup is processed separately.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.segmented_reduce_min_tiled(1, 1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.segmented_reduce_min_tiled is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def shuffle(value: Any, index: Any) -> Any:
    """Returns the value of the thread with the given index, which may be different in each thread.
    
    Args:
        value: a number.
        index: the index of a thread in the subgroup.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.shuffle(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.shuffle is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def shuffle_down(value: Any, offset: Any) -> Any:
    """Returns the value of the thread `offset` positions after this one.
    
    Args:
        value: a number.
        offset: number of threads.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.shuffle_down(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.shuffle_down is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def shuffle_up(value: Any, offset: Any) -> Any:
    """Returns the value of the thread `offset` positions before this one.
    
    Args:
        value: a number.
        offset: number of threads.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.shuffle_up(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.shuffle_up is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def shuffle_xor(value: Any, mask: Any) -> Any:
    """Returns the value of the thread whose index is that of this thread, exclusive or the mask.
    
    Args:
        value: a number.
        mask: for warps: one bit per participating thread; for shuffle_xor: an integer.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.shuffle_xor(1, 1)
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.shuffle_xor is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def sync() -> Any:
    """Waits until all threads of the subgroup have reached this point; their writes are then visible.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.subgroup.sync()
        Traceback (most recent call last):
        ValueError: qd.simt.subgroup.sync is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""
