"""Values in notebooks: in addition to text and the HTML of `html.py`, an output contains typed data, so that notebooks can be compared
numerically.

`application/vnd.quadrants.values+json`:
    {"version": 1, "dtype": "f32", "shape": [3], "values": [0.5, 1.0, "nan"]}            few elements, in order
    {"version": 1, "dtype": "f32", "shape": [4096], "summary": {"min": ...}, "sample": [...]}   more: evenly spaced ones
    {"version": 1, "members": {"x": {"dtype": ..., "shape": ..., "values": ...}}}        structs
The axes of elements follow those of the array. Summaries exclude non-finite values and count them. Above _MOST elements nothing is read,
and only dtype and shape are present.
"""

MIME = "application/vnd.quadrants.values+json"
_MANY = 1000
_MOST = 1 << 24
_SAMPLE = 64


def in_kernels(name=""):
    """Decorator for methods: in a kernel, the func of this name in `_language/in_kernels.py` replaces the method; without a name, kernels
    reject it."""

    def mark(method):
        method._qd_in_kernels_ = name
        return method

    return mark


host_only = in_kernels()


def bundle(value):
    """Returns the data and HTML of `value` for _repr_mimebundle_; {} if it cannot be read."""
    try:
        _allot(value)
        read = value.to_numpy() if _size(value) <= _MOST else None
    except Exception:  # the program has ended, or a field has not been placed
        return {}
    if isinstance(read, dict):
        data = {"members": {name: described(array) for name, array in read.items()}}
    elif read is None:
        data = {"dtype": str(value.dtype), "shape": list(value.shape)}
    elif read.dtype.kind not in "biuf":  # the components are not numbers
        return {}
    else:
        data = described(read)
    from quadrants._display import html as _values_html

    return {MIME: {"version": 1, **data}, "text/html": _values_html.described(value, read)}


def _allot(value):
    """Allocates the fields of a complete tree, even if other fields have not been placed."""
    for member in getattr(value, "_fields", {}).values():
        _allot(member)
    for part in getattr(value, "_parts", ()):
        if part.place is None and part.node is not None and part.generation != -1:
            part.node._builder._materialise()


def _size(value):
    count = 1
    for extent in getattr(value, "shape", ()):
        count *= extent
    return count


def described(array):
    """Returns dtype, shape and values of a NumPy array."""
    import numpy as np

    from quadrants._display import html as _values_html

    if isinstance(array, dict):
        return {"members": {name: described(member) for name, member in array.items()}}
    array = np.asarray(array)
    flat = array.reshape(-1)
    found = {"dtype": _values_html.short(array.dtype), "shape": list(array.shape)}
    if flat.size <= _MANY:
        found["values"] = [_plain(v) for v in flat.tolist()]
        return found
    finite = flat[np.isfinite(flat)] if array.dtype.kind == "f" else flat
    wide = finite.astype(np.float64)
    found["summary"] = {"not_finite": int(flat.size - finite.size)}
    if wide.size:
        found["summary"].update(
            min=_plain(finite.min().item()), max=_plain(finite.max().item()), mean=float(wide.mean()), std=float(wide.std())
        )
    found["sample"] = [_plain(v) for v in flat[np.linspace(0, flat.size - 1, _SAMPLE).astype(np.int64)].tolist()]
    return found


def _plain(number):
    """Converts a number for JSON; numbers that JSON does not support become strings."""
    if isinstance(number, float) and (number != number or number in (float("inf"), -float("inf"))):
        return repr(number)
    return number


class Shown:
    """Base class of values for which notebooks receive typed data."""

    __slots__ = ()

    def _repr_mimebundle_(self, include=None, exclude=None):
        return bundle(self)
