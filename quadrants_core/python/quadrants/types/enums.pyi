# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false, reportAssignmentType=false
"""Enumerations for the description of kernels and fields."""
import enum
from collections.abc import Iterator
from typing import Any, Self

class AutodiffMode(enum.IntEnum):
    """The kind of derivative that a kernel computes.
    
    Example:
        >>> qd.types.enums.AutodiffMode.REVERSE.name
        'REVERSE'"""
    FORWARD = 0
    REVERSE = 1
    NONE = 2
    VALIDATION = 3

class BoundaryMode(str, enum.Enum):
    """The meaning of an index out of the bounds of an array: UNSAFE: it is an error; CLAMP: it refers to the nearest element.
    
    Example:
        >>> qd.types.enums.BoundaryMode.CLAMP.value
        'clamp'"""
    UNSAFE = 'unsafe'
    CLAMP = 'clamp'
from quadrants import Layout as Layout

class SNodeGradType(enum.IntEnum):
    """The relation of a field to its primal field.
    
    Example:
        >>> qd.types.enums.SNodeGradType.ADJOINT.name
        'ADJOINT'"""
    PRIMAL = 0
    ADJOINT = 1
    DUAL = 2
    ADJOINT_CHECKBIT = 3
