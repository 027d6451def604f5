"""qd.tensor: one factory and one wrapper for both kinds of storage, fields and ndarrays.

`layout` gives, for each level of storage from the outermost inwards, the user index that selects it. Indices and shapes are always in the
user's order; only the memory is permuted.
"""

import enum as _enum

from quadrants import _exceptions, _native
from quadrants._display import values as _values
from quadrants._language import annotations as _annotations
from quadrants._storage import field as _field, ndarray as _ndarray, sized as _sized
from quadrants._trees import layout as _layout


class Backend(_enum.IntEnum):
    """The storage of a tensor: a field or an ndarray.

    Example:
        >>> qd.Backend.FIELD.name
        'FIELD'
    """

    FIELD = 0
    NDARRAY = 1


Backend.__module__ = "quadrants"


def _is_field(impl):
    return isinstance(impl, _field.Field)


def _is_ndarray(impl):
    return getattr(impl, "_qd_kind_", None) == "ndarray"


def unwrap(value):
    """Returns the field or ndarray of a Tensor; returns any other value unchanged."""
    return value._impl if isinstance(value, Tensor) else value


class Tensor(_sized.Array, _values.Shown):
    """A field or an ndarray behind one interface. As the annotation of a kernel parameter it accepts either of them, or None.

    Args:
        impl: the field or ndarray.

    Attributes:
        shape: number of elements along each axis.
        ndim: number of axes.
        size: number of elements; a vector or a matrix is one.
        dtype: type of the components.
        layout: memory order of the axes; None: the last index varies fastest.

    Example:
        >>> t = qd.tensor(qd.f32, shape=3)
        >>> @qd.kernel
        ... def fill(x: qd.Tensor, v: qd.f32):
        ...     for i in x:
        ...         x[i] = v
        >>> fill(t, 2.0)
        >>> t.to_numpy()
        array([2., 2., 2.], dtype=float32)
    """

    _qd_kind_ = "tensor"
    __slots__ = ("_impl", "_grad", "__weakref__")

    def __init__(self, impl):
        if not _is_field(impl) and not _is_ndarray(impl):
            raise TypeError(f"Tensor(impl) requires an Ndarray or Field; got {type(impl).__name__}")
        self._impl = impl
        self._grad = None

    def _unwrap(self):
        return self._impl

    @property
    def _backend_enum(self):
        return Backend.FIELD if _is_field(self._impl) else Backend.NDARRAY

    @property
    def shape(self):
        return self._impl.shape

    @property
    def dtype(self):
        return self._impl.dtype

    @property
    def layout(self):
        """The storage order, or None if it is the order of the indices."""
        return self._impl.layout

    @property
    def grad(self):
        """The Tensor of the gradients, or None."""
        inner = self._impl.grad if self.has_grad() else None
        if inner is None:
            return None
        if self._grad is None or self._grad._impl is not inner:
            self._grad = wrap(inner)
        return self._grad

    def has_grad(self):
        """Returns whether the tensor has gradients."""
        return self._impl.has_grad()

    def has_dual(self):
        """Returns whether the tensor has tangents."""
        return self._impl.has_dual()

    def __getitem__(self, key):
        return self._impl[key]

    def __setitem__(self, key, value):
        self._impl[key] = value

    def __iter__(self):
        raise NotImplementedError("Struct for is only available in Quadrants scope. In Python, loop over x.to_numpy().")

    @_values.host_only
    def fill(self, value):
        """Sets all elements to `value`.

        Args:
            value: a number; for tensors of vectors and matrices, also a vector or matrix.
        """
        self._impl.fill(value)

    @_values.host_only
    def copy_from(self, other):
        """Copies the values of another tensor.

        Args:
            other: a tensor with the same shape.
        """
        other = unwrap(other)
        if type(other) is type(self._impl) or _is_field(other) == _is_field(self._impl):
            self._impl.copy_from(other)
        else:
            own, given = (tuple(_layout.shape_of(storage)) for storage in (self._impl, other))
            if given != own:
                raise AssertionError(f"copy_from shape mismatch: destination {own} vs source {given}")
            self._impl.from_numpy(other.to_numpy())

    @_values.host_only
    def to_numpy(self, dtype=None, *, copy=True):
        """Returns the values as a NumPy array.

        Args:
            dtype: the NumPy type to convert to; None: no conversion.
            copy: if True, return a copy; if False, a view of the memory, or raise an error; if None, a view if possible.
        """
        return self._impl.to_numpy(dtype=dtype, copy=copy)

    @_values.host_only
    def from_numpy(self, arr):
        """Sets the values from a NumPy array.

        Args:
            arr: an array with the shape of the tensor.
        """
        self._impl.from_numpy(arr)

    @_values.host_only
    def to_torch(self, device=None, *, copy=True):
        """Returns the values as a torch tensor.

        Args:
            device: the torch device; None: the device of the tensor.
            copy: as for `to_numpy`.
        """
        return self._impl.to_torch(device=device, copy=copy)

    @_values.host_only
    def from_torch(self, arr):
        """Sets the values from a torch tensor.

        Args:
            arr: a torch tensor with the shape of this tensor.
        """
        self._impl.from_torch(arr)

    @_values.host_only
    def to_dlpack(self, versioned=False):
        """Returns a DLPack capsule for the memory.

        Args:
            versioned: whether to make a capsule of DLPack 1.0.
        """
        return self._impl.to_dlpack(versioned=versioned)

    def __dlpack__(self, **keywords):
        return self._impl.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self._impl.__dlpack_device__()

    def __array__(self, dtype=None, copy=None):
        return self.to_numpy(dtype=dtype, copy=copy is not False)

    def __bytes__(self):
        return self.to_numpy().tobytes()

    def _description(self):
        element = getattr(self._impl, "n", 0) if _is_field(self._impl) else self._impl._rows
        cols = getattr(self._impl, "m", 1) if _is_field(self._impl) else self._impl._cols
        compound = _compound_dims(self._impl)
        dtype = self.dtype if compound == 0 else _annotations.MatrixType(element, cols, compound, self.dtype)
        return dtype, tuple(_layout.shape_of(self._impl)), int(self._backend_enum), self.layout, self.has_grad()

    def __reduce__(self):
        gradient = self.grad.to_numpy() if self.has_grad() else None
        return _rebuild, (self._description(), self.to_numpy(), gradient)

    def __copy__(self):
        return type(self)(self._impl)

    def __deepcopy__(self, memo):
        make, arguments = self.__reduce__()
        return make(*arguments)

    def __repr__(self):
        layout = f", layout={self.layout}" if self.layout is not None else ""
        return f"Tensor(shape={self.shape}, dtype={self.dtype}, backend={self._backend_enum.name}{layout})"


