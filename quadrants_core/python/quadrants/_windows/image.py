"""Picture files: PNG is built in, other formats use Pillow. `img[x, y]`, y axis upwards."""

import os
import struct
import zlib

import numpy as np

from quadrants._windows import arrays

_OF_16_BITS = ("I;16", "I;16L", "I;16B", "I;16N", "I")  # Pillow's names of 16-bit greyscale modes
_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def array(img, what):
    """Returns the picture as an array with at least two axes."""
    made = img if isinstance(img, np.ndarray) else np.asarray(img.to_numpy() if hasattr(img, "to_numpy") else img)
    if made.dtype.kind not in "fiub":
        raise TypeError(f"{what} takes a field, an ndarray or a NumPy array of numbers, not {type(img).__name__}")
    if made.ndim < 2 or 0 in made.shape:
        raise ValueError(f"{what} takes pictures of at least 1 x 1 pixels, not of the shape {made.shape}")
    return made


def _rows(img, what):
    """Returns bytes in file order: rows from the top, then components."""
    img = array(img, what)
    if img.dtype.kind == "f":
        img = (np.clip(np.nan_to_num(img), 0, 1) * 255.0 + 0.5).astype(np.uint8)
    elif img.dtype.kind == "u":
        img = (img >> 8 * (img.dtype.itemsize - 1)).astype(np.uint8)
    else:
        raise ValueError(f"{what} takes floats from 0 to 1 or unsigned integers, not {img.dtype}")
    if img.ndim == 2:
        img = img[..., None]
    if img.ndim != 3 or img.shape[2] not in (1, 3, 4):
        raise ValueError(f"{what} takes (width, height) of numbers or of 3 or 4 components, not {img.shape}")
    return np.ascontiguousarray(img.swapaxes(0, 1)[::-1])


def imwrite(img, filename):
    """Writes a picture to a file.

    Args:
        img: a field, ndarray or NumPy array, `img[x, y]`, of floats from 0 to 1 or unsigned integers, with one, 3 or 4 components.
        filename: path of the file; the extension selects the format. Formats other than .png need Pillow.

    Example:
        >>> import numpy as np, os, tempfile
        >>> name = os.path.join(tempfile.mkdtemp(), "picture.png")
        >>> qd.tools.imwrite(np.full((4, 2, 3), 0.5), name)
        >>> qd.tools.imread(name)[3, 1].tolist()
        [128, 128, 128]
    """
    rows, filename = _rows(img, "imwrite"), os.fspath(filename)
    if not filename.lower().endswith(".png"):
        pillow(filename).fromarray(rows[..., 0] if rows.shape[2] == 1 else rows[..., :3] if filename.lower().endswith(("jpg", "jpeg")) else rows).save(filename)
        return
    height, width, components = rows.shape

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, {1: 0, 3: 2, 4: 6}[components], 0, 0, 0)
    lines = np.zeros((height, width * components + 1), np.uint8)
    lines[:, 1:] = rows.reshape(height, -1)
    with open(filename, "wb") as file:
        file.write(_SIGNATURE + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(lines.tobytes(), 3)) + chunk(b"IEND", b""))


def imread(filename, channels=0):
    """Reads a picture as bytes with shape (width, height, components); of 16-bit components, the upper eight bits.

    Args:
        filename: path of the file.
        channels: requested number of components, 1 to 4; 0: that of the file.

    Returns:
        A NumPy array, `img[x, y]`.

    Example:
        >>> import numpy as np, os, tempfile
        >>> name = os.path.join(tempfile.mkdtemp(), "picture.png")
        >>> qd.tools.imwrite(np.full((4, 2, 3), 0.5), name)
        >>> qd.tools.imread(name)[3, 1].tolist()
        [128, 128, 128]
    """
    with open(filename, "rb") as file:
        data = file.read()
    try:
        rows = _png(data) if data.startswith(_SIGNATURE) else None
        rows = _by_pillow(data, pillow(os.fspath(filename))) if rows is None else rows
    except (OSError, ValueError, SyntaxError, EOFError) as error:
        said = "unknown picture format" if type(error).__name__ == "UnidentifiedImageError" else error
        raise (OSError if isinstance(error, OSError) else ValueError)(f"imread: {os.fspath(filename)}: {said}") from None
    rows = rows[..., None] if rows.ndim == 2 else rows
    return np.ascontiguousarray(_components(rows, channels)[::-1].swapaxes(0, 1))


