"""Forward mode: in the block of a FwdMode, kernels compute tangents in addition to values."""

from quadrants import _native
from quadrants._gradients import custom as _custom
from quadrants._gradients.changes import unwrapped
from quadrants._gradients.tape import clear_all_gradients
from quadrants._language import kernel as _kernel
from quadrants._storage import field as _field
from quadrants._trees import snode as _snode

_Mode = _kernel.AutodiffMode


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
        6.0
    """

    def __init__(self, loss, param, seed=None, clear_gradients=True):
        self.calls = []  # kernels
        self.modes = []  # the previous AutodiffMode of each
        self.entered = False
        self.kernels_recovered = False
        self.loss = loss
        self.param = unwrapped(param)
        self.seed = seed
        self.clear_gradients = clear_gradients
        self._outer = None

    def __enter__(self):
        assert not self.entered, "Forward mode manager can be entered only once."
        self.entered = True
        if not isinstance(self.loss, list):
            self.loss = [self.loss]
        for loss in self.loss:
            assert isinstance(unwrapped(loss), _field.ScalarField), f"a loss must be a scalar field, not {loss!r}"
        assert isinstance(self.param, _field.ScalarField), f"`param` must be a scalar field, not {self.param!r}"
        self._check_seed()
        if self.clear_gradients:
            clear_all_gradients(_snode.SNodeGradType.DUAL)
        self._write_seed()
        self._outer = _kernel.recorder()
        if hasattr(self._outer, "enclosed"):
            self._outer.enclosed()
        _kernel.record_with(self)
        return self

    def _check_seed(self):
        elements = 1
        for extent in self.param.shape:
            elements *= extent
        if self.seed is None:
            if elements != 1:
                raise RuntimeError("`seed` is not set for non 0-D field, please specify.")
            self.seed = [1.0]
        assert len(self.seed) == elements, f"`seed` has {len(self.seed)} numbers, `param` {elements} elements"

    def _write_seed(self):
        import numpy as np

        dual = self.param.dual
        dual.from_numpy(np.asarray(self.seed, dtype=np.float64).reshape(dual.shape))

    def __exit__(self, *_):
        _kernel.record_with(self._outer)
        self.param.dual.fill(0)
        self.recover_kernels()

    def recover_kernels(self):
        """Ends the block; called when the block is left."""
        assert self.entered, "Before recover the kernels, fwd mode manager must be entered."
        for kernel, mode in zip(reversed(self.calls), reversed(self.modes)):
            kernel.autodiff_mode = mode
        self.kernels_recovered = True

    def call(self, info, args, keywords):
        """Called by the package when a kernel is called.

        Args:
            info: the KernelInfo of the kernel.
            args: the positional arguments.
            keywords: the keyword arguments.
        """
        if _custom.suspended():
            return info._launch(args, keywords)
        self.modes.append(info.autodiff_mode)
        self.calls.append(info)
        info.autodiff_mode = _Mode.FORWARD
        return info.derivative(_Mode.FORWARD)(*args, **keywords)

    def filled(self, target, value):
        """Called by the package when a field or array is filled from Python, after which it depends on nothing.

        Args:
            target: the field or array.
            value: the new value.
        """
        if not _custom.suspended() and target.has_dual():
            target.dual.fill(0)

    def copied(self, target, source):
        """Called by the package when a field or array is copied from another one.

        Args:
            target: the destination.
            source: the source.
        """
        if not _custom.suspended() and target.has_dual():
            target.dual.from_numpy(source.dual.to_numpy()) if source.has_dual() else target.dual.fill(0)

    def loaded(self, target, values):
        """Called by the package when a field or array is set from external numbers. If nothing has been recorded yet, it is an input of the
        program and retains its gradient.

        Args:
            target: the field or array.
            values: the numbers.
        """
        if self.calls and target is not self.param and not _custom.suspended() and target.has_dual():
            target.dual.fill(0)

    def insert(self, call, args):
        """Records a call explicitly; in forward mode, functions with custom gradients have no tangents.

        Args:
            call: an object with a `grad` that takes the arguments.
            args: the arguments.
        """


for _name in ("__enter__", "__exit__"):
    setattr(FwdMode, _name, _native.core().hiding_frames(getattr(FwdMode, _name)))