class VectorTensor(Tensor):
    """A tensor of vectors.

    Attributes:
        element_shape: (n,).

    Example:
        >>> qd.Vector.tensor(3, qd.f32, shape=2).element_shape
        (3,)
    """

    __slots__ = ()
    element_shape = property(lambda self: _element_shape(self._impl))


class MatrixTensor(Tensor):
    """A tensor of matrices.

    Attributes:
        element_shape: (n, m).

    Example:
        >>> qd.Matrix.tensor(2, 2, qd.f32, shape=2).element_shape
        (2, 2)
    """

    __slots__ = ()
    element_shape = property(lambda self: _element_shape(self._impl))


for _cls in (Tensor, VectorTensor, MatrixTensor):
    _cls.__module__ = "quadrants"


def _element_shape(impl):
    return impl._element_shape() if _is_field(impl) else impl._element_shape


def _compound_dims(impl):
    return len(_element_shape(impl))


def wrap(impl):
    """Returns the Tensor of a field or ndarray.

    Args:
        impl: a field or an ndarray; a Tensor is returned unchanged.

    Returns:
        A Tensor.

    Raises:
        TypeError: `impl` is neither.

    Example:
        >>> qd.wrap(qd.ndarray(qd.f32, 3)).shape
        (3,)
    """
    if not _is_field(impl) and not _is_ndarray(impl):
        return Tensor(impl)  # raises an error that names the accepted types
    return (Tensor, VectorTensor, MatrixTensor)[_compound_dims(impl)](impl)


def _rebuild(description, values, gradient):
    dtype, shape, backend, layout, needs_grad = description
    if isinstance(dtype, _annotations.MatrixType):
        made = _compound(dtype.n, dtype.m, dtype.ndim, dtype.dtype, shape, backend, needs_grad, layout)
    else:
        made = tensor(dtype, shape, backend=Backend(backend), layout=layout, needs_grad=needs_grad)
    made.from_numpy(values)
    if gradient is not None:
        made.grad.from_numpy(gradient)
    return made


