"""qd.ad.check: gradients against tangents in random directions, and against differences.

With random v and w, what reverse mode makes of w times v is what forward mode makes of v times w. Both give one slope at a kink;
differences see another one from one side than from the other. What is wrong is looked for by halves: the element whose gradient it is, the
result that it is the gradient of, and the lines that read the one or keep the other.
"""

import contextlib
import re
import time

from quadrants import _exceptions, _native
from quadrants._gradients.verdict import AGREES, KINK, UNKNOWN, WRONG, Check
from quadrants._gradients import (
    custom as _custom, directions as _directions, held as _held, lines as _lines, state as _state, tape as _tape, validation as _validation
)  # fmt: skip
from quadrants._language import kernel as _kernel
from quadrants._trees import snode as _snode

_Mode = _kernel.AutodiffMode

TOO_LONG = "a check takes too long; qd.ad.check() takes the time that it is given"

_TOLERANCE = {"f16": 1e-1, "f32": 1e-3, "f64": 1e-8}  # of two modes, in parts of the largest that they could be
_STEPS = {"f16": (0.5, 0.1), "f32": (1e-1, 1e-2, 1e-3), "f64": (1e-3, 1e-4, 1e-5, 1e-6)}
_OF_DIFFERENCES = {"f16": 0.3, "f32": 5e-2, "f64": 1e-4}
_EPSILON = {"f16": 1e-3, "f32": 1.2e-7, "f64": 2.3e-16}
_FLOATS = ("f16", "f32", "f64")


class _Call:
    """A call of a kernel or function, and what its launch found in objects."""

    def __init__(self, call, args, held=None):
        self.call, self.args, self.held = call, args, held
        self.is_kernel = isinstance(call, _kernel.KernelInfo)

    def repeat(self, function):
        with self.held or contextlib.nullcontext():
            function(*self.args)


class _Follow:
    """Is told of the calls of a program as it runs: kernels run in `mode`, inside of functions with gradients of their own too."""

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
            self.calls.append(_Call(info, bound, held))
            if self.keeps:
                self.program.state.keep_objects(held)
        return result

    def insert(self, call, args):
        self.calls.append(_Call(call, args))

    # A field or array changes from Python: what a Tape makes of it backward, and the same forward.

    def filled(self, target, value):
        self.changed(target, _tape.Filled, value)

    def loaded(self, target, values):
        self.changed(target, _tape.Loaded, values)

    def copied(self, target, source):
        self.changed(target, _tape.Copied, source)
        if self.keeps:
            self.program.state.keep_target(source)

    def changed(self, target, kind, value):
        if self.keeps:
            if kind is _tape.Loaded:
                raise _state.Refused("it takes numbers from outside as it runs")
            self.program.state.keep_target(target)
        if target.has_grad() and not _custom.suspended():
            self.calls.append(_Call(kind(target), (value,)))
        if self.mode == _Mode.FORWARD and target.has_dual():
            with _kernel.unrecorded():
                if kind is _tape.Copied and value.has_dual():
                    target.dual.copy_from(value.dual)
                else:
                    target.dual.fill(0)


def _cause(error):
    """What an error says, without the code that it stands at."""
    lines = [line.strip() for line in str(error).strip().splitlines()]
    places = [k for k, line in enumerate(lines) if line.startswith('File "')]
    if places and places[0]:
        lines = lines[: places[0]]
    elif places:  # what is said stands behind the code and its carets
        lines = [line for line in lines[places[-1] + 2 :] if line.strip("^") and not line.startswith("Hint:")]
    return " ".join(lines) or type(error).__name__


