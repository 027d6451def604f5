"""Slopes by finite differences, and their relation to a derivative.

A `Slope` stores the change of the result for a step above and a step below the point, for several step sizes. Each is compared with the
prediction of the derivative for the numbers that were actually stored, so that rounding of the inputs has no effect. Three differences
between a correct derivative and finite differences remain: curvature, which decreases with the step, rounding of the result, which grows as
1 / step and is measured (`noise`), and kinks, where the two sides differ for any step.
"""

import math

FLOATS = ("f16", "f32", "f64")
EPSILON = {"f16": 9.8e-4, "f32": 1.2e-7, "f64": 2.3e-16}
# The first steps are small, so that indices computed from the numbers seldom leave their array; large ones are for results with a large
# rounding error.
STEPS = {
    "f16": (0.1, 0.04, 0.2, 0.02),
    "f32": (1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 3e-2, 1e-1),
    "f64": (1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-4, 1e-3),
}
_TOLERANCE = {"f16": 0.2, "f32": 4e-2, "f64": 1e-4}  # relative to the slope, without rounding errors
_REACH = 0.05  # maximum noise of conclusive differences, relative to the slope
_SIDES = {"f16": 0.3, "f32": 5e-2, "f64": 1e-3}  # maximum difference between the two sides of a smooth function, relative to the slope


class Sample:
    """One step size: the slopes above and below, and those predicted by the derivative."""

    def __init__(self, step, above, below, predicted_above, predicted_below, noise):
        self.step, self.above, self.below = step, above, below
        self.noise = self.measured = noise / step
        a, b = above - predicted_above, below - predicted_below
        self.middle = (above + below) / 2
        self.off = (a + b) / 2
        self.sides = abs(a - b)
        self.finite = all(map(math.isfinite, (above, below, predicted_above, predicted_below)))


class Slope:
    """Samples of one slope. `size` is the magnitude that the derivative would have if its terms did not cancel, `own` the magnitude of the
    total change of the result by the program; `tolerance` overrides the default."""

    def __init__(self, precision, size, own, tolerance=None):
        self.size, self.own = size, own
        self.nothing = 64 * EPSILON[precision] * own  # the maximum that rounding makes of 0
        self.tolerance = tolerance or _TOLERANCE[precision]
        self.sides, self.most = _SIDES[precision], len(STEPS[precision])
        self.samples = []

    def add(self, sample):
        self.samples.append(sample)
        self.samples.sort(key=lambda one: -one.step)
        bends = [abs(one.above - one.below) * one.step / 2 for one in self.samples]
        # curvature and kinks decrease with the step
        rounding = max((b for a, b in zip(bends, bends[1:]) if b > 0.6 * a and math.isfinite(b)), default=0.0)
        for one in self.samples:
            one.noise = max(one.noise, 3 * rounding / one.step)

    def _scale(self, one):
        return max(self.size, abs(one.above), abs(one.below))

    def supports(self, one):
        """Returns whether this step agrees with the derivative, and is conclusive."""
        if not one.finite:
            return False
        scale = self._scale(one)
        if self.size <= self.nothing and max(abs(one.above), abs(one.below)) <= 4 * one.noise:  # both are 0
            return 3 * one.noise <= _REACH * self.own or one.noise == 0
        return (one.noise <= _REACH * scale and abs(one.off) <= self.tolerance * scale + 3 * one.noise
                and one.sides <= self.sides * scale + 6 * one.noise)  # fmt: skip

    def supported(self, times=1):
        """Returns whether `times` neighbouring steps agree with the derivative."""
        said = [self.supports(one) for one in self.samples]
        return any(all(said[k : k + times]) for k in range(len(said) - times + 1)) or len(said) == self.most and self._is_stationary()

    def _is_stationary(self):
        """Returns whether the slope is small compared with the slopes one step away, as at a minimum: there the two sides differ, but less
        for smaller steps."""
        quiet = [one for one in self.samples if one.finite and one.noise <= _REACH * self._scale(one)]
        return (len(quiet) > 1 and quiet[-1].sides <= 1.5 * quiet[-1].step / quiet[-2].step * quiet[-2].sides
                and all(abs(one.off) <= self.tolerance * self._scale(one) + 3 * one.noise for one in quiet))  # fmt: skip

    def settled(self):
        """Returns the slope if two neighbouring steps agree on it and show no kink; else None."""
        for one, other in zip(self.samples, self.samples[1:]):
            if not (one.finite and other.finite):
                continue
            scale = max(self._scale(one), self._scale(other))
            if (abs(one.middle - other.middle) <= 0.1 * scale and max(one.noise, other.noise) <= _REACH * scale
                    and max(one.sides, other.sides) <= self.sides * scale):  # fmt: skip
                return other.middle
        return None

    def _denies(self, one, other):
        """Returns whether two neighbouring steps agree on another slope, and show no kink."""
        def off(one):
            size = max(abs(one.above), abs(one.below))
            return (one.finite and abs(one.off) > 8 * one.noise + 1.5 * self.tolerance * self._scale(one)
                    and abs(one.above - one.below) <= 0.25 * size + 6 * one.noise)  # fmt: skip

        near = 0.15 * max(abs(one.middle), abs(other.middle)) + 3 * (one.noise + other.noise)
        return off(one) and off(other) and abs(one.middle - other.middle) <= near

    def disputed(self):
        """Returns whether the differences show another slope for some step size."""
        return any(map(self._denies, self.samples, self.samples[1:]))

    def contradicted(self):
        """Returns whether they do, and no smaller step contradicts this."""
        for k, (one, other) in enumerate(zip(self.samples, self.samples[1:])):
            if self._denies(one, other):
                apart = 0.25 * max(abs(other.off), abs(other.middle))
                return all(abs(less.middle - other.middle) <= apart + 6 * less.measured for less in self.samples[k + 2 :] if less.finite)
        return False

    def best(self):
        """Returns the most reliable sample."""
        finite = [one for one in self.samples if one.finite]
        return min(finite, key=lambda one: (abs(one.off) + one.noise + one.sides, one.step)) if finite else None

    def doubt(self):
        """Returns the reason why no conclusion is possible, in words."""
        finite = [one for one in self.samples if one.finite]
        if not finite:
            return "the result is infinite or nan if the inputs are changed slightly"
        quiet = [one for one in finite if one.noise <= _REACH * self._scale(one)]
        if not quiet:
            one = min(finite, key=lambda one: one.noise)
            return f"rounding hides it: differences resolve slopes of {one.noise:.2g} or more, but the gradient is {self.size:.2g}"
        one = quiet[-1]
        if self.supported():
            return f"differences agree with it for some steps, and give {quiet[0].middle:.4g} for others"
        kinks = [abs(one.sides) > self.sides * self._scale(one) + 6 * one.noise for one in quiet]
        if all(kinks) and quiet[-1].sides >= 0.5 * quiet[0].sides:
            return f"a kink or a jump: differences give {one.above:.4g} to one side and {one.below:.4g} to the other"
        return f"differences do not settle as steps shrink ({quiet[0].middle:.4g}, {one.middle:.4g}): a jump, or numbers that grow from step to step"
