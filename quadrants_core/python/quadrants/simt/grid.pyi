# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false, reportAssignmentType=false
"""qd.simt.grid: operations on all threads of a launch."""
import enum
from collections.abc import Iterator
from typing import Any, Self

def mem_fence() -> Any:
    """Orders memory accesses: the other threads of the launch see earlier writes of this thread before later ones.
    
    Raises:
        Needs an architecture with blocks of threads; on the CPU, its use raises an error.
    
    Example:
        >>> qd.simt.grid.mem_fence()
        Traceback (most recent call last):
        ValueError: qd.simt.grid.mem_fence is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def memfence() -> Any:
    """Former name of `qd.simt.grid.mem_fence`; warns once per process.
    
    Example:
        See the new name."""
