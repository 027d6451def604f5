# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false, reportAssignmentType=false
"""qd.linalg: sparse matrices, sparse solvers, and matrix-free solvers."""
from collections.abc import Iterator
from typing import Any, Self

class SparseMatrix:
    """A sparse matrix. `@` multiplies with matrices and vectors, `*` multiplies elementwise; `+` and `-` add and subtract.
    
    Args:
        n: number of rows.
        m: number of columns; None: n.
        sm: a matrix object of the core to share.
        dtype: `qd.f32` or `qd.f64`.
        storage_format: "col_major" or "row_major".
    
    Attributes:
        shape: (rows, columns).
        dtype: type of the entries.
        T: the transposed matrix.
    
    Example:
        >>> K = qd.linalg.SparseMatrixBuilder(2, 2, max_num_triplets=4)
        >>> @qd.kernel
        ... def fill(A: qd.types.sparse_matrix_builder()):
        ...     A[0, 0] += 2.0
        ...     A[1, 0] += 3.0
        >>> fill(K)
        >>> A = K.build()
        >>> (A[1, 0], A.T[0, 1])
        (3.0, 3.0)"""

    def __init__(self, n: Any=None, m: Any=None, sm: Any=None, dtype: Any=..., storage_format: Any='col_major') -> None: ...
    T: Any

    def build_from_ndarray(self, ndarray: Any) -> Any:
        """Sets the matrix to the triplets (row, column, value) in an ndarray.
        
        Args:
            ndarray: an ndarray of scalars, vectors or matrices."""

    def mmwrite(self, filename: Any) -> Any:
        """Writes the matrix to a file in Matrix Market format.
        
        Args:
            filename: path of the file."""
    shape: tuple[int, int]

    def transpose(self) -> SparseMatrix:
        """Returns the transposed matrix."""

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
    """Collects the entries of a sparse matrix: `A[i, j] += v` in a kernel with a parameter annotated `qd.types.sparse_matrix_builder()`.
    Entries with the same indices are summed.
    
    Args:
        num_rows: number of rows.
        num_cols: number of columns; None: num_rows.
        max_num_triplets: maximum number of entries between two calls of build().
        dtype: `qd.f32` or `qd.f64`.
        storage_format: "col_major" or "row_major".
    
    Raises:
        QuadrantsRuntimeError: raised by build() if there were more entries than max_num_triplets.
    
    Example:
        See `qd.linalg.SparseMatrix`."""

    def __init__(self, num_rows: Any=None, num_cols: Any=None, max_num_triplets: Any=0, dtype: Any=..., storage_format: Any='col_major') -> None: ...

    def build(self, dtype: Any=None, _format: Any='CSR') -> SparseMatrix:
        """Builds a matrix from the entries and clears the builder.
        
        Args:
            dtype: type of the matrix entries; None: that of the builder.
            _format: only the default is supported."""

    def print_triplets(self) -> Any:
        """Prints the entries added since the last build()."""

    def __getitem__(self, key: Any, /) -> Any: ...

    def __setitem__(self, key: Any, value: Any, /) -> None: ...

class SparseSolver:
    """Solves A x = b by a factorization of A.
    
    Args:
        dtype: `qd.f32` or `qd.f64`.
        solver_type: "LLT" or "LDLT" for symmetric matrices, "LU" for any square matrix.
        ordering: the ordering of the unknowns, "AMD" or "COLAMD".
    
    Example:
        >>> import numpy as np
        >>> K = qd.linalg.SparseMatrixBuilder(2, 2, max_num_triplets=4)
        >>> @qd.kernel
        ... def fill(A: qd.types.sparse_matrix_builder()):
        ...     for i in range(2):
        ...         A[i, i] += 2.0 + i
        >>> fill(K)
        >>> solver = qd.linalg.SparseSolver(solver_type="LLT")
        >>> solver.compute(K.build())
        >>> solver.solve(np.array([2.0, 6.0], dtype=np.float32))
        array([1.       , 2.0000002], dtype=float32)"""

    def __init__(self, dtype: Any=..., solver_type: Any='LLT', ordering: Any='AMD') -> None: ...

    def analyze_pattern(self, sparse_matrix: Any) -> Any:
        """Determines the ordering of the unknowns from the sparsity pattern of a matrix.
        
        Args:
            sparse_matrix: a square SparseMatrix."""

    def compute(self, sparse_matrix: Any) -> Any:
        """Factorizes a matrix: calls analyze_pattern() and factorize().
        
        Args:
            sparse_matrix: a square SparseMatrix."""

    def factorize(self, sparse_matrix: Any) -> Any:
        """Factorizes a matrix with the sparsity pattern that was given to analyze_pattern().
        
        Args:
            sparse_matrix: a square SparseMatrix."""

    def info(self) -> bool:
        """Returns whether the last factorization succeeded, so that solve() returns a solution."""

    def solve(self, b: Any) -> Any:
        """Solves A x = b. info() returns whether the solution is valid.
        
        Args:
            b: a NumPy array, a field or an ndarray.
        
        Returns:
            The solution x as a NumPy array, or as an ndarray if b is one."""

