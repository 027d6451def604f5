"""Enumerations for the description of kernels and fields."""

import enum as _enum

from quadrants._language.kernel import AutodiffMode
from quadrants._trees.layout import Layout
from quadrants._trees.snode import SNodeGradType


class BoundaryMode(str, _enum.Enum):
    """The meaning of an index out of the bounds of an array: UNSAFE: it is an error; CLAMP: it refers to the nearest element.

    Example:
        >>> qd.types.enums.BoundaryMode.CLAMP.value
        'clamp'
    """

    UNSAFE = "unsafe"
    CLAMP = "clamp"
