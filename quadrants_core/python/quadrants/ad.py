"""qd.ad: derivatives of kernels."""

from quadrants._gradients.custom import grad_for, grad_replaced, no_grad
from quadrants._gradients.forward_mode import FwdMode
from quadrants._gradients.memory import memory_report
from quadrants._gradients.tape import Tape, clear_all_gradients


def __getattr__(name):
    """Imports `check` on demand, since few programs need it."""
    if name == "check":
        from quadrants._gradients.agreement import check

        return check
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
