"""Matrix and Vector in Python scope: small values, stored as row-major lists of numbers."""

import itertools as _itertools
import math as _math
import operator as _operator

from quadrants import _dtypes, _exceptions
from quadrants._display import values as _values
from quadrants._factories import make as _make
from quadrants._factories import makes as _makes
from quadrants._trees.layout import Layout as _Layout


_SWIZZLED = ("xyzw", "rgba", "stpq")


def _generate_swizzle_patterns(key_group, required_length=4):
    """Returns the names of all swizzles of these letters, of length 1 to `required_length`, shorter ones first."""
    lengths = range(1, required_length + 1)
    return ["".join(letters) for length in lengths for letters in _itertools.product(key_group, repeat=length)]


def flatten(value):
    """Returns the numbers of a number, matrix, array or nested sequence in row-major order."""
    if isinstance(value, Matrix):
        return list(value._entries)
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [x for item in value for x in flatten(item)]
    return [value]


def from_components(components, n, m, ndim, dtype=None):
    """Makes a Vector (ndim 1) or Matrix from row-major components that already are numbers of `dtype`."""
    made = (Vector if ndim == 1 else Matrix).__new__(Vector if ndim == 1 else Matrix)
    made.n, made.m, made.ndim = n, m, ndim
    made._entries = list(components)
    made._dtype = dtype
    made._target = None
    return made


def _convert(entries, dtype):
    return entries if dtype is None else [dtype(v) for v in entries]


def _common(a, b):
    """Returns the common type of two component types, as in kernels; None: Python numbers."""
    if a is None or b is None or a == b:
        return a if a == b else None
    if (a.kind == "float") != (b.kind == "float"):
        return a if a.kind == "float" else b
    if a.bits != b.bits:
        return a if a.bits > b.bits else b
    return b if a.kind == "int" else a


class _Swizzle(tuple):
    """Descriptor of a swizzle such as `xy`: (name, indices); reads and writes components."""

    __slots__ = ()

    def _check(self, v):
        name, indices = self
        if v.ndim != 1 or max(indices) >= v.n:
            known = tuple(_SWIZZLED[_family(name)][: v.n])
            raise _exceptions.QuadrantsSyntaxError(f"vec{v.n} only has attributes={known}, got={tuple(name)}")

    def __get__(self, v, owner=None):
        if v is None:
            return self
        self._check(v)
        indices = self[1]
        if len(indices) == 1:
            return v._entries[indices[0]]
        return from_components([v._entries[i] for i in indices], len(indices), 1, 1, v._dtype)

    def __set__(self, v, value):
        self._check(v)
        name, indices = self
        values = [value] if len(indices) == 1 else flatten(value)
        if len(values) != len(indices):
            raise _exceptions.QuadrantsRuntimeError(f"value len does not match the swizzle pattern={name}")
        for i, component in zip(indices, _convert(values, v._dtype)):
            v._entries[i] = component
        v._write_through()


def _family(name):
    return next(k for k, letters in enumerate(_SWIZZLED) if name[0] in letters)


def _names(self):
    """Returns the names that completion offers: without the swizzles of several letters, of which there are a thousand."""
    return [name for name in object.__dir__(self) if len(name) == 1 or name not in _swizzles]


# A class created with all attributes at once: adding a thousand attributes afterwards takes ten times as long.
_picks = [indices for length in range(1, 5) for indices in _itertools.product(range(4), repeat=length)]
_swizzles = {
    swizzle[0]: swizzle for letters in _SWIZZLED for swizzle in map(_Swizzle, zip(_generate_swizzle_patterns(letters), _picks))
}
_Swizzles = type("_Swizzles", (), {**_swizzles, "__dir__": _names})


