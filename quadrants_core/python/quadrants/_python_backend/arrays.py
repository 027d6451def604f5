"""Arrays as arguments: they are what the annotation asks for, or the error says what differs."""

from quadrants import _annotations, _buffer_view, _dtypes, _exceptions
from quadrants._python_backend import storage


def array_argument(annotation, value, name):
    """What an array parameter is for the argument `value`."""
    kind = getattr(value, "_qd_kind_", None)
    if annotation._qd_kind_ == "buffer_view_type":
        if not isinstance(value, _buffer_view.BufferView):
            raise _exceptions.QuadrantsRuntimeTypeError(f"Argument {name} expects a BufferView, got {type(value).__name__}")
        _check_view(annotation, value, name)
        return value
    if hasattr(value, "__array_interface__") and kind is None:
        _check_numpy(annotation, value, name)
        return storage.NumpyArray(value, annotation)
    if kind == "field" or not hasattr(value, "element_shape") or storage.storage_of(value) is None:
        raise _exceptions.QuadrantsRuntimeTypeError(f"Invalid type for argument {name}, got {value}")
    _check_ndarray(annotation, value, name)
    return value


def check_passed(annotation, value, name):
    """An array that a kernel passes on to a func."""
    found = storage.storage_of(value)
    if found is None or getattr(value, "_qd_kind_", None) == "field":
        raise _exceptions.QuadrantsTypeError(f"Expected ndarray in the kernel argument for argument {name}")
    ndim, dim = len(found.shape), annotation.element_dim
    if annotation.ndim is not None and annotation.ndim != ndim:
        raise _exceptions.QuadrantsCompilationError(
            f"Invalid value for argument {name} - required ndim={annotation.ndim}, but {ndim}d ndarray is provided"
        )
    element = tuple(found.element)
    if dim is None or annotation.scalar is None:
        return
    scalar, needed = _dtypes.dtype(annotation.scalar), (annotation.rows, annotation.cols)[:dim]
    if scalar is not found.kind or element != needed:
        wanted, given = _element_text(scalar, needed), _element_text(found.kind, element)
        raise _exceptions.QuadrantsTypeError(f"Expect element type {wanted} for argument {name}, but get {given}")


def _element_text(scalar, shape):
    return f"[Tensor ({', '.join(map(str, shape))}) {scalar}]" if shape else str(scalar)


def _refuse(name, what):
    raise ValueError(f"Invalid value for argument {name} - {what}")


def _wanted_element(annotation, scalar):
    dim = annotation.element_dim
    return scalar if not dim else _annotations.MatrixType(annotation.rows, annotation.cols, dim, scalar)


def _check_view(annotation, view, name):
    wanted, got = annotation.dtype, view.arr.get_type().dtype
    if wanted is not None and not isinstance(wanted, _annotations.MatrixType):
        wanted = _dtypes.dtype(wanted)
    if wanted is not None and wanted != got:
        raise _exceptions.QuadrantsTypeError(f"Expect element type {wanted} for argument {name}, but get {got}")


def _check_ndarray(annotation, array, name):
    element = tuple(array.element_shape)
    scalar = _dtypes.dtype(annotation.scalar) if annotation.scalar is not None else array.dtype
    dim = annotation.element_dim
    same = dim is None or element == (annotation.rows, annotation.cols)[:dim]
    if scalar is not array.dtype or not same:
        got = array.get_type().dtype
        _refuse(name, f"required element type: {_wanted_element(annotation, scalar)!r}, but {got!r} is provided")
    if annotation.ndim is not None and annotation.ndim != len(array.shape):
        shape = tuple(array.shape)
        _refuse(name, f"required ndim={annotation.ndim}, but {len(shape)}d ndarray with shape {shape} is provided")
    if annotation.needs_grad and array.grad is None:
        _refuse(name, "required needs_grad=True, but False is provided")


def _check_numpy(annotation, array, name):
    kind = _dtypes.from_numpy_dtype(array.dtype)
    wanted = _dtypes.dtype(annotation.scalar) if annotation.scalar is not None else None
    if kind is None or (wanted is not None and wanted is not kind):
        need = "a number type of the host's byte order" if wanted is None else wanted
        got = kind if kind is not None else repr(array.dtype)
        _refuse(name, f"required array has dtype={need}, array with dtype={got} is provided")
    dim = annotation.element_dim or 0
    if array.ndim < dim or (annotation.ndim is not None and array.ndim != annotation.ndim + dim):
        need = f"ndim={annotation.ndim}" if annotation.ndim is not None else "at most 12 dimensions,"
        element = f" element_dim={dim}" if dim else ""
        _refuse(name, f"required array has {need}{element}, array with {array.ndim} dimensions is provided")
    got, need = array.shape[array.ndim - dim :], (annotation.rows, annotation.cols)[:dim]
    if dim and got != need:
        _refuse(name, f"required element_shape={need}, array with element shape of {got} is provided")
    if not (array.flags.c_contiguous or array.flags.f_contiguous):
        raise ValueError(
            "Non contiguous numpy arrays are not supported, please call np.ascontiguousarray(arr) before passing it into "
            "quadrants kernels."
        )
