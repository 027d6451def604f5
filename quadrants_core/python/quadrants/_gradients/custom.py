"""Python functions with custom gradients."""

import functools
import inspect
from _thread import _local

from quadrants._language import kernel as _kernel

_Mode = _kernel.AutodiffMode


class _Thread(_local):
    depth = 0  # nesting of functions with custom gradients being run; kernels in them are not recorded


_thread = _Thread()


def suspended():
    return _thread.depth > 0


class _suspending:
    """Context of a function with custom gradients. (A class, so that cloudpickle finds it by name; it cannot pickle `_thread`.)"""

    def __enter__(self):
        _thread.depth += 1

    def __exit__(self, *_):
        _thread.depth -= 1


class _WithKeywords:
    """A call of a function with keyword-only arguments."""

    def __init__(self, function, keywords):
        self.function, self.keywords = function, keywords
        self.autodiff_mode = _Mode.NONE

    def grad(self, *args):
        return self.function.grad(*args, **self.keywords)

    def __call__(self, *args):
        return self.function(*args, **self.keywords)


def _recorded_as_a_whole(function):
    signature = inspect.signature(function)

    @functools.wraps(function)
    def decorated(*args, **keywords):
        recorder = _kernel.recorder()
        if recorder is not None and not suspended():
            bound = signature.bind(*args, **keywords)
            called = _WithKeywords(decorated, bound.kwargs) if bound.kwargs else decorated
            recorder.insert(called, bound.args)
        with _suspending():
            function(*args, **keywords)

    decorated.grad = None
    decorated.autodiff_mode = _Mode.NONE
    return decorated


def grad_replaced(func):
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
        2.0
    """
    return _recorded_as_a_whole(func)


def grad_for(primal):
    """Makes a function the gradient of another one: the backward pass calls it with the same arguments.

    Args:
        primal: a function decorated with grad_replaced.

    Returns:
        A decorator.

    Raises:
        RuntimeError: `primal` is not decorated.

    Example:
        See `qd.ad.grad_replaced`.
    """

    def decorate(func):
        if not hasattr(primal, "grad"):
            raise RuntimeError(f"Primal function `{primal.__name__}` must be decorated by qd.ad.grad_replaced")
        if primal.grad is not None:
            raise RuntimeError(
                "Primal function must be a **python** function instead of a quadrants kernel. Please wrap the kernel in the "
                "primal function."
            )

        @functools.wraps(func)
        def decorated(*args, **keywords):
            func(*args, **keywords)

        primal.grad = decorated
        return decorated

    return decorate


def no_grad(func):
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
    decorated = _recorded_as_a_whole(func)
    decorated.grad = lambda *args, **keywords: None
    decorated.goes_back = False
    return decorated
