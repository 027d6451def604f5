"""Grids of structs in which only the cells that have been written are active."""

from quadrants._storage import struct as _struct
from quadrants._trees import snode as _snode


def grid(field_dict, shape):
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
        0.0625
    """
    if len(shape) not in (2, 3):
        raise Exception("Only 2D and 3D sparse grids are supported")
    made = _struct.Struct.field(field_dict)
    _snode.root.bitmasked(_snode.axes(*range(len(shape))), shape).place(made)
    return made


def usage(x):
    """Returns the active fraction of a sparse grid, between 0 and 1.

    Args:
        x: a grid made by `qd.sparse.grid`.

    Example:
        See `qd.sparse.grid`.
    """
    if len(x.shape) not in (2, 3):
        raise ValueError("The dimension of the sparse grid should be 2 or 3")
    cells = 1
    for extent in x.shape:
        cells *= extent
    return x.parent()._level().count / cells
