"""Fields and arrays as pictures: samples along two axes, one number each, in memory shared with the window.

A field or array with equally spaced elements in host memory is sampled there; others are sampled by a kernel.
"""

import math
from collections import namedtuple

from quadrants import _dtypes, _exceptions, _native, _settings

NAMELESS = "array "  # prefix of the names of arrays that no variable holds
MAGNITUDE, EACH = -1, -2  # special values of a component number
MOST = 2048  # maximum number of samples along an axis
_FEW = 16  # with at most this many rows, more samples are allowed along the other axis


class Plan(namedtuple("Plan", "width height columns rows axes slice first")):
    """Parameters of a picture: numbers of samples and elements; `axes`: for both axes (number of samples, first element, number of
    elements)."""

    __slots__ = ()


class View:
    def __init__(self, number, name, array):
        self.number, self.name, self.array = number, name, array
        self.program = _settings.programs_ended if not _is_numpy(array) else None
        self.samplers = {}
        self.planned = None  # (arguments of plan, the Plan)
        self.stood = None, None  # cached memory layout: places of a field, (their views, the result)

    @property
    def gone(self):
        return self.program is not None and self.program != _settings.programs_ended

    @property
    def placed(self):
        """True if it has a shape; a field may not have been placed in a tree yet."""
        try:
            return self.array.shape is not None
        except _exceptions.QuadrantsRuntimeError:
            return False

    def data(self):
        element = _element(self.array)
        shape = tuple(self.array.shape)[: len(self.array.shape) - (len(element) if _is_numpy(self.array) else 0)]
        return {
            "id": self.number, "name": self.name, "dtype": str(self.array.dtype), "shape": list(map(int, shape)),
            "element": list(map(int, element)), "gone": self.gone,
        }  # fmt: skip

    def ready(self):
        """Returns whether there is anything to show."""
        return not self.gone and all(part.place is not None or part.generation != -1 for part in getattr(self.array, "_parts", ()))

    def untouched(self):
        """Returns whether it has no memory yet. Accessing such a field would place its tree, which may be under construction; all its
        elements are 0."""
        return any(part.place is None for part in getattr(self.array, "_parts", ()))

    def extents(self, component=0):
        """Returns the number of elements along x and y; the components of an array with one axis may be along y."""
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
        """Returns (width, height)."""
        extents = self.extents(wanted["component"])
        left = [extent - at for extent, at in zip(extents, self.first_of(wanted) or (0, 0))]
        width = max(1, min(left[0], wanted["width"], MOST if left[1] > _FEW else MOST * MOST // _FEW))
        return width, max(1, min(left[1], wanted["height"], MOST))

    def first_of(self, wanted):
        first = wanted["first"]
        return [min(max(0, at), extent - 1) for at, extent in zip(first, self.extents(wanted["component"]))] if len(first) == 2 else []

    def in_place(self):
        """Returns the memory as `address, scalar, shape, strides`, with the axes of an element last, and the object that keeps it alive;
        None if the elements are not equally spaced in host memory."""
        if _is_numpy(self.array):
            if 0 in self.array.shape:
                raise ValueError("it has no elements")
            array, scalar = self.array, _scalar_of(self.array.dtype)
            if scalar is None:
                array, scalar = array.astype("f8"), _dtypes.f64._qd_scalar_
            return array.__array_interface__["data"][0], scalar, array.shape, array.strides, array
        if self.untouched():
            shape = (*self.array.shape, *_element(self.array))
            return 0, _dtypes.u1._qd_scalar_, shape, (0,) * len(shape), None
        places = [part.place for part in getattr(self.array, "_parts", ())]
        stood, where = self.stood
        if places and places == stood and [place.view() for place in places] == where[0]:
            address, shape, strides = where[1]
        else:
            try:
                address, shape, strides = self.array._storage()
            except ValueError:
                return None
            self.stood = places, ([place.view() for place in places], (address, shape, strides))
        return address, _dtypes.dtype(self.array.dtype)._qd_scalar_, shape, strides, (self.array._memory(), _native.core().hold_program())

    def sample(self, wanted, out, before=None):
        """Writes samples to `out`, memory of f32; returns the Plan, and whether the samples equal those in `before`."""
        what = wanted, len(out), self.array.shape
        if self.planned is None or self.planned[0] != what:
            self.planned = what, self.plan(wanted, len(out))
        plan, component, memory = self.planned[1], wanted["component"], self.in_place()
        if memory is not None:
            return plan, self.from_memory(memory, plan.axes, component, plan.slice, out, before)
        return plan, self.by_kernel(plan.axes, component, plan.slice, out, before)

    def plan(self, wanted, room):
        first = self.first_of(wanted)
        columns, rows = self.extents(wanted["component"])
        width, height = self.samples_of(wanted)
        if width * height > room:
            width, height = min(width, room), max(1, room // min(width, room))
        # with a given first element, each element is one sample
        axes = ((width, first[0], width), (height, first[1], height)) if first else ((width, 0, columns), (height, 0, rows))
        return Plan(width, height, columns, rows, axes, self.slice_of(wanted), first)

    def from_memory(self, memory, axes, component, at, out, before):
        address, scalar, shape, strides, _ = memory
        rank = len(self.array.shape)
        step = strides[-1] if len(shape) > rank else 0  # the components of an element are equally spaced
        each, parts = self.is_each(component), self.parts()
        along = [*strides[:rank], 0, 0][:2] if not each else [strides[0], step]
        address += sum(index * stride for index, stride in zip(at, strides[2:rank]))
        magnitude = component == MAGNITUDE and len(shape) > rank
        if not magnitude and not each:
            address += min(max(component, 0), parts - 1) * step
        x, y = ((*axis, stride) for axis, stride in zip(axes, along))
        return _native.core().sample(out, before, address, scalar, x, y, parts if magnitude else 0, step)

    def slice_of(self, wanted):
        rest = tuple(map(int, self.array.shape))[2:]
        given = [*wanted["slice"], *[0] * len(rest)][: len(rest)]
        return [min(max(0, int(at)), extent - 1) for at, extent in zip(given, rest)]

    def by_kernel(self, axes, component, at, out, before):
        from quadrants._inspect import sampling

        if "kernel" not in self.samplers:
            shape, element = tuple(map(int, self.array.shape)), tuple(map(int, _element(self.array)))
            self.samplers["kernel"] = sampling.Sampler(len(shape), element, getattr(self.array, "_qd_kind_", None) == "ndarray")
        take, (x, y) = self.samplers["kernel"], axes
        take.reserve(x[0] * y[0])
        if self.is_each(component):  # one row at a time
            for row in range(y[0]):
                take(self.array, x, (1, 0, 1), at, y[1] + row * y[2] // y[0], y[0], row)
        else:
            take(self.array, x, y, at, component, y[0], 0)
        return take.fetch(out, before)

    def edit(self, index, component, text):
        """Sets one element; raises ValueError with the reason on failure."""
        value = _held(text, _dtype_of(self.array))
        shape = tuple(map(int, self.array.shape))
        index = tuple(map(int, index))
        if len(index) != len(shape) or not all(0 <= i < extent for i, extent in zip(index, shape)):
            raise ValueError(f"index {index} is out of bounds for shape {shape}")
        element = _element(self.array)
        if not element or _is_numpy(self.array):
            self.array[index if len(index) > 1 else index[0]] = value
            return
        if not 0 <= component < self.parts():
            raise ValueError("no component was chosen")
        key = (component,) if len(element) == 1 else divmod(component, int(element[1]))
        one = self.array[index if len(index) > 1 else index[0]]
        one[key if len(key) > 1 else key[0]] = value
        self.array[index if len(index) > 1 else index[0]] = one


def _held(text, dtype):
    """Returns the number entered by the user; raises ValueError if the type cannot represent it."""
    quant = dtype if getattr(dtype, "_qd_kind_", None) == "quant_type" else None
    plain = _dtypes.dtype(quant.compute if quant else dtype)
    real = plain.kind == "float"
    try:
        value = float(text) if real else int(text, 0)
    except ValueError:
        raise ValueError(f"{text!r} is not {'a number' if real else 'an integer'}") from None
    least, most = (None, None) if real else (0, 1) if plain.kind == "u1" else _whole_range(plain.bits, plain.kind == "int")
    if quant and quant.is_stepped():
        least, most = (end * (quant.scale if real else 1) for end in _whole_range(quant.bits, quant.signed))
    if least is not None and not least <= value <= most:
        raise ValueError(f"{text} is outside the range of {dtype}, {least} to {most}")
    if real and math.isinf(plain(value)) and "inf" not in text.lower():
        raise ValueError(f"{text} is outside the range of {dtype}")
    return value


def _dtype_of(array):
    """Returns the type of its numbers; for a NumPy type without equivalent, the largest one."""
    if not _is_numpy(array):
        return array.dtype
    return _dtypes.from_numpy_dtype(array.dtype.newbyteorder("=")) or (_dtypes.f64 if array.dtype.kind == "f" else _dtypes.i64)


def _whole_range(bits, signed):
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)


def _is_numpy(array):
    return type(array).__module__ == "numpy"


def _element(array):
    """Returns the shape of an element; () for NumPy arrays."""
    if _is_numpy(array):
        return ()
    shape = getattr(array, "_element_shape", ())
    return tuple(shape() if callable(shape) else shape)


def _scalar_of(dtype):
    """Returns the code of a NumPy type in the core, or None."""
    known = _dtypes.from_numpy_dtype(dtype) if dtype.isnative else None
    return known._qd_scalar_ if known is not None else None


def named(args, named_args, callers_names):
    """Returns [(name, field or array)] for the objects to show; structs are split into members."""
    found = []
    for position, (name, value) in enumerate([*zip(callers_names, args), *named_args.items()], 1):
        value = value._impl if getattr(value, "_qd_kind_", None) == "tensor" else value
        kind = getattr(value, "_qd_kind_", None)
        if kind == "struct_field":
            found += named((), {f"{name}.{key}": member for key, member in value._fields.items()}, ())
        elif hasattr(value, "_parts") or kind == "ndarray" or _is_array(value):
            found.append((name, value))
        else:
            name = f"argument {position}" if name.startswith(NAMELESS) else name
            raise TypeError(f"{name}: a field, an ndarray or a numpy array can be shown, not {_described(value)}")
    return found


def _described(value):
    if not _is_numpy(value) or not hasattr(value, "__array_interface__"):
        return type(value).__name__
    if value.dtype.kind not in "biuf":
        return f"a numpy array of {value.dtype}: its elements must be integers, floats or bools"
    return "a numpy array of shape (): it must have an axis, as x[None] has"


def _is_array(value):
    return _is_numpy(value) and hasattr(value, "__array_interface__") and value.ndim >= 1 and value.dtype.kind in "biuf"


