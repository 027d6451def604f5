"""Vectors and matrices."""

from quadrants._annotations import MatrixType
from quadrants._field import MatrixField
from quadrants._matrix import Matrix, Vector, _generate_swizzle_patterns