class _Program:
    """What is checked, as something that can be run again and again."""

    def __init__(self, function, args, most_elements, until, counted=True, runs=1):
        self.function, self.args, self.until, self.counted = function, args, until, counted
        self.runs = runs  # that a check needs at the least
        self.state = _state.State(most_elements)
        self.made = {}  # (KernelInfo, AutodiffMode) -> a kernel of this check alone

    def launch(self, info, mode, args):
        """A kernel, or what works out its derivative. If launches are not to be counted, it has no counters."""
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
            return info.grad(*args)
        made = self.made.get((info, mode))
        if made is None:
            made = self.made[info, mode] = info._derive(mode)
        before = info.coverage
        info.coverage = before if self.counted else False
        try:
            with _exceptions.unwarned():  # the kernel itself said it
                return made(*args)
        finally:
            info.coverage = before

    def run(self, mode=_Mode.NONE, keeps=False, only=None):
        """The program, or some of its calls."""
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
        self.runs -= 1
        if self.runs > 0 and time.monotonic() + self.launched(follow.calls, mode, before) * self.runs > self.until:
            raise _state.Refused(TOO_LONG)
        return follow.calls

    def launched(self, calls, mode, before):
        """Seconds that the launches of a run took; compiling is no part of that."""
        made = [self.made.get((one.call, mode)) or one.call.kernel() for one in calls if one.is_kernel]
        return sum(seconds for number, seconds in (kernel._newest_launch() for kernel in made) if number > before)

    def backward(self, calls):
        with _kernel.unrecorded():
            for one in reversed(calls):
                if one.is_kernel:
                    one.repeat(lambda *args, info=one.call: self.launch(info, _Mode.REVERSE, args))
                elif one.call.grad is None:
                    raise _state.Refused(f"nothing says what the gradient of {getattr(one.call, '__name__', one.call)} is")
                else:
                    one.call.grad(*one.args)


