"""qd.ndarray: contiguous arrays on the device, whose elements can be read and written from Python."""

from quadrants import _dtypes, _exceptions, _native
from quadrants._display import values as _values
from quadrants._language import annotations as _annotations, kernel as _kernel, matrix as _matrix
from quadrants._storage import interop as _interop, sized as _sized
from quadrants._trees import layout as _layout
from quadrants._factories import make as _make_of
from quadrants._factories import makes as _makes

_Storage = None
_MOST = 0x7FFFFFFF  # indices are i32


def _check_shape(shape):
    try:
        valid = _layout.extents(shape)
    except TypeError:
        valid = (0,)
    if not all(0 < n <= _MOST for n in valid):
        shape = shape if isinstance(shape, (tuple, list)) else (shape,)
        raise _exceptions.QuadrantsRuntimeError(f"{shape} is not a valid shape for ndarray")
    elements = 1
    for n in valid:
        elements *= n
    if elements > _MOST:
        _exceptions.warn_caller("Ndarray index might be out of int32 boundary but int64 indexing is not supported yet.")
    return valid


def _classes():
    """Returns the array classes. They are made when the core is loaded, because they derive from its storage class."""
    global _Storage
    core = _native.core()
    _Storage = core.NdarrayStorage

    class Ndarray(core.NdarrayStorage, _sized.Array, _values.Shown):
        """Contiguous array of scalars, vectors or matrices. In Python `x[i, j]` reads and writes one element; NumPy and torch access the
        memory through `__array__` and DLPack.

        Attributes:
            shape: number of elements along each axis.
            dtype: type of the components.
            element_shape: `()` for scalars, (n,) for vectors, (n, m) for matrices.
            layout: the axes in storage order; None: the order of the indices.
            grad: the array of gradients, or None.
            dual: None, since arrays have no tangents.

        Example:
            >>> x = qd.Vector.ndarray(2, qd.f32, shape=3)
            >>> x[0] = [1.0, 2.0]
            >>> (x.shape, x.element_shape, len(x), x[0])
            ((3,), (2,), 3, [1. 2.])
        """

        _qd_kind_ = "ndarray"

        def _tag_storage(self, layout):
            """Reinterprets the memory with another order of indices; see tensor._with_layout."""
            order = () if layout is None else _layout.permutation(layout, len(self._physical_shape))
            self._tag(order)
            if self.grad is not None:
                self.grad._tag(order)
            _kernel.forget_frozen()

        _qd_layout = property(core.NdarrayStorage._qd_layout.__get__, _tag_storage)

        @property
        def layout(self):
            """The storage order if it is not that of the indices: for each level, outermost first, its index."""
            return _layout.unless_in_order(self._qd_layout)

        def __getattr__(self, name):
            """Finds attributes of instances that the class does not define."""
            find = _OF_INSTANCES.get(name)
            return _sized.attribute(self, name) if find is None else find(self)

        def _live_shape(self):
            self._address  # raises if the program has ended
            return self.shape

        def has_grad(self):
            """Returns whether the array has gradients."""
            return self.grad is not None

        def has_dual(self):
            """Returns False: arrays have no tangents."""
            return self.dual is not None

        @property
        def element_shape(self):
            return self._element_shape

        def get_type(self):
            """Returns the description of the elements: dtype, element shape and layout."""
            return _array_type(self)

        @_values.host_only
        def fill(self, val):
            """Sets all elements to `val`.

            Args:
                val: a number; for arrays of vectors and matrices, also a vector or matrix.
            """
            flat = _matrix.flatten(val)
            if len(flat) == 1:
                flat = flat * self._components
            if _kernel.recorder() is not None:
                _kernel.recorder().filled(self, val)
            self._fill(tuple(flat))

        @_values.host_only
        def copy_from(self, other):
            """Copies the values of another ndarray.

            Args:
                other: an ndarray with the same shape and element type.
            """
            if not isinstance(other, Ndarray):
                raise TypeError(f"copy_from takes an ndarray, not {type(other).__name__}")
            if other._live_shape() != self._live_shape() or other._element_shape != self._element_shape:
                raise AssertionError(f"copy_from shape mismatch: destination {self.shape} vs source {other.shape}")
            if _kernel.recorder() is not None:
                _kernel.recorder().copied(self, other)
            if other.dtype != self.dtype or other._qd_layout != self._qd_layout:
                self._from_numpy(other._to_numpy().astype(_dtypes.numpy_dtype(self.dtype)))
            else:
                self._copy_from_ndarray(other)

        @_values.host_only
        def to_dlpack(self, versioned=False):
            """Returns a DLPack capsule for the memory of the array.

            Args:
                versioned: whether to make a capsule of DLPack 1.0.
            """
            return _interop.dlpack(self, versioned)

        def __dlpack__(self, **keywords):
            return _interop.dlpack_protocol(self, **keywords)

        def __dlpack_device__(self):
            return _interop.dlpack_device()

        def _storage(self):
            if not _native.core().host_visible():
                raise _interop.out_of_reach()
            shape = self._physical_shape + self._element_shape
            strides = _interop.contiguous_strides(shape, _dtypes.size(self.dtype))
            axes = self._axes()
            return self._address, tuple(shape[a] for a in axes), tuple(strides[a] for a in axes)

        def _memory(self):
            return self

        def _axes(self):
            """Returns the storage axis of each user index, followed by those of the element indices."""
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
            shape = self._live_shape() + self._element_shape
            if array.shape != shape:
                raise ValueError(f"Mismatched shape: the ndarray has {shape}, the numpy array {array.shape}")
            if self._qd_layout is not None:
                array = array.transpose(self._qd_layout)
            self._copy_from_buffer(np.ascontiguousarray(array, _dtypes.numpy_dtype(self.dtype)))

        def __deepcopy__(self, memo=None):
            made = _make(type(self), self.dtype, self._live_shape(), *self._description())
            made._copy_from_ndarray(self)
            if self.grad is not None:
                made.grad._copy_from_ndarray(self.grad)
            return made

        def _get_element_size(self):
            """Returns the size of an element in bytes."""
            return _dtypes.numpy_dtype(self.dtype).itemsize * self._components

        def _get_nelement(self):
            """Returns the number of elements."""
            count = 1
            for extent in self._physical_shape:
                count *= extent
            return count

        def _description(self):
            return self._rows, self._cols, len(self._element_shape), self._qd_layout, self.grad is not None

        __copy__ = None

        def __reduce_ex__(self, protocol):
            arrays = (None if array is None else array._pickled(protocol) for array in (self, self.grad))
            return _rebuild, (type(self).__name__, self.dtype, self._live_shape(), self._description(), *arrays)

        def _pickled(self, protocol):
            """Returns the values as a NumPy array; for protocols with buffers outside of the pickle, a view of the memory."""
            try:
                return self._to_numpy() if protocol < 5 else _interop.view(self)
            except ValueError:
                return self._to_numpy()

        def __repr__(self):
            if not self._alive:
                return f"<qd.{type(self).__name__} of an ended program>"
            return f"<{_describe(self)} {_interop.printed(self, self._to_numpy)}>"

    del Ndarray.__copy__

    class _Converting(Ndarray):
        @_values.host_only
        def from_numpy(self, arr):
            """Sets the values from a NumPy array. Numbers are converted to the type of the array, with a warning if integers change their
            value.

            Args:
                arr: an array with the same shape; for vectors and matrices, followed by their axes.

            Raises:
                ValueError: the shapes differ.
            """
            import numpy as np

            arr = np.asarray(arr)
            _interop.report_losses(arr, self.dtype)
            self._from_numpy(arr)
            if _kernel.recorder() is not None:
                _kernel.recorder().loaded(self, self._to_numpy())

        @_values.host_only
        def to_numpy(self, dtype=None, *, copy=True):
            """Returns the values as a NumPy array.

            Args:
                dtype: the NumPy type to convert to; None: no conversion.
                copy: if True, return a copy; if False, a view of the memory, or raise an error; if None, a view if possible.
            """
            return _interop.to_numpy(self, self._to_numpy, dtype, copy)

        def __array__(self, dtype=None, copy=None):
            return self.to_numpy(dtype=dtype, copy=copy is not False)

        def __bytes__(self):
            return self.to_numpy().tobytes()

        def __iter__(self):
            shape = self._live_shape()
            if len(shape) != 1:
                raise TypeError(f"a {len(shape)}d ndarray cannot be iterated over; use to_numpy()")
            return (self[i] for i in range(shape[0]))

        @_values.host_only
        def from_torch(self, arr):
            """Sets the values from a torch tensor.

            Args:
                arr: a tensor with the shape that `from_numpy` expects.
            """
            _interop.from_torch(self, arr)

        @_values.host_only
        def to_torch(self, device=None, *, copy=True):
            """Returns the values as a torch tensor.

            Args:
                device: the torch device; None: the device of the array.
                copy: as for `to_numpy`.
            """
            return _interop.to_torch(self, self._to_numpy, device, copy)

    class ScalarNdarray(_Converting):
        """An array of scalars, made by `qd.ndarray(qd.f32, shape)`.

        Args:
            dtype: type of the elements.
            arr_shape: a tuple of integers.

        Example:
            >>> import numpy as np
            >>> x = qd.ScalarNdarray(qd.i32, (2,))
            >>> x.from_numpy(np.array([1, 2], dtype=np.int32))
            >>> x.to_numpy()
            array([1, 2], dtype=int32)
        """

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
        """An array of vectors, made by `qd.Vector.ndarray`.

        Args:
            n: number of components.
            dtype: type of the components.
            shape: a tuple of integers.

        Example:
            >>> qd.VectorNdarray(3, qd.f32, (2,)).to_numpy().shape
            (2, 3)
        """

        def __init__(self, n, dtype, shape):
            _set_up(self, _dtypes.dtype(dtype), _check_shape(shape), int(n), 1, 1)

    class MatrixNdarray(_Elements):
        """An array of matrices, made by `qd.Matrix.ndarray`.

        Args:
            n: number of rows.
            m: number of columns.
            dtype: type of the components.
            shape: a tuple of integers.

        Example:
            >>> qd.MatrixNdarray(2, 3, qd.f32, (4,)).to_numpy().shape
            (4, 2, 3)
        """

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


