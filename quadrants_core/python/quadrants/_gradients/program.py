"""A program whose gradient is checked, in a form that can be run repeatedly: forward, in each mode, and backward."""

import contextlib
import time

from quadrants import _exceptions, _native
from quadrants._gradients import changes as _changes, custom as _custom, held as _held, state as _state
from quadrants._language import kernel as _kernel

_Mode = _kernel.AutodiffMode

TOO_LONG = "a check takes too long; qd.ad.check(.., seconds=60) allows more time"


class Call:
    """A call of a kernel or function, with what its launch read in objects."""

    def __init__(self, call, args, held=None):
        self.call, self.args, self.held = call, args, held
        self.is_kernel = isinstance(call, _kernel.KernelInfo)

    def repeat(self, function):
        with self.held or contextlib.nullcontext():
            function(*self.args)


class _Follow:
    """Recorder of the calls of a running program: kernels run in `mode`, also within functions with custom gradients."""

    def __init__(self, program, mode, keeps):
        self.program, self.mode, self.keeps = program, mode, keeps
        self.calls = []  # _Call

    def call(self, info, args, keywords):
        bound = info.kernel()._bind(*args, **keywords)
        if self.keeps:
            self.program.state.keep(info, bound)
        result = self.program.launch(info, self.mode, bound)
        if not _custom.suspended():
            kernel = self.program.made.get((info, self.mode)) or info.kernel()
            held = _held.of_launch(kernel, bound)
            self.calls.append(Call(info, bound, held))
            if self.keeps:
                self.program.state.keep_objects(held)
        return result

    def insert(self, call, args):
        self.calls.append(Call(call, args))

    def enclosed(self):
        raise _state.Refused("it opens a Tape or FwdMode itself; what can be checked is what runs in the block")

    # When a field or array is changed from Python, the tangents change in the same way as in the backward pass of a Tape.

    def filled(self, target, value):
        self.changed(target, _changes.Filled, value)

    def loaded(self, target, values):
        self.changed(target, _changes.Loaded, values)

    def copied(self, target, source):
        self.changed(target, _changes.Copied, source)
        if self.keeps:
            self.program.state.keep_target(source)

    def changed(self, target, kind, value):
        if self.keeps:
            if kind is _changes.Loaded:
                raise _state.Refused("it loads external data as it runs")
            self.program.state.keep_target(target)
        if target.has_grad() and not _custom.suspended():
            self.calls.append(Call(kind(target), (value,)))
        if self.mode == _Mode.FORWARD and target.has_dual():
            with _kernel.unrecorded():
                if kind is _changes.Copied and value.has_dual():
                    target.dual.copy_from(value.dual)
                else:
                    target.dual.fill(0)


def _cause(error):
    """Returns the text of an error without the source location."""
    lines = [line.strip() for line in str(error).strip().splitlines()]
    places = [k for k, line in enumerate(lines) if line.startswith('File "')]
    if places and places[0]:
        lines = lines[: places[0]]
    elif places:  # the message follows the source line and its carets
        lines = [line for line in lines[places[-1] + 2 :] if line.strip("^") and not line.startswith("Hint:")]
    return " ".join(lines) or type(error).__name__


class Program:
    """The program under check, in a form that can be run repeatedly."""

    def __init__(self, function, args, state, until, counted=True, hurried=False):
        self.function, self.args, self.until, self.counted = function, args, until, counted
        self.hurried = hurried  # gives up as soon as it is clear that the time will not suffice
        self.seconds = 0.0  # total time of the launches of a run
        self.state = state
        self.made = {}  # (KernelInfo, AutodiffMode) -> a kernel used only by this check

    def launch(self, info, mode, args):
        """Launches a kernel or its derivative. If launches must not be counted, it has no counters."""
        if mode not in (_Mode.FORWARD, _Mode.REVERSE):
            return self._launch(info, mode, args)
        try:
            return self._launch(info, mode, args)
        except (_exceptions.QuadrantsCompilationError, _exceptions.QuadrantsRuntimeError) as error:
            which = "gradient" if mode == _Mode.REVERSE else "derivative in forward mode"
            name = getattr(info, "__name__", None) or info.fn.__name__
            raise _state.Refused(f"{name} has no {which}: {_cause(error)}") from error

    def _launch(self, info, mode, args):
        if self.counted and mode == _Mode.NONE:
            return info._launch(args, {})
        if self.counted and mode == _Mode.REVERSE:
            return info.grad._launch(*args)  # does not notify observers such as badges of a notebook
        made = self.made.get((info, mode))
        if made is None:
            made = self.made[info, mode] = info._derive(mode)
        before = info.coverage
        info.coverage = before if self.counted else False
        try:
            with _exceptions.unwarned():  # the kernel itself has issued the warnings
                return made(*args)
        finally:
            info.coverage = before

    def run(self, mode=_Mode.NONE, keeps=False, only=None):
        """Runs the program, or some of its calls."""
        if time.monotonic() > self.until:
            raise _state.Refused(TOO_LONG)
        before = _native.core().launches_made()
        follow = _Follow(self, mode, keeps)
        outer = _kernel.recorder()
        _kernel.record_with(follow)
        try:
            if only is None:
                self.function(*self.args)
            for one in only or ():
                one.repeat(one.call)
        finally:
            _kernel.record_with(outer)
        self.seconds = self.launched(follow.calls, mode, before)
        return follow.calls

    def expect(self, runs):
        """Declares that at least this many runs will follow."""
        if self.hurried and time.monotonic() + self.seconds * runs > self.until:
            raise _state.Refused(TOO_LONG)

    def launched(self, calls, mode, before):
        """Returns the seconds spent in the launches of a run, without compilation."""
        made = [self.made.get((one.call, mode)) or one.call.kernel() for one in calls if one.is_kernel]
        return sum(seconds for number, seconds in (kernel._newest_launch() for kernel in made) if number > before)

    def backward(self, calls):
        with _kernel.unrecorded():
            for one in reversed(calls):
                if one.is_kernel:
                    one.repeat(lambda *args, info=one.call: self.launch(info, _Mode.REVERSE, args))
                elif one.call.grad is None:
                    raise _state.Refused(f"the gradient of {getattr(one.call, '__name__', one.call)} is not defined")
                else:
                    one.call.grad(*one.args)