def _by_pillow(data, pillow):
    from io import BytesIO

    opened = pillow.open(BytesIO(data))
    if opened.mode in _OF_16_BITS:  # Pillow does not convert these to bytes
        return np.minimum(np.asarray(opened).astype(np.int64).clip(0) >> 8, 255).astype(np.uint8)
    if opened.mode not in ("L", "LA", "RGB", "RGBA"):
        opened = opened.convert("RGBA" if "transparency" in opened.info or opened.mode == "PA" else "RGB")
    return np.asarray(opened, np.uint8)


def _components(rows, wanted):
    if wanted not in (0, 1, 2, 3, 4):
        raise ValueError(f"imread: channels must be 0 to 4, not {wanted!r}")
    have = rows.shape[2]
    if wanted in (0, have):
        return rows
    alpha = rows[..., -1:] if have in (2, 4) else np.full(rows.shape[:2] + (1,), 255, np.uint8)
    colour = rows[..., : have - 1 if have in (2, 4) else have]
    if wanted < 3 and colour.shape[2] == 3:
        r, g, b = (colour[..., k : k + 1].astype(np.uint32) for k in range(3))
        colour = (r * 77 + g * 150 + b * 29 >> 8).astype(np.uint8)
    if wanted > 2 and colour.shape[2] == 1:
        colour = np.repeat(colour, 3, axis=2)
    return np.concatenate([colour, alpha], axis=2) if wanted in (2, 4) else colour


def _png(data):
    """Returns the rows of a PNG with 8 bits per component, without interlacing and palette; None for others."""
    at, packed, head = len(_SIGNATURE), [], None
    while at + 8 <= len(data):
        (length,), kind = struct.unpack(">I", data[at : at + 4]), data[at + 4 : at + 8]
        body = data[at + 8 : at + 8 + length]
        if kind == b"IHDR" and len(body) == 13:
            head = struct.unpack(">IIBBBBB", body)
        elif kind == b"IDAT":
            packed.append(body)
        elif kind == b"tRNS":
            return None
        at += 12 + length
    if head is None or head[2] != 8 or head[3] not in (0, 2, 4, 6) or head[6] != 0:
        return None
    width, height, components = head[0], head[1], {0: 1, 2: 3, 4: 2, 6: 4}[head[3]]
    try:
        lines = np.frombuffer(zlib.decompress(b"".join(packed)), np.uint8)
    except zlib.error as error:
        raise ValueError(f"the picture is damaged: {error}") from None
    stride = width * components
    if lines.size != height * (stride + 1):
        raise ValueError("the picture is damaged: it ends early")
    lines = lines.reshape(height, stride + 1)
    if (lines[:, 0] > 2).any():
        return None  # the Average and Paeth filters work byte by byte, which Pillow does in C
    made = lines[:, 1:].copy()
    for y, kind in enumerate(lines[:, 0]):
        if kind == 1:
            made[y] = np.cumsum(made[y].reshape(width, components), axis=0, dtype=np.uint8).reshape(-1)
        elif kind == 2 and y:
            made[y] += made[y - 1]
    return made.reshape(height, width, components)


def pillow(filename):
    try:
        import PIL.Image
    except ImportError:
        raise ImportError(f"{filename}: pictures other than plain PNG need Pillow: pip install pillow") from None
    return PIL.Image


def imresize(img, w, h=None):
    """Resizes a picture by choosing the nearest pixel.

    Args:
        img: a field, ndarray or NumPy array, `img[x, y]`.
        w: the new width.
        h: the new height; None: the same as the width.

    Example:
        >>> import numpy as np
        >>> qd.tools.imresize(np.zeros((4, 4)), 8, 2).shape
        (8, 2)
    """
    img, w = array(img, "imresize"), arrays.whole(w, "imresize: the width")
    h = w if h is None else arrays.whole(h, "imresize: the height")
    if (w, h) == img.shape[:2]:
        return img
    if w < 1 or h < 1:
        raise ValueError(f"imresize: the size must be at least 1 x 1 pixels, not {w} x {h}")
    x = np.minimum(np.arange(w) * img.shape[0] // w, img.shape[0] - 1)
    y = np.minimum(np.arange(h) * img.shape[1] // h, img.shape[1] - 1)
    return img[x[:, None], y]