class Matrix(_Swizzles, _values.Shown):
    """A matrix of numbers. In a kernel it is a compile-time constant; matrix arguments and results of kernels have this class. Operators
    work elementwise, `@` is the matrix product, and `m[i, j]` is an element.

    Args:
        *args: the rows, as a list of lists; or the components of a vector; or a NumPy array. The type may follow.
        **keywords: `dt`, the type of the components; `needs_grad`, which must be False, since a value has no gradient.

    Attributes:
        n: number of rows.
        m: number of columns.
        entries: the components in a flat list, in row-major order.
        x, y, z, w, r, g, b, a, s, t, p, q: the first four components of a vector, as in shading languages. Several letters, such as `v.xy`,
            make a vector.

    Example:
        >>> A = qd.Matrix([[1, 2], [3, 4]])
        >>> (A @ qd.Vector([1, 1]), A.transpose(), A[1, 0])
        ([3 7], [[1 3]
         [2 4]], 3)
    """

    _qd_kind_ = "matrix"
    _qd_name_ = "Matrix"
    __array_priority__ = 1000
    __hash__ = None

    def __init__(self, arr, dt=None, needs_grad=False):
        if not hasattr(arr, "__iter__") and not hasattr(arr, "tolist"):
            raise _exceptions.QuadrantsTypeError("An Matrix/Vector can only be initialized with an array-like object")
        rows = list(arr.to_list() if isinstance(arr, Matrix) else arr.tolist() if hasattr(arr, "tolist") else arr)
        self._target = None
        given = getattr(arr, "dtype", None) if dt is None else None
        self._dtype = _dtypes.dtype(dt) if dt is not None else _dtypes.from_numpy_dtype(given) if given is not None else None
        if isinstance(arr, Matrix) and dt is None:
            self._dtype = arr._dtype
        if rows and isinstance(rows[0], (list, tuple, Matrix)):
            rows = [r.to_list() if isinstance(r, Matrix) else list(r) for r in rows]
            if any(len(r) != len(rows[0]) for r in rows):
                raise _exceptions.QuadrantsCompilationError("the rows of a matrix must have the same length")
            self.n, self.m, self.ndim = len(rows), len(rows[0]), 2
            entries = [v for r in rows for v in r]
        else:
            self.n, self.m, self.ndim = len(rows), 1, 1
            entries = rows
        self._entries = _convert(entries, self._dtype)

    def __getattr__(self, name):
        if name == "entries":
            array = self.to_numpy()
            array.setflags(write=False)  # it is a copy, so writes to it would be lost
            return array
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    # shape and elements
    def get_shape(self):
        """Returns (n, m) of a matrix, (n,) of a vector."""
        return (self.n,) if self.ndim == 1 else (self.n, self.m)

    def __len__(self):
        return self.n

    def __iter__(self):
        return iter(self.to_list()) if self.ndim == 1 else iter([Vector(r, self._dtype) for r in self.to_list()])

    def _at(self, key):
        if self.ndim == 1:
            if isinstance(key, tuple):
                if len(key) != 1:
                    raise _exceptions.QuadrantsCompilationError(f"Expected 1 indices, got {len(key)}")
                key = key[0]
            i = _operator.index(key)
            if not -self.n <= i < self.n:
                raise IndexError(f"index {i} is out of range for a vector of {self.n}")
            return i % self.n
        if not isinstance(key, tuple) or len(key) != 2:
            raise _exceptions.QuadrantsCompilationError(f"Expected 2 indices, got {len(key) if isinstance(key, tuple) else 1}")
        i, j = map(_operator.index, key)
        if not (-self.n <= i < self.n and -self.m <= j < self.m):
            raise IndexError(f"index ({i}, {j}) is out of range for a {self.n} x {self.m} matrix")
        return i % self.n * self.m + j % self.m

    def __getitem__(self, key):
        if self.ndim == 1 and isinstance(key, slice):
            return Vector(self._entries[key], self._dtype)
        if self.ndim == 2 and isinstance(key, slice):
            return self._block(key, slice(None))
        if self.ndim == 2 and not isinstance(key, tuple):
            return Vector(self.to_list()[key], self._dtype)
        if self.ndim == 2 and any(isinstance(k, slice) for k in key):
            return self._block(*key)
        return self._entries[self._at(key)]

    def _block(self, rows, cols):
        picked = self.to_list()[rows]
        if not isinstance(rows, slice):
            return Vector(picked[cols], self._dtype)
        values = [r[cols] for r in picked]
        return (Matrix if isinstance(cols, slice) else Vector)(values, self._dtype)

    def __setitem__(self, key, value):
        self._entries[self._at(key)] = value if self._dtype is None else self._dtype(value)
        self._write_through()

    def _write_through(self):
        """Writes a changed element of an array or field back to its owner."""
        if self._target is not None:
            owner, key = self._target
            owner[key] = self

    def to_list(self):
        """Returns the components as a list; for a matrix, a list of rows."""
        if self.ndim == 1:
            return list(self._entries)
        return [self._entries[i * self.m : (i + 1) * self.m] for i in range(self.n)]

    def to_numpy(self):
        """Returns the components as a NumPy array."""
        import numpy as np

        return np.array(self.to_list(), None if self._dtype is None else _dtypes.numpy_dtype(self._dtype))

    def __array__(self, dtype=None, copy=None):
        array = self.to_numpy()
        return array if dtype is None else array.astype(dtype, copy=False)

    def __repr__(self):
        return str(self.to_numpy())

    __str__ = __repr__

    def __copy__(self):
        return from_components(self._entries, self.n, self.m, self.ndim, self._dtype)

    def __deepcopy__(self, memo):
        return self.__copy__()

    def __reduce__(self):
        return from_components, (self._entries, self.n, self.m, self.ndim, self._dtype)

    # arithmetic
    def _same(self, entries, dtype=None):
        return from_components(_convert(entries, dtype), self.n, self.m, self.ndim, dtype)

    def _result_type(self, other, op):
        """Returns the result type of an operator: a Python number takes the type of the components if its kind matches."""
        if self._dtype is None:
            return None
        if isinstance(other, Matrix):
            dtype = _common(self._dtype, other._dtype)
        else:
            dtype = self._dtype if isinstance(other, int) or self._dtype.kind == "float" else None
        return None if dtype is None or (op is _operator.truediv and dtype.kind != "float") else dtype

    def _zip(self, other, op, swap=False):
        if isinstance(other, (list, tuple)) or type(other).__name__ == "ndarray":
            other = Matrix(other)
        if isinstance(other, Matrix):
            if other.get_shape() != self.get_shape():
                raise _exceptions.QuadrantsTypeError(
                    f"unsupported operand type(s): shapes {self.get_shape()} and {other.get_shape()} differ"
                )
            pairs = zip(other._entries, self._entries) if swap else zip(self._entries, other._entries)
        elif swap:
            pairs = ((other, v) for v in self._entries)
        else:
            pairs = ((v, other) for v in self._entries)
        return self._same([op(a, b) for a, b in pairs], self._result_type(other, op))

    def _compared(self, other, op):
        found = self._zip(other, lambda a, b: int(op(a, b)))
        return from_components([v != 0 for v in found._entries], self.n, self.m, self.ndim, _dtypes.u1)

    def __matmul__(self, other):
        if not isinstance(other, Matrix):
            other = Matrix(other)
        # as in NumPy: a vector on the left is a row, one on the right a column, and its axis is dropped from the result
        rows = [self._entries] if self.ndim == 1 else self.to_list()
        columns = [other._entries] if other.ndim == 1 else list(zip(*other.to_list()))
        if len(rows[0]) != other.n:
            raise _exceptions.QuadrantsTypeError(
                f"unsupported operand type(s) for '@': shapes {self.get_shape()} and {other.get_shape()}"
            )
        entries = [sum(map(_operator.mul, row, column)) for row in rows for column in columns]
        if self.ndim == other.ndim == 1:
            return entries[0]
        ndim = self.ndim + other.ndim - 2
        dtype = self._result_type(other, _operator.mul)
        n, m = (len(entries), 1) if ndim == 1 else (len(rows), len(columns))
        return from_components(_convert(entries, dtype), n, m, ndim, dtype)

    def __neg__(self):
        return self._same([-v for v in self._entries], self._dtype)

    def __pos__(self):
        return self._same(self._entries, self._dtype)

    def __abs__(self):
        return self._same([abs(v) for v in self._entries], self._dtype)

    def __invert__(self):
        return self._same([~v for v in self._entries], self._dtype)

    # methods
    def _square(self):
        if self.ndim != 2 or self.n != self.m:
            raise _exceptions.QuadrantsCompilationError(f"expected a square matrix, got shape {self.get_shape()}")

    def all(self):
        """Returns whether all components are nonzero."""
        return all(self._entries)

    def any(self):
        """Returns whether any component is nonzero."""
        return any(self._entries)

    def cast(self, dtype):
        """Converts the components to another type.

        Args:
            dtype: a number type.
        """
        return self._same(self._entries, _dtypes.dtype(dtype))

    def max(self):
        """Returns the largest component."""
        return max(self._entries)

    def min(self):
        """Returns the smallest component."""
        return min(self._entries)

    def sum(self):
        """Returns the sum of the components."""
        return sum(self._entries)

    def norm_sqr(self):
        """Returns the sum of the squares of the components."""
        return sum(v * v for v in self._entries)

    def norm(self, eps=0):
        """Returns the Euclidean (or Frobenius) norm: sqrt(norm_sqr() + eps).

        Args:
            eps: a positive number avoids infinite derivatives at 0.
        """
        return _math.sqrt(self.norm_sqr() + eps)

    def norm_inv(self, eps=0):
        """Returns 1 / norm(eps).

        Args:
            eps: as for `norm`.
        """
        return 1.0 / self.norm(eps)

    def normalized(self, eps=0):
        """Returns the vector divided by (norm() + eps).

        Args:
            eps: a positive number avoids a division by 0.
        """
        return self / (self.norm() + eps)

    def dot(self, other):
        """Returns the dot product.

        Args:
            other: a vector of the same length.
        """
        if not isinstance(other, Matrix):
            other = Vector(other)
        if self.ndim != 1 or other.ndim != 1 or self.n != other.n:
            raise _exceptions.QuadrantsCompilationError("dot takes two vectors of the same length")
        return sum(a * b for a, b in zip(self._entries, other._entries))

    def cross(self, other):
        """Returns the cross product of two vectors of length 3, or the number a.x * b.y - a.y * b.x for vectors of length 2.

        Args:
            other: a vector of the same length.
        """
        a, b = self._entries, other._entries
        if self.n == 2 and other.n == 2:
            return a[0] * b[1] - a[1] * b[0]
        if self.n != 3 or other.n != 3:
            raise _exceptions.QuadrantsCompilationError("cross takes two vectors of length 2 or 3")
        products = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
        return Vector(products, _common(self._dtype, other._dtype))

    def outer_product(self, other):
        """Returns the outer product: element (i, j) is self[i] * other[j].

        Args:
            other: a vector.
        """
        return Matrix([[a * b for b in other._entries] for a in self._entries], _common(self._dtype, other._dtype))

    def frobenius_inner(self, other):
        """Returns the Frobenius inner product: the sum of the elementwise products.

        Args:
            other: a matrix of the same shape.
        """
        return self._zip(other, _operator.mul).sum()

    def transpose(self):
        """Returns the transpose of a matrix. A vector has none: use `outer_product` instead."""
        if self.ndim == 1:
            raise _exceptions.QuadrantsCompilationError(
                "`transpose()` cannot apply to a vector. If you want something like `a @ b.transpose()`, write "
                "`a.outer_product(b)`."
            )
        return Matrix([list(column) for column in zip(*self.to_list())], self._dtype)

    def trace(self):
        """Returns the trace: the sum of the diagonal of a square matrix."""
        self._square()
        return sum(self._entries[i * self.m + i] for i in range(self.n))

    def determinant(self):
        """Returns the determinant of a square matrix with up to 4 rows."""
        self._square()
        return _determinant(self.to_list())

    def inverse(self):
        """Returns the inverse of a square matrix with up to 4 rows."""
        self._square()
        return Matrix(_inverse(self.to_list()), self._dtype if self._dtype and self._dtype.kind == "float" else None)

    def fill(self, val):
        """Sets all components to `val`.

        Args:
            val: a number.
        """
        self._entries = _convert([val] * len(self._entries), self._dtype)
        self._write_through()

    # constructors
    @staticmethod
    def zero(dt, n, m=None):
        """Makes a vector or matrix of zeros.

        Args:
            dt: type of the components.
            n: number of rows.
            m: number of columns; None: makes a vector.
        """
        return Vector([0] * n, dt) if m is None else Matrix([[0] * m for _ in range(n)], dt)

    @staticmethod
    def one(dt, n, m=None):
        """Makes a vector or matrix of ones.

        Args:
            dt: type of the components.
            n: number of rows.
            m: number of columns; None: makes a vector.
        """
        return Vector([1] * n, dt) if m is None else Matrix([[1] * m for _ in range(n)], dt)

    @staticmethod
    def unit(n, i, dt=None):
        """Makes the unit vector with 1 at index `i` and 0 elsewhere.

        Args:
            n: number of components.
            i: the index.
            dt: type of the components; None: `default_ip`.
        """
        if not 0 <= i < n:
            raise ValueError(f"unit({n}, {i}): the index must be below the length")
        return Vector([1 if k == i else 0 for k in range(n)], dt)

    @staticmethod
    def identity(dt, n):
        """Makes the identity matrix.

        Args:
            dt: type of the components.
            n: number of rows.
        """
        return Matrix([[1 if i == j else 0 for j in range(n)] for i in range(n)], dt)

    @staticmethod
    def diag(dim, val):
        """Makes a square matrix with `val` on its diagonal and 0 elsewhere.

        Args:
            dim: number of rows.
            val: a number.
        """
        return Matrix([[val if i == j else 0 for j in range(dim)] for i in range(dim)])

    @staticmethod
    def rows(rows):
        """Makes a matrix from its rows.

        Args:
            rows: vectors or lists of equal length.
        """
        return Matrix([r.to_list() if isinstance(r, Matrix) else list(r) for r in rows])

    @staticmethod
    def cols(cols):
        """Makes a matrix from its columns.

        Args:
            cols: vectors or lists of equal length.
        """
        return Matrix.rows(cols).transpose()

    # storage
    @classmethod
    def field(
        cls, n, m, dtype, shape=None, order=None, name="", offset=None, needs_grad=False, needs_dual=False, layout=_Layout.AOS,
        ndim=None,
    ):  # fmt: skip
        """Makes a field of matrices; with ndim=1, of vectors, for which m must be 1.

        Args:
            n: number of rows.
            m: number of columns.
            dtype: type of the components, or a list with one type per component.
            shape: an integer or a tuple of integers; None: the field is placed in a tree.
            order: memory order of the axes, such as "ji".
            name: the name of the field in errors and profiles.
            offset: the first index of each axis.
            needs_grad: whether to allocate gradients, as the field `grad`.
            needs_dual: whether to allocate duals, as the field `dual`.
            layout: `qd.Layout.AOS`, the components of an element are adjacent, or `qd.Layout.SOA`, each component is stored apart.
            ndim: number of indices of an element: 1 or 2.
        """
        ndim = 2 if ndim is None else ndim
        return _make("field of matrices", n, m, ndim, dtype, shape, order, name, offset, needs_grad, needs_dual, layout)

    @classmethod
    def ndarray(cls, n, m, dtype, shape, needs_grad=False):
        """Makes an ndarray of matrices.

        Args:
            n: number of rows.
            m: number of columns.
            dtype: type of the components.
            shape: an integer or a tuple of integers.
            needs_grad: whether to allocate gradients, as the array `grad`.
        """
        return _make("array of matrices", n, m, 2, dtype, shape, needs_grad)

    @classmethod
    def tensor(cls, n, m, dtype, shape, **keywords):
        """Makes a tensor of matrices, see `qd.tensor`.

        Args:
            n: number of rows.
            m: number of columns.
            dtype: type of the components.
            shape: an integer or a tuple of integers.
            **keywords: as for `qd.tensor`.
        """
        return _make("tensor of matrices", "qd.Matrix.tensor", n, m, 2, dtype, shape, **keywords)


