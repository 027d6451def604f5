# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false
"""qd.linalg: sparse matrices, solvers for systems of equations with them, and solvers that need no matrix."""
from collections.abc import Iterator
from typing import Any, Self

class SparseMatrix:
    """A sparse matrix of n rows and m columns. `@` multiplies with matrices and vectors, `*` element by element."""

    def __init__(self, n: Any=None, m: Any=None, sm: Any=None, dtype: Any=..., storage_format: Any='col_major') -> None: ...
    T: Any

    def build_from_ndarray(self, ndarray: Any) -> Any:
        """The matrix of the triplets (row, column, value) that an ndarray of scalars, vectors or matrices holds."""

    def mmwrite(self, filename: Any) -> Any:
        """Writes a file in the format of Matrix Market."""
    shape: tuple[int, int]

    def transpose(self) -> SparseMatrix: ...

    def __setitem__(self, indices: Any, value: Any) -> None: ...
    dtype: Any

    def __getitem__(self, key: Any, /) -> Any: ...

    def __add__(self, other: Any) -> SparseMatrix: ...

    def __sub__(self, other: Any) -> SparseMatrix: ...

    def __iadd__(self, other: Any) -> Self: ...

    def __isub__(self, other: Any) -> Self: ...

    def __neg__(self) -> SparseMatrix: ...

    def __mul__(self, other: Any) -> SparseMatrix: ...

    def __rmul__(self, other: Any) -> SparseMatrix: ...

    def __matmul__(self, other: Any) -> Any: ...

class SparseMatrixBuilder:
    """Collects the entries of a sparse matrix: `A[i, j] += v` in a kernel with a parameter annotated
    `qd.types.sparse_matrix_builder()`. Entries of one place are summed."""

    def __init__(self, num_rows: Any=None, num_cols: Any=None, max_num_triplets: Any=0, dtype: Any=..., storage_format: Any='col_major') -> None: ...

    def build(self, dtype: Any=None, _format: Any='CSR') -> SparseMatrix:
        """The matrix of what was added; the builder is empty then."""

    def print_triplets(self) -> Any:
        """Prints what was added since the last `build`."""

    def __getitem__(self, key: Any, /) -> Any: ...

    def __setitem__(self, key: Any, value: Any, /) -> None: ...

class SparseSolver:
    """Solves A x = b by a factorization: LLT or LDLT of a symmetric matrix, LU of any square one."""

    def __init__(self, dtype: Any=..., solver_type: Any='LLT', ordering: Any='AMD') -> None: ...

    def analyze_pattern(self, sparse_matrix: Any) -> Any:
        """Orders the unknowns so that the factors of matrices with entries in these places have few others."""

    def compute(self, sparse_matrix: Any) -> Any:
        """analyze_pattern, then factorize."""

    def factorize(self, sparse_matrix: Any) -> Any:
        """For a matrix with the pattern that was analyzed last."""

    def info(self) -> bool:
        """Whether the last factorization succeeded, so that solve() gives the solution."""

    def solve(self, b: Any) -> Any:
        """x of A x = b: a numpy array, or an ndarray if b is one. See info() for whether there is one."""

class LinearOperator:
    """What `matvec_kernel(x, Ax)` computes for a field x."""

    def __init__(self, matvec_kernel: Any) -> None: ...

    def matvec(self, x: Any, Ax: Any) -> Any: ...

def MatrixFreeBICGSTAB(A: Any, b: Any, x: Any, tol: Any=1e-06, maxiter: Any=5000, quiet: Any=True) -> Any:
    """Solves A x = b by stabilised biconjugate gradients, as MatrixFreeCG does; A need not be symmetric."""

def MatrixFreeCG(A: Any, b: Any, x: Any, tol: Any=1e-06, maxiter: Any=5000, quiet: Any=True) -> Any:
    """Solves A x = b by conjugate gradients, from the x that is there, until the norm of the residual is below `tol`; A is a
    symmetric positive definite LinearOperator, b and x are fields. True if it got there."""

class SparseCG:
    """Solves A x = b by conjugate gradients with a diagonal preconditioner, for a symmetric positive definite A."""

    def __init__(self, A: Any, b: Any, x0: Any=None, max_iter: Any=50, atol: Any=1e-06) -> None: ...

    def solve(self) -> Any:
        """(x, whether it was reached in max_iter steps)"""
