"""qd.ndarray: contiguous arrays on the device, elements readable and writable from Python."""

from quadrants import _dtypes, _exceptions, _interop, _matrix, _runtime, _values
from quadrants._layout import extents as _extents

_Storage = None


def _check_shape(shape):
    try:
        valid = _extents(shape)
    except TypeError:
        valid = (0,)
    if not all(n > 0 for n in valid):
        raise _exceptions.QuadrantsRuntimeError(f"{shape} is not a valid shape for ndarray")
    shape = valid
    if any(n > 0x7FFFFFFF for n in shape):
        raise _exceptions.QuadrantsRuntimeError(
            "Ndarray index might be out of int32 boundary but int64 indexing is not supported yet."
        )
    return shape


def _classes():
    """The array classes: made when the core is loaded, because they derive from its storage type."""
    global _Storage
    core = _runtime.core()
    _Storage = core.NdarrayStorage

    class Ndarray(core.NdarrayStorage, _values.Shown):
        """Contiguous array of scalars, vectors or matrices."""

        _qd_kind_ = "ndarray"
        @property
        def layout(self):
            """The order of storage if it is not that of the indices: for each level, outermost first, the index."""
            return self._qd_layout

        def has_grad(self):
            return self.grad is not None

        def has_dual(self):
            return self.dual is not None

        @property
        def element_shape(self):
            return self._element_shape

        def get_type(self):
            return _array_type(self)

        @_values.host_only
        def fill(self, val):
            """Every element becomes `val`."""
            flat = _matrix.flatten(val)
            if len(flat) == 1:
                flat = flat * self._components
            self._fill(tuple(flat))

        @_values.host_only
        def copy_from(self, other):
            """Copies an ndarray of the same shape and element type."""
            if not isinstance(other, Ndarray):
                raise TypeError(f"copy_from takes an ndarray, not {type(other).__name__}")
            if other.shape != self.shape or other._element_shape != self._element_shape:
                raise AssertionError(f"copy_from shape mismatch: destination {self.shape} vs source {other.shape}")
            if other.dtype != self.dtype or other._qd_layout != self._qd_layout:
                self._from_numpy(other._to_numpy().astype(_dtypes.numpy_dtype(self.dtype)))
            else:
                self._copy_from_ndarray(other)

        @_values.host_only
        def to_dlpack(self, versioned=False):
            """A DLPack capsule on the memory of the array."""
            return _interop.dlpack(self, versioned)

        def __dlpack__(self, **keywords):
            return _interop.dlpack_protocol(self, **keywords)

        def __dlpack_device__(self):
            return (1, 0)

        def _storage(self):
            shape = self._physical_shape + self._element_shape
            strides = _interop.contiguous_strides(shape, _dtypes.numpy_dtype(self.dtype).itemsize)
            axes = self._axes()
            return self._address, tuple(shape[a] for a in axes), tuple(strides[a] for a in axes)

        def _axes(self):
            """For each index of the user and then of the elements: its axis in storage."""
            rank = len(self._physical_shape)
            order = self._qd_layout or range(rank)
            return [list(order).index(a) for a in range(rank)] + [rank + k for k in range(len(self._element_shape))]

        def _to_numpy(self):
            import numpy as np

            out = np.empty(self._physical_shape + self._element_shape, _dtypes.numpy_dtype(self.dtype))
            self._copy_to(out)
            return out if self._qd_layout is None else np.ascontiguousarray(out.transpose(self._axes()))

        def _from_numpy(self, array):
            import numpy as np

            array = np.asarray(array)
            if array.shape != self.shape + self._element_shape:
                raise ValueError(
                    f"Mismatched shape: the ndarray has {self.shape + self._element_shape}, the numpy array {array.shape}"
                )
            if self._qd_layout is not None:
                array = array.transpose(self._qd_layout)
            self._copy_from_buffer(np.ascontiguousarray(array, _dtypes.numpy_dtype(self.dtype)))

        def __len__(self):
            return self.shape[0]

        def __deepcopy__(self, memo=None):
            made = _make(type(self), self.dtype, self.shape, *self._description())
            made._copy_from_ndarray(self)
            if self.grad is not None:
                made.grad._copy_from_ndarray(self.grad)
            return made

        def _get_element_size(self):
            """Bytes of one element."""
            return _dtypes.numpy_dtype(self.dtype).itemsize * self._components

        def _get_nelement(self):
            """Number of elements."""
            count = 1
            for extent in self.shape:
                count *= extent
            return count

        def _description(self):
            return self._rows, self._cols, len(self._element_shape), self._qd_layout, self.grad is not None

        __copy__ = None

        def __reduce__(self):
            gradient = None if self.grad is None else self.grad._to_numpy()
            return _rebuild, (type(self).__name__, self.dtype, self.shape, self._description(), self._to_numpy(), gradient)

        def __repr__(self):
            if not self._alive:
                return f"<qd.{type(self).__name__} of an ended program>"
            return f"<{_describe(self)} {self._to_numpy()}>"

    del Ndarray.__copy__

    class _Converting(Ndarray):
        @_values.host_only
        def from_numpy(self, arr):
            self._from_numpy(arr)

        @_values.host_only
        def to_numpy(self, dtype=None, *, copy=True):
            """A copy; with copy=False a view of the memory, with copy=None a view if there can be one."""
            return _interop.to_numpy(self, self._to_numpy, dtype, copy)

        @_values.host_only
        def from_torch(self, arr):
            """Takes the values of a torch tensor of the same shape."""
            _interop.from_torch(self, arr)

        @_values.host_only
        def to_torch(self, device=None, *, copy=True):
            """A torch tensor; `copy` as for to_numpy."""
            return _interop.to_torch(self, self._to_numpy, device, copy)

    class ScalarNdarray(_Converting):
        """Array of scalars."""

        def __init__(self, dtype, arr_shape):
            _set_up(self, _dtypes.dtype(dtype), _check_shape(arr_shape), 1, 1, 0)

        def __getitem__(self, key):
            return _slice(self, key) if type(key) is slice else super().__getitem__(key)

    class _Elements(_Converting):
        def __getitem__(self, key):
            if type(key) is slice:
                return _slice(self, key)
            made = _matrix.from_components(
                self._read(key), self._rows, self._cols, len(self._element_shape), self.dtype
            )
            made._target = (self, key)
            return made

        def __setitem__(self, key, value):
            flat = _matrix.flatten(value)
            super().__setitem__(key, flat * self._components if len(flat) == 1 else flat)

    class VectorNdarray(_Elements):
        """Array of vectors."""

        def __init__(self, n, dtype, shape):
            _set_up(self, _dtypes.dtype(dtype), _check_shape(shape), int(n), 1, 1)

    class MatrixNdarray(_Elements):
        """Array of matrices."""

        def __init__(self, n, m, dtype, shape):
            _set_up(self, _dtypes.dtype(dtype), _check_shape(shape), int(n), int(m), 2)

    for cls in (Ndarray, ScalarNdarray, VectorNdarray, MatrixNdarray):
        cls.__module__ = "quadrants"
        cls.__qualname__ = cls.__name__
    return {c.__name__: c for c in (Ndarray, ScalarNdarray, VectorNdarray, MatrixNdarray)}


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


