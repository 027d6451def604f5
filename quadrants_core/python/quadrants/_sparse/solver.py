"""Solvers for sparse linear systems: factorizations and conjugate gradients."""

from quadrants import _dtypes, _exceptions
from quadrants._sparse import matrix as _sparse_matrix

_Error = _exceptions.QuadrantsRuntimeError
_TYPES, _ORDERINGS = ["LLT", "LDLT", "LU"], ["AMD", "COLAMD"]


def _check_square(matrix):
    matrix._check_alive()
    if matrix.n != matrix.m:
        raise _Error(f"A linear solver needs a square matrix, not one of shape {matrix.shape}")


class SparseSolver(_sparse_matrix.ProgramResource):
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
        array([1.       , 2.0000002], dtype=float32)
    """

    def __init__(self, dtype=_dtypes.f32, solver_type="LLT", ordering="AMD"):
        super().__init__()
        if solver_type not in _TYPES or ordering not in _ORDERINGS:
            raise _Error(
                f"The solver type {solver_type} with {ordering} is not supported for now. Only {_TYPES} with {_ORDERINGS} are "
                "supported."
            )
        self.dtype = _sparse_matrix.number_type(dtype, "SparseSolver")
        self.matrix = None
        self.solver = _sparse_matrix.native().Solver(self.dtype.name, solver_type, ordering)

    def _release(self):
        self.matrix = self.solver = None

    def _accept(self, sparse_matrix):
        self._check_alive()
        if not isinstance(sparse_matrix, _sparse_matrix.SparseMatrix):
            raise _Error(f"The parameter type: {type(sparse_matrix)} is not supported in linear solvers for now.")
        _check_square(sparse_matrix)
        if sparse_matrix.dtype != self.dtype:
            raise _Error(
                f"The SparseSolver's dtype {self.dtype} is not consistent with the SparseMatrix's dtype {sparse_matrix.dtype}."
            )
        return sparse_matrix

    def compute(self, sparse_matrix):
        """Factorizes a matrix: calls analyze_pattern() and factorize().

        Args:
            sparse_matrix: a square SparseMatrix.
        """
        self.analyze_pattern(sparse_matrix)
        self.factorize(sparse_matrix)

    def analyze_pattern(self, sparse_matrix):
        """Determines the ordering of the unknowns from the sparsity pattern of a matrix.

        Args:
            sparse_matrix: a square SparseMatrix.
        """
        self.matrix = self._accept(sparse_matrix)
        self.solver.analyze(sparse_matrix.matrix)

    def factorize(self, sparse_matrix):
        """Factorizes a matrix with the sparsity pattern that was given to analyze_pattern().

        Args:
            sparse_matrix: a square SparseMatrix.
        """
        self._accept(sparse_matrix)
        if self.matrix is None:
            raise _Error("Please call analyze_pattern() or compute() before calling factorize().")
        if not self.solver.factorize(sparse_matrix.matrix):
            raise _Error(
                "This matrix has a different sparsity pattern than the one that analyze_pattern() got; call analyze_pattern() or compute() with it"
            )
        self.matrix = sparse_matrix

    def solve(self, b):
        """Solves A x = b. info() returns whether the solution is valid.

        Args:
            b: a NumPy array, a field or an ndarray.

        Returns:
            The solution x as a NumPy array, or as an ndarray if b is one.
        """
        import numpy as np

        self._check_alive()
        if self.matrix is None:
            raise _Error("Please call compute() before calling solve().")
        given = _sparse_matrix.dense(b, self.dtype)
        if given is None:
            raise _Error(f"The parameter type: {type(b)} is not supported in linear solvers for now.")
        n = self.matrix.n
        if given.size != n and (given.ndim != 2 or given.shape[0] != n):
            raise _Error(f"Dimension mismatch between sparse matrix {self.matrix.shape} and right-hand side {given.shape}")
        x = np.empty_like(given)
        self.solver.solve(given, x, given.size // n)
        return _sparse_matrix.to_ndarray(x, self.dtype) if _sparse_matrix.is_ndarray(b) else x

    def info(self):
        """Returns whether the last factorization succeeded, so that solve() returns a solution."""
        self._check_alive()
        return self.solver.succeeded()


class SparseCG(_sparse_matrix.ProgramResource):
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
        (True, array([1., 2.], dtype=float32))
    """

    def __init__(self, A, b, x0=None, max_iter=50, atol=1e-6):
        import numpy as np

        super().__init__()
        if not isinstance(A, _sparse_matrix.SparseMatrix):
            raise _Error(f"SparseCG takes a SparseMatrix, not {type(A)}")
        _check_square(A)
        self.dtype = A.dtype
        self.matrix = A
        self.b = self._vector(b, "RHS")
        self.x = np.zeros_like(self.b) if x0 is None else self._vector(x0, "x0").copy()
        self.max_iter, self.atol = int(max_iter), float(atol)

    def _vector(self, values, what):
        given = _sparse_matrix.dense(values, self.dtype)
        if given is None:
            raise _Error(f"Unsupported CG {what} type: {type(values)}")
        if given.size != self.matrix.n:
            raise _Error(f"Dimension mismatch between sparse matrix {self.matrix.shape} and {what} {given.shape}")
        return given.reshape(-1)

    def _release(self):
        self.matrix = self.b = self.x = None

    def solve(self):
        """Returns (solution, whether it has converged within max_iter iterations)."""
        self._check_alive()
        self.matrix._check_alive()
        reached = _sparse_matrix.native().conjugate_gradients(self.matrix.matrix, self.b, self.x, self.max_iter, self.atol)
        return self.x.copy(), reached
