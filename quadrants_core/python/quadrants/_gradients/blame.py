"""Finds the cause of a wrong gradient by bisection: the call, the element whose gradient is wrong, the result that it is the gradient of,
and the lines that read the former or write the latter."""

import re

from quadrants._gradients import directions as _directions, lines as _lines, validation as _validation
from quadrants._gradients.verdict import UNKNOWN, WRONG
from quadrants._language import kernel as _kernel
from quadrants._trees import snode as _snode

_Mode = _kernel.AutodiffMode
_Role = _snode.SNodeGradType


class Blame:
    def __init__(self, checker):
        self.checker, self.result, self.space = checker, checker.result, checker.space
        self.state, self.calls, self.program = checker.state, checker.calls, checker.program

    def find(self, v, w, reason):
        self.checker.decide(WRONG, reason)
        self.checker.push(v)
        between = self.state.dead_ends()
        if self.checker.follows_all:
            self.checker.follow_gradients()
            if between and self.agree(v, w):  # without them, forward mode agrees
                return self.ends_in(_lines.read(self.calls, between) or between)
        call, calls = None, self.culprit(v, w)
        if len(calls) == 1:
            call = calls[0].call
        if call is not None and not calls[0].is_kernel:
            # the fault is inside a function with custom gradient, called with keyword arguments
            return self.of_function(getattr(call, "function", call))
        if (call is None or self.agree(v, w, calls, at_start=True)) and self.overwrites(calls):
            return
        if read := _lines.read(self.calls, between):
            return self.ends_in(read)
        self.find_pair(v, w, calls)

    def ends_in(self, between):
        """Reports intermediate values without gradient: forward mode follows them, reverse mode does not."""
        names = " and ".join(dict.fromkeys(one.whole() for one in between))
        self.result.reason = f"no gradient flows back through {names}: created without needs_grad=True"
        self.result.places = _lines.writers(self.calls, between)

    def of_function(self, function):
        """Reports a function with a custom gradient."""
        if not getattr(function, "goes_back", True):
            self.checker.decide(UNKNOWN, f"no gradient flows back through {function.__name__}, as qd.ad.no_grad requests: reverse mode gives only part of the derivative")
            return
        self.result.places = [_lines.of_function(function.grad)]
        self.result.reason += f"; the custom gradient of {function.__name__} differs from that of its kernels"

    def agree(self, v, w, calls=None, at_start=False):
        backward, forward = self.checker.compare(v, w, calls, at_start)
        return self.checker.is_near(backward, forward)

    def culprit(self, v, w):
        """Returns the call whose gradient is wrong, as a list; all calls if each is correct by itself."""
        if len(self.calls) > 1:
            for call in self.calls:
                if not self.agree(v, w, [call]):
                    return [call]
        return self.calls

    def overwrites(self, calls):
        """Returns whether the program violates the rule that reverse mode relies on, and reports the place found by validation."""
        self.checker.start(calls)
        before = {id(member) for member, _ in self.state.places.values() if getattr(member, "checkbit", None) is not None}
        _validation.provide_marks()
        _snode.join_companions()
        _snode.clear_companions(_Role.ADJOINT_CHECKBIT)
        try:
            self.program.run(_Mode.VALIDATION, only=calls)
        except AssertionError as error:
            name = re.search(r"It is an element of (.*), and was read", str(error))
            self.result.reason = f"{name[1] if name else 'an element'} is overwritten after it was read: the gradient is computed from the later value"
            self.result.places = _lines.of_error(error) or _lines.writers(calls, self.checker.variables)
            return True
        finally:
            self.forget_marks(before)
        self.result.reason = "something is overwritten after it was read: the gradient is computed from the later value"
        self.result.places = _lines.writers(calls, self.checker.variables)
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
        """Finds the element whose gradient is wrong, and the result that it is the gradient of."""
        pulled = self.checker.pull(w, calls)

        def wrong_in(low, high):
            part = self.space.kept(v, low, high)
            return abs(_directions.dot(pulled, part) - _directions.dot(w, self.checker.push(part, calls)))

        source = halve(self.result.elements, wrong_in)
        part = self.space.kept(v, source, source + 1)
        pushed = self.checker.push(part, calls)

        def wrong_out(low, high):
            weights = self.space.kept(w, low, high)
            return abs(_directions.dot(self.checker.pull(weights, calls), part) - _directions.dot(weights, pushed))

        target = halve(self.result.elements, wrong_out)
        weights = self.space.kept(w, target, target + 1)
        backward, forward = _directions.dot(self.checker.pull(weights, calls), part), _directions.dot(weights, pushed)
        scale = sum(float(x.sum()) for x in part) * sum(float(x.sum()) for x in weights)
        (of, i), (by, k) = self.space.at(target), self.space.at(source)
        if scale:
            self.result.pair = of.element(i), by.element(k)
            self.result.reason = (f"d {of.element(i)} / d {by.element(k)} is {forward / scale + 0.0:.6g} by forward mode, "
                                  f"{backward / scale + 0.0:.6g} by reverse mode")  # fmt: skip
        self.result.places = _lines.readers(calls, by, of)


def halve(size, wrong):
    """Bisects for the index below `size` at which `wrong(low, high)`, a function of ranges, is large."""
    low, high = 0, size
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if wrong(low, middle) >= wrong(middle, high) else (middle, high)
    return low
