"""Assignments from Python to fields and arrays, which a Tape records in addition to kernel calls."""

from quadrants._language import kernel as _kernel

UNRECORDED = "Python writes to fields or arrays between the recorded calls: no gradient flows back through these writes, and the calls alone do not reproduce the loss"

_Mode = _kernel.AutodiffMode


def unwrapped(value):
    """Returns the field or ndarray of a qd.Tensor; any other value unchanged."""
    return value._impl if getattr(type(value), "_qd_kind_", None) == "tensor" else value


class Replaced:
    """Replacement of the contents of a field or array: the earlier contents do not contribute to the loss."""

    autodiff_mode = _Mode.NONE

    def __init__(self, target):
        self.target = target

    def grad(self, *_):
        self.target.grad.fill(0)


class Filled(Replaced):
    """Replacement by a single value."""

    name = "fill"

    def __call__(self, value):
        self.target.fill(value)


class Loaded(Replaced):
    """Replacement by external numbers."""

    name = "from_numpy"

    def __call__(self, values):
        self.target.from_numpy(values)


class Copied(Replaced):
    """Replacement by the contents of another field or array, to which the gradient is added."""

    name = "copy_from"

    def grad(self, source):
        if source.has_grad():
            source.grad.from_numpy(source.grad.to_numpy() + self.target.grad.to_numpy())
        super().grad()

    def __call__(self, source):
        self.target.copy_from(source)