def _determinant(rows):
    if len(rows) == 1:
        return rows[0][0]
    if len(rows) == 2:
        return rows[0][0] * rows[1][1] - rows[0][1] * rows[1][0]
    total = 0
    for j, value in enumerate(rows[0]):
        minor = [r[:j] + r[j + 1 :] for r in rows[1:]]
        total += (-1) ** j * value * _determinant(minor)
    return total


def _inverse(rows):
    """Inverts a matrix by Gauss-Jordan elimination with row pivoting."""
    n = len(rows)
    work = [[float(v) for v in r] + [1.0 if i == j else 0.0 for j in range(n)] for i, r in enumerate(rows)]
    for c in range(n):
        pivot = max(range(c, n), key=lambda r: abs(work[r][c]))
        if work[pivot][c] == 0:
            raise _exceptions.QuadrantsRuntimeError("the matrix is singular")
        work[c], work[pivot] = work[pivot], work[c]
        scale = work[c][c]
        work[c] = [v / scale for v in work[c]]
        for r in range(n):
            if r != c:
                factor = work[r][c]
                work[r] = [a - factor * b for a, b in zip(work[r], work[c])]
    return [r[n:] for r in work]


def _add_operators():
    both = {
        "add": _operator.add, "sub": _operator.sub, "mul": _operator.mul, "truediv": _operator.truediv,
        "floordiv": _operator.floordiv, "mod": _operator.mod, "pow": _operator.pow, "and": _operator.and_,
        "or": _operator.or_, "xor": _operator.xor, "lshift": _operator.lshift, "rshift": _operator.rshift,
    }  # fmt: skip
    compare = {
        "eq": _operator.eq, "ne": _operator.ne, "lt": _operator.lt, "le": _operator.le, "gt": _operator.gt,
        "ge": _operator.ge,
    }  # fmt: skip
    for name, op in both.items():
        setattr(Matrix, f"__{name}__", lambda self, other, op=op: self._zip(other, op))
        setattr(Matrix, f"__r{name}__", lambda self, other, op=op: self._zip(other, op, swap=True))

        def in_place(self, other, op=op):
            self._entries = _convert(self._zip(other, op)._entries, self._dtype)
            self._write_through()
            return self

        setattr(Matrix, f"__i{name}__", in_place)
    for name, op in compare.items():
        setattr(Matrix, f"__{name}__", lambda self, other, op=op: self._compared(other, op))


