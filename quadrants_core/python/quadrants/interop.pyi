# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false, reportAssignmentType=false
"""qd.interop: interoperability with other libraries."""
import enum
from collections.abc import Iterator
from typing import Any, Self

def get_mps_command_queue() -> Any:
    """Returns the command queue of torch on Metal, for `qd.init(external_metal_command_queue=...)`.
    
    Returns:
        The pointer as an integer; 0 if there is none, as in this build, which does not support Metal.
    
    Example:
        >>> qd.interop.get_mps_command_queue()
        0"""
