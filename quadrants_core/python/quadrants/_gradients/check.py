"""Tape(grad_check=[...]): gradients against differences."""

import numpy as np

from quadrants import _dtypes
from quadrants._language import kernel as _kernel
from quadrants._storage import field as _field, naming as _naming
from quadrants._trees import snode as _snode

_STEPS = [2.0**-k for k in range(3, 30, 2)]


def _primal_fields():
    """All fields but gradients and duals, each once."""
    found = {}
    for builder in _snode.finished_builders():
        for member in builder._members:
            if getattr(member, "role", None) == _snode.SNodeGradType.PRIMAL and member.field is not None:
                found[id(member.field)] = member.field
    return list(found.values())


def _fields(to_check):
    wanted = "grad_check should be a list of fields that need to check gradients."
    assert isinstance(to_check, list), wanted
    fields = [getattr(x, "_impl", x) for x in to_check]
    for x in fields:
        assert isinstance(x, _field.Field), f"{wanted} {x!r} is no field."
        assert x.has_grad(), f"{wanted} {_naming.named(x) or 'A field without a name'} has no gradient."
    return fields


class Checker:
    def __init__(self, loss, to_check):
        self.loss, self.to_check = loss, _fields(to_check)
        self._saved = [(x, x.to_numpy()) for x in _primal_fields()]

    def check(self, calls):
        """Raises if the gradient of some field is not what the loss shows when the field is moved."""
        assert self.loss.dtype == _dtypes.f64, "Only f64 is supported when checking grad."
        passed = []
        for i, x in enumerate(self.to_check):
            assert x.dtype == _dtypes.f64, "Only f64 is supported when checking grad."
            error = self._smallest_error(x, calls)
            passed.append(error is None)
            print(f"variable {i} passes grad check" if error is None else f"variable {i} has relative error {error}")
        self._run(calls)
        assert all(passed), "Grad check failed: Not all variables pass grad check"

    def _smallest_error(self, x, calls):
        """None if some step agrees with the gradient."""
        gradient = x.grad.to_numpy()
        tangent = np.random.default_rng(0).random(gradient.shape)
        analytic = float(np.sum(gradient * tangent))
        smallest = np.inf
        for step in _STEPS:
            above, below = (self._run(calls, x, sign * step * tangent) for sign in (1, -1))
            wrong = abs((above - below) / (2 * step) - analytic)
            if wrong * 100 <= abs(analytic):
                return None
            smallest = min(smallest, wrong / abs(analytic) if analytic else np.inf)
        return smallest

    def _run(self, calls, moved=None, by=0):
        """The loss, with one field moved."""
        with _kernel.unrecorded():
            for x, values in self._saved:
                x.from_numpy(values)
            if moved is not None:
                moved.from_numpy(moved.to_numpy() + by)
            for call, args in calls:
                call(*args)
        return float(np.sum(self.loss.to_numpy()))
