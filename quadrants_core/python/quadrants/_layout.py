"""qd.Layout, and the extents of what is stored."""

import enum as _enum
import operator as _operator


class Layout(_enum.IntEnum):
    """Order of the members of compound elements in memory."""

    AOS = 0
    SOA = 1
    NULL = 2


Layout.__module__ = "quadrants"


def extents(shape):
    """A shape as a tuple: from one integer, or from several in a sequence or a numpy array."""
    try:
        return (_operator.index(shape),)
    except TypeError:
        pass
    try:
        return tuple(map(_operator.index, shape))
    except TypeError:
        raise TypeError(f"a shape is an integer or a sequence of integers, not {shape!r}") from None