def _slice(array, key):
    from quadrants import _buffer_view

    return _buffer_view.slice_of(array, key)


def _make(cls, dtype, shape, rows, cols, element_dim, layout=None, needs_grad=False):
    if needs_grad:
        _interop.check_needs_grad(dtype, "ndarray")
    return _set_up(cls.__new__(cls), dtype, shape, rows, cols, element_dim, layout, needs_grad)


def _set_up(made, dtype, shape, rows, cols, element_dim, layout=None, needs_grad=False):
    made.dtype = dtype
    made.grad = None
    made.dual = None
    made._rows, made._cols, made._components = rows, cols, rows * cols
    made._element_shape = ((), (rows,), (rows, cols))[element_dim]
    storage = shape if layout is None else tuple(shape[axis] for axis in layout)
    made._allocate(dtype._qd_scalar_, storage, rows, cols, element_dim, layout or ())
    if needs_grad:
        made.grad = _make(type(made), dtype, shape, rows, cols, element_dim, layout)
    return made


def _rebuild(name, dtype, shape, element, values, gradient=None):
    made = _make(class_named(name), dtype, shape, *element)
    made._from_numpy(values)
    if gradient is not None:
        made.grad._from_numpy(gradient)
    return made


def ndarray(dtype, shape, needs_grad=False, *, _layout=None):
    """An array of `shape` with elements of a scalar, vector or matrix type, filled with zeros."""
    kind = getattr(dtype, "_qd_kind_", None)
    if kind == "matrix_type":
        return matrix_ndarray(dtype.n, dtype.m, dtype.ndim, dtype.dtype, shape, needs_grad)
    if kind == "struct_type":
        raise _exceptions.QuadrantsRuntimeError(
            "an ndarray has scalars, vectors or matrices as elements, not structs; use one ndarray a member, or StructType.field"
        )
    shape = _check_shape(shape)
    return _make(class_named("ScalarNdarray"), _dtypes.dtype(dtype), shape, 1, 1, 0, _layout, needs_grad)


def matrix_ndarray(n, m, ndim, dtype, shape, needs_grad=False):
    name = "VectorNdarray" if ndim == 1 else "MatrixNdarray"
    return _make(class_named(name), _dtypes.dtype(dtype), _check_shape(shape), int(n), int(m), ndim, None, needs_grad)
