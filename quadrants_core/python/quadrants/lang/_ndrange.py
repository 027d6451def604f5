"""Cartesian products of ranges."""

from quadrants._language.ops import _Ndrange, ndrange
