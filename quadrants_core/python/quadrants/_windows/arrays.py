"""Conversion of arguments for windows to arrays: fields, ndarrays, NumPy arrays, tensors, lists."""

import math
import numbers as kinds
import operator

import numpy as np

from quadrants._windows.process import text  # noqa: F401


def host(x, what):
    """Returns the numbers of x in host memory, as a view if possible."""
    if isinstance(x, np.ndarray):
        return x
    if hasattr(x, "to_numpy"):
        try:
            return x.to_numpy(copy=None)
        except TypeError:  # a to_numpy of another library
            return np.asarray(x.to_numpy())
    if hasattr(x, "detach"):
        return x.detach().cpu().numpy()
    if isinstance(x, (list, tuple)) or hasattr(x, "__array__"):
        made = np.asarray(x)
        if made.dtype.kind in "fiub":
            return made
    raise TypeError(f"{what} takes a field, an ndarray, a NumPy array or a torch tensor, not {type(x).__name__}")


def points(x, width, what):
    """Returns positions with shape (n, width), one per cell; components beyond `width` are dropped, and missing ones are 0."""
    array = host(x, what)
    if array.ndim > 1 and array.shape[-1] == 1 and array.ndim > 2:  # vectors given as matrices with one column
        array = array[..., 0]
    if array.ndim < 2 or array.shape[-1] < min(width, 2) or array.shape[-1] > 4:
        raise ValueError(f"{what}: positions are vectors of {width} numbers, these have the shape {array.shape}")
    array = array.reshape(-1, array.shape[-1])
    if array.shape[1] < width:
        array = np.concatenate([array, np.zeros((len(array), width - array.shape[1]), array.dtype)], axis=1)
    return array[:, :width]


def numbers(x, count, what):
    array = host(x, what).reshape(-1)
    if len(array) < count:
        raise ValueError(f"{what}: {len(array)} numbers for {count} things")
    return array[:count]


def lengths(x, what):
    """Returns a number, or an array with one number per item; negative numbers are rejected."""
    if isinstance(x, (list, tuple)) or hasattr(x, "to_numpy") or (hasattr(x, "shape") and getattr(x, "ndim", 1) != 0):
        made = host(x, what).reshape(-1)
        least = made.min() if made.size else 0
    else:
        try:
            made = least = number(x, f"{what}: a radius")
        except TypeError:
            raise TypeError(f"{what}: a radius must be a number, or an array with one number for each, not {x!r}") from None
    if least < 0:
        raise ValueError(f"{what}: a radius must not be negative, got {least:g}")
    return made


def point(x, what):
    """Returns two numbers as an array with one position."""
    try:
        return np.asarray([[float(x[0]), float(x[1])]], np.float32)
    except (TypeError, IndexError, KeyError, ValueError):
        raise TypeError(f"{what}: a position must be two numbers, not {x!r}") from None


def real(x, what):
    """Returns a number that may be infinite or nan."""
    try:
        if not isinstance(x, (str, bytes)):
            return float(x)
    except (TypeError, ValueError):
        pass
    except OverflowError:
        return math.inf
    raise TypeError(f"{what} must be a number, not {x!r}")


def number(x, what):
    """Returns a finite number."""
    made = real(x, what)
    if not math.isfinite(made):
        raise ValueError(f"{what} must be a finite number, not {x!r}")
    return made


def integer(x, what):
    """Returns a finite number, truncated to an integer that the window can represent."""
    number(x, what)
    made = int(x)
    if not -(1 << 63) <= made < 1 << 63:
        raise ValueError(f"{what} must be a 64-bit integer, not {x!r}")
    return made


def row(x, what, name):
    """Returns three or four numbers, as of a colour or a position."""
    try:
        parts = list(host(x, what) if hasattr(x, "to_numpy") else x)
    except TypeError:
        raise TypeError(f"{what}: {name} must be 3 or 4 numbers, not {x!r}") from None
    if len(parts) not in (3, 4):
        raise ValueError(f"{what}: {name} must have 3 or 4 numbers, not {len(parts)}")
    return [number(part, f"{what}: a part of {name}") for part in parts]


def alike(parts, what):
    """Concatenates the rows of arrays, which must have equal lengths."""
    counts = [len(part) for part in parts]
    if len(set(counts)) > 1:
        raise ValueError(f"{what}: the arrays must have the same number of positions; these have {', '.join(map(str, counts[:-1]))} and {counts[-1]}")
    return np.concatenate(parts, axis=1)


def whole(x, what):
    """Returns an integer."""
    try:
        return operator.index(x)
    except TypeError:
        if isinstance(x, kinds.Real) and float(x).is_integer():
            return int(x)
    raise TypeError(f"{what} must be an integer, not {x!r}")


def indices(x, what):
    array = host(x, what).reshape(-1)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{what}: indices must be integers, not {array.dtype}")
    return array


def inside(chosen, count, group, what):
    """Returns the indices after checking that they are in range and that their count is a multiple of `group`."""
    if len(chosen) % group:
        raise ValueError(f"{what}: {group} indices for each, so their number must be a multiple of {group}, not {len(chosen)}")
    if len(chosen) and not 0 <= chosen.min() <= chosen.max() < count:
        raise ValueError(f"{what}: indices must be from 0 to {count - 1}, these are from {chosen.min()} to {chosen.max()}")
    return chosen


def word(rgb, what):
    """Converts 0xRRGGBB to the four bytes red, green, blue, alpha."""
    if not isinstance(rgb, (kinds.Real, np.ndarray)):
        raise TypeError(f"{what}: a colour must be an integer 0xRRGGBB, not {rgb!r}")
    rgb = int(number(rgb, f"{what}: a colour"))
    return 0xFF000000 | (rgb & 0xFF) << 16 | (rgb & 0xFF00) | (rgb >> 16 & 0xFF)


def word_of(colour, what):
    """Converts three or four numbers from 0 to 1 to bytes."""
    made = 0
    for position, part in enumerate([*row(colour, what, "a colour"), 1.0][:4]):
        made |= int(min(max(part, 0.0), 1.0) * 255 + 0.5) << 8 * position
    return made


def rgb_of(colour):
    """Returns the first three bytes of a word as numbers from 0 to 1."""
    return [(colour >> s & 0xFF) / 255 for s in (0, 8, 16)]


def image(x, what):
    """Returns (array, form): width, height and components, as bytes, words or floats, in the form that windows accept."""
    array = host(x, what)
    if array.ndim == 4 and array.shape[-1] == 1:
        array = array[..., 0]
    if array.ndim == 2:
        array = array[..., None]
    if array.ndim != 3 or not 1 <= array.shape[2] <= 4:
        raise ValueError(f"{what}: a picture must have the shape (width, height) and elements of 1 to 4 numbers, not {array.shape}")
    if array.dtype.kind == "f":
        return array, "f32"
    if array.dtype.kind == "u":
        return (array >> 32 if array.dtype.itemsize == 8 else array), {1: "u8", 2: "u16", 4: "u32", 8: "u32"}[array.dtype.itemsize]
    raise ValueError(f"{what}: a picture holds floats from 0 to 1 or unsigned integers, not {array.dtype}")
