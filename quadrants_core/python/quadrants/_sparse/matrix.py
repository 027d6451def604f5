"""Sparse matrices: a builder that kernels fill, and the matrices that it builds. The data are stored in quadrants_linalg (Eigen)."""

import dataclasses
import operator
import weakref

from quadrants import _dtypes, _exceptions, _native, _runtime, _settings
from quadrants._language import annotations as _annotations
from quadrants._storage import ndarray as _ndarray

_Error = _exceptions.QuadrantsRuntimeError
_living = weakref.WeakSet()  # objects whose memory qd.reset() must release


def native():
    from quadrants._lib import quadrants_linalg

    return quadrants_linalg


class ProgramResource:
    """Base class of objects that hold memory until qd.reset(); later use raises an error."""

    def __init__(self):
        _runtime.require_program()
        self.__dict__["_generation"] = _native.core().generation()
        _living.add(self)

    def _check_alive(self):
        if self._generation != _native.core().generation():
            raise _Error(
                f"This {type(self).__name__} belongs to a runtime that qd.reset() or a later qd.init() has ended; create it again"
            )


def _release_all():
    for one in list(_living):
        one._release()
    _living.clear()


_settings.before_reset.append(_release_all)


def number_type(dtype, what):
    """Returns the number type f32 or f64 of a sparse matrix; raises for other types."""
    dtype = _dtypes.dtype(dtype)
    if dtype.name not in ("f32", "f64"):
        raise _Error(f"A {what} holds f32 or f64, not {dtype}")
    return dtype


def _check_format(storage_format):
    if storage_format not in ("col_major", "row_major"):
        raise _Error(f"storage_format={storage_format!r}: choose 'col_major' or 'row_major'")


def _extent(value, name):
    if value is None:
        raise _Error(f"{name} is required: the number of rows of the sparse matrix")
    value = operator.index(value)
    if not 0 < value <= 0x7FFFFFFF:
        raise _Error(f"{name}={value}: a sparse matrix has between 1 and 2147483647 rows and columns")
    return value


def dense(values, dtype):
    """Returns a contiguous NumPy array of `dtype` with the numbers of a field, an ndarray or a NumPy array; None for other objects."""
    import numpy as np

    from quadrants._storage import field as _field, tensor as _tensor

    values = _tensor.unwrap(values)
    if isinstance(values, (_field.Field, _ndarray.class_named("Ndarray"))):
        values = values.to_numpy()
    elif not isinstance(values, np.ndarray):
        return None
    return np.ascontiguousarray(values, _dtypes.numpy_dtype(dtype))


def is_ndarray(values):
    from quadrants._storage import tensor as _tensor

    return isinstance(_tensor.unwrap(values), _ndarray.class_named("Ndarray"))


