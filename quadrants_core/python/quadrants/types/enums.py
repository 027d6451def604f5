"""Enumerations that kernels and fields are described by."""

import enum as _enum

from quadrants._trees.layout import Layout


class AutodiffMode(_enum.Enum):
    NONE = 0
    VALIDATION = 1
    FORWARD = 2
    REVERSE = 3


class SNodeGradType(_enum.Enum):
    PRIMAL = 0
    ADJOINT = 1
    DUAL = 2
    ADJOINT_CHECKBIT = 3


class BoundaryMode(str, _enum.Enum):
    UNSAFE = "unsafe"
    CLAMP = "clamp"
