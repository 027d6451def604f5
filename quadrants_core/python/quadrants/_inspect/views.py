"""Fields and arrays as pictures: samples of two axes, one number each, in memory that the window shares.

A field or array whose elements stand evenly in memory of the host is looked at there. Others are sampled by a kernel.
"""

from quadrants import _dtypes, _exceptions, _settings
from quadrants._storage import interop as _interop, tensor as _tensor

MAGNITUDE, EACH = -1, -2  # in place of the number of a component
MOST = 2048  # samples along an axis
_FEW = 16  # rows: with no more of them, there may be more samples along the other axis


class View:
    def __init__(self, number, name, array):
        self.number, self.name, self.array = number, name, array
        self.program = _settings.programs_ended if not _is_numpy(array) else None
        self.samplers = {}

    @property
    def gone(self):
        return self.program is not None and self.program != _settings.programs_ended

    @property
    def placed(self):
        """Whether it has a shape: a field may wait for its place in a tree."""
        try:
            return self.array.shape is not None
        except _exceptions.QuadrantsRuntimeError:
            return False

    def told(self):
        element = _element(self.array)
        shape = tuple(self.array.shape)[: len(self.array.shape) - (len(element) if _is_numpy(self.array) else 0)]
        return {
            "id": self.number, "name": self.name, "dtype": str(self.array.dtype), "shape": list(map(int, shape)),
            "element": list(map(int, element)), "gone": self.gone,
        }  # fmt: skip

    def ready(self):
        """Whether there is anything to see."""
        return not self.gone and all(part.place is not None or part.generation != -1 for part in getattr(self.array, "_parts", ()))

    def untouched(self):
        """Whether it has no memory yet: what first uses a field places its tree, which somebody may be building, and all is zero."""
        return any(part.place is None for part in getattr(self.array, "_parts", ()))

    def extents(self, component=0):
        """Elements along x and y; of an array of one axis its components may be along y."""
        shape = tuple(map(int, self.array.shape))
        if self.is_each(component):
            return shape[0], self.parts()
        return (*shape, 1, 1)[:2] if len(shape) < 2 else shape[:2]

    def is_each(self, component):
        return component == EACH and len(self.array.shape) == 1

    def parts(self):
        parts = 1
        for extent in _element(self.array):
            parts *= int(extent)
        return parts

    def samples_of(self, wanted):
        """(width, height)"""
        extents = self.extents(wanted["component"])
        left = [extent - at for extent, at in zip(extents, self.first_of(wanted) or (0, 0))]
        width = max(1, min(left[0], wanted["width"], MOST if left[1] > _FEW else MOST * MOST // _FEW))
        return width, max(1, min(left[1], wanted["height"], MOST))

    def first_of(self, wanted):
        first = wanted["first"]
        return [min(max(0, at), extent - 1) for at, extent in zip(first, self.extents(wanted["component"]))] if len(first) == 2 else []

    def in_place(self):
        """A numpy array on its memory, or None."""
        if _is_numpy(self.array):
            return self.array
        if self.untouched():
            import numpy as np

            return np.broadcast_to(np.float32(0), tuple(map(int, (*self.array.shape, *_element(self.array)))))
        try:
            return _on_memory(self.array)
        except ValueError:
            return None

    def sample(self, wanted, out):
        """Writes samples to the array `out` of f32; gives (width, height, columns, rows)."""
        component, first = wanted["component"], self.first_of(wanted)
        columns, rows = self.extents(component)
        width, height = self.samples_of(wanted)
        if width * height > len(out):
            width, height = min(width, len(out)), max(1, len(out) // min(width, len(out)))
        at = self.slice_of(wanted)
        parts = (slice(first[0], first[0] + width), slice(first[1], first[1] + height)) if first else (_steps(columns, width), _steps(rows, height))
        array = self.in_place()
        if array is not None:
            _from_memory(array, len(_element(self.array)), parts, width, height, component, at, out)
        elif self.is_each(component):
            self.each_by_kernel(columns, parts[1], width, height, at, first, out)
        else:
            self.by_kernel(component, columns, rows, width, height, at, first, out)
        return width, height, columns, rows

    def slice_of(self, wanted):
        rest = tuple(map(int, self.array.shape))[2:]
        given = [*wanted["slice"], *[0] * len(rest)][: len(rest)]
        return [min(max(0, int(at)), extent - 1) for at, extent in zip(given, rest)]

    def each_by_kernel(self, columns, parts, width, height, at, first, out):
        """All components, one after another: out of their own samples they are put side by side."""
        import numpy as np

        one = np.empty(width, np.float32)
        together = out[: width * height].reshape(width, height)
        for row, component in enumerate(np.arange(self.parts())[parts]):
            self.by_kernel(int(component), columns, 1, width, 1, at, first[:1] + [0] if first else [], one)
            together[:, row] = one

    def by_kernel(self, component, columns, rows, width, height, at, first, out):
        import numpy as np

        from quadrants._inspect import sampling

        shape = tuple(map(int, self.array.shape))
        element = tuple(map(int, _element(self.array)))
        if "kernel" not in self.samplers:
            self.samplers["kernel"] = sampling.sampler(len(shape), element, getattr(self.array, "_qd_kind_", None) == "ndarray")
        if first:  # each element is a sample
            columns, rows = width, height
        index = np.array([*at, 0, *(first or (0, 0))], np.int32)
        self.samplers["kernel"](self.array, out, index, width, height, columns, rows, component)

    def edit(self, index, component, text):
        """Sets one element; ValueError says why it cannot."""
        kind = _dtypes.numpy_dtype(self.array.dtype).kind if not _is_numpy(self.array) else self.array.dtype.kind
        value = float(text) if kind == "f" else int(text, 0)
        shape = tuple(map(int, self.array.shape))
        index = tuple(map(int, index))
        if len(index) != len(shape) or not all(0 <= i < extent for i, extent in zip(index, shape)):
            raise ValueError(f"index {index} of shape {shape}")
        element = _element(self.array)
        if not element or _is_numpy(self.array):
            self.array[index if len(index) > 1 else index[0]] = value
            return
        if not 0 <= component < self.parts():
            raise ValueError("which component is to be set?")
        key = (component,) if len(element) == 1 else divmod(component, int(element[1]))
        one = self.array[index if len(index) > 1 else index[0]]
        one[key if len(key) > 1 else key[0]] = value
        self.array[index if len(index) > 1 else index[0]] = one


def _is_numpy(array):
    return type(array).__module__ == "numpy"


def _element(array):
    """Extents of an element; of numpy's arrays they are numbers."""
    if _is_numpy(array):
        return ()
    shape = getattr(array, "_element_shape", ())
    return tuple(shape() if callable(shape) else shape)


def _on_memory(array):
    import numpy as np

    address, shape, strides = array._storage()
    kind = _dtypes.numpy_dtype(array.dtype)
    interface = {"version": 3, "data": (address, False), "shape": shape, "strides": strides, "typestr": kind.str}
    return np.asarray(_interop._Memory(array._memory(), interface))


def _from_memory(array, element_axes, parts, width, height, component, at, out):
    import numpy as np

    rank = array.ndim - element_axes
    if rank == 0:
        array = array[None]
        rank = 1
    if rank > 2:
        array = array[(slice(None), slice(None), *at)]
        rank = 2
    array = array[parts[0]]
    if rank == 2 and not element_axes and array.dtype == out.dtype and _can_take(array, parts[1]):
        array.take(parts[1], axis=1, mode="clip", out=out[: width * height].reshape(width, height))
        return
    if rank == 2:
        array = array.take(parts[1], axis=1, mode="clip") if _can_take(array, parts[1]) else array[:, parts[1]]
    shape = (width, height) if rank == 2 else (width,)
    array = array.reshape(*shape, -1) if element_axes else array
    if component == EACH and rank == 1 and element_axes:
        np.copyto(out[: width * height].reshape(width, height), array[:, parts[1]], casting="unsafe")
        return
    target = out[: width * height].reshape(shape)
    if not element_axes:
        np.copyto(target, array, casting="unsafe")
    elif component == MAGNITUDE:
        lengths = array.astype(np.float32, copy=False)
        np.copyto(target, np.sqrt(np.einsum("...k,...k->...", lengths, lengths)))
    else:
        np.copyto(target, array[..., min(max(component, 0), array.shape[-1] - 1)], casting="unsafe")


def _can_take(array, part):
    """Of an array that stands whole in memory numpy takes columns several times faster than it finds them by an index."""
    return not isinstance(part, slice) and array.flags.c_contiguous


def _steps(extent, samples):
    """An index that takes this many of so many, evenly."""
    if extent == samples:
        return slice(None)
    if extent % samples == 0:
        return slice(None, None, extent // samples)
    import numpy as np

    return np.arange(samples, dtype=np.int64) * extent // samples


def named(args, named_args, callers_names):
    """[(name, field or array)] of what somebody wishes to see: structs member by member."""
    found = []
    for name, value in [*zip(callers_names, args), *named_args.items()]:
        value = _tensor.unwrap(value)
        kind = getattr(value, "_qd_kind_", None)
        if kind == "struct_field":
            found += named((), {f"{name}.{key}": member for key, member in value._fields.items()}, ())
        elif hasattr(value, "_parts") or kind == "ndarray" or _is_array(value):
            found.append((name, value))
        else:
            raise TypeError(f"{name}: a field, an ndarray or a numpy array can be shown, not {_described(value)}")
    return found


def _described(value):
    if not _is_numpy(value) or not hasattr(value, "__array_interface__"):
        return type(value).__name__
    if value.dtype.kind not in "biuf":
        return f"a numpy array of {value.dtype}: its elements must be numbers that are whole, real or of bool"
    return "a numpy array of shape (): it must have an axis, as x[None] has"


def _is_array(value):
    return _is_numpy(value) and hasattr(value, "__array_interface__") and value.ndim >= 1 and value.dtype.kind in "biuf"


