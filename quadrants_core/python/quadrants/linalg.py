"""qd.linalg: sparse matrices, sparse solvers, and matrix-free solvers."""

from quadrants._sparse.matrix_free import LinearOperator, MatrixFreeBICGSTAB, MatrixFreeCG
from quadrants._sparse.matrix import SparseMatrix, SparseMatrixBuilder
from quadrants._sparse.solver import SparseCG, SparseSolver

__all__ = [
    "LinearOperator",
    "MatrixFreeBICGSTAB",
    "MatrixFreeCG",
    "SparseCG",
    "SparseMatrix",
    "SparseMatrixBuilder",
    "SparseSolver",
]

for _public in (LinearOperator, MatrixFreeBICGSTAB, MatrixFreeCG, SparseCG, SparseMatrix, SparseMatrixBuilder, SparseSolver):
    _public.__module__ = "quadrants.linalg"
