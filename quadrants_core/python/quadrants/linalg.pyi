# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false
"""qd.linalg: sparse matrices, solvers for systems of equations with them, and solvers that need no matrix."""
from collections.abc import Iterator
from typing import Any, Self

class SparseMatrix:
    """A sparse matrix. `@` multiplies with matrices and vectors, `*` element by element; `+` and `-` add.
    
    Args:
        n: rows.
        m: columns; None: as many.
        sm: a matrix to share, of the core.
        dtype: `qd.f32` or `qd.f64`.
        storage_format: "col_major" or "row_major".
    
    Attributes:
        shape: (rows, columns).
        dtype: type of the entries.
        T: the transpose.
    
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
        """The matrix of the triplets (row, column, value) that an ndarray holds.
        
        Args:
            ndarray: of scalars, vectors or matrices."""

    def mmwrite(self, filename: Any) -> Any:
        """Writes a file in the format of Matrix Market.
        
        Args:
            filename: its path."""
    shape: tuple[int, int]

    def transpose(self) -> SparseMatrix:
        """The matrix with rows and columns exchanged."""

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
    `qd.types.sparse_matrix_builder()`. Entries of one place are summed.
    
    Args:
        num_rows: rows.
        num_cols: columns; None: as many.
        max_num_triplets: most entries between two calls of build().
        dtype: `qd.f32` or `qd.f64`.
        storage_format: "col_major" or "row_major".
    
    Raises:
        QuadrantsRuntimeError: at build(): there were more entries than max_num_triplets.
    
    Example:
        See `qd.linalg.SparseMatrix`."""

    def __init__(self, num_rows: Any=None, num_cols: Any=None, max_num_triplets: Any=0, dtype: Any=..., storage_format: Any='col_major') -> None: ...

    def build(self, dtype: Any=None, _format: Any='CSR') -> SparseMatrix:
        """The matrix of what was added; the builder is empty then.
        
        Args:
            dtype: type of its entries; None: that of the builder.
            _format: the one that there is."""

    def print_triplets(self) -> Any:
        """Prints what was added since the last build()."""

    def __getitem__(self, key: Any, /) -> Any: ...

    def __setitem__(self, key: Any, value: Any, /) -> None: ...

class SparseSolver:
    """Solves A x = b by a factorization.
    
    Args:
        dtype: `qd.f32` or `qd.f64`.
        solver_type: "LLT" or "LDLT" of a symmetric matrix, "LU" of any square one.
        ordering: "AMD" or "COLAMD": how unknowns are put in order.
    
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
        """compute() is analyze_pattern(), which orders the unknowns, then factorize(), which is enough for another matrix with entries in the
        same places.
        
        Args:
            sparse_matrix: a square SparseMatrix."""

    def compute(self, sparse_matrix: Any) -> Any:
        """compute() is analyze_pattern(), which orders the unknowns, then factorize(), which is enough for another matrix with entries in the
        same places.
        
        Args:
            sparse_matrix: a square SparseMatrix."""

    def factorize(self, sparse_matrix: Any) -> Any:
        """compute() is analyze_pattern(), which orders the unknowns, then factorize(), which is enough for another matrix with entries in the
        same places.
        
        Args:
            sparse_matrix: a square SparseMatrix."""

    def info(self) -> bool:
        """Whether the last factorization succeeded, so that solve() gives the solution."""

    def solve(self, b: Any) -> Any:
        """x of A x = b. See info() for whether there is one.
        
        Args:
            b: a NumPy array, a field or an ndarray.
        
        Returns:
            A NumPy array, or an ndarray if b is one."""

class LinearOperator:
    """A matrix that is not stored: what `matvec_kernel(x, Ax)` computes for a field x.
    
    Args:
        matvec_kernel: a kernel of two fields.
    
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
        """Ax = A x.
        
        Args:
            x: a field.
            Ax: a field of the same shape, the result."""

def MatrixFreeBICGSTAB(A: Any, b: Any, x: Any, tol: Any=1e-06, maxiter: Any=5000, quiet: Any=True) -> Any:
    """Solves A x = b by conjugate gradients (CG: A is symmetric positive definite) or stabilised biconjugate gradients (BICGSTAB: A is any),
    from the x that is there, until the norm of the residual is below `tol`.
    
    Args:
        A: a LinearOperator.
        b: a field.
        x: a field of the same shape: where to begin, and the solution.
        tol: the norm to reach.
        maxiter: most steps.
        quiet: False: prints the residual of each step.
    
    Returns:
        True if it got there.
    
    Example:
        See `qd.linalg.LinearOperator`."""

def MatrixFreeCG(A: Any, b: Any, x: Any, tol: Any=1e-06, maxiter: Any=5000, quiet: Any=True) -> Any:
    """Solves A x = b by conjugate gradients (CG: A is symmetric positive definite) or stabilised biconjugate gradients (BICGSTAB: A is any),
    from the x that is there, until the norm of the residual is below `tol`.
    
    Args:
        A: a LinearOperator.
        b: a field.
        x: a field of the same shape: where to begin, and the solution.
        tol: the norm to reach.
        maxiter: most steps.
        quiet: False: prints the residual of each step.
    
    Returns:
        True if it got there.
    
    Example:
        See `qd.linalg.LinearOperator`."""

class SparseCG:
    """Solves A x = b by conjugate gradients with a diagonal preconditioner.
    
    Args:
        A: a SparseMatrix, symmetric and positive definite.
        b: a NumPy array or an ndarray.
        x0: where to begin; None: zeros.
        max_iter: most steps.
        atol: norm of the residual to reach.
    
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
        """(x, whether it was reached in max_iter steps)."""
