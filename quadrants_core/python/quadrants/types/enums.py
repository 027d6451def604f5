"""Enumerations that kernels and fields are described by."""

import enum as _enum

from quadrants._language.kernel import AutodiffMode
from quadrants._trees.layout import Layout
from quadrants._trees.snode import SNodeGradType


class BoundaryMode(str, _enum.Enum):
    """What an index outside of an array means: UNSAFE: it is a mistake; CLAMP: the nearest element.

    Example:
        >>> qd.types.enums.BoundaryMode.CLAMP.value
        'clamp'
    """

    UNSAFE = "unsafe"
    CLAMP = "clamp"