class SparseMatrix(ProgramResource):
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
        (3.0, 3.0)
    """

    def __init__(self, n=None, m=None, sm=None, dtype=_dtypes.f32, storage_format="col_major"):
        import numpy as np

        super().__init__()
        if isinstance(sm, SparseMatrix):
            sm._check_alive()
            self.n, self.m, self.dtype, self.matrix = sm.n, sm.m, sm.dtype, sm.matrix.scaled(1.0)
            return
        _check_format(storage_format)
        self.dtype = number_type(dtype, "SparseMatrix")
        self.n = _extent(n, "n")
        self.m = _extent(m, "m") if m else self.n
        none = np.empty(0, np.int32)
        self.matrix = native().assemble(self.dtype.name, self.n, self.m, none, none, np.empty(0, _dtypes.numpy_dtype(self.dtype)))

    @classmethod
    def _of(cls, matrix, n, m, dtype):
        made = cls.__new__(cls)
        ProgramResource.__init__(made)
        made.n, made.m, made.dtype, made.matrix = n, m, dtype, matrix
        return made

    def _release(self):
        self.matrix = None

    def _combined(self, operation, other):
        """Combines it with a matrix of the same shape and type."""
        self._check_alive()
        other._check_alive()
        assert self.n == other.n and self.m == other.m, (
            f"Dimension mismatch between sparse matrices ({self.n}, {self.m}) and ({other.n}, {other.m})"
        )
        return getattr(self.matrix, operation)(self._alike(other).matrix)

    def _alike(self, other):
        if self.dtype != other.dtype:
            raise _Error(f"Sparse matrices of different types, {self.dtype} and {other.dtype}, cannot be combined")
        return other

    def __add__(self, other):
        if not isinstance(other, SparseMatrix):
            return NotImplemented
        return self._of(self._combined("plus", other), self.n, self.m, self.dtype)

    def __sub__(self, other):
        if not isinstance(other, SparseMatrix):
            return NotImplemented
        return self._of(self._combined("minus", other), self.n, self.m, self.dtype)

    def __iadd__(self, other):
        if not isinstance(other, SparseMatrix):
            return NotImplemented
        self.matrix = self._combined("plus", other)
        return self

    def __isub__(self, other):
        if not isinstance(other, SparseMatrix):
            return NotImplemented
        self.matrix = self._combined("minus", other)
        return self

    def __mul__(self, other):
        """Multiplies by a number, or elementwise by a matrix of the same shape."""
        import numbers

        if isinstance(other, SparseMatrix):
            return self._of(self._combined("elementwise", other), self.n, self.m, self.dtype)
        if not isinstance(other, numbers.Real):
            return NotImplemented
        self._check_alive()
        return self._of(self.matrix.scaled(float(other)), self.n, self.m, self.dtype)

    __rmul__ = __mul__

    def __neg__(self):
        return self * -1.0

    def transpose(self):
        """Returns the transposed matrix."""
        self._check_alive()
        return self._of(self.matrix.transposed(), self.m, self.n, self.dtype)

    def __matmul__(self, other):
        """Returns the product: a matrix for a matrix, a NumPy array for NumPy arrays and fields, an ndarray for an ndarray."""
        self._check_alive()
        if isinstance(other, SparseMatrix):
            other._check_alive()
            assert self.m == other.n, (
                f"Dimension mismatch between sparse matrices ({self.n}, {self.m}) and ({other.n}, {other.m})"
            )
            return self._of(self.matrix.product(self._alike(other).matrix), self.n, other.m, self.dtype)
        given = dense(other, self.dtype)
        if given is None:
            raise _Error(
                f"Sparse matrix-matrix/vector multiplication does not support {type(other)} for now. Supported types are "
                "SparseMatrix, qd.field, and numpy ndarray."
            )
        return self._times(given, is_ndarray(other))

    def _times(self, given, as_ndarray):
        import numpy as np

        if given.ndim not in (1, 2) or given.shape[0] != self.m:
            message = f"Dimension mismatch between sparse matrix ({self.n}, {self.m}) and vector ({given.shape})"
            raise _Error(message) if as_ndarray else AssertionError(message)
        product = np.empty((self.n, *given.shape[1:]), given.dtype)
        self.matrix.apply(given, product, given.size // self.m)
        return to_ndarray(product, self.dtype) if as_ndarray else product

    def _place(self, indices):
        self._check_alive()
        if not isinstance(indices, tuple) or len(indices) != 2:
            raise _exceptions.QuadrantsIndexError("A sparse matrix is indexed with two integers, A[i, j]")
        i, j = (operator.index(k) for k in indices)
        if not (-self.n <= i < self.n and -self.m <= j < self.m):
            raise _exceptions._OutOfBounds(
                f"Out of bound access to sparse matrix: indices ({i}, {j}) of the shape ({self.n}, {self.m})"
            )
        return i % self.n, j % self.m

    def __getitem__(self, indices):
        place = self._place(indices)
        return self.matrix.get(*place)

    def __setitem__(self, indices, value):
        place = self._place(indices)
        self.matrix.set(*place, float(value))

    def __str__(self):
        """Returns all elements as text; for a large matrix, only its description."""
        self._check_alive()
        if self.n * self.m > 1_000_000:
            return f"<qd.linalg.SparseMatrix of shape {self.shape} with {self.matrix.entries} entries of {self.dtype}>"
        return self.matrix.text()

    def __repr__(self):
        return "<qd.linalg.SparseMatrix of an ended program>" if self.matrix is None else str(self)

    @property
    def shape(self):
        return (self.n, self.m)

    @property
    def T(self):
        return self.transpose()

    def build_from_ndarray(self, ndarray):
        """Sets the matrix to the triplets (row, column, value) in an ndarray.

        Args:
            ndarray: an ndarray of scalars, vectors or matrices.
        """
        import numpy as np

        self._check_alive()
        if not is_ndarray(ndarray):
            raise _Error("Sparse matrix only supports building from [qd.ndarray, qd.Vector.ndarray, qd.Matrix.ndarray]")
        numbers = ndarray.to_numpy().reshape(-1)
        if numbers.size % 3 != 0:
            raise _Error("The number of ndarray elements must have a length that is divisible by 3.")
        rows, cols, values = numbers.reshape(-1, 3).T
        self._assemble(*(np.ascontiguousarray(part, np.int32) for part in (rows, cols)), values)

    def _assemble(self, rows, cols, values):
        self.matrix = assemble(self.dtype, self.n, self.m, rows, cols, values)

    def mmwrite(self, filename):
        """Writes the matrix to a file in Matrix Market format.

        Args:
            filename: path of the file.
        """
        self._check_alive()
        with open(filename, "w", encoding="ascii") as file:
            file.write(self.matrix.market())


def to_ndarray(values, dtype):
    """Makes an ndarray with these numbers; a second axis becomes the second index."""
    made = _ndarray.ndarray(dtype, values.shape)
    made.from_numpy(values)
    return made


def assemble(dtype, n, m, rows, cols, values):
    import numpy as np

    try:
        return native().assemble(dtype.name, n, m, rows, cols, np.ascontiguousarray(values, _dtypes.numpy_dtype(dtype)))
    except IndexError as error:
        raise _exceptions._OutOfBounds(f"Out of bound access to sparse matrix: {error}") from None


@dataclasses.dataclass(frozen=True, init=False, repr=False, eq=False)
class SparseMatrixBuilder(ProgramResource):
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
        See `qd.linalg.SparseMatrix`.
    """

    _qd_kind_ = "sparse_matrix_builder"

    # The members passed to a kernel: a new entry is stored at index `count`, if there is room.
    rows: _annotations.NdarrayType(_dtypes.i32, 1)
    cols: _annotations.NdarrayType(_dtypes.i32, 1)
    values: _annotations.NdarrayType(None, 1, element_dim=0)
    count: _annotations.NdarrayType(_dtypes.i64, 1)
    num_rows: _dtypes.i32
    num_cols: _dtypes.i32

    def __init__(self, num_rows=None, num_cols=None, max_num_triplets=0, dtype=_dtypes.f32, storage_format="col_major"):
        super().__init__()
        _check_format(storage_format)
        dtype = number_type(dtype, "SparseMatrixBuilder")
        capacity = operator.index(max_num_triplets)
        if not 0 <= capacity <= 0x7FFFFFFF:
            raise _Error(f"max_num_triplets={capacity}: a builder holds between 0 and 2147483647 triplets")
        num_rows = _extent(num_rows, "num_rows")
        room = max(capacity, 1)
        vars(self).update(
            num_rows=num_rows,
            num_cols=_extent(num_cols, "num_cols") if num_cols else num_rows,
            max_num_triplets=capacity,
            dtype=dtype,
            rows=_ndarray.ndarray(_dtypes.i32, room),
            cols=_ndarray.ndarray(_dtypes.i32, room),
            values=_ndarray.ndarray(dtype, room),
            count=_ndarray.ndarray(_dtypes.i64, 1),
        )
        self._clear()

    def __repr__(self):
        return f"<qd.linalg.SparseMatrixBuilder ({self.num_rows}, {self.num_cols}) for {self.max_num_triplets} triplets of {self.dtype}>"

    def _clear(self):
        self.count[0] = 0

    def _release(self):
        pass  # the arrays are freed with the program

    def _triplets(self):
        """Returns (rows, columns, values) as views of the entries."""
        self._check_alive()
        added = self.count[0]
        if added > self.max_num_triplets:
            self._clear()
            raise _Error(
                f"The SparseMatrixBuilder has room for max_num_triplets={self.max_num_triplets}, but {added} entries were "
                "added; create it with a larger max_num_triplets"
            )
        return tuple(part.to_numpy(copy=None)[:added] for part in (self.rows, self.cols, self.values))

    def print_triplets(self):
        """Prints the entries added since the last build()."""
        rows, cols, values = self._triplets()
        print(f"n={self.num_rows}, m={self.num_cols}, num_triplets={len(rows)} (max={self.max_num_triplets})")
        for i, j, value in zip(rows, cols, values):
            print(f"[{i}, {j}] = {value}")

    def build(self, dtype=None, _format="CSR"):
        """Builds a matrix from the entries and clears the builder.

        Args:
            dtype: type of the matrix entries; None: that of the builder.
            _format: only the default is supported.
        """
        try:
            matrix = assemble(self.dtype, self.num_rows, self.num_cols, *self._triplets())
        finally:
            self._clear()
        return SparseMatrix._of(matrix, self.num_rows, self.num_cols, self.dtype)