def _check_backend(backend):
    try:
        return Backend(backend)
    except ValueError:
        names = ", ".join(f"qd.Backend.{b.name}" for b in Backend)
        raise ValueError(f"backend={backend!r} is not a valid qd.Backend; expected one of {names}") from None


def _check_keywords(name, keywords, accepted, instead_of_order):
    if "order" in keywords:
        raise TypeError(f"{name}(...) does not accept order=; " + instead_of_order)
    if keywords:
        raise TypeError(f"{name}() got unexpected keyword argument(s) {sorted(keywords)}; accepted: {', '.join(accepted)}")


def _with_layout(impl, layout):
    """Sets the storage order of an ndarray: its indices and shape become those of the user, and level k of the memory is user index
    layout[k]. For a field the storage order is fixed at creation and is only checked here."""
    inner = unwrap(impl)
    if _is_ndarray(inner):
        inner._qd_layout = layout
        return impl
    layout = _layout.unless_in_order(_layout.permutation(layout, len(inner.shape)))
    if layout != inner.layout:
        raise _exceptions.QuadrantsRuntimeError(
            f"the field has layout {inner.layout}, not {layout}: make it with qd.tensor(..., layout={layout})"
        )
    return impl


def tensor(dtype, shape, *, backend=Backend.NDARRAY, layout=None, needs_grad=False, **keywords):
    """Makes a tensor of scalars, vectors or matrices, stored in a field or an ndarray; all other code is independent of the choice.

    Args:
        dtype: a number, vector or matrix type.
        shape: an integer or a tuple of integers.
        backend: `qd.Backend.NDARRAY` or `qd.Backend.FIELD`.
        layout: memory order of the axes, as a tuple of numbers; None: the last index varies fastest.
        needs_grad: whether to allocate gradients.
        **keywords: further arguments of `qd.field` or `qd.ndarray`.

    Returns:
        A Tensor, VectorTensor or MatrixTensor.

    Raises:
        ValueError: the layout is not a permutation of the axes.

    Example:
        >>> t = qd.tensor(qd.f32, shape=(2, 2), backend=qd.Backend.NDARRAY)
        >>> t.shape
        (2, 2)
    """
    accepted = ("backend", "dtype", "layout", "needs_grad", "shape")
    _check_keywords("qd.tensor", keywords, accepted, "pass layout=(...) instead")
    backend = _check_backend(backend)
    shape = _layout.extents(shape)
    if isinstance(dtype, _annotations.MatrixType):
        if layout is not None:
            raise TypeError(
                "layout= is not supported with compound dtypes (vector/matrix). Use qd.Vector.tensor(...) or "
                "qd.Matrix.tensor(...) without layout= instead."
            )
        return _compound(dtype.n, dtype.m, dtype.ndim, dtype.stored(), shape, backend, needs_grad)
    if layout is not None:
        layout = _layout.unless_in_order(_layout.permutation(layout, len(shape)))
    if backend == Backend.NDARRAY:
        return wrap(_ndarray.ndarray(dtype, shape, needs_grad=needs_grad, _layout=layout))
    return wrap(_field.field(dtype, shape, order=_order_of(layout), needs_grad=needs_grad))


def _order_of(layout):
    """Returns the storage order as letters of the indices, the form in which fields accept it."""
    return None if layout is None else "".join(chr(ord("i") + axis) for axis in layout)


def _compound(n, m, ndim, dtype, shape, backend, needs_grad, layout=None):
    if backend == Backend.NDARRAY:
        return wrap(_ndarray.matrix_ndarray(n, m, ndim, dtype, shape, needs_grad, layout))
    return wrap(_field.matrix_field(n, m, ndim, dtype, shape, order=_order_of(layout), needs_grad=needs_grad))


def compound_tensor(name, n, m, ndim, dtype, shape, backend=Backend.NDARRAY, needs_grad=False, **keywords):
    """Implements qd.Vector.tensor and qd.Matrix.tensor."""
    accepted = ("backend", "dtype", "needs_grad", "shape")
    _check_keywords(name, keywords, accepted, "the order of storage of scalars is layout= of qd.tensor(...)")
    return _compound(n, m, ndim, dtype, shape, _check_backend(backend), needs_grad)


_native.when_core_loads(lambda core: core.set_tensor_class(Tensor))
