"""qd.ad.check: compares gradients with finite differences, and with tangents in forward mode.

Each field or array for which the program computes a gradient is judged separately, in directions of its own magnitude, and so is each
result. Reverse mode applied to the weights w of a result, times a direction v, equals forward mode applied to v, times w, up to rounding;
both equal the finite differences along v, within their accuracy (differences.py). Data that the program only adds to (such as a loss that
was not cleared) are not an input: they start at 0 here. The guide's page on derivatives documents what a verdict guarantees.
"""

import contextlib
import math
import numbers
import time

import numpy as np

from quadrants import _exceptions, _native
from quadrants._gradients import (
    blame as _blame, differences as _differences, directions as _directions, lines as _lines, missing as _missing,
    program as _program, state as _state
)  # fmt: skip
from quadrants._gradients.program import TOO_LONG
from quadrants._gradients.verdict import AGREES, UNKNOWN, WRONG, Check
from quadrants._language import kernel as _kernel

_Mode = _kernel.AutodiffMode

_COARSE = {"f16": 1e-1, "f32": 1e-3, "f64": 1e-8}  # tolerated difference of the two modes, relative to the sum of all terms
_FINE = 8  # roundings: larger differences are examined element by element


class _Known(Exception):
    """Raised when the verdict is known."""


class Checker:
    def __init__(self, program, result, rng, directions, loss=None):
        self.program, self.result, self.rng = program, result, rng
        self.loss = loss  # the only result, if given
        self.directions = result.directions = max(1, directions)
        self.state = program.state
        self.looked_inside = self.follows_all = False
        self.forward = True  # while forward mode can follow the program
        self.unfollowed = ""  # the reason why it cannot
        self.stands = False  # True if results start with earlier contents
        self.most = 0.0
        self.doubts = []  # reasons why no verdict is possible

    def decide(self, verdict, reason):
        self.result.verdict, self.result.reason = verdict, reason

    def run(self):
        self.calls = self.program.run(keeps=True)
        if not self.look_around():
            return
        self.program.expect(12 + 6 * self.directions)
        self.weigh()
        try:
            self.state.add_duals(without_gradient=True)
            self.follows_all = True
            inputs = self.inputs()
            self.program.expect(6 * self.directions * len(inputs))
            for group in inputs:
                self.judge(group)
        except _Known:
            return
        if self.doubts:
            self.decide(UNKNOWN, self.doubts[0])
        elif self.result.by:
            self.decide(AGREES, "")
        else:
            self.decide(*_missing.verdict(self))

    # the program
    def primals(self):
        return [variable.primal() for variable in self.variables]

    def look_around(self):
        """Determines what has a gradient, and which of it the program writes when run from the current numbers and from others. Returns
        whether there is any."""
        self.variables = self.state.variables()
        if not self.variables:
            return self.decide(UNKNOWN, "none of its inputs has a gradient")
        end = self.primals()
        self.state.restore()
        self.kept = self.here = self.primals()
        self.space = _directions.Directions(self.variables)
        self.groups = _directions.groups_of(self.variables)
        self.movable = [np.ones(v.shape, bool) for v in self.variables]
        self.result.elements = sum(self.space.sizes)
        self.precision = min((v.dtype.name for v in self.variables), key=_differences.FLOATS.index)
        moved = self.displaced(self.random(self.groups), _differences.STEPS[self.precision][0])
        self.written = [_differ(a, b) | _differ(c, d) for a, b, c, d in zip(end, self.here, self.outcome(moved), moved)]
        self.end = end
        self.results = [group for group in self.groups if any(self.written[k].any() for k in group.at)]
        self.results = [group for group in self.results if any(self.asks(self.variables[k]) for k in group.at)]
        self.result.of = [group.name for group in self.results]
        if not self.results:
            still = "nothing that has a gradient changes" if self.loss is None else "no recorded call changes the loss"
            self.decide(UNKNOWN, _missing.unchanged(self) or still)
        return bool(self.results)

    def asks(self, variable):
        """Returns whether the gradient of this variable is checked."""
        return self.loss is None or variable.holds(self.loss)

    def start(self, calls=None):
        """Restores the state at the start of the program, or of the given calls."""
        self.state.restore()
        for variable, x, kept in zip(self.variables, self.here, self.kept):
            if x is not kept:
                variable.set_primal(x)
        if calls:
            first = next(k for k, call in enumerate(self.calls) if call is calls[0])
            if first:
                self.program.run(only=self.calls[:first])

    def change(self, values):
        """Returns the weighted difference of the results from those of the middle for other numbers. Reads nothing but the results."""
        read = {k for group in self.results for k in group.at}
        return self.weighted(self.outcome(values, read), self.middle)

    def outcome(self, values, read=None):
        """Returns the results of the program for other numbers; None for variables that are not read."""
        self.start()
        for variable, x, here in zip(self.variables, values, self.here):
            if x is not here:
                variable.set_primal(x)
        self.program.run()
        return [variable.primal() if read is None or k in read else None for k, variable in enumerate(self.variables)]

    def random(self, groups, alike=False):
        """Returns a direction that moves these groups: each element in proportion to its own value, or all elements of a field equally."""
        return self.space.random(self.rng, self.sizes(groups, alike))

    def sizes(self, groups, alike=False):
        at = {k for group in groups for k in group.at}
        return {k: _directions.scale(self.here[k], alike) * self.movable[k] for k in at}

    def displaced(self, v, step):
        return [np.asarray(x + (x.dtype.type(step) * d).astype(x.dtype, copy=False)) if d.any() else x for x, d in zip(self.here, v)]

    def weigh(self):
        """Draws random weights of each result, 0 for elements that are never written, and computes their gradients in reverse mode."""
        self.weights, self.pulled = [], []
        for group in self.results:
            single = sum(self.space.sizes[k] for k in group.at) == 1
            draws = []
            for _ in range(1 if single else self.directions):
                w = self.space.random(self.rng, {k: self.written[k] for k in group.at})
                for k in group.at if single else ():
                    w[k][...] = 1
                draws.append(w)
            self.weights.append(draws)
            self.pulled.append([self.pull(w) for w in draws])

    def draw(self, o, number):
        k = number % len(self.weights[o])
        return self.weights[o][k], self.pulled[o][k]

    # forward mode
    def follow_gradients(self):
        """Restricts forward mode to variables that have a gradient."""
        self.state.drop_duals()
        self.program.made.clear()  # kernels of forward mode, which were compiled for other tangents
        self.state.add_duals()
        self.follows_all = False

    def tangents(self, v):
        """Returns the result of forward mode for a direction, or None if it cannot follow the program."""
        while self.forward:
            try:
                pushed = self.push(v)
                if all(math.isfinite(_directions.dot(w, pushed)) for draws in self.weights for w in draws):
                    return pushed
                self.unfollowed = "slopes are infinite or nan there"
            except _state.Refused as refused:
                if str(refused) == TOO_LONG:
                    raise
                self.unfollowed = str(refused)
            if self.follows_all:
                self.follow_gradients()
            else:
                self.forward = False
        return None

    # inputs
    def inputs(self):
        """Returns groups whose gradients are to be judged separately. Groups without a gradient are first moved together."""
        kinds = {"active": [], "added to": [], "quiet": []}
        for group in self.groups:
            kinds[self.kind(group)].append(group)
        active, added, quiet = kinds.values()
        if added and not self.is_identity(added):
            active, added = active + added, []
        self.stands = not self.clear(added)
        self.measure_noise()
        self.unmoved = [group for group in quiet + added if any(self.movable[k].any() for k in group.at)]
        if self.unmoved and not self.moves_nothing(self.unmoved):
            active = active + self.unmoved
        return active

    def kind(self, group):
        """Classifies a group by what reverse mode propagates to it: anything, only weights of its own (it is only added to), or nothing."""
        carried = False
        for result, draws, pulled in zip(self.results, self.weights, self.pulled):
            for w, sent in zip(draws, pulled):
                for k in group.at:
                    if sent[k].any():
                        if result is not group or not ((sent[k] == w[k]) | (sent[k] == 0)).all():
                            return "active"
                        carried = True
        return "added to" if carried else "quiet"

    def is_identity(self, groups):
        """Returns whether forward mode confirms this: the value is carried over, and nothing else depends on it."""
        at = {k for group in groups for k in group.at}
        v = self.random(groups)
        pushed = self.tangents(v)
        return pushed is not None and all(np.array_equal(p, d) if k in at else not p.any() for k, (p, d) in enumerate(zip(pushed, v)))

    def clear(self, groups):
        """Clears data that are only added to, unless that changes anything else; returns whether they are cleared. They are not an input
        and start at 0, so that their contents do not absorb the added terms in rounding."""
        at = {k for group in groups for k in group.at}
        for k in at:
            self.movable[k] = ~self.written[k]
        if not any((self.here[k] * self.written[k]).any() for k in at):
            return True
        before = self.here
        self.here = [np.where(self.written[k], x.dtype.type(0), x) if k in at else x for k, x in enumerate(before)]
        after = self.outcome(self.here)
        for k, (a, b) in enumerate(zip(after, self.end)):
            shift = before[k].astype("f8") - self.here[k].astype("f8")
            most = max((float(np.abs(x).max(initial=0)) for x in (before[k], a, b)))
            if not (np.abs(b - shift - a) <= 64 * _differences.EPSILON[self.precision] * most).all():
                self.here = before
                return False
        return True

    def moves_nothing(self, groups):
        for number in range(min(self.directions, 2)):
            v = self.random(groups)
            pushed = self.tangents(v)
            if pushed is None or any(_directions.dot(w, pushed) for draws in self.weights for w in draws):
                return False
            if not _Ladder(self, v, number).settle(1, 2):
                return False
        return True

    # differences
    def measure_noise(self):
        """Measures the rounding error of the weighted results, by moving the numbers by a few roundings, and by running twice."""
        self.middle = self.outcome(self.here)
        bends = [self.change(self.here)]
        for roundings in (6, 20, 70):
            v, step = self.random(self.groups), roundings * _differences.EPSILON[self.precision]
            sides = [self.change(self.displaced(v, sign * step)) for sign in (1, -1)]
            bends.append([[(a + b) / 2 for a, b in zip(*draws)] for draws in zip(*sides)])
        self.noise, self.own = [], []
        for o, (group, draws) in enumerate(zip(self.results, self.weights)):
            half = 0.5 * max(_differences.EPSILON[self.variables[k].dtype.name] for k in group.at)
            sizes = [np.abs(x.astype("f8")) + np.abs(y) for x, y in zip(self.middle, self.here)]
            apart = [x.astype("f8") - y for x, y in zip(self.middle, self.here)]
            seen = [max((abs(bend[o][k]) for bend in bends if math.isfinite(bend[o][k])), default=0.0) for k in range(len(draws))]
            self.noise.append([3 * most + half * _directions.size(w, sizes)[1] for most, w in zip(seen, draws)])
            self.own.append(max(_directions.size(w, apart if self.stands else self.middle)[0] for w in draws))

    def weighted(self, a, b):
        """Returns the difference between two outcomes, weighted for each result."""
        found = []
        for group, draws in zip(self.results, self.weights):
            apart = {k: a[k].astype("f8") - b[k] for k in group.at}
            found.append([float(sum((w[k] * apart[k]).sum() for k in group.at)) for w in draws])
        return found

    # verdicts
    def judge(self, group):
        """Judges one input in all directions, for each result."""
        self.result.by.append(group.name)
        denied = [[] for _ in self.results]
        for number in range(self.directions):
            v, ladder, pushed = self.climb(group, number)
            for o, slope in enumerate(ladder.slopes):
                if (said := self.judge_one(group, o, number, slope, v, pushed)) is not None:
                    denied[o].append(said)
        for all_said in denied:
            if 0 < len(all_said) < self.directions:
                self.doubts.append(f"{all_said[0][2]}, but not in every direction")
            elif all_said:
                self.convict(group, *all_said[0])

    def climb(self, group, number, tolerance=None):
        """Returns (direction, differences along it, tangents). If the elements have very different magnitudes, each is moved in proportion
        to its own."""
        for alike in (True, False) if number % 2 else (False,):
            v = self.direction(group, number, alike)
            pushed = self.tangents(v)
            ladder = _Ladder(self, v, number, tolerance)
            if ladder.settle(1 if pushed is not None else 2):
                return v, ladder, pushed
        if self.narrows():
            self.measure_noise()
            ladder = _Ladder(self, v, number, tolerance)
            ladder.settle(1 if pushed is not None else 2)
        return v, ladder, pushed

    def direction(self, group, number, alike):
        """Returns the candidate direction in which the terms of the gradient cancel least."""
        def apart(v):
            return min(_directions.cancelled(v, pulled) for _, pulled in draws)

        draws = [self.draw(o, number) for o in range(len(self.results))]
        sizes = self.sizes([group], alike)
        return max((self.space.random(self.rng, sizes) for _ in range(4)), key=apart)

    def judge_one(self, group, o, number, slope, v, pushed):
        """Returns (direction, weights, reason) if differences contradict the gradient in a direction."""
        w, pulled = self.draw(o, number)
        names = f"the gradient of {self.results[o].name} by {group.name}"
        best, backward = slope.best(), _directions.dot(v, pulled)
        difference = best.middle if best else math.nan
        forward = _directions.dot(w, pushed) if pushed is not None else None
        self.result.backward.append(backward)
        self.result.forward.append(forward)
        self.result.differences.append(difference)
        if not math.isfinite(backward):
            settled = slope.settled()
            if settled is not None:
                return v, w, f"{names} is infinite or nan, but differences give {settled:.6g}"
            return self.doubts.append(f"{names} is infinite or nan, and so are the differences")
        supported = slope.supported(1 if pushed is not None else 2) and not slope.disputed()
        if pushed is not None:
            most = _directions.size(v, pulled)[0] + _directions.size(w, pushed)[0]
            if not self.is_near(backward, forward, most):
                if supported and abs(forward - difference) > 10 * (best.noise + abs(backward - difference)):
                    return None  # forward mode is the one that deviates
                if not (backward and most <= slope.nothing):
                    return self.mismatch(o, number, slope, v, backward, forward, names)
            elif abs(backward - forward) > _FINE * _differences.EPSILON[self.precision] * most:
                self.look_closer(o, number, slope, v, backward - forward, names)
        if not supported:
            if slope.contradicted() and not slope.supported() and self.is_steady(v, w, backward - difference):
                return v, w, f"{names}: reverse mode gives {backward:.6g}, but differences give {difference:.6g}"
            self.doubts.append(f"{names}: {slope.doubt()}")
        elif pushed is None and not backward and not difference:
            self.doubts.append(f"{names} is 0, and forward mode cannot confirm it: {self.unfollowed}")
        return None

    def convict(self, group, v, w, reason):
        """Reports that differences contradict a gradient; forward mode may help to find the origin."""
        if self.forward and math.isfinite(self.compare(v, w)[0]) and not self.is_near(*self.compare(v, w)):
            _blame.Blame(self).find(v, w, reason)
        elif (kept_out := _lines.naming(self.calls, "stop_grad")) is not None:
            self.result.places = [kept_out]
            self.decide(UNKNOWN, "qd.stop_grad stops the gradient, as the program requests: reverse mode gives only part of the derivative")
        else:
            self.decide(WRONG, reason + (f"; forward mode cannot follow: {self.unfollowed}" if self.unfollowed else ""))
            self.result.places = _lines.readers(self.calls, self.variables[group.at[0]], self.variables[self.results[0].at[0]])
        raise _Known

    def mismatch(self, o, number, slope, v, backward, forward, names):
        """Handles disagreement of the two modes: the gradient is wrong, unless rounding explains it."""
        w, pulled = self.draw(o, number)
        most = _directions.size(v, pulled)[0] + abs(forward)
        denied = slope.contradicted() and self.is_steady(v, w, backward - forward)
        if self.rounds(o, number, slope, backward - forward, most) or not denied and not self.is_systematic(v, w, backward, forward):
            return self.doubts.append(f"{names} depends on rounding: reverse mode gives {backward:.6g}, forward mode {forward:.6g}")
        _blame.Blame(self).find(v, w, f"{names}: reverse mode gives {backward:.6g}, but forward mode gives {forward:.6g}")
        raise _Known

    def rounds(self, o, number, slope, apart, most):
        """Returns whether the rounding error of the result explains a disagreement of this size: as measured, or as shown by differences
        that do not converge."""
        best = slope.best()
        shown = slope.supported() or slope.contradicted() and abs(best.off) <= 2 * abs(apart)
        lost = abs(apart) < 0.1 * most and not shown
        return lost or 8 * self.noise[o][number % len(self.noise[o])] * most > abs(apart) * self.own[o]

    def is_systematic(self, v, w, backward, forward):
        """Returns whether the modes disagree by the same amount for slightly different numbers, and by more than their change over a few
        roundings."""
        apart = [backward - forward]
        for roundings in (1e4, 4e4, 1e5):  # at several distances, where cancelling terms round differently
            with self.moved(roundings):
                apart.append(float(np.subtract(*self.compare(v, w))))
        return min(apart) * max(apart) > 0 and 2 * min(map(abs, apart)) >= max(map(abs, apart)) and self.is_steady(v, w, apart[0])

    def is_steady(self, v, w, apart):
        """Returns whether the gradient changes by less than that over a few roundings."""
        for roundings in (6, 20, 70):
            found = []
            for where in (0, roundings):
                with self.moved(where):
                    found.append(_directions.dot(w, self.push(v)) if self.forward else _directions.dot(v, self.pull(w)))
            if not 4 * abs(found[0] - found[1]) <= abs(apart):
                return False
        return True

    @contextlib.contextmanager
    def moved(self, roundings):
        """Context in which the numbers are moved by this many roundings."""
        here = self.here
        if roundings:
            self.here = self.displaced(self.random(self.groups), roundings * _differences.EPSILON[self.precision])
        try:
            yield
        finally:
            self.here = here

    def look_closer(self, o, number, slope, v, apart, names):
        """One wrong element of a large field has little effect on the sum: bisects for a part that differs by more than rounding."""
        w, pulled = self.draw(o, number)

        def off(low, high):
            part = self.space.kept(v, low, high)
            return abs(_directions.dot(part, pulled) - _directions.dot(w, self.push(part))) if any(x.any() for x in part) else 0.0

        element = _blame.halve(self.result.elements, off)
        part = self.space.kept(v, element, element + 1)
        one, other = self.compare(part, w)
        if (abs(one - other) > 0.3 * abs(apart) and not self.is_near(one, other) and not self.rounds(o, number, slope, one - other, self.most)
                and self.is_systematic(part, w, one, other)):  # fmt: skip
            _blame.Blame(self).find(part, w, f"{names}: reverse mode gives {one:.6g}, but forward mode gives {other:.6g}")
            raise _Known

    # products
    def push(self, v, calls=None):
        """Returns the tangents of the results for the direction v, by forward mode; leaves the state at the end of the program."""
        self.start(calls)
        self.state.clear_companions(self.variables)
        for variable, values in zip(self.variables, v):
            variable.set_tangent(values)
        self.program.run(_Mode.FORWARD, only=calls)
        return [variable.tangent() for variable in self.variables]

    def pull(self, w, calls=None, again=True, at_start=False):
        """Returns the gradients for the weights w, by reverse mode."""
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

    def compare(self, v, w, calls=None, at_start=False):
        """Returns (backward, forward)."""
        pushed = self.push(v, calls)
        pulled = self.pull(w, calls, again=False, at_start=at_start)
        self.most = _directions.size(v, pulled)[0] + _directions.size(w, pushed)[0]
        return _directions.dot(v, pulled), _directions.dot(w, pushed)

    def is_near(self, backward, forward, most=None):
        """Returns whether two modes agree, within the accuracy of the narrowest type in the computation."""
        most = self.most if most is None else most

        def near():
            return abs(backward - forward) <= _COARSE[self.precision] * most

        return near() or (self.narrows() and near())

    def narrows(self):
        """Returns whether kernels compute in a narrower type than that of fields and arrays; if so, that becomes the precision."""
        if self.looked_inside:
            return False
        self.looked_inside = True
        kernels = list(dict.fromkeys([*self.program.made.values(), *(c.call.kernel() for c in self.calls if c.is_kernel)]))
        with _exceptions.unwarned():
            texts = [kernel._show("frontend") for kernel in kernels]
        met = [name for name in _differences.FLOATS if any(f": {name} = " in text for text in texts)]
        before, self.precision = self.precision, min([*met, self.precision], key=_differences.FLOATS.index)
        return self.precision != before


