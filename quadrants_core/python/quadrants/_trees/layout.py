"""qd.Layout, and helpers for shapes and storage orders."""

import enum as _enum
import operator as _operator


class Layout(_enum.IntEnum):
    """Memory order of the members of compound elements: AOS, the members of an element are adjacent; SOA, each member is stored apart.

    Example:
        >>> v = qd.Vector.field(2, qd.f32, shape=4, layout=qd.Layout.SOA)
        >>> v.dtype
        f32
    """

    AOS = 0
    SOA = 1
    NULL = 2


Layout.__module__ = "quadrants"


def extents(shape):
    """Returns a shape as a tuple, from one integer or a sequence or NumPy array of integers."""
    try:
        return (_operator.index(shape),)
    except TypeError:
        pass
    try:
        return tuple(map(_operator.index, shape))
    except TypeError:
        raise TypeError(f"a shape must be an integer or a sequence of integers, not {shape!r}") from None


def shape_of(storage):
    """Returns the shape of a field or ndarray; raises if the program of an ndarray has ended."""
    live = getattr(storage, "_live_shape", None)
    return storage.shape if live is None else live()


def permutation(layout, rank):
    """Returns the storage order `layout` as a tuple: for each level, outermost first, the user index."""
    layout = tuple(map(_operator.index, layout))
    if len(layout) != rank:
        raise ValueError(f"layout has {len(layout)} entries but shape has {rank} dimensions; they must match")
    if sorted(layout) != list(range(rank)):
        raise ValueError(f"layout={layout} is not a permutation of range({rank})")
    return layout


def unless_in_order(layout):
    """Returns None for the order of the indices; any other order unchanged."""
    return None if layout is None or layout == tuple(range(len(layout))) else layout
