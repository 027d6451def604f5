"""Interoperability with other libraries: zero-copy views for NumPy, torch tensors, DLPack capsules, for both ndarrays and fields.

An exporting class has a method `_storage()`, which returns (address, shape, strides in bytes) of its memory with the indices in the user's
order, followed by the components of vectors and matrices, or raises ValueError if its memory is not a strided array; and `_memory()`, which
returns an object that keeps the memory alive.
"""

from quadrants import _dtypes, _environment, _exceptions, _native

_ZERO_COPY = {"i32", "i64", "f32", "f64", "u1"}


def torch():
    """Imports torch; raises ModuleNotFoundError if it is not installed or disabled."""
    if not _environment.value("enable_torch"):
        raise ModuleNotFoundError("No module named 'torch' (QD_ENABLE_TORCH=0)")
    import torch

    return torch


class _Memory:
    """Gives NumPy access to memory that it does not own; keeps the owner and the program alive."""

    def __init__(self, owner, interface):
        self.__array_interface__ = interface
        self._kept = (owner, _native.core().hold_program())


def _storage_of(array):
    """Returns `array._storage()` after checking that zero-copy access is supported."""
    if array.dtype.name not in _ZERO_COPY:
        raise ValueError(f"Zero-copy not available for dtype={array.dtype}")
    return array._storage()


def view(array):
    """Returns a NumPy array on the memory of an ndarray or field; raises ValueError if that is not possible."""
    return _view(array, *_storage_of(array))


def printed(array, copied):
    """Returns the text of an array in NumPy's format. NumPy prints only the edges of a large array, so its memory is viewed instead of
    copied."""
    try:
        return str(_view(array, *array._storage()))
    except ValueError:
        return str(copied())


def _view(array, address, shape, strides):
    import numpy as np

    kind = _dtypes.numpy_dtype(array.dtype)
    interface = {"version": 3, "data": (address, False), "shape": shape, "strides": strides, "typestr": kind.str}
    return np.asarray(_Memory(array._memory(), interface))


def to_numpy(array, copied, dtype, copy):
    """Implements to_numpy. `copied()` returns a new NumPy array. copy=True: that array; None: a view if possible; False: a view, or
    ValueError."""
    import numpy as np

    if isinstance(dtype, _dtypes.DType):
        dtype = _dtypes.numpy_dtype(dtype)
    wanted = None if dtype is None else np.dtype(dtype)
    same = wanted is None or wanted == _dtypes.numpy_dtype(array.dtype)
    if copy is None or copy is False:
        try:
            if not same:
                raise ValueError(f"Zero-copy not available: the array has dtype={array.dtype}, but {wanted} was requested")
            return view(array)
        except ValueError as error:
            if copy is False:
                raise ValueError(f"{error} (copy=False)") from None
    out = copied()
    return out if same else out.astype(wanted)


def to_torch(array, copied, device, copy):
    t = torch()
    elsewhere = device is not None and t.device(device).type != "cpu"
    if copy is False and elsewhere:
        raise ValueError(f"copy=False is incompatible with device transfer to {device}")
    made = t.from_numpy(to_numpy(array, copied, None, True if elsewhere else copy))
    return made.to(device) if elsewhere else made


def from_torch(array, tensor):
    array.from_numpy(tensor.detach().cpu().contiguous().numpy())


def dlpack(array, versioned=False):
    """Returns a DLPack capsule of an ndarray or field."""
    address, shape, strides = array._storage()
    size = _dtypes.numpy_dtype(array.dtype).itemsize
    return _native.core().dlpack_export(
        array._memory(), address, shape, tuple(s // size for s in strides), array.dtype._qd_scalar_, versioned
    )


def dlpack_protocol(array, stream=None, max_version=None, dl_device=None, copy=None):
    """Implements `__dlpack__`; raises BufferError if an export is not possible."""
    if not _native.core().host_visible():
        raise BufferError("the memory of this arch cannot be reached by the host; use to_numpy()")
    if dl_device is not None and dl_device[0] != 1:
        raise BufferError("the memory is the host's; it cannot be exported to another device")
    if copy:
        raise BufferError("an export is never a copy; use to_numpy()")
    try:
        return dlpack(array, versioned=max_version is not None and max_version[0] >= 1)
    except ValueError as error:
        raise BufferError(str(error)) from None


def dlpack_device():
    """Implements `__dlpack_device__`: kDLCPU, or kDLExtDev for memory that the host cannot access."""
    return (1, 0) if _native.core().host_visible() else (12, 0)


def report_losses(array, dtype):
    """Warns if integers of a NumPy array would change their value in memory of another type. Real numbers are rounded as in NumPy."""
    import numpy as np

    to = np.dtype(_dtypes.numpy_dtype(dtype))
    if to.kind not in "iu" or array.dtype.kind not in "iuf" or np.can_cast(array.dtype, to):
        return
    with np.errstate(invalid="ignore"):
        differs = array.astype(to) != array
        if differs.any():
            value = array[differs].flat[0]
            _exceptions.warn_caller(f"from_numpy: {value} becomes {value.astype(to)} in {dtype}; the array has dtype={array.dtype}")


def contiguous_strides(shape, size):
    strides = []
    for extent in reversed(shape):
        strides.append(size)
        size *= extent
    return tuple(reversed(strides))


def no_storage(array):
    return ValueError(f"Zero-copy not available for {array!r}: its elements are not laid out as one array")


def out_of_reach():
    return ValueError("Zero-copy not available: the memory of this arch cannot be reached by the host")


def check_needs_grad(dtype, what):
    if not _dtypes.is_real(dtype):
        raise _exceptions.QuadrantsRuntimeError(
            f"{dtype} is not supported for {what} with `needs_grad=True` or `needs_dual=True`."
        )
