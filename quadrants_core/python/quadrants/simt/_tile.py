"""qd.simt.Tile16x16 and Tile32x32: matrices held by the threads of a subgroup. There are none without a GPU."""

from quadrants import _exceptions, _runtime
from quadrants.simt._names import GPUS


class _Maker:
    """`zeros` or `eye` of a tile class."""

    _qd_kind_ = "builtin"

    def __init__(self, tile, name):
        self._tile = tile
        self.__name__ = name
        self._qd_name_ = f"simt.{tile}.{name}"

    @property
    def _qd_why_not_(self):
        arch = _runtime.current_cfg().arch.name
        return f"{self._tile} requires a GPU backend ({GPUS}). Current arch is Arch.{arch}."

    def __call__(self, dtype=None):
        raise _exceptions.QuadrantsSyntaxError(self._qd_why_not_)


class _Tile:
    def __init__(self, size):
        self.SIZE = size
        self._name = f"Tile{size}x{size}"
        self.zeros = _Maker(self._name, "zeros")
        self.eye = _Maker(self._name, "eye")

    def __repr__(self):
        return f"<qd.simt.{self._name}>"


Tile16x16 = _Tile(16)
Tile32x32 = _Tile(32)


class OuterProduct:
    """The outer product of two vectors, for `tile -= qd.outer(a, b)` alone."""

    def __init__(self, a, b):
        self.a, self.b = a, b

    def _compose(self, other):
        raise TypeError("OuterProduct does not support composition; apply each update separately")

    __add__ = __radd__ = __sub__ = __rsub__ = _compose


def outer(a, b):
    """The outer product of two vectors, which a tile is changed by: `tile -= qd.outer(a, b)`."""
    return OuterProduct(a, b)


outer._qd_kind_ = "builtin"
outer._qd_name_ = "outer"
outer._qd_why_not_ = f"qd.outer changes a tile, which requires a GPU backend ({GPUS}). For vectors use a.outer_product(b)"
