"""Names as pyright can use them. They are imported, as those of _mypy.pyi are: of several imports of a name, pyright takes the last."""

from quadrants.types import NdarrayType

NDArray = NdarrayType