class _Ladder:
    """Differences of all results along one direction, step by step, together with the predictions of their gradients."""

    def __init__(self, checker, v, number=0, tolerance=None):
        self.checker, self.v, self.number = checker, v, number
        self.slopes = []
        for o in range(len(checker.results)):
            _, pulled = checker.draw(o, number)
            size = _directions.size(v, pulled)[1]
            self.slopes.append(_differences.Slope(checker.precision, size if math.isfinite(size) else 0.0, checker.own[o], tolerance))

    def settle(self, times, most=None):
        """Returns whether all slopes are supported by `times` neighbouring steps; takes only as many steps as needed."""
        for step in _differences.STEPS[self.checker.precision][:most]:
            self.climb(step)
            if all(slope.supported(times) for slope in self.slopes):
                break
        return all(slope.supported(times) and not slope.disputed() for slope in self.slopes)

    def climb(self, step):
        checker, sides = self.checker, []
        for sign in (1, -1):
            moved = checker.displaced(self.v, sign * step)
            seen = checker.change(moved)
            shift = [np.zeros(()) if x is y else np.subtract(x, y, dtype="f8") for x, y in zip(moved, checker.here)]
            sides.append((seen, shift, sign * step))
        for o, slope in enumerate(self.slopes):
            w, pulled = checker.draw(o, self.number)
            k = self.number % len(checker.weights[o])
            found = []
            for seen, shift, h in sides:
                found += [seen[o][k] / h, _directions.dot(shift, pulled) / h]
            slope.add(_differences.Sample(step, found[0], found[2], found[1], found[3], checker.noise[o][k]))