class _Checker:
    def __init__(self, program, result, rng, directions):
        self.program, self.result, self.rng = program, result, rng
        self.directions = directions
        self.state = program.state
        self.looked_inside = False

    def run(self):
        calls = self.program.run(keeps=True)
        self.calls = calls
        self.variables = self.state.variables()
        if not self.variables:
            return self.tell(UNKNOWN, "nothing that it uses has a gradient")
        self.space = _directions.Directions(self.variables)
        self.result.elements = sum(v.size for v in self.space.random(self.rng))
        self.precision = min((v.dtype.name for v in self.variables), key=_FLOATS.index)
        self.state.add_duals()
        smooth, scales = True, self.scales()
        for _ in range(self.directions):
            v, w = self.space.random(self.rng, scales), self.space.random(self.rng)
            backward, forward, size = self.compare(v, w)
            self.result.backward.append(backward)
            self.result.forward.append(forward)
            if not self.is_near(backward, forward, size):
                if backward != backward or forward != forward or size in (float("inf"),):
                    return self.tell(KINK, "a slope is infinite or no number")
                return self.find(v, w, backward, forward)
            smooth = self.is_smooth(v, w, forward, size) and smooth
        if not smooth and not self.ends_on_the_way(v, w):
            return self.tell(KINK, "differences see another slope than both modes: a kink, a jump, or numbers that overflow or cancel")
        if self.result.verdict == WRONG:
            return None
        if not any(self.result.backward) and not any(self.result.forward):
            return self.tell(AGREES, "nothing depends on anything: all gradients are 0")
        return self.tell(AGREES, "")

    def ends_on_the_way(self, v, w):
        """The slope that differences see goes through fields without a gradient, which reverse mode does not follow."""
        if not self.state.add_duals(without_gradient=True):
            return False
        self.program.made.clear()  # kernels of forward mode, which know no such tangents
        if self.agree(v, w):
            return False
        self.push(v)
        self.blame_dead_ends()
        return True

    def blame_dead_ends(self, whatever=True):
        """Names what has a tangent but no gradient; all of it, if no line is seen to read some. Whether there is any."""
        between = self.state.dead_ends()
        between = _lines.read(self.calls, between) or (between if whatever else [])
        if not between:
            return False
        names = " and ".join(dict.fromkeys(variable.whole() for variable in between))
        self.tell(WRONG, f"nothing goes back through {names}: no gradient was asked for, by needs_grad=True")
        self.result.places = _lines.writers(self.calls, between)
        return True

    def scales(self):
        """How far each variable may move: by about as much as it holds."""
        import numpy as np

        self.state.restore()
        most = [float(abs(x).max()) if x.size else 0.0 for x in (variable.primal() for variable in self.variables)]
        return [m if m > 0 and np.isfinite(m) else 1.0 for m in most]

    def tell(self, verdict, reason):
        self.result.verdict, self.result.reason = verdict, reason

    # products
    def push(self, v, calls=None):
        """What becomes of the direction v, by forward mode. The program stands at its end then."""
        self.start(calls)
        self.state.clear_companions(self.variables)
        for variable, values in zip(self.variables, v):
            variable.set_tangent(values)
        self.program.run(_Mode.FORWARD, only=calls)
        return [variable.tangent() for variable in self.variables]

    def pull(self, w, calls=None, again=True, at_start=False):
        """What becomes of the weights w, by reverse mode."""
        if again:
            self.start(calls)
            self.program.run(only=calls)
        if at_start:
            self.start(calls)
        self.state.clear_companions(self.variables)
        for variable, values in zip(self.variables, w):
            variable.set_gradient(values)
        self.program.backward(self.calls if calls is None else calls)
        return [variable.gradient() for variable in self.variables]

    def start(self, calls):
        """Where the program begins, or these calls of it."""
        self.state.restore()
        if calls:
            first = next(k for k, call in enumerate(self.calls) if call is calls[0])
            if first:
                self.program.run(only=self.calls[:first])

    def compare(self, v, w, calls=None, at_start=False):
        """(backward, forward, the largest that they could be)"""
        pushed = self.push(v, calls)
        pulled = self.pull(w, calls, again=False, at_start=at_start)
        return _directions.dot(pulled, v), _directions.dot(w, pushed), _directions.size(pulled, v) + _directions.size(w, pushed)

    def agree(self, v, w, calls=None, at_start=False):
        backward, forward, size = self.compare(v, w, calls, at_start)
        return self.is_near(backward, forward, size)

    def is_near(self, backward, forward, size):
        """Whether two modes agree, as well as numbers of the narrowest type on the way can."""
        def near():
            return abs(backward - forward) <= _TOLERANCE[self.precision] * size

        return near() or (self.narrows() and near())

    def narrows(self):
        """Whether kernels compute in a narrower type than fields and arrays have; from then on that is the precision."""
        if self.looked_inside:
            return False
        self.looked_inside = True
        with _exceptions.unwarned():
            texts = [kernel._show("frontend") for (_, mode), kernel in self.program.made.items() if mode == _Mode.FORWARD]
        met = [name for name in _FLOATS if any(f": {name} = " in text for text in texts)]
        before, self.precision = self.precision, min([*met, self.precision], key=_FLOATS.index)
        return self.precision != before

    def is_smooth(self, v, w, forward, size):
        """Whether differences from either side are the slope."""
        return self.shows(v, w, forward, size) or (self.narrows() and self.shows(v, w, forward, size))

    def shows(self, v, w, forward, size):
        import numpy as np

        self.state.restore()
        here = [variable.primal() for variable in self.variables]

        def run_at(side):
            self.state.restore()
            for variable, x, d in zip(self.variables, here, v):
                variable.set_primal(np.array(x + x.dtype.type(side) * d))
            self.program.run()
            after = [variable.primal() for variable in self.variables]
            return _directions.dot(after, w), _directions.size(after, w)

        seen, middle = [], run_at(0)
        for h in _STEPS[self.precision]:
            sums, sizes = zip(run_at(-h), middle, run_at(h))
            most = max(sizes)
            seen.append((sums[2] - sums[0]) / (2 * h))
            allowed = _OF_DIFFERENCES[self.precision] * size + 8 * _EPSILON[self.precision] * most / h
            if all(abs((b - a) / h - forward) <= allowed for a, b in zip(sums, sums[1:])):  # from either side
                self.result.differences.append(seen[-1])
                return True
        self.result.differences.append(seen[-1])
        return False

    # what is wrong
    def find(self, v, w, backward, forward):
        self.tell(WRONG, f"reverse mode gives {backward:.6g} where forward mode gives {forward:.6g}")
        call, calls = None, self.culprit(v, w)
        if len(calls) == 1:
            call = calls[0].call
        if call is not None and not calls[0].is_kernel:
            self.result.places = [_lines.of_function(call.grad)]
            self.result.reason += f"; the gradient that the program itself works out for {call.__name__} is not that of the kernels in it"
            return
        if (call is None or self.agree(v, w, calls, at_start=True)) and self.overwrites(calls):
            return
        self.push(v)
        if self.blame_dead_ends(whatever=False):
            return
        self.find_pair(v, w, calls)

    def culprit(self, v, w):
        """The call whose gradient is wrong, in a list; all of them if each is right by itself."""
        if len(self.calls) > 1:
            for call in self.calls:
                if not self.agree(v, w, [call]):
                    return [call]
        return self.calls

    def overwrites(self, calls):
        """It breaks the rule that reverse mode relies on, and validation knows where."""
        self.start(calls)
        before = {id(member) for member, _ in self.state.places.values() if getattr(member, "checkbit", None) is not None}
        _validation.provide_marks()
        _snode.join_companions()
        _snode.clear_companions(_snode.SNodeGradType.ADJOINT_CHECKBIT)
        try:
            self.program.run(_Mode.VALIDATION, only=calls)
        except AssertionError as error:
            name = re.search(r"It is an element of (.*), and was read", str(error))
            self.result.reason = f"{name[1] if name else 'an element'} is overwritten after it was read: the gradient is worked out from what is there later"
            self.result.places = _lines.of_error(error) or _lines.writers(calls, self.variables)
            return True
        finally:
            self.forget_marks(before)
        self.result.reason = "something is overwritten after it was read: the gradient is worked out from what is there later"
        self.result.places = _lines.writers(calls, self.variables)
        return bool(self.result.places)

    def forget_marks(self, before):
        for builder in _snode.finished_builders():
            for member in list(builder._members):
                mark = getattr(member, "checkbit", None)
                if mark is not None and id(member) not in before:
                    member.checkbit = None
                    mark.node._builder._destroy()
        _snode.join_companions()

    def find_pair(self, v, w, calls):
        """The element whose gradient is wrong, and of what."""
        pulled = self.pull(w, calls)

        def wrong_in(low, high):
            part = self.space.kept(v, low, high)
            return abs(_directions.dot(pulled, part) - _directions.dot(w, self.push(part, calls)))

        source = self.halve(self.result.elements, wrong_in)
        part = self.space.kept(v, source, source + 1)
        pushed = self.push(part, calls)

        def wrong_out(low, high):
            weights = self.space.kept(w, low, high)
            return abs(_directions.dot(self.pull(weights, calls), part) - _directions.dot(weights, pushed))

        target = self.halve(self.result.elements, wrong_out)
        weights = self.space.kept(w, target, target + 1)
        backward, forward = _directions.dot(self.pull(weights, calls), part), _directions.dot(weights, pushed)
        scale = sum(float(x.sum()) for x in part) * sum(float(x.sum()) for x in weights)
        (of, i), (by, k) = self.space.at(target), self.space.at(source)
        self.result.pair = of.element(i), by.element(k)
        self.result.reason = (f"d {of.element(i)} / d {by.element(k)} is {forward / scale:.6g} by forward mode, "
                              f"{backward / scale:.6g} by reverse mode")  # fmt: skip
        self.result.places = _lines.readers(calls, by, of)

    @staticmethod
    def halve(size, wrong):
        low, high = 0, size
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if wrong(low, middle) >= wrong(middle, high) else (middle, high)
        return low


