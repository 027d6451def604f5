# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false
"""Enumerations that kernels and fields are described by."""
import enum
from collections.abc import Iterator
from typing import Any, Self

class AutodiffMode(enum.IntEnum):
    """What a kernel is compiled for.
    
    Example:
        >>> qd.types.enums.AutodiffMode.REVERSE.name
        'REVERSE'"""
    FORWARD = 0
    REVERSE = 1
    NONE = 2
    VALIDATION = 3

class BoundaryMode(str, enum.Enum):
    """What an index outside of an array means: UNSAFE: it is a mistake; CLAMP: the nearest element.
    
    Example:
        >>> qd.types.enums.BoundaryMode.CLAMP.value
        'clamp'"""
    UNSAFE = 'unsafe'
    CLAMP = 'clamp'
from quadrants import Layout as Layout

class SNodeGradType(enum.IntEnum):
    """What the numbers of a field are to another field.
    
    Example:
        >>> qd.types.enums.SNodeGradType.ADJOINT.name
        'ADJOINT'"""
    PRIMAL = 0
    ADJOINT = 1
    DUAL = 2
    ADJOINT_CHECKBIT = 3