class LinearOperator:
    """A linear operator without a stored matrix, defined by `matvec_kernel(x, Ax)`, which computes the product for a field x.
    
    Args:
        matvec_kernel: a kernel that takes two fields.
    
    Example:
        >>> @qd.kernel
        ... def twice(x: qd.template(), Ax: qd.template()):
        ...     for i in x:
        ...         Ax[i] = 2.0 * x[i]
        >>> A = qd.linalg.LinearOperator(twice)
        >>> b, x = qd.field(qd.f32, shape=4), qd.field(qd.f32, shape=4)
        >>> b.fill(6.0)
        >>> _ = qd.linalg.MatrixFreeCG(A, b, x)
        >>> x[0]
        3.0"""

    def __init__(self, matvec_kernel: Any) -> None: ...

    def matvec(self, x: Any, Ax: Any) -> Any:
        """Computes Ax = A x.
        
        Args:
            x: a field.
            Ax: a field of the same shape, for the result."""

def MatrixFreeBICGSTAB(A: Any, b: Any, x: Any, tol: Any=1e-06, maxiter: Any=5000, quiet: Any=True) -> Any:
    """Solves A x = b by the stabilised biconjugate gradient method, starting from the contents of x, until the norm of the residual is
    below `tol`. A need not be symmetric.
    
    Args:
        A: a LinearOperator.
        b: a field.
        x: a field of the same shape: the initial guess, and the solution.
        tol: the residual norm to reach.
        maxiter: maximum number of iterations.
        quiet: if False, print the residual of each iteration.
    
    Returns:
        True if the solver has converged.
    
    Example:
        See `qd.linalg.LinearOperator`."""

def MatrixFreeCG(A: Any, b: Any, x: Any, tol: Any=1e-06, maxiter: Any=5000, quiet: Any=True) -> Any:
    """Solves A x = b by the conjugate gradient method, starting from the contents of x, until the norm of the residual is below `tol`. A
    must be symmetric positive definite.
    
    Args:
        A: a LinearOperator.
        b: a field.
        x: a field of the same shape: the initial guess, and the solution.
        tol: the residual norm to reach.
        maxiter: maximum number of iterations.
        quiet: if False, print the residual of each iteration.
    
    Returns:
        True if the solver has converged.
    
    Example:
        See `qd.linalg.LinearOperator`."""

class SparseCG:
    """Solves A x = b by the conjugate gradient method with a diagonal preconditioner.
    
    Args:
        A: a symmetric positive definite SparseMatrix.
        b: a NumPy array or an ndarray.
        x0: the initial guess; None: zeros.
        max_iter: maximum number of iterations.
        atol: the residual norm to reach.
    
    Example:
        >>> import numpy as np
        >>> K = qd.linalg.SparseMatrixBuilder(2, 2, max_num_triplets=4)
        >>> @qd.kernel
        ... def fill(A: qd.types.sparse_matrix_builder()):
        ...     for i in range(2):
        ...         A[i, i] += 2.0
        >>> fill(K)
        >>> x, there = qd.linalg.SparseCG(K.build(), np.array([2.0, 4.0], dtype=np.float32)).solve()
        >>> (there, x)
        (True, array([1., 2.], dtype=float32))"""

    def __init__(self, A: Any, b: Any, x0: Any=None, max_iter: Any=50, atol: Any=1e-06) -> None: ...

    def solve(self) -> Any:
        """Returns (solution, whether it has converged within max_iter iterations)."""
