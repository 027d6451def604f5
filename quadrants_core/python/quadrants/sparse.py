"""Grids of structs of which only the touched cells are active."""

from quadrants._storage import struct as _struct
from quadrants._trees import snode as _snode


def grid(field_dict, shape):
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
        0.0625
    """
    if len(shape) not in (2, 3):
        raise Exception("Only 2D and 3D sparse grids are supported")
    made = _struct.Struct.field(field_dict)
    _snode.root.bitmasked(_snode.axes(*range(len(shape))), shape).place(made)
    return made


def usage(x):
    """The active part of a sparse grid, between 0 and 1.

    Args:
        x: what `qd.sparse.grid` made.

    Example:
        See `qd.sparse.grid`.
    """
    if len(x.shape) not in (2, 3):
        raise ValueError("The dimension of the sparse grid should be 2 or 3")
    cells = 1
    for extent in x.shape:
        cells *= extent
    return x.parent()._level().count / cells
