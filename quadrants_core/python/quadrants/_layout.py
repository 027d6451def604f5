"""qd.Layout."""

import enum as _enum


class Layout(_enum.IntEnum):
    """Order of the members of compound elements in memory."""

    AOS = 0
    SOA = 1
    NULL = 2


Layout.__module__ = "quadrants"
