"""qd.ndarray: contiguous arrays on the device, elements readable and writable from Python."""

from quadrants import _dtypes, _exceptions, _matrix, _runtime

_Storage = None


def _check_shape(shape):
    if isinstance(shape, int) or hasattr(shape, "__index__"):
        shape = (shape,)
    shape = tuple(int(n) for n in shape)
    if any(n < 0 for n in shape) or not shape:
        raise _exceptions.QuadrantsRuntimeError(f"{shape} is not a valid shape for ndarray")
    return shape


def _classes():
    """The array classes: made when the core is loaded, because they derive from its storage type."""
    global _Storage
    core = _runtime.core()
    _Storage = core.NdarrayStorage

    class Ndarray(core.NdarrayStorage):
        """Contiguous array of scalars, vectors or matrices."""

        _qd_kind_ = "ndarray"
        has_grad = property(lambda self: False)
        has_dual = property(lambda self: False)
        layout = property(lambda self: Layout.AOS)

        @property
        def element_shape(self):
            return self._element_shape

        def get_type(self):
            return _array_type(self)

        def fill(self, value):
            """Every element becomes `value`."""
            flat = _matrix.flatten(value)
            if len(flat) == 1:
                flat = flat * self._components
            self._fill(tuple(flat))

        def copy_from(self, other):
            """Copies an ndarray of the same shape and element type."""
            if not isinstance(other, Ndarray):
                raise TypeError(f"copy_from takes an ndarray, not {type(other).__name__}")
            if other.shape != self.shape or other._element_shape != self._element_shape:
                raise ValueError(f"copy_from: shapes {self.shape} and {other.shape} differ")
            if other.dtype != self.dtype:
                self._from_numpy(other._to_numpy().astype(_dtypes.numpy_dtype(self.dtype)))
            else:
                self._copy_from_ndarray(other)

        def to_dlpack(self, versioned=False):
            raise _exceptions.not_available("Ndarray.to_dlpack", "to_numpy() gives a copy")

        def _to_numpy(self):
            import numpy as np

            out = np.empty(self.shape + self._element_shape, _dtypes.numpy_dtype(self.dtype))
            self._copy_to(out)
            return out

        def _from_numpy(self, array):
            import numpy as np

            array = np.asarray(array)
            if array.shape != self.shape + self._element_shape:
                raise ValueError(
                    f"Mismatched shape: the ndarray has {self.shape + self._element_shape}, the numpy array {array.shape}"
                )
            self._copy_from_buffer(np.ascontiguousarray(array, _dtypes.numpy_dtype(self.dtype)))

        def __len__(self):
            return self.shape[0]

        def __deepcopy__(self, memo):
            made = _make(type(self), self.dtype, self.shape, self._rows, self._cols, len(self._element_shape))
            made._copy_from_ndarray(self)
            return made

        __copy__ = None

        def __reduce__(self):
            shape = (self._rows, self._cols, len(self._element_shape))
            return _rebuild, (type(self).__name__, self.dtype, self.shape, shape, self._to_numpy())

        def __repr__(self):
            if not self._alive:
                return f"<qd.{type(self).__name__} of an ended program>"
            return f"<{_describe(self)} {self._to_numpy()}>"

    del Ndarray.__copy__

    class _Converting(Ndarray):
        def from_numpy(self, arr):
            self._from_numpy(arr)

        def to_numpy(self, copy=True):
            if copy is False:
                raise ValueError("Zero-copy not available for this ndarray; call to_numpy() for a copy")
            return self._to_numpy()

        def from_torch(self, arr):
            raise _exceptions.not_available("from_torch", "use from_numpy(tensor.numpy())")

        def to_torch(self, device=None, copy=True):
            raise _exceptions.not_available("to_torch", "use torch.from_numpy(x.to_numpy())")

    class ScalarNdarray(_Converting):
        """Array of scalars."""

    class _Elements(_Converting):
        def __getitem__(self, key):
            made = _matrix.from_components(self._read(key), self._rows, self._cols, len(self._element_shape))
            made._target = (self, key)
            return made

        def __setitem__(self, key, value):
            flat = _matrix.flatten(value)
            super().__setitem__(key, flat * self._components if len(flat) == 1 else flat)

    class VectorNdarray(_Elements):
        """Array of vectors."""

    class MatrixNdarray(_Elements):
        """Array of matrices."""

    for cls in (Ndarray, ScalarNdarray, VectorNdarray, MatrixNdarray):
        cls.__module__ = "quadrants"
        cls.__qualname__ = cls.__name__
    return {c.__name__: c for c in (Ndarray, ScalarNdarray, VectorNdarray, MatrixNdarray)}


class Layout:
    """Order of the members of compound elements in memory."""


def _layout_enum():
    import enum

    return enum.IntEnum("Layout", {"AOS": 1, "SOA": 2}, module="quadrants")


Layout = _layout_enum()
classes = {}


def class_named(name):
    if not classes:
        classes.update(_classes())
    return classes[name]


def _array_type(array):
    from quadrants import _annotations

    rows, cols, dim = array._rows, array._cols, len(array._element_shape)
    dtype = array.dtype if dim == 0 else _annotations.MatrixType(rows, cols, dim, array.dtype)
    return _annotations.NdarrayType(dtype=dtype, ndim=len(array.shape))


def _describe(array):
    element = f"{array._element_shape} " if array._element_shape else ""
    return f"qd.{type(array).__name__} {array.shape} {element}{array.dtype}"


def _make(cls, dtype, shape, rows, cols, element_dim):
    made = cls()
    made.dtype = dtype
    made.grad = None
    made.dual = None
    made._rows, made._cols, made._components = rows, cols, rows * cols
    made._element_shape = ((), (rows,), (rows, cols))[element_dim]
    made._allocate(dtype._qd_scalar_, shape, rows, cols, element_dim)
    return made


def _rebuild(name, dtype, shape, element, values):
    made = _make(class_named(name), dtype, shape, *element)
    made._from_numpy(values)
    return made


def ndarray(dtype, shape, needs_grad=False):
    """An array of `shape` with elements of a scalar, vector or matrix type, filled with zeros."""
    kind = getattr(dtype, "_qd_kind_", None)
    if kind == "matrix_type":
        return matrix_ndarray(dtype.n, dtype.m, dtype.ndim, dtype.dtype, shape, needs_grad)
    if needs_grad:
        raise _exceptions.not_available("ndarray(needs_grad=True)")
    if kind == "struct_type":
        raise _exceptions.not_available("an ndarray of structs", "use one ndarray a member, or StructType.field")
    return _make(class_named("ScalarNdarray"), _dtypes.dtype(dtype), _check_shape(shape), 1, 1, 0)


def matrix_ndarray(n, m, ndim, dtype, shape, needs_grad=False):
    if needs_grad:
        raise _exceptions.not_available("ndarray(needs_grad=True)")
    name = "VectorNdarray" if ndim == 1 else "MatrixNdarray"
    return _make(class_named(name), _dtypes.dtype(dtype), _check_shape(shape), int(n), int(m), ndim)
