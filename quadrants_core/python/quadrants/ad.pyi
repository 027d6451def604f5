# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false
"""qd.ad: derivatives of kernels."""
from collections.abc import Callable, Sequence
from typing import Any, Literal, Self, TypeVar
_F = TypeVar('_F', bound=Callable[..., Any])

class Tape:
    """Records the kernels that are called in its block, and functions with gradients of their own. As the block ends, the gradient of
    `loss` becomes 1, and the gradients of all calls are worked out, those of the last call first.
    
    Args:
        loss: a field of one element with needs_grad=True, or an ndarray of one element; None: call `grad()` or set gradients yourself.
        clear_gradients: begin with gradients of 0.
        validation: check that no kernel breaks the rules of derivatives: an element that was read is not written again.
        grad_check: fields whose gradients are compared with differences of the loss; what was recorded then runs often.
    
    Attributes:
        calls, modes: what was recorded.
        loss, clear_gradients: as they were given.
        gradient_evaluated: whether the gradients were worked out.
    
    Raises:
        RuntimeError: `loss` has no gradient or more than one element. QuadrantsAssertionError: `validation` found a write.
            AssertionError: `grad_check` found a gradient that is wrong.
    
    Example:
        >>> x = qd.field(qd.f32, shape=3, needs_grad=True)
        >>> loss = qd.field(qd.f32, shape=(), needs_grad=True)
        >>> @qd.kernel
        ... def square():
        ...     for i in x:
        ...         loss[None] += x[i] ** 2
        >>> x.fill(2.0)
        >>> with qd.ad.Tape(loss):
        ...     square()
        >>> x.grad.to_numpy()
        array([4., 4., 4.], dtype=float32)"""

    def __init__(self, loss: Any=None, clear_gradients: Any=True, validation: Any=False, grad_check: Any=None) -> None: ...

    def call(self, info: Any, args: Any, keywords: Any) -> Any:
        """A kernel is called; the package calls this.
        
        Args:
            info: what is known of the kernel.
            args: its arguments.
            keywords: those by name."""

    def copied(self, target: Any, source: Any) -> Any:
        """A field or array is copied from another one; the package calls this.
        
        Args:
            target: what takes the values.
            source: what has them."""

    def filled(self, target: Any, value: Any) -> Any:
        """A field or array is filled from Python: it no longer depends on anything. The package calls this.
        
        Args:
            target: what is filled.
            value: with what."""

    def grad(self) -> None:
        """Works out the gradients of the calls so far, if the Tape has not done so."""

    def insert(self, call: Any, args: Any) -> Any:
        """Records a call by hand; of forward mode, functions with gradients of their own have no tangents.
        
        Args:
            call: what has a `grad` that takes the arguments.
            args: the arguments."""

    def loaded(self, target: Any, values: Any) -> Any:
        """A field or array takes numbers from outside. Where nothing was recorded before, that is an input of the program, which keeps its
        gradient. The package calls this.
        
        Args:
            target: what takes them.
            values: the numbers."""
    calls: Any
    modes: Any
    loss: Any
    clear_gradients: bool
    gradient_evaluated: bool

    def __enter__(self) -> Self: ...

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None: ...

class FwdMode:
    """In its block kernels put into `dual` of every field how fast its elements change as `param` moves along `seed`.
    
    Args:
        loss: a field or a list of them; their duals are the result.
        param: the field that moves.
        seed: how fast each element of `param` moves; None: 1, if it has one element.
        clear_gradients: begin with duals of 0.
    
    Attributes:
        calls, modes: what was recorded.
        loss, param, seed, clear_gradients: as they were given.
        kernels_recovered: whether the block is over.
    
    Example:
        >>> x = qd.field(qd.f32, shape=(), needs_dual=True)
        >>> y = qd.field(qd.f32, shape=(), needs_dual=True)
        >>> @qd.kernel
        ... def square():
        ...     y[None] = x[None] ** 2
        >>> x[None] = 3.0
        >>> with qd.ad.FwdMode(loss=y, param=x):
        ...     square()
        >>> y.dual[None]
        6.0"""

    def __init__(self, loss: Any, param: Any, seed: Any=None, clear_gradients: Any=True) -> None: ...

    def call(self, info: Any, args: Any, keywords: Any) -> Any:
        """A kernel is called; the package calls this.
        
        Args:
            info: what is known of the kernel.
            args: its arguments.
            keywords: those by name."""

    def copied(self, target: Any, source: Any) -> Any:
        """A field or array is copied from another one; the package calls this.
        
        Args:
            target: what takes the values.
            source: what has them."""

    def filled(self, target: Any, value: Any) -> Any:
        """A field or array is filled from Python: it no longer depends on anything. The package calls this.
        
        Args:
            target: what is filled.
            value: with what."""

    def insert(self, call: Any, args: Any) -> Any:
        """Records a call by hand; of forward mode, functions with gradients of their own have no tangents.
        
        Args:
            call: what has a `grad` that takes the arguments.
            args: the arguments."""

    def loaded(self, target: Any, values: Any) -> Any:
        """A field or array takes numbers from outside. Where nothing was recorded before, that is an input of the program, which keeps its
        gradient. The package calls this.
        
        Args:
            target: what takes them.
            values: the numbers."""

    def recover_kernels(self) -> Any:
        """Ends the block; leaving it does so."""
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
    """A function whose gradient is what `grad_for` makes of another one, and not that of the kernels that it calls.
    
    Args:
        func: the function.
    
    Returns:
        The function, with what it needs to be recorded.
    
    Example:
        >>> x = qd.field(qd.f32, shape=(), needs_grad=True)
        >>> loss = qd.field(qd.f32, shape=(), needs_grad=True)
        >>> @qd.ad.grad_replaced
        ... def forward():
        ...     loss[None] = 5.0
        >>> @qd.ad.grad_for(forward)
        ... def backward():
        ...     x.grad[None] = 2.0 * loss.grad[None]
        >>> with qd.ad.Tape(loss):
        ...     forward()
        >>> x.grad[None]
        2.0"""

def grad_for(primal: Callable[..., Any]) -> Callable[[_F], _F]:
    """Makes a function the gradient of another: it is called with the same arguments on the way back.
    
    Args:
        primal: a function that is decorated by grad_replaced.
    
    Returns:
        A decorator.
    
    Raises:
        RuntimeError: `primal` is not decorated.
    
    Example:
        See `qd.ad.grad_replaced`."""

def no_grad(func: _F) -> _F:
    """A function that no gradient goes back through.
    
    Args:
        func: the function.
    
    Returns:
        The function, marked.
    
    Example:
        >>> @qd.ad.no_grad
        ... def report():
        ...     return 1
        >>> report()
        """

def clear_all_gradients(gradient_type: Any=...) -> Any:
    """The gradients of all fields become 0.
    
    Args:
        gradient_type: `SNodeGradType.ADJOINT`; with DUAL, their duals.
    
    Example:
        >>> x = qd.field(qd.f32, shape=2, needs_grad=True)
        >>> x.grad.fill(1.0)
        >>> qd.ad.clear_all_gradients()
        >>> x.grad[0]
        0.0"""

def memory_report() -> Any:
    """What the reverse kernels that were made so far keep, and kept at their last launch.
    
    Returns:
        A list of kernels with their tasks, loops and variables, which prints as a table; sizes are bytes.
    
    Example:
        >>> len(qd.ad.memory_report())
        0"""
