"""qd.tensor: one factory and one wrapper for both kinds of storage, fields and ndarrays.

`layout` names, for every level of storage from the outermost in, the index of the user that selects it. Indices and
shapes are the user's everywhere; only memory is permuted.
"""

import enum as _enum

from quadrants import _exceptions, _native
from quadrants._display import values as _values
from quadrants._language import annotations as _annotations
from quadrants._storage import field as _field, ndarray as _ndarray
from quadrants._trees import layout as _layout


class Backend(_enum.IntEnum):
    """What stores a tensor: a field or an ndarray.

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
    """The field or ndarray in a Tensor; anything else as it is."""
    return value._impl if isinstance(value, Tensor) else value


class Tensor(_values.Shown):
    """A field or an ndarray behind one interface. As the annotation of a kernel's parameter: either, or None.

    Args:
        impl: the field or ndarray.

    Attributes:
        shape: how many elements each axis has.
        dtype: type of the components.
        layout: the axes in the order of memory; None: the last varies fastest.

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
        """The order of storage, or None if it is that of the indices."""
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
        """Whether it has gradients."""
        return self._impl.has_grad()

    def has_dual(self):
        """Whether it has tangents."""
        return self._impl.has_dual()

    def __getitem__(self, key):
        return self._impl[key]

    def __setitem__(self, key, value):
        self._impl[key] = value

    def __iter__(self):
        raise NotImplementedError("Struct for is only available in Quadrants scope.")

    @_values.host_only
    def fill(self, value):
        """Every element becomes `value`.

        Args:
            value: a number; for vectors and matrices also one such.
        """
        self._impl.fill(value)

    @_values.host_only
    def copy_from(self, other):
        """Copies the values of another tensor.

        Args:
            other: of the same shape.
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
        """The values as a NumPy array.

        Args:
            dtype: a NumPy type to convert to; None: as it is.
            copy: True: a copy; False: a view of the memory; None: a view if there can be one.
        """
        return self._impl.to_numpy(dtype=dtype, copy=copy)

    @_values.host_only
    def from_numpy(self, arr):
        """Takes the values of a NumPy array.

        Args:
            arr: of the shape of the tensor.
        """
        self._impl.from_numpy(arr)

    @_values.host_only
    def to_torch(self, device=None, *, copy=True):
        """The values as a torch tensor.

        Args:
            device: where torch has it.
            copy: as of to_numpy.
        """
        return self._impl.to_torch(device=device, copy=copy)

    @_values.host_only
    def from_torch(self, arr):
        """Takes the values of a torch tensor.

        Args:
            arr: of the shape of the tensor.
        """
        self._impl.from_torch(arr)

    @_values.host_only
    def to_dlpack(self, versioned=False):
        """A DLPack capsule on the memory.

        Args:
            versioned: a capsule as of DLPack 1.0.
        """
        return self._impl.to_dlpack(versioned=versioned)

    def __dlpack__(self, **keywords):
        return self._impl.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self._impl.__dlpack_device__()

    def __array__(self, dtype=None, copy=None):
        return self.to_numpy(dtype=dtype, copy=copy is not False)

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
    """The Tensor of a field or ndarray.

    Args:
        impl: a field or an ndarray; a Tensor is given back as it is.

    Returns:
        A Tensor.

    Raises:
        TypeError: it is neither.

    Example:
        >>> qd.wrap(qd.ndarray(qd.f32, 3)).shape
        (3,)
    """
    if not _is_field(impl) and not _is_ndarray(impl):
        return Tensor(impl)  # says what it takes
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
    """Tags an ndarray with an order of storage: from now on the indices and the shape are those of the user, for which
    level k of the memory is index layout[k]. The levels of a field are named when it is made: there, a check."""
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
    """A tensor of scalars, vectors or matrices in a field or in an ndarray: the program does not say which until here.

    Args:
        dtype: a number type, or a vector or matrix type.
        shape: an integer or a tuple of them.
        backend: `qd.Backend.NDARRAY` or `qd.Backend.FIELD`.
        layout: the axes in the order of memory, as numbers; None: the last varies fastest.
        needs_grad: it has gradients.
        **keywords: further arguments of `qd.field` or `qd.ndarray`.

    Returns:
        A Tensor, VectorTensor or MatrixTensor.

    Raises:
        ValueError: a layout that is no permutation of the axes.

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
    """The letters of the indices, as fields take an order of storage."""
    return None if layout is None else "".join(chr(ord("i") + axis) for axis in layout)


def _compound(n, m, ndim, dtype, shape, backend, needs_grad, layout=None):
    if backend == Backend.NDARRAY:
        return wrap(_ndarray.matrix_ndarray(n, m, ndim, dtype, shape, needs_grad, layout))
    return wrap(_field.matrix_field(n, m, ndim, dtype, shape, order=_order_of(layout), needs_grad=needs_grad))


def compound_tensor(name, n, m, ndim, dtype, shape, backend=Backend.NDARRAY, needs_grad=False, **keywords):
    """qd.Vector.tensor and qd.Matrix.tensor."""
    accepted = ("backend", "dtype", "needs_grad", "shape")
    _check_keywords(name, keywords, accepted, "the order of storage of scalars is layout= of qd.tensor(...)")
    return _compound(n, m, ndim, dtype, shape, _check_backend(backend), needs_grad)


_native.when_core_loads(lambda core: core.set_tensor_class(Tensor))
