# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false
"""Grids of structs of which only the touched cells are active."""
import enum
from collections.abc import Iterator
from typing import Any, Self

def grid(field_dict: Any, shape: Any) -> Any:
    """A field of structs (name -> type) with 2 or 3 indices, in a bitmasked level."""

def usage(x: Any) -> Any:
    """The active part of a sparse grid, between 0 and 1."""
