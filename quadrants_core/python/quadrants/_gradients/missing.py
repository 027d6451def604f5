"""Results that depend on nothing with a gradient: either all gradients are truly 0, or the actual inputs have no gradient."""

import numpy as np

from quadrants._gradients import differences as _differences, directions as _directions, lines as _lines, state as _state
from quadrants._gradients.verdict import AGREES, UNKNOWN, _words

_MOST = 16  # maximum number of fields and arrays without a gradient that are moved one by one


def verdict(checker):
    """Returns (verdict, reason) if nothing with a gradient affects the results."""
    results = _words([group.name for group in checker.results])
    inputs = [group for group in checker.unmoved if any((checker.movable[k] & ~checker.written[k]).any() for k in group.at)]
    without = _movers(checker)
    if without and not _lines.read(checker.calls, [checker.variables[k] for group in inputs for k in group.at]):
        return UNKNOWN, f"no input has a gradient: {_advice(without)}"
    if checker.unmoved:
        names = _words([group.name for group in checker.unmoved])
        return AGREES, f"backward, like finite differences, gives 0 for {results} by {names}"
    return UNKNOWN, f"no input has a gradient: {results} depends on no field or array"


def unchanged(checker):
    """Returns the reason why nothing with a gradient changes, or "" if another reason applies."""
    without = _movers(checker)
    return f"no input has a gradient: {_advice(without)}" if without else ""


def _movers(checker):
    """Returns the variables without a gradient that affect the results."""
    groups = {}
    for variable in checker.state.without_gradient():
        groups.setdefault(variable.owner(), []).append(variable)
    groups = list(groups.values())
    if not groups or not _moves(checker, [v for group in groups for v in group]):
        return []
    alone = [group for group in groups[:_MOST] if _moves(checker, group)]
    return [group[0] for group in alone or groups]


def _moves(checker, variables):
    checker.start()
    for variable in variables:
        x = variable.primal()
        v = checker.rng.uniform(0.5, 1.5, x.shape) * _directions.scale(x, False) * _differences.STEPS[checker.precision][0]
        variable.set_primal(np.asarray(x + v.astype(x.dtype), x.dtype))
    checker.program.run()
    if not checker.results:
        return any(not np.array_equal(a, b, equal_nan=True) for v, a, b in zip(checker.variables, checker.primals(), checker.end) if checker.asks(v))
    moved = checker.weighted(checker.primals(), checker.middle)
    return any(not abs(m) <= n for draws, noise in zip(moved, checker.noise) for m, n in zip(draws, noise))


def _advice(variables):
    own = [v.whole() for v in variables if not isinstance(v, _state.ForeignVariable)]
    foreign = [v.whole() for v in variables if isinstance(v, _state.ForeignVariable)]
    said = [f"give {_words(own)} needs_grad=True"] if own else []
    said += [f"instead of the NumPy array {_words(foreign)} pass a qd.ndarray with needs_grad=True"] if foreign else []
    return ", and ".join(said)
