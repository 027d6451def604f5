# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false, reportAssignmentType=false
"""qd.ad: derivatives of kernels."""
from collections.abc import Callable, Sequence
from typing import Any, Literal, Self, TypeVar
_F = TypeVar('_F', bound=Callable[..., Any])

class Tape:
    """Records the kernels, and functions with custom gradients, that are called in its block. At the end of the block, the gradient of
    `loss` is set to 1 and the gradients of all calls are computed in reverse order.
    
    Args:
        loss: a field with one element and needs_grad=True, or an ndarray with one element; None: call `grad()` or set the gradients
            yourself.
        clear_gradients: whether to set all gradients to 0 first.
        validation: whether to check that kernels obey the rule of reverse mode: an element that has been read is not written again.
        grad_check: fields whose gradients are compared with finite differences of the loss; this runs the recorded calls many times.
    
    Attributes:
        calls, modes: the recorded calls, and the previous modes of the kernels.
        loss, clear_gradients: the arguments.
        gradient_evaluated: whether the gradients have been computed.
    
    Raises:
        RuntimeError: `loss` has no gradient or more than one element. QuadrantsAssertionError: `validation` found a write that breaks the
        rule. AssertionError: `grad_check` found a wrong gradient.
    
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
        """Called by the package when a kernel is called.
        
        Args:
            info: the KernelInfo of the kernel.
            args: the positional arguments.
            keywords: the keyword arguments."""

    def copied(self, target: Any, source: Any) -> Any:
        """Called by the package when a field or array is copied from another one.
        
        Args:
            target: the destination.
            source: the source."""

    def filled(self, target: Any, value: Any) -> Any:
        """Called by the package when a field or array is filled from Python, after which it depends on nothing.
        
        Args:
            target: the field or array.
            value: the new value."""

    def grad(self) -> None:
        """Computes the gradients of the calls so far, if the Tape has not done so yet."""

    def insert(self, call: Any, args: Any) -> Any:
        """Records a call explicitly; in forward mode, functions with custom gradients have no tangents.
        
        Args:
            call: an object with a `grad` that takes the arguments.
            args: the arguments."""

    def loaded(self, target: Any, values: Any) -> Any:
        """Called by the package when a field or array is set from external numbers. If nothing has been recorded yet, it is an input of the
        program and retains its gradient.
        
        Args:
            target: the field or array.
            values: the numbers."""
    calls: Any
    modes: Any
    loss: Any
    clear_gradients: bool
    gradient_evaluated: bool

    def __enter__(self) -> Self: ...

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None: ...

class FwdMode:
    """In its block, kernels store in the `dual` of each field the derivatives of its elements with respect to `param` in the direction
    `seed`.
    
    Args:
        loss: a field or a list of fields; their duals are the result.
        param: the field to differentiate with respect to.
        seed: the direction, one number per element of `param`; None: 1, if it has one element.
        clear_gradients: whether to set all duals to 0 first.
    
    Attributes:
        calls, modes: the recorded kernels and their previous modes.
        loss, param, seed, clear_gradients: the arguments.
        kernels_recovered: whether the block has ended.
    
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
        """Called by the package when a kernel is called.
        
        Args:
            info: the KernelInfo of the kernel.
            args: the positional arguments.
            keywords: the keyword arguments."""

    def copied(self, target: Any, source: Any) -> Any:
        """Called by the package when a field or array is copied from another one.
        
        Args:
            target: the destination.
            source: the source."""

    def filled(self, target: Any, value: Any) -> Any:
        """Called by the package when a field or array is filled from Python, after which it depends on nothing.
        
        Args:
            target: the field or array.
            value: the new value."""

    def insert(self, call: Any, args: Any) -> Any:
        """Records a call explicitly; in forward mode, functions with custom gradients have no tangents.
        
        Args:
            call: an object with a `grad` that takes the arguments.
            args: the arguments."""

    def loaded(self, target: Any, values: Any) -> Any:
        """Called by the package when a field or array is set from external numbers. If nothing has been recorded yet, it is an input of the
        program and retains its gradient.
        
        Args:
            target: the field or array.
            values: the numbers."""

    def recover_kernels(self) -> Any:
        """Ends the block; called when the block is left."""
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
    """Makes a function whose gradient is defined with `grad_for`, instead of being derived from the kernels that it calls.
    
    Args:
        func: the function.
    
    Returns:
        The decorated function, which a Tape can record.
    
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
    """Makes a function the gradient of another one: the backward pass calls it with the same arguments.
    
    Args:
        primal: a function decorated with grad_replaced.
    
    Returns:
        A decorator.
    
    Raises:
        RuntimeError: `primal` is not decorated.
    
    Example:
        See `qd.ad.grad_replaced`."""

def no_grad(func: _F) -> _F:
    """Makes a function through which no gradient is propagated.
    
    Args:
        func: the function.
    
    Returns:
        The decorated function.
    
    Example:
        >>> @qd.ad.no_grad
        ... def report():
        ...     return 1
        >>> report()
        """

def clear_all_gradients(gradient_type: Any=...) -> Any:
    """Sets the gradients of all fields to 0.
    
    Args:
        gradient_type: `SNodeGradType.ADJOINT`, or DUAL for the duals.
    
    Example:
        >>> x = qd.field(qd.f32, shape=2, needs_grad=True)
        >>> x.grad.fill(1.0)
        >>> qd.ad.clear_all_gradients()
        >>> x.grad[0]
        0.0"""

def memory_report() -> Any:
    """Returns the adstack memory of the reverse kernels made so far, and that used at their last launch.
    
    Returns:
        A list of kernels with their tasks, loops and variables, which prints as a table; sizes are in bytes.
    
    Example:
        >>> len(qd.ad.memory_report())
        0"""
