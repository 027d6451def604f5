"""qd.BufferView: a contiguous range of a 1-dimensional ndarray, passed to kernels without a copy."""

import operator as _operator

from quadrants import _dtypes, _native
from quadrants._language import annotations as _annotations
from quadrants._storage import tensor as _tensor


class BufferViewType(_annotations._Annotation):
    """Annotation of a parameter that takes a BufferView: `qd.BufferView[qd.f32]`.

    Args:
        dtype: type of the elements; None: any.
        boundary: as for `qd.types.ndarray`.

    Attributes:
        element: the type of the elements.

    Example:
        See `qd.BufferView`.
    """

    _qd_kind_ = "buffer_view_type"

    def __init__(self, dtype=None, boundary="unsafe"):
        if boundary not in ("unsafe", "clamp"):
            raise ValueError(f"boundary={boundary!r}: choose 'unsafe' or 'clamp'")
        self.boundary = boundary
        self.dtype = dtype

    @property
    def element(self):
        """Returns (scalar code or 0, rows, columns, element_dim)."""
        if self.dtype is None:
            return 0, 1, 1, 0
        if isinstance(self.dtype, _annotations.MatrixType):
            return self.dtype.stored_code(), self.dtype.n, self.dtype.m, self.dtype.ndim
        return _dtypes.scalar_code(self.dtype), 1, 1, 0

    def __call__(self):
        raise TypeError("a BufferView type is an annotation; make views with qd.BufferView(array, offset, size)")

    def __repr__(self):
        return f"BufferViewType(dtype={self.dtype})"


class BufferView:
    """A view of `size` elements of an array starting at `offset`, passed to kernels as one argument; `view[i]` is element offset + i.

    Args:
        arr: an ndarray with one axis.
        offset: the index of the first element.
        size: the number of elements.

    Attributes:
        shape: (size,).
        element: type of the elements.
        boundary: treatment of an index out of bounds, as for `qd.types.ndarray`.

    Raises:
        ValueError: the range is not within the array.

    Example:
        >>> x = qd.ndarray(qd.i32, 8)
        >>> view = qd.BufferView(x, 2, 4)
        >>> @qd.kernel
        ... def fill(v: qd.BufferView[qd.i32]):
        ...     for i in range(v.shape[0]):
        ...         v[i] = 1
        >>> fill(view)
        >>> x.to_numpy()
        array([0, 0, 1, 1, 1, 1, 0, 0], dtype=int32)
    """

    _qd_name_ = "BufferView"

    def __init__(self, arr, offset, size):
        arr = _tensor.unwrap(arr)
        if getattr(arr, "_qd_kind_", None) != "ndarray":
            raise TypeError(f"BufferView takes an ndarray, got {type(arr).__name__}")
        if len(arr._live_shape()) != 1:
            raise TypeError(f"BufferView requires a 1D ndarray, got shape {arr.shape}")
        if arr.grad is not None:
            raise TypeError("BufferView does not support ndarrays with gradients (needs_grad=True)")
        offset, size = _operator.index(offset), _operator.index(size)
        if offset < 0 or size < 0 or offset + size > arr.shape[0]:
            raise ValueError(f"BufferView out of range: offset={offset}, size={size}, ndarray length={arr.shape[0]}")
        self.arr = arr
        self.offset = offset
        self.size = size

    def __class_getitem__(cls, dtype):
        return BufferViewType(dtype)

    @property
    def shape(self):
        return (self.size,)

    def get_ndarray(self):
        """Returns the viewed array."""
        return self.arr

    def subview(self, offset, size):
        """Returns a view of a part of this view.

        Args:
            offset: the index of the first element in this view.
            size: the number of elements.
        """
        if offset < 0 or size < 0 or offset + size > self.size:
            raise ValueError(f"subview out of range: offset={offset}, size={size}, BufferView size={self.size}")
        return BufferView(self.arr, self.offset + offset, size)

    def __getitem__(self, key):
        if not isinstance(key, slice):
            raise TypeError(f"BufferView host-side indexing requires a slice, got {type(key).__name__}")
        first, last = bounds(key, self.size)
        return self.subview(first, last - first)

    def __repr__(self):
        return f"<qd.BufferView offset={self.offset} size={self.size} of {self.arr.dtype}>"


def bounds(key, length):
    """Returns the first and one past the last index of a slice with step 1."""
    if key.step not in (None, 1):
        raise ValueError(f"BufferView slice requires step=1, got step={key.step}")
    first, last, _ = key.indices(length)
    return first, max(first, last)


def slice_of(array, key):
    """Returns `array[first:last]` of an ndarray."""
    if len(array._live_shape()) != 1:
        raise TypeError(f"ndarray slice to BufferView requires a 1D array, got shape {array.shape}")
    first, last = bounds(key, array.shape[0])
    return BufferView(array, first, last - first)


BufferView._qd_kind_ = "buffer_view_type"  # the class itself is an annotation, too, for elements of any type
BufferView.element = (0, 1, 1, 0)
BufferView.boundary = "unsafe"
BufferView.dtype = None
_native.when_core_loads(lambda core: core.set_buffer_view_class(BufferView))
