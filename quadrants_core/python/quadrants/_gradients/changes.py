"""What a Tape records beside calls of kernels: fields and arrays whose contents are replaced from Python."""

from quadrants._language import kernel as _kernel

UNRECORDED = "Python writes to fields or arrays between the calls that are recorded: nothing goes back through that, and they alone do not give the loss"

_Mode = _kernel.AutodiffMode


def unwrapped(value):
    """What a qd.Tensor holds; anything else as it is."""
    return value._impl if getattr(type(value), "_qd_kind_", None) == "tensor" else value


class Replaced:
    """A field or array whose contents were replaced: none of what it held before reaches the loss."""

    autodiff_mode = _Mode.NONE

    def __init__(self, target):
        self.target = target

    def grad(self, *_):
        self.target.grad.fill(0)


class Filled(Replaced):
    """By one value."""

    name = "fill"

    def __call__(self, value):
        self.target.fill(value)


class Loaded(Replaced):
    """By numbers from outside."""

    name = "from_numpy"

    def __call__(self, values):
        self.target.from_numpy(values)


class Copied(Replaced):
    """By those of another one, whose gradient it gets."""

    name = "copy_from"

    def grad(self, source):
        if source.has_grad():
            source.grad.from_numpy(source.grad.to_numpy() + self.target.grad.to_numpy())
        super().grad()

    def __call__(self, source):
        self.target.copy_from(source)
