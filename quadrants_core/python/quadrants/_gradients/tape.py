"""Reverse mode: a Tape records the kernels that a program calls, and calls those of their gradients in reverse."""

import time
import warnings

from quadrants import _exceptions, _native, _settings
from quadrants._gradients import changes as _changes, custom as _custom, held as _held, validation as _validation
from quadrants._language import kernel as _kernel
from quadrants._storage import field as _field
from quadrants._trees import snode as _snode

_Mode = _kernel.AutodiffMode
_Role = _snode.SNodeGradType


def clear_all_gradients(gradient_type=_Role.ADJOINT):
    """The gradients of all fields become 0.

    Args:
        gradient_type: `SNodeGradType.ADJOINT`; with DUAL, their duals.

    Example:
        >>> x = qd.field(qd.f32, shape=2, needs_grad=True)
        >>> x.grad.fill(1.0)
        >>> qd.ad.clear_all_gradients()
        >>> x.grad[0]
        0.0
    """
    _snode.clear_companions(_Role(gradient_type))


def is_tensor(value):
    """A tensor of a library that works out derivatives too, such as torch."""
    return hasattr(value, "requires_grad") and hasattr(type(value), "__dlpack__")


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
        array([4., 4., 4.], dtype=float32)
    """

    def __init__(self, loss=None, clear_gradients=True, validation=False, grad_check=None):
        self.calls = []  # (kernel, arguments)
        self._held = []  # of each: Held, or None where it looked into no object
        self._written = 0  # elements that Python had written before the first of them
        self.unrecorded = False  # whether Python has written between them
        self._began = 0.0
        self.seconds = 0.0  # from the start of the block to its end
        self.modes = []  # AutodiffMode of each before
        self.entered = False
        self.gradient_evaluated = False
        self.loss = _changes.unwrapped(loss)
        self.clear_gradients = clear_gradients
        self.validation = validation
        self._outer = None
        self._validates = validation and bool(_settings.current().debug)
        if validation and not self._validates:
            warnings.warn(
                "Debug mode is disabled, autodiff valid check will not work. Please specify `qd.init(debug=True)` to enable "
                "the check.",
                stacklevel=2,
            )
        self._checker = None
        if grad_check:
            from quadrants._gradients import check

            self._checker = check.Checker(self.loss, grad_check)

    def __enter__(self):
        assert not self.entered, "Tape can be entered only once."
        self.entered = True
        self._check_loss()
        if isinstance(self.loss, _field.Field) and self.clear_gradients:
            clear_all_gradients()
        if self._validates:
            self._begin_validation()
        if is_tensor(self.loss):
            self.loss.detach().fill_(0)
        elif self.loss is not None:
            self.loss.fill(0)
        self._outer = _kernel.recorder()
        if hasattr(self._outer, "enclosed"):
            self._outer.enclosed()
        _kernel.record_with(self)
        self._began = time.monotonic()
        return self

    def __exit__(self, kind, error, trace):
        _kernel.record_with(self._outer)
        if self._validates:
            _snode.after_materialise.remove(_validation.provide_marks)
        try:
            if self.loss is not None and (error is None or isinstance(error, Exception)):  # Stop ends the work
                self.grad()
        except Exception:
            if error is None:
                raise
        finally:
            for (call, _), mode in zip(self.calls, self.modes):
                call.autodiff_mode = mode

    def _check_loss(self):
        loss = self.loss
        if loss is None:
            return
        if isinstance(loss, _field.Field):
            if len(loss.shape) != 0:
                raise RuntimeError("The loss of `Tape` must be a 0-D field, i.e. scalar")
            if not loss.has_grad():
                raise RuntimeError(
                    "Gradients of loss are not allocated, please use qd.field(..., needs_grad=True) for all fields that are "
                    "required by autodiff."
                )
        elif getattr(type(loss), "_qd_kind_", None) == "ndarray":
            elements = 1
            for extent in (*loss.shape, *loss.element_shape):
                elements *= extent
            if elements != 1:
                raise RuntimeError("The loss of `Tape` must be an ndarray with only one element")
            if loss.grad is None:
                raise RuntimeError(
                    "Gradients of loss are not allocated, please set needs_grad=True for all ndarrays that are required by "
                    "autodiff."
                )
        elif is_tensor(loss):
            elements = 1
            for extent in loss.shape:
                elements *= extent
            if elements != 1:
                raise RuntimeError("The loss of `Tape` must be a tensor only contains one element")
            if not loss.requires_grad:
                raise RuntimeError(
                    "Gradients of loss are not allocated, please set requires_grad=True for all tensors that are required by "
                    "autodiff."
                )
        else:
            raise TypeError(f"The loss of `Tape` must be a field, an ndarray or a tensor, not {loss!r}")

    @staticmethod
    def _begin_validation():
        _validation.provide_marks()
        _snode.after_materialise.append(_validation.provide_marks)
        clear_all_gradients(_Role.ADJOINT_CHECKBIT)

    def call(self, info, args, keywords):
        """A kernel is called; the package calls this.

        Args:
            info: what is known of the kernel.
            args: its arguments.
            keywords: those by name.
        """
        if not _custom.suspended():
            if keywords.get("qd_stream") is not None:
                raise _exceptions.QuadrantsRuntimeError("qd_stream is not compatible with autograd Tape")
            bound = info.kernel()._bind(*args, **keywords)
            self.insert(info, bound)
            at = len(self.calls) - 1
            if self._checker is not None:
                self._checker.call(info, bound)
            kernel = info.derivative(_Mode.VALIDATION) if self._validates else info.kernel()
            result = kernel(*args, **keywords) if self._validates else info._launch(args, keywords)
            self._held[at] = _held.of_launch(kernel, bound)
            return result
        return info._launch(args, keywords)

    def filled(self, target, value):
        """A field or array is filled from Python: it no longer depends on anything. The package calls this.

        Args:
            target: what is filled.
            value: with what.
        """
        self._change(target, _changes.Filled, value)

    def copied(self, target, source):
        """A field or array is copied from another one; the package calls this.

        Args:
            target: what takes the values.
            source: what has them.
        """
        self._change(target, _changes.Copied, source)

    def loaded(self, target, values):
        """A field or array takes numbers from outside. Where nothing was recorded before, that is an input of the program, which keeps its
        gradient. The package calls this.

        Args:
            target: what takes them.
            values: the numbers.
        """
        if self.calls:
            self._change(target, _changes.Loaded, values if self._checker is None else values.copy())

    def _change(self, target, kind, value):
        if _custom.suspended():
            return
        if self._checker is not None:
            self._checker.keep(target, *([value] if kind is _changes.Copied else ()))
        if target.has_grad():
            self.insert(kind(target), (value,))
        else:
            self.unrecorded = self.unrecorded or bool(self.calls)

    def insert(self, call, args):
        """Records a call by hand; of forward mode, functions with gradients of their own have no tangents.

        Args:
            call: what has a `grad` that takes the arguments.
            args: the arguments.
        """
        written = _native.core().elements_written()
        if not self.calls:
            self._written = written
        self.unrecorded = self.unrecorded or written != self._written
        self.modes.append(call.autodiff_mode)
        self.calls.append((call, args))
        self._held.append(None)
        if self.validation and isinstance(call, _kernel.KernelInfo):
            call.autodiff_mode = _Mode.VALIDATION

    def _seed(self):
        """The gradient of the loss is 1."""
        if not is_tensor(self.loss):
            self.loss.grad.fill(1)
        elif self.loss.grad is None:
            plain = self.loss.detach()
            self.loss.grad = plain.new_ones(plain.shape)
        else:
            self.loss.grad.fill_(1)

    def grad(self):
        """Works out the gradients of the calls so far, if the Tape has not done so."""
        assert self.entered, "Before evaluating gradients tape must be entered."
        assert not self.gradient_evaluated, "Gradients of grad can be evaluated only once."
        self.seconds = time.monotonic() - self._began
        self._seed()
        with _kernel.unrecorded():
            for (call, args), held in zip(reversed(self.calls), reversed(self._held)):
                if held is None:
                    call.grad(*args)
                else:
                    with held:
                        call.grad(*args)
        self.gradient_evaluated = True
        if _kernel.tapes_told is not None:
            _kernel.tapes_told(self)
        if self._checker is not None:
            self._checker.check(self.calls, self._held, self.unrecorded)


for _name in ("__enter__", "__exit__"):
    setattr(Tape, _name, _native.core().hiding_frames(getattr(Tape, _name)))
