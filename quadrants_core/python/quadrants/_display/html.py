"""The HTML that a notebook shows for a field, array, matrix or struct at the end of a cell: dtype and shape, the range, the number of
non-finite values, and the values: a table for few, a line plot for a row, a picture for a plane.

Static HTML, so that it also works in a saved notebook and without a running kernel. Pictures are images with alternative text.
"""

import base64
import struct
import zlib
from html import escape

_TABLE = 12  # maximum number of rows and columns of a table
_WIDE = 320  # width of a line plot in pixels
_SIDE = 240  # approximate size of the longer side of a picture in pixels

# Dark to light, perceptually uniform and monotonic in grey: nine colours to interpolate between.
_RAMP = ((68, 1, 84), (71, 44, 122), (59, 81, 139), (44, 113, 142), (33, 144, 141), (39, 173, 129), (92, 200, 99), (170, 220, 50), (253, 231, 37))
_NOT_FINITE = (214, 39, 40)
_CHANGED, _CHANGED_RGB = "#e8710a", (232, 113, 10)
_LINE = "#4c8bd9"  # visible on white and on black

# The padding is that of text in JupyterLab, which aligns the first line with the prompt.
_BOX = ("font-family:var(--jp-code-font-family,monospace);font-size:var(--jp-code-font-size,13px);line-height:1.5;"
        "padding:var(--jp-code-padding,0px) 0 0 calc(var(--jp-code-padding,0px) + 2px)")  # fmt: skip
_NAMES = {"ScalarField": "field", "StructField": "Struct.field", "ScalarNdarray": "ndarray", "VectorNdarray": "Vector.ndarray",
          "MatrixNdarray": "Matrix.ndarray"}  # fmt: skip
_CELL = "text-align:right;padding:0 .6em"


def described(value, read):
    """Returns the HTML for `value`, whose elements are the NumPy array or dict of arrays `read`; None: there are too many to read."""
    kind = _name_of(value)
    if isinstance(read, dict):
        axes = len(getattr(value, "shape", None) or ())
        rows = "".join(_member(name, array, array.ndim - axes) for name, array in _members(read))
        return f'<div style="{_BOX}"><div><b>{escape(kind)}</b>{_shape(getattr(value, "shape", None))}</div>{rows}</div>'
    if read is None:
        return f'<div style="{_BOX}"><b>{escape(kind)}</b> {value.dtype}{_shape(value.shape)}, too many elements to show</div>'
    is_value = type(value).__name__ in ("Matrix", "Vector")  # they have only the axes of an element
    return f'<div style="{_BOX}">{_head(kind, read)}{body(read, 0 if is_value else read.ndim - len(value.shape))}</div>'


def _name_of(value):
    """Returns the name of the constructor of such a value."""
    name = type(value).__name__
    if name == "MatrixField":
        return "Vector.field" if value.ndim == 1 else "Matrix.field"
    return _NAMES.get(name, name)


def _members(found, above=""):
    for name, array in found.items():
        if isinstance(array, dict):
            yield from _members(array, f"{above}{name}.")
        else:
            yield above + name, array


def _member(name, array, element_axes):
    return f'<div style="margin-top:.3em">{_head("." + name, array)}{body(array, element_axes)}</div>'


def _shape(shape):
    return " " + " × ".join(map(str, shape)) if shape else ""


def _head(kind, array):
    return f"<div><b>{escape(kind)}</b> {short(array.dtype)}{_shape(array.shape)}{_range(array)}</div>"


def short(dtype):
    """Returns the language's name of a NumPy dtype."""
    return "u1" if dtype.kind == "b" else f"{dtype.kind}{dtype.itemsize * 8}"


def number(x, digits=5):
    return f"{x:.{digits}g}" if isinstance(x, float) else str(x)


def numbers_apart(a, b):
    """Returns two different numbers as text, with as many digits as show that they differ."""
    return next(((number(a, n), number(b, n)) for n in range(5, 17) if number(a, n) != number(b, n)), (number(a, 17), number(b, 17)))


def _finite(array):
    import numpy as np

    return array[np.isfinite(array)] if array.dtype.kind == "f" else array.reshape(-1)


def _range(array):
    if array.size < 2:
        return ""
    import numpy as np

    if array.dtype.kind == "b":
        return f' <span style="opacity:.8">{int(array.sum())} True, {int(array.size - array.sum())} False</span>'
    finite = _finite(array)
    text = ""
    if finite.size and finite.min() == finite.max():
        text = f' <span style="opacity:.8">{"all" if finite.size == array.size else "else"} {number(finite.flat[0].item())}</span>'
    elif finite.size:
        low, high, mean = number(finite.min().item()), number(finite.max().item()), number(float(finite.mean(dtype=np.float64)))
        text = f' <span style="opacity:.8">from {low} to {high}, mean {mean}</span>'
    if finite.size < array.size:
        nans = int(np.isnan(array).sum())
        words = [f"{n} {what}" for n, what in ((nans, "NaN"), (array.size - finite.size - nans, "infinite")) if n]
        text += f' <b style="border-bottom:2px solid #d62728">{", ".join(words)}</b>'
    return text


