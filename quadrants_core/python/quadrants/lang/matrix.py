"""Vectors and matrices."""

from quadrants._language.annotations import MatrixType
from quadrants._storage.field import MatrixField
from quadrants._language.matrix import Matrix, Vector, _generate_swizzle_patterns
