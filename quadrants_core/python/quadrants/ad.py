"""qd.ad: derivatives of kernels."""

from quadrants._gradients.custom import grad_for, grad_replaced, no_grad
from quadrants._gradients.forward_mode import FwdMode
from quadrants._gradients.memory import memory_report
from quadrants._gradients.tape import Tape, clear_all_gradients


def __getattr__(name):
    """Imports `check` and the class of its results on demand, since few programs need them."""
    if name in ("check", "Check"):
        from quadrants._gradients import agreement

        return getattr(agreement, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