def check(function, *args, directions=3, seed=0, elements=4_000_000, seconds=30.0):
    """Whether the gradients of a kernel, of a function with a gradient of its own, or of a function that calls such, are right where its
    fields and arrays stand now. Everything is as before when it returns.

    Args:
        function: what is checked.
        *args: its arguments.
        directions: how many random directions derivatives are taken in.
        seed: of the random numbers.
        elements: programs that use more numbers are not checked.
        seconds: programs that take longer are not checked.

    Returns:
        A `Check`: true if the gradients agree.

    Example:
        >>> x = qd.field(qd.f32, shape=4, needs_grad=True)
        >>> loss = qd.field(qd.f32, shape=(), needs_grad=True)
        >>> @qd.kernel
        ... def energy():
        ...     for i in x:
        ...         loss[None] += x[i] ** 2
        >>> x.fill(1.5)
        >>> qd.ad.check(energy).verdict
        'agrees'
    """
    import numpy as np

    name = getattr(function, "__qualname__", None) or getattr(getattr(function, "__func__", None), "__qualname__", None)
    result = Check((name or repr(function)).replace("<locals>.", "").split(".<")[-1])
    program = _Program(function, args, elements, time.monotonic() + seconds)
    return _run(program, result, directions, np.random.default_rng(seed))


def run_calls(calls, held, result, directions, rng, elements, until, runs):
    """The same of calls that a program made, as a Tape records them. They are not counted by coverage. It ends where so many runs would
    take longer."""
    made = [_Call(call, args, found) for (call, args), found in zip(calls, held)]

    def repeat():
        for one in made:
            one.repeat(one.call)

    return _run(_Program(repeat, (), elements, until, counted=False, runs=runs), result, directions, rng)


def _run(program, result, directions, rng):
    import numpy as np

    _native.core()
    try:
        with np.errstate(all="ignore"):
            _Checker(program, result, rng, directions).run()
    except _state.Refused as refused:
        result.verdict, result.reason = UNKNOWN, str(refused)
    finally:
        program.made.clear()
        program.state.close()
    return result
