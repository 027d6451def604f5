# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false
"""Grids of structs of which only the touched cells are active."""
import enum
from collections.abc import Iterator
from typing import Any, Self

def grid(field_dict: Any, shape: Any) -> Any:
    """A field of structs in a bitmasked level, of which only the touched cells are active.
    
    Args:
        field_dict: name -> type.
        shape: 2 or 3 extents.
    
    Returns:
        A StructField.
    
    Example:
        >>> g = qd.sparse.grid({"m": qd.f32}, shape=(4, 4))
        >>> g.m[1, 1] = 2.0
        >>> qd.sparse.usage(g)
        0.0625"""

def usage(x: Any) -> Any:
    """The active part of a sparse grid, between 0 and 1.
    
    Args:
        x: what `qd.sparse.grid` made.
    
    Example:
        See `qd.sparse.grid`."""
