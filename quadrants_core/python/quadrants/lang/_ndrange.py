"""Products of ranges."""

from quadrants._ops import _Ndrange, ndrange
