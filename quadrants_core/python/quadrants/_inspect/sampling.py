"""Kernels that sample a field or array whose elements are not equally spaced in host memory: sparse, packed, with several levels, or on a
device."""

from quadrants import _dtypes, _exceptions
from quadrants._language import annotations as _annotations
from quadrants._language.func import func
from quadrants._language.kernel import kernel
from quadrants._language.ops import cast, elementary, ndrange, static
from quadrants._storage.ndarray import ndarray

_f32, _i32, _i64 = _dtypes.f32, _dtypes.i32, _dtypes.i64
_template = _annotations.template()
_samples, _indices = _annotations.ndarray(_f32, ndim=1), _annotations.ndarray(_i32, ndim=1)
_sqrt = elementary["sqrt"]
MOST_AXES = 4


@func
def _number(element, component, axes: _template, rows: _template, columns: _template):
    """Returns a component of an element, or its magnitude. `axes`: number of axes of the element, 0 for a number."""
    value = cast(0, _f32)
    if static(axes == 0):
        value = cast(element, _f32)
    else:
        total = cast(0, _f32)
        for k in static(range(rows * columns)):
            one = cast(0, _f32)
            if static(axes == 2):
                one = cast(element[k // columns, k % columns], _f32)
            else:
                one = cast(element[k], _f32)
            total += one * one
            if component == k:
                value = one
        if component < 0:
            value = _sqrt(total)
    return value


class Sampler:
    """Samples arrays with the given number of axes into device memory."""

    def __init__(self, rank, element, is_ndarray):
        self.kernel = _sampler(rank, element, is_ndarray)
        self.samples = self.index = self.known = None

    def reserve(self, count):
        if self.samples is None or self.samples.shape != (count,):
            self.samples = ndarray(_f32, count)

    def __call__(self, array, x, y, at, component, pitch, shift):
        """Computes the samples (i, j), stored at index `i * pitch + j + shift`. `x`, `y`: (number of samples, first element, number of
        elements)."""
        index = [*at, 0, x[1], y[1]]
        if self.known != index:
            self.index, self.known = ndarray(_i32, len(index)), index
            for k, value in enumerate(index):
                self.index[k] = value
        self.kernel(array, self.samples, self.index, x[0], y[0], x[2], y[2], component, pitch, shift)

    def fetch(self, out, before):
        """Copies the samples to `out`; returns whether they equal those in `before`."""
        out = out[: self.samples.shape[0]]
        self.samples._copy_to(out)
        return before is not None and out.tobytes() == before[: len(out)].tobytes()


def _sampler(rank, element, is_ndarray):
    """Returns the sampling kernel. `at`: the index along all axes but the first two, then 0 and the first element."""
    if rank > MOST_AXES:
        raise _exceptions.QuadrantsRuntimeError(f"an array of {rank} axes cannot be shown")
    axes = len(element)
    many, deep = (*element, 1, 1)[:2]
    array_type = _annotations.ndarray() if is_ndarray else _template

    @kernel
    def sample(x: array_type, out: _samples, at: _indices, width: _i32, height: _i32, columns: _i32, rows: _i32, component: _i32, pitch: _i32, shift: _i32):
        for i, j in ndrange(width, height):
            a = at[at.shape[0] - 2] + cast(cast(i, _i64) * columns // width, _i32)
            b = at[at.shape[0] - 1] + cast(cast(j, _i64) * rows // height, _i32)
            value = cast(0, _f32)
            if static(rank == 0):
                value = _number(x[None], component, axes, many, deep)
            elif static(rank == 1):
                value = _number(x[a], component, axes, many, deep)
            elif static(rank == 2):
                value = _number(x[a, b], component, axes, many, deep)
            elif static(rank == 3):
                value = _number(x[a, b, at[0]], component, axes, many, deep)
            else:
                value = _number(x[a, b, at[0], at[1]], component, axes, many, deep)
            out[i * pitch + j + shift] = value

    return sample