def element_type(array):
    """Returns the DType of an array of scalars, or the MatrixType of an array of vectors or matrices."""
    dim = len(array._element_shape)
    return array.dtype if dim == 0 else _annotations.MatrixType(array._rows, array._cols, dim, array.dtype)


def _array_type(array):
    return _annotations.NdarrayType(dtype=element_type(array), ndim=len(array._physical_shape))


class Storage:
    """The memory of an ndarray, `x.arr`."""

    def __init__(self, array):
        self._array = array

    def device_allocation_ptr(self):
        """Returns the address as an integer."""
        return self._array._address

    @property
    def shape(self):
        return self._array._physical_shape

    def total_shape(self):
        """Returns the shape of the array in storage order, followed by that of its elements."""
        return [*self._array._physical_shape, *self._array._element_shape]

    def element_shape(self):
        return list(self._array._element_shape)

    def __eq__(self, other):
        return isinstance(other, Storage) and self._array is other._array

    def __hash__(self):
        return hash((Storage, id(self._array)))


def _extent(name, least_rank):
    def find(array):
        if len(array._element_shape) < least_rank:
            raise AttributeError(f"{type(array).__name__!r} object has no attribute {name!r}")
        return array._rows if name == "n" else array._cols

    return find


_OF_INSTANCES = {
    "n": _extent("n", 1),
    "m": _extent("m", 2),
    "element_type": element_type,
    "arr": lambda array: Storage(array) if array._alive else None,
}


