# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false
"""qd.simt.grid: all threads of a launch."""
import enum
from collections.abc import Iterator
from typing import Any, Self

def mem_fence() -> Any:
    """What this thread wrote before is seen by the others of the launch before what it writes afterwards.
    
    Raises:
        Needs a GPU: on the CPU, using it raises an error that says so.
    
    Example:
        >>> qd.simt.grid.mem_fence()
        Traceback (most recent call last):
        ValueError: qd.simt.grid.mem_fence is not supported for arch x64: it needs a GPU backend (cuda, metal, vulkan, amdgpu)"""

def memfence() -> Any:
    """The earlier name of `qd.simt.grid.mem_fence`: warns once in a process.
    
    Example:
        See the new name."""