def body(array, element_axes):
    """Returns the HTML of the values. For elements that are vectors or matrices, a picture shows the norm."""
    import numpy as np

    if array.ndim == 0:
        return f"<div>{number(array.item())}</div>"
    if array.size == 0:
        return ""
    if array.ndim <= 2 and array.shape[0] <= _TABLE and array.shape[-1] <= _TABLE:
        return _table(array)
    what = ""
    if array.min() == array.max():
        return ""  # the header already contains the only value
    if element_axes > 0:
        with np.errstate(all="ignore"):
            array = np.sqrt((array.astype(np.float64) ** 2).sum(axis=tuple(range(-element_axes, 0))))
        what = "length of each element"
    if array.ndim == 1:
        return _line(array, what)
    while array.ndim > 2:
        at = array.shape[0] // 2
        what = f"plane [{at}] of the first axis" + (f", {what}" if what else "")
        array = array[at]
    return _picture(array, what)


def _table(array):
    rows = array.reshape(1, -1) if array.ndim == 1 else array
    lines = "".join("<tr>" + "".join(f'<td style="{_CELL}">{number(x)}</td>' for x in row) + "</tr>" for row in rows.tolist())
    return f'<table style="border-collapse:collapse;color:inherit;margin:0">{lines}</table>'


def _line(array, what):
    """Returns a line plot; each pixel shows the minimum and maximum of its elements."""
    import numpy as np

    finite = _finite(array)
    if not finite.size:
        return ""
    low, high = float(finite.min()), float(finite.max())
    pieces = np.array_split(array.astype(np.float64), min(_WIDE, array.size))
    step, tall = _WIDE / len(pieces), 48
    points = [[], []]
    for k, piece in enumerate(pieces):
        seen = piece[np.isfinite(piece)]
        if seen.size:
            for side, value in zip(points, (seen.max(), seen.min())):
                y = tall / 2 if high == low else 2 + (tall - 4) * (1 - (value - low) / (high - low))
                side.append(f"{(k + 0.5) * step:.1f},{y:.1f}")
    outline = " ".join(points[0] + points[1][::-1])
    drawn = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDE}" height="{tall}">'
             f'<polygon points="{outline}" fill="{_LINE}" stroke="{_LINE}" stroke-width="1.5" stroke-linejoin="round"/></svg>')  # fmt: skip
    text = f"{what or 'values'} along the axis, from {number(low)} to {number(high)}"
    return _image("image/svg+xml", drawn.encode(), text, _WIDE, tall) + _caption(what)


def _picture(array, what):
    """Returns a picture with one pixel per element, the first axis downwards; for large arrays, one pixel per block, with the mean."""
    import numpy as np

    plane = array.astype(np.float64)
    step = [-(-extent // _SIDE) for extent in plane.shape]
    cut = [extent // s * s for extent, s in zip(plane.shape, step)]
    blocks = plane[: cut[0], : cut[1]].reshape(cut[0] // step[0], step[0], cut[1] // step[1], step[1])
    with np.errstate(all="ignore"):
        plane = blocks.mean(axis=(1, 3))  # a block that contains a NaN is marked
    finite = np.isfinite(plane)
    low, high = (float(plane[finite].min()), float(plane[finite].max())) if finite.any() else (0.0, 0.0)
    ramp = np.array(_RAMP, np.float64)
    at = np.where(finite, (plane - low) / (high - low) if high > low else 0.5, 0.0) * (len(ramp) - 1)
    first = np.minimum(at.astype(int), len(ramp) - 2)
    colours = ramp[first] + (at - first)[..., None] * (ramp[first + 1] - ramp[first])
    colours[~finite] = _NOT_FINITE
    size = [extent * max(1, round(_SIDE / max(plane.shape))) for extent in plane.shape]
    text = f"picture of {what or 'the values'}: dark is {number(low)}, bright is {number(high)}"
    return _image("image/png", _png(colours.round().astype(np.uint8)), text, size[1], size[0]) + _caption(what)


def marked(where):
    """Returns the marks next to a line or picture: which of its elements, or planes of them, are true in `where`."""
    import numpy as np

    if where.ndim == 1:
        pieces = np.array_split(where, min(_WIDE, where.size))
        step = _WIDE / len(pieces)
        bars = "".join(f'<rect x="{k * step:.1f}" y="0" width="{step:.1f}" height="5"/>' for k, one in enumerate(pieces) if one.any())
        drawn = f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDE}" height="5" fill="{_CHANGED}">{bars}</svg>'
        return _image("image/svg+xml", drawn.encode(), "which elements changed", _WIDE, 5)
    while where.ndim > 2:
        where = where[where.shape[0] // 2]
    step = [-(-extent // _SIDE) for extent in where.shape]
    padded = np.pad(where, [(0, -extent % s) for extent, s in zip(where.shape, step)])
    blocks = padded.reshape(padded.shape[0] // step[0], step[0], padded.shape[1] // step[1], step[1]).any(axis=(1, 3))
    colours = np.where(blocks[..., None], np.array(_CHANGED_RGB, np.uint8), np.array((128, 128, 128), np.uint8))
    size = [extent * max(1, round(_SIDE / max(blocks.shape))) for extent in blocks.shape]
    return _image("image/png", _png(colours), "which elements changed: orange", size[1], size[0])


def _caption(what):
    return f'<div style="opacity:.8">{escape(what)}</div>' if what else ""


def _image(kind, data, text, wide, tall):
    source = f"data:{kind};base64,{base64.b64encode(data).decode()}"
    return (f'<div><img src="{source}" alt="{escape(text)}" title="{escape(text)}" width="{wide}" height="{tall}" '
            'style="image-rendering:pixelated;max-width:100%"></div>')  # fmt: skip


def _png(pixels):
    """Returns an image of 8-bit red, green, blue (PNG, ISO/IEC 15948)."""
    tall, wide, _ = pixels.shape

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + pixels[k].tobytes() for k in range(tall))
    header = struct.pack(">IIBBBBB", wide, tall, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
