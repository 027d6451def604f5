"""Reverse mode: a Tape records the kernels that a program calls, and calls their gradients in reverse order."""

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
    """Sets the gradients of all fields to 0.

    Args:
        gradient_type: `SNodeGradType.ADJOINT`, or DUAL for the duals.

    Example:
        >>> x = qd.field(qd.f32, shape=2, needs_grad=True)
        >>> x.grad.fill(1.0)
        >>> qd.ad.clear_all_gradients()
        >>> x.grad[0]
        0.0
    """
    _snode.clear_companions(_Role(gradient_type))


def is_tensor(value):
    """Returns whether a value is a tensor of another library with automatic differentiation, such as torch."""
    return hasattr(value, "requires_grad") and hasattr(type(value), "__dlpack__")


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
        array([4., 4., 4.], dtype=float32)
    """

    def __init__(self, loss=None, clear_gradients=True, validation=False, grad_check=None):
        self.calls = []  # (kernel, arguments)
        self._held = []  # for each call: Held, or None if it read no object
        self._written = 0  # number of elements written from Python before the first call
        self.unrecorded = False  # whether Python has written elements between the calls
        self._began = 0.0
        self.seconds = 0.0  # duration of the block
        self.modes = []  # the previous AutodiffMode of each kernel
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
            if self.loss is not None and (error is None or isinstance(error, Exception)):  # Stop also prevents the computation of gradients
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
        """Called by the package when a kernel is called.

        Args:
            info: the KernelInfo of the kernel.
            args: the positional arguments.
            keywords: the keyword arguments.
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
        """Called by the package when a field or array is filled from Python, after which it depends on nothing.

        Args:
            target: the field or array.
            value: the new value.
        """
        self._change(target, _changes.Filled, value)

    def copied(self, target, source):
        """Called by the package when a field or array is copied from another one.

        Args:
            target: the destination.
            source: the source.
        """
        self._change(target, _changes.Copied, source)

    def loaded(self, target, values):
        """Called by the package when a field or array is set from external numbers. If nothing has been recorded yet, it is an input of the
        program and retains its gradient.

        Args:
            target: the field or array.
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
        """Records a call explicitly; in forward mode, functions with custom gradients have no tangents.

        Args:
            call: an object with a `grad` that takes the arguments.
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
        """Sets the gradient of the loss to 1."""
        if not is_tensor(self.loss):
            self.loss.grad.fill(1)
        elif self.loss.grad is None:
            plain = self.loss.detach()
            self.loss.grad = plain.new_ones(plain.shape)
        else:
            self.loss.grad.fill_(1)

    def grad(self):
        """Computes the gradients of the calls so far, if the Tape has not done so yet."""
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
        if _kernel.on_tape is not None:
            _kernel.on_tape(self)
        if self._checker is not None:
            self._checker.check(self.calls, self._held, self.unrecorded)


for _name in ("__enter__", "__exit__"):
    setattr(Tape, _name, _native.core().hiding_frames(getattr(Tape, _name)))
