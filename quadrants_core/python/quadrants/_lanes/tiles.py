"""Tiles and parts of arrays in kernels, on architectures with subgroups: classes whose instances the frontend makes. Each lane has a row of
a tile; lanes beyond the last row take part in the exchange of values only."""

from functools import cache

from quadrants._language import annotations as _annotations
from quadrants._language.func import func as _func
from quadrants._language.matrix import Vector
from quadrants._language.ops import cast, max as max_, min as min_, select, sqrt, static
from quadrants._lanes import ops as _ops

_template = _annotations.template()


def _fail(text):
    raise TypeError(text)


@_func
def _element(arr: _template, batch: _template, row, column):
    if static(len(batch) == 0):
        return arr[row, column]
    return arr[batch[0], row, column]


@_func
def _of_lane(v):
    """Returns the lane's element of a vector: of a column, or the number that each lane has."""
    if static(isinstance(v, ColumnPart)):
        return v.value
    return v


def _refused(self, other=None):
    static(_fail("a part of an array is only valid in tile operations, such as tile[:] = a[r0:r1, c0:c1]"))


def _composed(self, other=None):
    static(_fail("OuterProduct does not support composition; apply each update separately"))


def _unsupported(self, other):
    static(_fail("unsupported augmented assignment op of a tile: it is updated by `tile -= qd.outer(a, b)`"))


class _Part:
    """A part of an array, with which nothing can be computed."""

    _qd_instances_ = True
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refused
    __matmul__ = __rmatmul__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = _refused
    __neg__ = __pos__ = __abs__ = __getitem__ = _refused


class TilePart(_Part):
    """Represents arr[r0:r1, c0:c1], or arr[i, r0:r1, c0:c1]."""

    def __init__(self, arr, batch, r0, r1, c0, c1):
        self.arr = arr
        self.batch = batch
        self.r0 = r0
        self.r1 = min_(r1, arr.shape[-2])
        self.c0 = c0
        self.c1 = min_(c1, arr.shape[-1])

    def __assign__(self, tile):
        if static(not isinstance(tile, AnyTile)):
            static(_fail("a part of an array is only valid in tile operations: only a tile can be stored to it"))
        tile.store_to(self)


class ColumnPart(_Part):
    """Represents arr[r0:r1, c], or arr[i, r0:r1, c]: the lane's element, which is 0 beyond the part and beyond the array."""

    def __init__(self, arr, batch, r0, r1, c):
        row = r0 + _ops.lane()
        inside = row < min_(r1, arr.shape[-2]) and c < arr.shape[-1]
        self.value = select(inside, _element(arr, batch, select(inside, row, 0), select(inside, c, 0)), 0)


class Outer:
    """The outer product of two vectors, of which each lane has an element."""

    _qd_instances_ = True

    def __init__(self, a, b):
        self.a = _of_lane(a)
        self.b = _of_lane(b)

    __add__ = __radd__ = __sub__ = __rsub__ = _composed


def _check_key(key):
    if key != slice(None):
        _fail("a tile is loaded as a whole: tile[:] = a[r0:r1, c0:c1]")


class AnyTile:
    """A tile of any size and type. The members of the class are constants in kernels."""

    _qd_instances_ = True
    SIZE = 0
    dtype = None

    def __init__(self):
        self.row = Vector.zero(self.dtype, self.SIZE)

    def eye_(self):
        for k in static(range(self.SIZE)):
            self.row[k] = cast(_ops.lane() == k, self.dtype)

    def __setitem__(self, key, part):
        static(_check_key(key))
        if static(not isinstance(part, TilePart)):
            static(_fail("a tile is loaded from a part of an array: tile[:] = a[r0:r1, c0:c1]"))
        r = part.r0 + _ops.lane()
        if _ops.lane() < self.SIZE and r < part.r1:
            for k in static(range(self.SIZE)):
                if part.c0 + k < part.c1:
                    self.row[k] = cast(_element(part.arr, part.batch, r, part.c0 + k), self.dtype)

    def store_to(self, part):
        r = part.r0 + _ops.lane()
        if _ops.lane() < self.SIZE and r < part.r1:
            for k in static(range(self.SIZE)):
                if part.c0 + k < part.c1:
                    if static(len(part.batch) == 0):
                        part.arr[r, part.c0 + k] = self.row[k]
                    else:
                        part.arr[part.batch[0], r, part.c0 + k] = self.row[k]

    def __isub__(self, product):
        if static(not isinstance(product, Outer)):
            static(_fail("unsupported augmented assignment of a tile: it is updated by `tile -= qd.outer(a, b)`"))
        for k in static(range(self.SIZE)):
            self.row[k] = self.row[k] - cast(product.a * _ops.shuffle(product.b, k), self.dtype)
        return self

    def cholesky_(self, eps):
        for k in static(range(self.SIZE)):
            diagonal = sqrt(max_(_ops.shuffle(self.row[k], k), cast(eps, self.dtype)))
            column = self.row[k] / diagonal
            column = select(_ops.lane() == k, diagonal, select(_ops.lane() < k, cast(0, self.dtype), column))
            self.row[k] = column
            for j in static(range(k + 1, self.SIZE)):
                self.row[j] = self.row[j] - column * _ops.shuffle(column, j)

    @_func  # so that its annotations count: B is changed
    def solve_triangular_(self, B: _template, lower: _template = True):
        if static(not lower):
            static(_fail("solve_triangular_ supports only lower=True"))
        if static(not isinstance(B, AnyTile) or B.SIZE != self.SIZE or B.dtype != self.dtype):
            static(_fail("solve_triangular_: B must match the tile: it needs the same number of rows and the same type"))
        for j in static(range(self.SIZE)):
            x = B.row[j]
            for k in static(range(j)):
                x = x - B.row[k] * _ops.shuffle(self.row[k], j)
            B.row[j] = x / _ops.shuffle(self.row[j], j)

    __iadd__ = __imul__ = __itruediv__ = __ifloordiv__ = __imod__ = __ipow__ = _unsupported
    __iand__ = __ior__ = __ixor__ = __ilshift__ = __irshift__ = _unsupported


@cache
def tile_class(n, dtype):
    """Returns the class of tiles with n rows."""
    return type(f"Tile{n}x{n}", (AnyTile,), {"SIZE": n, "dtype": dtype})
