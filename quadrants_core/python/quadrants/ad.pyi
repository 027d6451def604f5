# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false
"""qd.ad: derivatives of kernels."""
from collections.abc import Callable, Sequence
from typing import Any, Literal, Self, TypeVar
_F = TypeVar('_F', bound=Callable[..., Any])

class Tape:
    """Records the kernels that are called in its block, and functions with gradients of their own. As the block ends, the
    gradient of `loss` becomes 1, and the gradients of all calls are worked out, those of the last call first."""

    def __init__(self, loss: Any=None, clear_gradients: Any=True, validation: Any=False, grad_check: Any=None) -> None: ...

    def call(self, info: Any, args: Any, keywords: Any) -> Any:
        """A kernel is called."""

    def copied(self, target: Any, source: Any) -> Any:
        """A field or array is copied from another one."""

    def filled(self, target: Any, value: Any) -> Any:
        """A field or array is filled from Python."""

    def grad(self) -> None:
        """Works out the gradients of the calls so far, if the Tape has not done so."""

    def insert(self, call: Any, args: Any) -> Any: ...

    def loaded(self, target: Any, values: Any) -> Any:
        """A field or array takes numbers from outside. Where nothing was recorded before, that is an input of the program, which
        keeps its gradient."""
    calls: Any
    modes: Any
    loss: Any
    clear_gradients: bool
    gradient_evaluated: bool

    def __enter__(self) -> Self: ...

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None: ...

class FwdMode:
    """In its block kernels put into `dual` of every field how fast its elements change as `param` moves along `seed`."""

    def __init__(self, loss: Any, param: Any, seed: Any=None, clear_gradients: Any=True) -> None: ...

    def call(self, info: Any, args: Any, keywords: Any) -> Any:
        """A kernel is called."""

    def copied(self, target: Any, source: Any) -> Any:
        """A field or array is copied from another one."""

    def filled(self, target: Any, value: Any) -> Any:
        """A field or array is filled from Python: it no longer depends on anything."""

    def insert(self, call: Any, args: Any) -> Any:
        """Functions with gradients of their own have no tangents of their own."""

    def loaded(self, target: Any, values: Any) -> Any:
        """A field takes numbers from outside: it no longer depends on anything. `param` is still what moves."""

    def recover_kernels(self) -> Any: ...
    calls: Any
    modes: Any
    loss: Any
    param: Any
    seed: Any
    clear_gradients: bool
    kernels_recovered: bool

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: Any) -> None: ...

def grad_replaced(func: _F) -> _F:
    """A function whose gradient is what `grad_for` makes of another one, and not that of the kernels that it calls."""

def grad_for(primal: Callable[..., Any]) -> Callable[[_F], _F]:
    """Makes a function the gradient of `primal`, which is decorated by grad_replaced: it takes the same arguments."""

def no_grad(func: _F) -> _F:
    """A function that no gradient goes back through."""

def clear_all_gradients(gradient_type: Any=...) -> Any:
    """The gradients of all fields become 0; with SNodeGradType.DUAL, their duals."""

def memory_report() -> Any:
    """What the reverse kernels that were made so far keep, and kept at their last launch: a list of kernels with their tasks, loops and
    variables, which prints as a table."""
