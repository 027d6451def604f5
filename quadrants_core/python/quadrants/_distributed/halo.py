"""Faces of a block of a larger array."""


class Face:
    """A face of a block, see `qd.distributed.faces`.

    Args:
        axis: the number of the axis.
        side: -1 or 1.
        inner: the place of the elements that the neighbour needs.
        halo: the place of those that come from the neighbour.

    Attributes:
        axis, side, inner, halo: the arguments.

    Example:
        See `qd.distributed.faces`.
    """

    def __init__(self, axis, side, inner, halo):
        self.axis, self.side, self.inner, self.halo = axis, side, inner, halo

    def __eq__(self, other):
        """Returns whether both are the same face of equal blocks."""
        return isinstance(other, Face) and vars(self) == vars(other)

    __hash__ = None  # slices have no hash

    def __repr__(self):
        return f"<face {'+' if self.side > 0 else '-'} of axis {self.axis}>"


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
