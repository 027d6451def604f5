# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false, reportAssignmentType=false
"""Grids of structs in which only the cells that have been written are active."""
import enum
from collections.abc import Iterator
from typing import Any, Self

def grid(field_dict: Any, shape: Any) -> Any:
    """Makes a field of structs in a bitmasked SNode, in which only the cells that have been written are active.
    
    Args:
        field_dict: name -> type.
        shape: the extents along 2 or 3 axes.
    
    Returns:
        A StructField.
    
    Example:
        >>> g = qd.sparse.grid({"m": qd.f32}, shape=(4, 4))
        >>> g.m[1, 1] = 2.0
        >>> qd.sparse.usage(g)
        0.0625"""

def usage(x: Any) -> Any:
    """Returns the active fraction of a sparse grid, between 0 and 1.
    
    Args:
        x: a grid made by `qd.sparse.grid`.
    
    Example:
        See `qd.sparse.grid`."""
