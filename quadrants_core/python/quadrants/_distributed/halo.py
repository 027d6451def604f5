"""Faces of a block of a larger array."""

import collections


class Face(collections.namedtuple("Face", "axis side inner halo")):
    """A face of a block, see `qd.distributed.faces`.

    Attributes:
        axis: the number of the axis.
        side: -1 or 1.
        inner: the place of the elements that the neighbour needs.
        halo: the place of those that come from the neighbour.

    Example:
        See `qd.distributed.faces`.
    """

    __slots__ = ()


def faces(shape, width):
    shape = tuple(getattr(shape, "shape", shape))
    if isinstance(width, bool) or not isinstance(width, int) or width < 1:
        raise ValueError(f"width={width!r} must be a whole number from 1 on")
    for axis, extent in enumerate(shape):
        if extent < 3 * width:
            raise ValueError(f"axis {axis} has {extent} elements: with halos of {width} on both sides, there must be {3 * width} or more")
    whole = tuple(slice(0, extent) for extent in shape)
    found = []
    for axis, extent in enumerate(shape):
        for side, inner, halo in ((-1, width, 0), (1, extent - 2 * width, extent - width)):
            places = (whole[:axis] + (slice(start, start + width),) + whole[axis + 1 :] for start in (inner, halo))
            found.append(Face(axis, side, *places))
    return found
