"""Tape(grad_check=[...]): compares the gradients stored in fields with finite differences of the loss, as qd.ad.check does."""

import math

import numpy as np

from quadrants import _dtypes
from quadrants._gradients import agreement as _agreement, changes as _changes, directions as _directions, program as _program, state as _state
from quadrants._gradients.verdict import Check
from quadrants._language import kernel as _kernel
from quadrants._storage import field as _field, naming as _naming

_TOLERANCE = 1e-2
_DIRECTIONS = 2


def _fields(to_check):
    wanted = "grad_check should be a list of fields that need to check gradients."
    assert isinstance(to_check, list), wanted
    fields = [_changes.unwrapped(x) for x in to_check]
    for x in fields:
        assert isinstance(x, _field.Field), f"{wanted} {x!r} is not a field."
        assert x.has_grad(), f"{wanted} {_naming.named(x) or 'A field without a name'} has no gradient."
    return fields


class Checker:
    """Receives what a Tape records before it runs, and saves the state at that point."""

    def __init__(self, loss, to_check):
        self.loss, self.to_check = loss, _fields(to_check)
        self.state = _state.State(math.inf)
        self.refused = ""  # the reason why no check is possible

    def call(self, info, bound):
        self.keep(self.loss, *self.to_check)
        self._keep(self.state.keep, info, bound)

    def keep(self, *targets):
        for x in targets:
            self._keep(self.state.keep_target, x)

    def _keep(self, how, *what):
        try:
            how(*what)
        except _state.Refused as refused:
            self.refused = self.refused or str(refused)

    def check(self, calls, held, unrecorded):
        """Raises if the gradient of a field differs from the finite differences of the loss with respect to the field."""
        for x in (self.loss, *self.to_check):
            assert x.dtype == _dtypes.f64, "Only f64 is supported when checking grad."
        self.keep(self.loss, *self.to_check)
        if unrecorded:
            self.refused = self.refused or _changes.UNRECORDED
        made = [_program.Call(call, args, found) for (call, args), found in zip(calls, held)]

        def repeat():
            for one in made:
                one.repeat(one.call)

        wrong = []
        with np.errstate(all="ignore"):
            judge = None if self.refused else _Judge(_program.Program(repeat, (), self.state, math.inf), made, self.loss)
            for i, x in enumerate(self.to_check):
                error, doubt = (None, self.refused) if judge is None else judge.error(x)
                name = _naming.named(x)
                named = f" (`{name}`)" if name else ""
                if error is not None:
                    wrong.append(f"`{name}`" if name else f"variable {i}")
                    why = "" if math.isfinite(error) else ": the gradient is 0 or not finite, and the loss has a slope"
                    print(f"variable {i} has relative error {error}{named}{why}")
                else:
                    print(f"variable {i} cannot be checked: {doubt}{named}" if doubt else f"variable {i} passes grad check")
        if judge is not None:
            with _kernel.unrecorded():
                self.state.restore()
                repeat()
        assert not wrong, f"Grad check failed: Not all variables pass grad check: {', '.join(wrong)}"


class _Judge(_agreement.Checker):
    """Checks the gradients stored in the fields; the loss is the only result."""

    def __init__(self, program, calls, loss):
        super().__init__(program, Check("Tape"), np.random.default_rng(0), _DIRECTIONS, loss)
        self.calls, self.forward = calls, False
        self.variables = self.state.variables()
        gradients = [variable.gradient() for variable in self.variables]
        self.has_result = self.look_around()
        if self.has_result:
            weights = self.space.zero()
            for k in self.results[0].at:
                weights[k][...] = 1
            self.weights, self.pulled = [[weights]], [[gradients]]
            self.measure_noise()

    def error(self, x):
        """Returns (relative error of the gradient of a field, or None if it is correct or undecided; the reason if undecided)."""
        (group,) = [g for g in self.groups if any(self.variables[k].holds(x) for k in g.at)]
        if not self.has_result:
            return None, self.result.reason
        denied, doubts = [], []
        for number in range(self.directions):
            v, ladder, _ = self.climb(group, number, _TOLERANCE)
            (slope,) = ladder.slopes
            best, settled = slope.best(), slope.settled()
            backward = _directions.dot(v, self.pulled[0][0])
            if not math.isfinite(backward):
                (doubts if settled is None else denied).append("it is infinite or nan" if settled is None else math.inf)
            elif slope.supported(2) and not slope.disputed():
                continue
            elif slope.contradicted() and not slope.supported():
                denied.append(abs(best.off / backward) if backward else math.inf)
            else:
                doubts.append(slope.doubt())
        if len(denied) == self.directions:
            return max(denied), ""
        return None, doubts[0] if doubts else "differences contradict it in only one direction" if denied else ""
