"""Arrays of other libraries: zero-copy views for numpy, torch tensors, DLPack capsules. For ndarrays and fields alike.

An exporting class gives `_storage()`: (address, shape, strides in bytes) of its memory with the indices in the user's
order and the components of vectors and matrices at the end, or raises ValueError if its memory is no such array; and
`_memory()`, an object that keeps that memory.
"""

from quadrants import _dtypes, _environment, _exceptions, _native

_ZERO_COPY = {"i32", "i64", "f32", "f64", "u1"}


def torch():
    """The module; ModuleNotFoundError if it is not there or switched off."""
    if not _environment.value("enable_torch"):
        raise ModuleNotFoundError("No module named 'torch' (QD_ENABLE_TORCH=0)")
    import torch

    return torch


class _Memory:
    """What numpy needs to look at memory that is not its own; keeps the owner and the program alive."""

    def __init__(self, owner, interface):
        self.__array_interface__ = interface
        self._kept = (owner, _native.core().hold_program())


def _storage_of(array):
    """`array._storage()`, once it is known to be allowed."""
    if array.dtype.name not in _ZERO_COPY:
        raise ValueError(f"Zero-copy not available for dtype={array.dtype}")
    return array._storage()


def view(array):
    """numpy array on the memory of an ndarray or field; ValueError if there is none."""
    return _view(array, *_storage_of(array))


def printed(array, copied):
    """As numpy prints it. Of a large array the memory is looked at where numpy prints it: its edges, not copied as a whole."""
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
    """`copied()` is a fresh numpy array. copy=True: that; None: a view if there can be one; False: a view or ValueError."""
    import numpy as np

    if isinstance(dtype, _dtypes.DType):
        dtype = _dtypes.numpy_dtype(dtype)
    wanted = None if dtype is None else np.dtype(dtype)
    same = wanted is None or wanted == _dtypes.numpy_dtype(array.dtype)
    if copy is None or copy is False:
        try:
            if not same:
                raise ValueError(f"Zero-copy not available: the array has dtype={array.dtype}, {wanted} is asked for")
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
    """DLPack capsule of an ndarray or field."""
    address, shape, strides = array._storage()
    size = _dtypes.numpy_dtype(array.dtype).itemsize
    return _native.core().dlpack_export(
        array._memory(), address, shape, tuple(s // size for s in strides), array.dtype._qd_scalar_, versioned
    )


def dlpack_protocol(array, stream=None, max_version=None, dl_device=None, copy=None):
    """`__dlpack__`: what cannot be exported is a BufferError."""
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
    """`__dlpack_device__`: kDLCPU, or kDLExtDev for memory that the host cannot reach."""
    return (1, 0) if _native.core().host_visible() else (12, 0)


def tell_of_losses(array, dtype):
    """Before numbers of a numpy array go into memory of another type: whole numbers that do not become the same are told. Reals are
    rounded, as numpy does it."""
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
