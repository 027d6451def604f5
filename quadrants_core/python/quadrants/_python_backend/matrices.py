"""Vectors and matrices: constructors and methods."""

from quadrants import _exceptions, _settings
from quadrants._python_backend import numbers
from quadrants._python_backend.linear_algebra import library
from quadrants._python_backend.numbers import Scalar, as_kind, fail_type, typed
from quadrants._python_backend.table import data_type, named, table
from quadrants._python_backend.values import Mat, broadcast, is_number, make, to_mat, value_of


def _withdata_type(m, dt):
    return m.copy() if dt is None else m.cast(data_type(dt))


table["Vector"] = table["Matrix"] = lambda arr, dt=None: _withdata_type(to_mat(arr), dt)


def _sized(*sizes):
    for size in sizes:
        if not 1 <= int(size) <= 4096:
            fail_type(f"Vectors and matrices take sizes of 1 to 4096, not {int(size)}")


def _filled(value):
    def op(dt, n, m=None):
        kind = data_type(dt)
        _sized(n, 1 if m is None else m)
        n, m, ndim = int(n), 1 if m is None else int(m), 1 if m is None else 2
        return Mat(kind, n, m, ndim, [numbers.convert(value, numbers.i32, kind)] * (n * m))

    return op


table["Vector.zero"] = table["Matrix.zero"] = _filled(0)
table["Vector.one"] = table["Matrix.one"] = _filled(1)


@named("Matrix.identity")
def identity(dt, n):
    _sized(n)
    return make([int(i == j) for i in range(n) for j in range(n)], n, n, 2, data_type(dt))


@named("Vector.unit", "Matrix.unit")
def unit(n, i, dt=None):
    _sized(n)
    return make([int(k == i) for k in range(n)], n, 1, 1, _settings.default_ip() if dt is None else data_type(dt))


@named("Matrix.rows")
def from_rows(rows):
    m = to_mat(rows)
    return Mat(m.kind, m.n, m.m, 2, list(m.entries))


def transposed(m):
    return Mat(m.kind, m.m, m.n, 2, [m.entries[i * m.m + j] for j in range(m.m) for i in range(m.n)])


table["Matrix.cols"] = lambda cols: transposed(from_rows(cols))


@named("Matrix.diag")
def diagonal(dim, val):
    _sized(dim)
    v = typed(value_of(val))
    return make([v if i == j else as_kind(0, v.kind) for i in range(dim) for j in range(dim)], dim, dim, 2, v.kind)


def of_type(annotation, args):
    """Implements vec3(x, y, z), vec3(xy, z), vec3(0.0), mat2([[a, b], [c, d]]), ..."""
    entries = []
    for arg in args:
        arg = value_of(arg)
        entries.extend([arg] if is_number(arg) else to_mat(arg).components())
    count = annotation.n * annotation.m
    if len(entries) == 1:
        entries = entries * count
    if len(entries) != count:
        fail_type(f"A vector or matrix of {count} components cannot be made from {len(entries)} values")
    return make(entries, annotation.n, annotation.m, annotation.ndim, annotation.dtype)


# Methods

_mul, _add, _sub, _div = (lambda a, b, op=op: numbers.binary(op, a, b) for op in "*+-/")


def _reduced(op, values):
    result = values[0]
    for other in values[1:]:
        result = numbers.silent_binary(op, result, other)
    return result


def dot(a, other):
    return _reduced("+", broadcast("*", to_mat(a), to_mat(other), _mul).components())


def norm(a, eps=None):
    square = dot(a, a)
    if eps is not None:
        square = _add(square, value_of(eps))
    return table["sqrt"](square)


def cross(a, other):
    a, b = to_mat(a), to_mat(other)
    if a.ndim != 1 or b.ndim != 1 or a.n != b.n or a.n not in (2, 3):
        fail_type("Cross product is only supported between pairs of 2D/3D vectors")

    def term(i, j):
        return _sub(_mul(a.component(i), b.component(j)), _mul(a.component(j), b.component(i)))

    return term(0, 1) if a.n == 2 else make([term(1, 2), term(2, 0), term(0, 1)], 3, 1, 1)


def outer_product(a, other):
    a, b = to_mat(a), to_mat(other)
    if a.ndim != 1 or b.ndim != 1:
        fail_type("outer_product is defined for two vectors")
    return make([_mul(x, y) for x in a.components() for y in b.components()], a.n, b.n, 2)


def _square(m):
    if m.ndim != 2 or m.n != m.m:
        raise _exceptions.QuadrantsCompilationError(f"expected a square matrix, got shape {m.shape()}")


def _minor(m, rows, cols):
    def at(i, j):
        return m.component(rows[i] * m.m + cols[j])

    if len(rows) == 1:
        return at(0, 0)
    if len(rows) == 2:
        return _sub(_mul(at(0, 0), at(1, 1)), _mul(at(0, 1), at(1, 0)))
    total = None
    for j in range(len(cols)):
        term = _mul(at(0, j), _minor(m, rows[1:], cols[:j] + cols[j + 1 :]))
        total = term if j == 0 else (_sub if j % 2 else _add)(total, term)
    return total


def determinant(m):
    m = to_mat(m)
    _square(m)
    if m.n > 4:
        raise _exceptions.QuadrantsCompilationError(f"only dimension < 5 is supported, got shape {m.shape()}")
    return _minor(m, list(range(m.n)), list(range(m.n)))


def inverse(m):
    m = to_mat(m)
    _square(m)
    m = m if numbers.is_real(m.kind) else m.cast(_settings.default_fp())
    if m.n > 12:
        raise _exceptions.QuadrantsCompilationError("Inversions of matrices with sizes > 12 are not supported")
    if m.n > 4:
        return library("inverse_gauss", m, m.kind)
    scale = _div(Scalar(m.kind, 1.0), determinant(m))
    if m.n == 1:
        return make([scale], 1, 1, m.ndim)
    entries = [None] * (m.n * m.n)
    for i in range(m.n):
        for j in range(m.n):
            v = _mul(_minor(m, [k for k in range(m.n) if k != i], [k for k in range(m.n) if k != j]), scale)
            entries[j * m.n + i] = -v if (i + j) % 2 else v
    return make(entries, m.n, m.n, 2)


def transpose(m):
    if m.ndim == 1:
        raise _exceptions.QuadrantsCompilationError(
            "`transpose()` cannot apply to a vector. If you want something like `a @ b.transpose()`, write "
            "`a.outer_product(b)` instead."
        )
    return transposed(m)


def trace(m):
    _square(m)
    return _reduced("+", [m.component(k * m.m + k) for k in range(m.n)])


def normalized(m, eps=None):
    size = norm(m)
    if eps is not None:
        size = _add(size, value_of(eps))
    return broadcast("*", _div(1.0, size), m, _mul)


METHODS = {
    "all": lambda m: table["all"](m), "any": lambda m: table["any"](m), "cast": lambda m, dtype: m.cast(data_type(dtype)),
    "cross": cross, "determinant": determinant, "dot": dot, "fill": lambda m, val: m.fill(val), "frobenius_inner": dot,
    "get_shape": lambda m: m.shape(), "inverse": inverse, "max": lambda m: _reduced("max", m.components()),
    "min": lambda m: _reduced("min", m.components()), "norm": norm, "norm_inv": lambda m, eps=None: _div(1.0, norm(m, eps)),
    "norm_sqr": lambda m: dot(m, m), "normalized": normalized, "outer_product": outer_product,
    "sum": lambda m: _reduced("+", m.components()), "to_list": lambda m: m.rows(), "trace": trace, "transpose": transpose,
}  # fmt: skip
