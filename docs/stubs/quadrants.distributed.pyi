from collections.abc import Callable
from typing import Any, Self

class Compilation:
    process: str
    kernel: str
    file: str
    line: int
    milliseconds: float
    tasks: dict[str, str]
    compiled: bool

class Face:
    axis: int
    side: int
    inner: tuple[slice, ...]
    halo: tuple[slice, ...]

class Workers:
    def __enter__(self) -> Self: ...
    def compilations(self) -> list[Compilation]: ...
    def task_times(self) -> dict[tuple[str, str], tuple[int, float, float, float]]: ...
    def collect(self) -> None: ...
    def close(self) -> None: ...

class PoolWorkers(Workers):
    initializer: Callable[..., None]
    initargs: tuple[Any, ...]

def connect(client: Any, arch: Any = None, **options: Any) -> Workers: ...
def for_pool(processes: int, arch: Any = None, **options: Any) -> PoolWorkers: ...
def faces(x: Any, width: int = 1) -> list[Face]: ...