for _name in ("zero", "one", "unit", "identity", "diag", "rows", "cols"):
    _static = Matrix.__dict__[_name].__func__
    _static._qd_kind_, _static._qd_name_ = "builtin", "Matrix." + _name
_add_operators()


class Vector(Matrix):
    """A vector of numbers: a Matrix with one column, whose elements have one index.

    Args:
        *args: the components, as one list or as separate arguments. The type may follow.
        **keywords: `dt`, the type of the components.

    Example:
        >>> v = qd.Vector([3.0, 4.0])
        >>> (v.norm(), v.x, v.yx, 2 * v)
        (5.0, 3.0, [4. 3.], [6. 8.])
    """

    _qd_name_ = "Vector"

    def __init__(self, arr, dt=None, **keywords):
        super().__init__(arr, dt=dt, **keywords)

    @classmethod
    def field(cls, n, dtype, *args, **kwargs):
        """Makes a field of vectors.

        Args:
            n: number of components.
            dtype: type of the components, or a list with one type per component.
            shape: an integer or a tuple of integers; None: the field is placed in a tree.
            order: memory order of the axes, such as "ji".
            name: the name of the field in errors and profiles.
            offset: the first index of each axis.
            needs_grad: whether to allocate gradients, as the field `grad`.
            needs_dual: whether to allocate duals, as the field `dual`.
            layout: `qd.Layout.AOS`, the components of an element are adjacent, or `qd.Layout.SOA`, each component is stored apart.
        """
        return Matrix.field(n, 1, dtype, *args, **{"ndim": 1, **kwargs})

    @classmethod
    def ndarray(cls, n, dtype, shape, needs_grad=False):
        """Makes an ndarray of vectors.

        Args:
            n: number of components.
            dtype: type of the components.
            shape: an integer or a tuple of integers.
            needs_grad: whether to allocate gradients, as the array `grad`.
        """
        return _make("array of matrices", n, 1, 1, dtype, shape, needs_grad)

    @classmethod
    def tensor(cls, n, dtype, shape, **keywords):
        """Makes a tensor of vectors, see `qd.tensor`.

        Args:
            n: number of components.
            dtype: type of the components.
            shape: an integer or a tuple of integers.
            **keywords: as for `qd.tensor`.
        """
        return _make("tensor of matrices", "qd.Vector.tensor", n, 1, 1, dtype, shape, **keywords)


@_makes("matrix")
def _of_type(kind, values):
    """Makes a value of a matrix type from all components, or from one number for all."""
    flat = flatten(values)
    if len(flat) == 1:
        flat = flat * (kind.n * kind.m)
    if len(flat) != kind.n * kind.m:
        raise _exceptions.QuadrantsCompilationError(
            f"{kind.to_string()} takes {kind.n * kind.m} components, {len(flat)} are given"
        )
    return from_components(_convert(flat, kind.dtype), kind.n, kind.m, kind.ndim, kind.dtype)