def _differ(a, b):
    return np.asarray((a != b) & ~(np.isnan(a) & np.isnan(b)))


def check(function, *args, directions=3, seed=0, elements=4_000_000, seconds=30.0):
    """Checks the gradients of a kernel, of a function with a custom gradient, or of a function that calls these, at the current values of
    its fields and arrays. All state is restored when it returns.

    Args:
        function: the function to check.
        *args: the arguments of the function.
        directions: number of random directions in which each input is moved.
        seed: seed of the random numbers.
        elements: maximum number of elements; programs that use more are not checked.
        seconds: maximum time in seconds; programs that take longer are not checked.

    Returns:
        A `Check`: true if the gradients agree.

    Raises:
        ValueError: `directions`, `elements` or `seconds` is not positive.

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
    if not isinstance(directions, numbers.Integral) or directions < 1:
        raise ValueError(f"directions must be an integer of at least 1, not {directions!r}")
    for what, limit in (("elements", elements), ("seconds", seconds)):
        if not isinstance(limit, numbers.Real) or not limit > 0:
            raise ValueError(f"{what} must be a number greater than 0, not {limit!r}")
    name = getattr(function, "__qualname__", None) or getattr(getattr(function, "__func__", None), "__qualname__", None)
    result = Check((name or repr(function)).replace("<locals>.", "").split(".<")[-1])
    program = _program.Program(function, args, _state.State(elements), time.monotonic() + seconds)
    return _run(program, result, directions, np.random.default_rng(seed))


check = _native.core().hiding_frames(check)


def run_calls(calls, held, result, directions, rng, elements, until, loss=None):
    """Like check, for calls that a program made, as recorded by a Tape. Coverage does not count them. It stops as soon as it is clear that
    there is not enough time."""
    made = [_program.Call(call, args, found) for (call, args), found in zip(calls, held)]

    def repeat():
        for one in made:
            one.repeat(one.call)

    return _run(_program.Program(repeat, (), _state.State(elements), until, counted=False, hurried=True), result, directions, rng, loss)


def _run(program, result, directions, rng, loss=None):
    _native.core()
    try:
        with np.errstate(all="ignore"):
            Checker(program, result, rng, directions, loss).run()
    except _state.Refused as refused:
        result.verdict, result.reason = UNKNOWN, str(refused)
    finally:
        program.made.clear()
        program.state.close()
    return result
