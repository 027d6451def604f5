"""Arrays as arguments of kernels and funcs."""

from quadrants import _dtypes, _exceptions
from quadrants._language import annotations as _annotations
from quadrants._language.annotations import kind_word
from quadrants._python_backend import storage


def argument(annotation, value, position, name):
    """Returns the value of an array parameter, or of one that accepts any argument, for the argument `value`."""
    if annotation._qd_kind_ == "buffer_view_type":
        view = storage.storage_of(value)
        view.clamp = getattr(annotation, "boundary", None) == "clamp"
        return view
    if annotation._qd_kind_ != "ndarray_type":
        storage.arguments[id(value)] = position, name
        return value
    if kind_word(value) is None:
        if not hasattr(value, "__array_interface__"):
            raise _exceptions.QuadrantsRuntimeTypeError(
                f"Argument {position} is a {type(value).__name__}; on qd.python arrays are numpy arrays and ndarrays"
            )
        value = storage.NumpyArray(value, annotation() if isinstance(annotation, type) else annotation)
    elif getattr(annotation, "boundary", None) == "clamp":
        value = storage.ClampedArray(value)
    storage.arguments[id(value)] = position, name
    return value


def check_passed(annotation, value, name):
    """Checks an array that a kernel passes to a func."""
    found = storage.storage_of(value)
    if found is None or kind_word(value) == "field":
        raise _exceptions.QuadrantsTypeError(f"Expected ndarray in the kernel argument for argument {name}")
    ndim, dim = len(found.shape), annotation.element_dim
    if annotation.ndim is not None and annotation.ndim != ndim:
        raise _exceptions.QuadrantsCompilationError(
            f"Invalid value for argument {name} - required ndim={annotation.ndim}, but {ndim}d ndarray is provided"
        )
    element = tuple(found.element)
    if dim is None:
        return
    scalar = found.kind if annotation.scalar is None else _dtypes.dtype(annotation.scalar)
    needed = (annotation.rows, annotation.cols)[:dim]
    suits = len(element) == dim and all(n in (0, given) for n, given in zip(needed, element))  # 0: any
    if scalar is found.kind and suits:
        return
    given = _element_text(found.kind, element)
    if dim == 0:
        raise _exceptions.QuadrantsTypeError(f"Expect element type {scalar} for argument {name}, but get {given}")
    required = _annotations.MatrixType(annotation.rows, annotation.cols, dim, scalar)
    raise _exceptions.QuadrantsCompilationError(
        f"Invalid value for argument {name} - required element type: {required}, but {given} is provided"
    )


def _element_text(scalar, shape):
    return f"[Tensor ({', '.join(map(str, shape))}) {scalar}]" if shape else str(scalar)
