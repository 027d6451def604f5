"""Names as mypy can use them; it has no other way to read `NDArray[qd.f32, 1]`, whose brackets contain a number. See docs/stubs."""

from typing import Any, TypeVar, dataclass_transform

_T = TypeVar("_T")

NDArray: Any

@dataclass_transform()
def dataclass(cls: type[_T]) -> type[_T]: ...
