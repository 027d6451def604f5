"""Forward mode: in the block of a FwdMode kernels work out tangents beside values."""

from quadrants import _native
from quadrants._gradients import custom as _custom
from quadrants._gradients.changes import unwrapped
from quadrants._gradients.tape import clear_all_gradients
from quadrants._language import kernel as _kernel
from quadrants._storage import field as _field
from quadrants._trees import snode as _snode

_Mode = _kernel.AutodiffMode


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
        6.0
    """

    def __init__(self, loss, param, seed=None, clear_gradients=True):
        self.calls = []  # kernels
        self.modes = []  # AutodiffMode of each before
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
        """Ends the block; leaving it does so."""
        assert self.entered, "Before recover the kernels, fwd mode manager must be entered."
        for kernel, mode in zip(reversed(self.calls), reversed(self.modes)):
            kernel.autodiff_mode = mode
        self.kernels_recovered = True

    def call(self, info, args, keywords):
        """A kernel is called; the package calls this.

        Args:
            info: what is known of the kernel.
            args: its arguments.
            keywords: those by name.
        """
        if _custom.suspended():
            return info._launch(args, keywords)
        self.modes.append(info.autodiff_mode)
        self.calls.append(info)
        info.autodiff_mode = _Mode.FORWARD
        return info.derivative(_Mode.FORWARD)(*args, **keywords)

    def filled(self, target, value):
        """A field or array is filled from Python: it no longer depends on anything. The package calls this.

        Args:
            target: what is filled.
            value: with what.
        """
        if not _custom.suspended() and target.has_dual():
            target.dual.fill(0)

    def copied(self, target, source):
        """A field or array is copied from another one; the package calls this.

        Args:
            target: what takes the values.
            source: what has them.
        """
        if not _custom.suspended() and target.has_dual():
            target.dual.from_numpy(source.dual.to_numpy()) if source.has_dual() else target.dual.fill(0)

    def loaded(self, target, values):
        """A field or array takes numbers from outside. Where nothing was recorded before, that is an input of the program, which keeps its
        gradient. The package calls this.

        Args:
            target: what takes them.
            values: the numbers.
        """
        if self.calls and target is not self.param and not _custom.suspended() and target.has_dual():
            target.dual.fill(0)

    def insert(self, call, args):
        """Records a call by hand; of forward mode, functions with gradients of their own have no tangents.

        Args:
            call: what has a `grad` that takes the arguments.
            args: the arguments.
        """


for _name in ("__enter__", "__exit__"):
    setattr(FwdMode, _name, _native.core().hiding_frames(getattr(FwdMode, _name)))
