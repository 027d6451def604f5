from collections.abc import Callable, Sequence
from typing import Any, Literal, Self, TypeVar

_F = TypeVar("_F", bound=Callable[..., Any])

class Tape:
    calls: Any
    modes: Any
    loss: Any
    clear_gradients: bool
    gradient_evaluated: bool
    def __enter__(self) -> Self: ...
    def __exit__(self, kind: Any, error: Any, trace: Any) -> None: ...
    def grad(self) -> None: ...

class FwdMode:
    calls: Any
    modes: Any
    loss: Any
    param: Any
    seed: Any
    clear_gradients: bool
    kernels_recovered: bool
    def __enter__(self) -> Self: ...
    def __exit__(self, *_: Any) -> None: ...

def grad_replaced(func: _F) -> _F: ...
def grad_for(primal: Callable[..., Any]) -> Callable[[_F], _F]: ...
def no_grad(func: _F) -> _F: ...
