"""Grids of structs of which only the touched cells are active."""

from quadrants._storage import struct as _struct
from quadrants._trees import snode as _snode


def grid(field_dict, shape):
    """A field of structs (name -> type) with 2 or 3 indices, in a bitmasked level."""
    if len(shape) not in (2, 3):
        raise Exception("Only 2D and 3D sparse grids are supported")
    made = _struct.Struct.field(field_dict)
    _snode.root.bitmasked(_snode.axes(*range(len(shape))), shape).place(made)
    return made


def usage(x):
    """The active part of a sparse grid, between 0 and 1."""
    if len(x.shape) not in (2, 3):
        raise ValueError("The dimension of the sparse grid should be 2 or 3")
    cells = 1
    for extent in x.shape:
        cells *= extent
    return x.parent()._level().count / cells
