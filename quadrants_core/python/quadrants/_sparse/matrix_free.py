"""Krylov solvers for operators without a stored matrix, which are given by their product with a vector."""

from math import isfinite, sqrt

from quadrants import _dtypes, _exceptions, _settings
from quadrants._language import annotations as _annotations, kernel as _kernel, ops as _ops
from quadrants._trees import snode as _snode
from quadrants._storage.field import field

_template, _grouped = _annotations.template, _ops.grouped


@_kernel.data_oriented
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
        3.0
    """

    def __init__(self, matvec_kernel):
        self._matvec = matvec_kernel

    def matvec(self, x, Ax):
        """Computes Ax = A x.

        Args:
            x: a field.
            Ax: a field of the same shape, for the result.
        """
        if x.shape != Ax.shape:
            raise _exceptions.QuadrantsRuntimeError(f"Dimension mismatch x.shape{x.shape} != Ax.shape{Ax.shape}.")
        self._matvec(x, Ax)


@_kernel.kernel
def _dot32(a: _template(), b: _template()) -> _dtypes.f32:
    total = _dtypes.f32(0.0)
    for I in _grouped(a):
        total += a[I] * b[I]
    return total


@_kernel.kernel
def _dot64(a: _template(), b: _template()) -> _dtypes.f64:
    total = _dtypes.f64(0.0)
    for I in _grouped(a):
        total += a[I] * b[I]
    return total


@_kernel.kernel
def _combine(out: _template(), a: _template(), s: _dtypes.f64, b: _template()):
    """Computes out = a + s b."""
    for I in _grouped(out):
        out[I] = a[I] + _ops.cast(s, out.dtype) * b[I]


_free = {}  # (shape, type name) -> fields of earlier solves, for reuse
_settings.after_reset.append(_free.clear)


class _Work:
    """Fields like `like`, lent for one solve and reused later, when their kernels have already been compiled."""

    def __init__(self, like, count):
        self._key = (like.shape, like.dtype.name)
        self._like, self._count = like, count

    def __enter__(self):
        idle = _free.setdefault(self._key, [])
        self._lent = [idle.pop() if idle else self._make() for _ in range(self._count)]
        return self._lent

    def __exit__(self, *_):
        _free.setdefault(self._key, []).extend(reversed(self._lent))

    def _make(self):
        made = field(self._like.dtype)
        builder = _snode.FieldsBuilder()
        builder.dense(_snode.axes(*range(len(self._like.shape))), self._like.shape).place(made)
        builder.finalize()
        return made


def _check(name, b, x):
    if b.dtype != x.dtype:
        raise _exceptions.QuadrantsTypeError(f"Dtype mismatch b.dtype({b.dtype}) != x.dtype({x.dtype}).")
    if b.dtype.name not in ("f32", "f64"):
        raise _exceptions.QuadrantsTypeError(f"Not supported dtype: {b.dtype}")
    if b.shape != x.shape:
        raise _exceptions.QuadrantsRuntimeError(f"Dimension mismatch b.shape{b.shape} != x.shape{x.shape}.")
    if not 1 <= len(b.shape) <= 3:
        raise _exceptions.QuadrantsRuntimeError(f"{name} only support 1D, 2D, 3D inputs; your inputs is {len(b.shape)}-D.")


def _log(quiet, text):
    if not quiet:
        print(">>> " + text)


def MatrixFreeCG(A, b, x, tol=1e-6, maxiter=5000, quiet=True):
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
        See `qd.linalg.LinearOperator`.
    """
    _check("MatrixFreeCG", b, x)
    dot = _dot32 if b.dtype.name == "f32" else _dot64
    with _Work(x, 3) as (p, r, Ap):
        A._matvec(x, Ap)
        _combine(r, b, -1.0, Ap)
        p.copy_from(r)
        rr = dot(r, r)
        _log(quiet, f"Initial residual = {rr:e}")
        for i in range(maxiter if sqrt(rr) >= tol else 0):
            A._matvec(p, Ap)
            pAp = dot(p, Ap)
            if pAp == 0.0 or not isfinite(pAp):
                _log(quiet, f"Conjugate Gradient method failed because p@Ap = {pAp}.")
                return False
            alpha = rr / pAp
            _combine(x, x, alpha, p)
            _combine(r, r, -alpha, Ap)
            rr, old = dot(r, r), rr
            if sqrt(rr) < tol:
                _log(quiet, "Conjugate Gradient method converged.")
                _log(quiet, f"#iterations {i}")
                break
            _combine(p, r, rr / old, p)
            _log(quiet, f"Iter = {i + 1:4}, Residual = {sqrt(rr):e}")
    if rr < tol:
        return True
    _log(quiet, f"Conjugate Gradient method failed to converge in {maxiter} iterations: Residual = {sqrt(rr):e}")
    return False


def MatrixFreeBICGSTAB(A, b, x, tol=1e-6, maxiter=5000, quiet=True):
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
        See `qd.linalg.LinearOperator`.
    """
    _check("MatrixFreeBICGSTAB", b, x)
    dot = _dot32 if b.dtype.name == "f32" else _dot64
    with _Work(x, 6) as (p, r, shadow, Ap, s, t):
        A._matvec(x, Ap)
        _combine(r, b, -1.0, Ap)
        shadow.copy_from(r)
        p.copy_from(r)
        rr = dot(r, r)
        rho = rr
        _log(quiet, f"Initial residual = {rr:e}")
        for i in range(maxiter if sqrt(rr) >= tol else 0):
            A._matvec(p, Ap)
            below = dot(shadow, Ap)
            if rho == 0.0 or below == 0.0 or not isfinite(below):
                _log(quiet, "BICGSTAB failed because r@r_tld = 0.")
                return False
            alpha = rho / below
            _combine(s, r, -alpha, Ap)
            A._matvec(s, t)
            tt = dot(t, t)
            omega = dot(t, s) / tt if tt > 0.0 else 0.0
            _combine(x, x, alpha, p)
            _combine(x, x, omega, s)
            _combine(r, s, -omega, t)
            rr = dot(r, r)
            _log(quiet, f"Iter = {i + 1:4}, Residual = {sqrt(rr):e}")
            if sqrt(rr) < tol:
                _log(quiet, f"BICGSTAB method converged at #iterations {i}")
                break
            if omega == 0.0:
                break
            rho, old = dot(r, shadow), rho
            _combine(p, p, -omega, Ap)
            _combine(p, r, rho / old * alpha / omega, p)
    if rr < tol:
        return True
    _log(quiet, f"BICGSTAB failed to converge in {maxiter} iterations: Residual = {sqrt(rr):e}")
    return False