def _describe(array):
    element = f"{array._element_shape} " if array._element_shape else ""
    return f"qd.{type(array).__name__} {array.shape} {element}{array.dtype}"


def _slice(array, key):
    return _make_of("slice of an array", array, key)


def _make(cls, dtype, shape, rows, cols, element_dim, layout=None, needs_grad=False):
    if needs_grad and element_dim and not _dtypes.is_real(dtype):
        kind = "Vector" if element_dim == 1 else "Matrix"
        raise _exceptions.QuadrantsRuntimeError(
            f"{dtype} is not supported for {kind}.ndarray with needs_grad=True; element dtype must be real (floating-point)."
        )
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
    """Makes an array in one contiguous block of memory, filled with zeros. Kernels take it as an argument: `x: qd.types.NDArray[qd.f32,
    2]`.

    Args:
        dtype: a number, vector or matrix type.
        shape: an integer or a tuple of integers.
        needs_grad: whether to allocate gradients, as the array `grad` of the same shape.

    Returns:
        A ScalarNdarray, VectorNdarray or MatrixNdarray.

    Raises:
        QuadrantsRuntimeError: no program is running, or the shape is not valid for an array. QuadrantsTypeError: the type is not valid for
        an array.

    Example:
        >>> x = qd.ndarray(qd.i32, shape=3)
        >>> x.fill(2)
        >>> x.to_numpy()
        array([2, 2, 2], dtype=int32)
    """
    kind = getattr(dtype, "_qd_kind_", None)
    if kind == "matrix_type":
        return matrix_ndarray(dtype.n, dtype.m, dtype.ndim, dtype.stored(), shape, needs_grad)
    if kind == "struct_type":
        raise _exceptions.QuadrantsRuntimeError(
            "the elements of an ndarray are scalars, vectors or matrices, not structs; use one ndarray per member, or StructType.field"
        )
    shape = _check_shape(shape)
    return _make(class_named("ScalarNdarray"), _dtypes.dtype(dtype), shape, 1, 1, 0, _layout, needs_grad)


@_makes("array of matrices")
def matrix_ndarray(n, m, ndim, dtype, shape, needs_grad=False, layout=None):
    name = "VectorNdarray" if ndim == 1 else "MatrixNdarray"
    return _make(class_named(name), _dtypes.dtype(dtype), _check_shape(shape), int(n), int(m), ndim, layout, needs_grad)
