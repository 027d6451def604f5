"""qd.simt.Tile16x16 and Tile32x32: matrices distributed over the threads of a subgroup, one row each."""

from functools import cache as _cache

from quadrants import _dtypes, _exceptions, _settings
from quadrants._language import annotations as _annotations, func as _func
from quadrants._language.ops import static
from quadrants._lanes import ops as _ops
from quadrants.simt._names import GPUS

_template = _annotations.template()


def parts():
    """Returns the classes of the parts of arrays that the frontend makes for slices; None if the architecture has no subgroups."""
    if not _ops.size():
        return None
    from quadrants._lanes.tiles import ColumnPart, TilePart

    return TilePart, ColumnPart


def _funcs(n, given):
    """Returns the funcs that kernels call for `zeros` and `eye`."""
    from quadrants._lanes.tiles import tile_class

    def made(dtype):
        return tile_class(n, _dtypes.dtype(next(t for t in (dtype, given, _settings.default_fp()) if t is not None)))

    @_func.func
    def zeros(dtype: _template = None):
        return static(made(dtype))()

    @_func.func
    def eye(dtype: _template = None):
        tile = static(made(dtype))()
        tile.eye_()
        return tile

    return {"zeros": zeros, "eye": eye}


_funcs = _cache(_funcs)


class _Maker:
    """The method `zeros` or `eye` of a tile class."""

    _qd_kind_ = "builtin"

    def __init__(self, tile, name):
        self._tile = tile
        self.__name__ = name
        self._qd_name_ = f"simt.{tile._name}.{name}"

    @property
    def _qd_instead_(self):
        """The func that kernels call instead. The attribute exists where a subgroup has a thread for each row."""
        if _ops.size() < self._tile.SIZE:
            raise AttributeError("_qd_instead_")
        return _funcs(self._tile.SIZE, self._tile.dtype)[self.__name__]

    @property
    def _qd_why_not_(self):
        lanes = _ops.size()
        if lanes:
            return f"{self._tile._name} needs subgroups of at least {self._tile.SIZE} threads, but they have {lanes} here"
        arch = _settings.current().arch.name
        return f"{self._tile._name} requires a GPU backend ({GPUS}). Current arch is Arch.{arch}."

    def __call__(self, dtype=None):
        if _ops.size() >= self._tile.SIZE:
            raise ValueError(f"qd.{self._qd_name_} can be called in kernels and funcs only")
        raise _exceptions.QuadrantsSyntaxError(self._qd_why_not_)


class _Tile:
    def __init__(self, size, dtype=None):
        self.SIZE = size
        self.dtype = dtype  # None: it is an argument of `zeros` and `eye`
        self._name = f"Tile{size}x{size}"
        self.zeros = _Maker(self, "zeros")
        self.eye = _Maker(self, "eye")

    def __repr__(self):
        return f"<qd.simt.{self._name}>"


Tile16x16 = _Tile(16)
Tile32x32 = _Tile(32)


def _make_tile(n, dtype):
    """Returns the class of n x n tiles with this number type."""
    if n not in (Tile16x16.SIZE, Tile32x32.SIZE):
        raise ValueError(f"tiles have 16 or 32 rows, not {n!r}")
    return _made_tile(n, _dtypes.dtype(dtype))


_made_tile = _cache(_Tile)


class _SliceProxy:
    """A part of an array that a tile is loaded from or stored to; it has no value by itself."""

    def __init__(self, arr, *bounds):
        self.arr = arr
        self.bounds = bounds

    def _refuse(self, *_):
        raise TypeError(f"{type(self).__name__.strip('_')} is only valid in tile operations, such as tile[:] = a[r0:r1, c0:c1]")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refuse
    __matmul__ = __rmatmul__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = _refuse
    __neg__ = __pos__ = __abs__ = __getitem__ = __setitem__ = __iter__ = __len__ = __bool__ = __float__ = __int__ = _refuse

    def __repr__(self):
        part = ", ".join(f"{self.bounds[k]}:{self.bounds[k + 1]}" for k in (0, 2)[: len(self.bounds) // 2])
        part += f", {self.bounds[2]}" if len(self.bounds) == 3 else ""
        return f"<a part [{part}] of an array, for a tile; not a value>"


class _TileSliceProxy(_SliceProxy):
    """Represents arr[r0:r1, c0:c1]."""

    def __init__(self, arr, r0, r1, c0, c1):
        super().__init__(arr, r0, r1, c0, c1)


class _VecSliceProxy(_SliceProxy):
    """Represents arr[r0:r1, c]."""

    def __init__(self, arr, r0, r1, c):
        super().__init__(arr, r0, r1, c)


class OuterProduct:
    """The outer product of two vectors, only for use in `tile -= qd.outer(a, b)`."""

    def __init__(self, a, b):
        self.a, self.b = a, b

    def _compose(self, other):
        raise TypeError("OuterProduct does not support composition; apply each update separately")

    __add__ = __radd__ = __sub__ = __rsub__ = _compose


_OUTER = """Makes the outer product of two vectors, to be subtracted from a tile: `tile -= qd.outer(a, b)`. Tiles need a GPU.

Args:
    a: a vector; its elements correspond to the rows. In a kernel it is a part of a column, `x[r0:r1, c]`, or a number of each thread.
    b: a vector; its elements correspond to the columns.

Example:
    >>> type(qd.outer(qd.Vector([1.0]), qd.Vector([2.0]))).__name__
    'OuterProduct'
"""


class _Outer:
    """The callable `qd.outer`."""

    _qd_kind_ = "builtin"
    _qd_name_ = "outer"
    __name__ = __qualname__ = "outer"

    def __init__(self):
        self.__doc__ = _OUTER

    @property
    def _qd_instead_(self):
        if not _ops.size():
            raise AttributeError("_qd_instead_")
        from quadrants._lanes.tiles import Outer

        return Outer

    @property
    def _qd_why_not_(self):
        return f"qd.outer changes a tile, which requires a GPU backend ({GPUS}). For vectors use a.outer_product(b)"

    def __call__(self, a, b):
        return OuterProduct(a, b)


outer = _Outer()
