"""Compares outputs by meaning. If a stored and a new output contain typed data of the same kind, these are compared instead of the
text and HTML that accompany them:

- coverage: the lines and branches that ran or never ran; not how often, nor the order in which specialisations were made
- compiled: kernels, their tasks, and which of these were compiled or found unchanged; not times
- gradients: the kernels that were checked, and the verdicts
- adstack: kernels, their loops, what these keep, and the choices that were measured; not times, nor what depends on the number of threads
- checkpoints: the graph of a launch in steps and, unless it was moved by hand, its position and the numbers in its arrays
- cache: the words after %qd_cache; not the answer, which depends on what earlier processes left on disk
- values: dtype and shape, and the numbers within a tolerance

Each comparison returns the differences in words; none if the outputs mean the same.
"""

import re

from quadrants_jupyter import looks

COVERAGE = "application/vnd.quadrants.coverage+json"
COMPILED = "application/vnd.quadrants.compiled+json"
GRADIENTS = "application/vnd.quadrants.gradients+json"
ADSTACK = "application/vnd.quadrants.adstack+json"
CHECKPOINTS = "application/vnd.quadrants.checkpoints+json"
CACHE = "application/vnd.quadrants.cache+json"
VALUES = "application/vnd.quadrants.values+json"
HEATMAP = "application/vnd.quadrants.heatmap+json"  # the content of COVERAGE with the text of the lines: not compared

_most_differences = 20


class Tolerance:
    """new - stored| <= atol + rtol * |stored|. Integers are compared exactly, unless a tolerance is given."""

    by_dtype = {"f16": (1e-2, 1e-4), "f32": (1e-4, 1e-6), "f64": (1e-9, 1e-12)}

    def __init__(self, rtol=None, atol=None):
        self.rtol, self.atol = rtol, atol

    def of(self, dtype):
        rtol, atol = self.by_dtype.get(dtype, (0.0, 0.0))
        return self.rtol if self.rtol is not None else rtol, self.atol if self.atol is not None else atol


def _close(stored, new, limits, scale=None):
    stored, new = float(stored), float(new)
    if stored != stored or new != new:
        return stored != stored and new != new
    if stored == new:
        return True
    if abs(stored) == float("inf") or abs(new) == float("inf"):
        return False
    rtol, atol = limits
    return abs(new - stored) <= atol + rtol * (abs(stored) if scale is None else scale)


def _limits_text(limits):
    return "" if limits == (0.0, 0.0) else f" (rtol {limits[0]:g}, atol {limits[1]:g})"


# --- coverage --------------------------------------------------------------------------------------------------------


def _pairs_of_cells(stored, new):
    """Pairs cells by their text, or else by their label; the rest have no partner."""
    stored, new, pairs = list(stored), list(new), []
    for key in ("digest", "label"):
        for cell in list(stored):
            partner = next((other for other in new if cell.get(key) is not None and other.get(key) == cell.get(key)), None)
            if partner is not None:
                pairs.append((cell, partner))
                stored.remove(cell)
                new.remove(partner)
    return pairs, stored, new


_outcome_words = {
    "taken": "was true",
    "not_taken": "was false",
    "entered": "was entered",
    "zero_trips": "was a loop without iterations",
    "exhausted": "was a loop that came to its end",
    "broken": "was a loop left by break",
    "finished": "was a loop that came to its end",
}


def coverage(stored, new, tolerance=None):
    pairs, gone, added = _pairs_of_cells(stored["cells"], new["cells"])
    found = [f"{looks.cell_name(cell['label'])} has coverage in the notebook, none now" for cell in gone]
    found += [f"{looks.cell_name(cell['label'])} has coverage now, none in the notebook" for cell in added]
    for cell, other in pairs:
        before, now = ({line["number"]: line for line in one["lines"]} for one in (cell, other))
        for number in sorted({*before, *now}):
            found += _line_differences(f"{looks.cell_name(cell['label'])}, line {number}", before.get(number), now.get(number))
    return found


def _line_differences(where, before, now):
    if before is None or now is None:
        return [f"{where} is counted {'now, not in the notebook' if before is None else 'in the notebook, not now'}"]
    ran, runs = before["count"] > 0, now["count"] > 0
    if ran != runs:
        return [f"{where} {'ran in the notebook, never ran now' if ran else 'never ran in the notebook, ran now'}"]
    found = []
    once, again = before.get("outcomes", {}), now.get("outcomes", {})
    for outcome in sorted({*once, *again}):
        was, is_now = once.get(outcome, 0) > 0, again.get(outcome, 0) > 0
        if was != is_now:
            words = _outcome_words.get(outcome, outcome)
            found.append(f"{where} {words} {'in the notebook, never now' if was else 'now, never in the notebook'}")
    return found


# --- compiled --------------------------------------------------------------------------------------------------------


def compiled(stored, new, tolerance=None):
    found = []
    before, now = ({k["name"]: k for k in one["kernels"]} for one in (stored, new))
    for name in before:
        if name not in now:
            found.append(f"kernel {name} is reported in the notebook, not now")
    for name in now:
        if name not in before:
            found.append(f"kernel {name} is reported now, not in the notebook")
            continue
        once, again = before[name], now[name]
        for what in ("compiled", "unchanged"):
            if once.get(what) != again.get(what):
                found.append(f"kernel {name}: {once.get(what)} tasks {what} in the notebook, {again.get(what)} now")
        if once.get("note") != again.get("note"):
            found.append(f"kernel {name}: {once.get('note')!r} in the notebook, {again.get('note')!r} now")
        if _tasks(once) != _tasks(again):
            found.append(f"kernel {name}: tasks {_tasks(once)} in the notebook, {_tasks(again)} now")
    return found


def _tasks(kernel):
    """Describes the tasks; code from the cache on disk counts as compiled, since that depends on the machine."""
    words = []
    for task in kernel.get("tasks") or ():
        state = "unchanged" if task.get("origin") == "memory" else "compiled"
        words.append(f"{task['name']} (line {task['line']}, {task.get('source')!r}, {state})")
    return ", ".join(words) or "none"


# --- values ----------------------------------------------------------------------------------------------------------


def values(stored, new, tolerance=None):
    return _arrays("", stored, new, tolerance or Tolerance())


def _arrays(name, stored, new, tolerance):
    if "members" in stored or "members" in new:
        once, again = stored.get("members", {}), new.get("members", {})
        if set(once) != set(again):
            return [f"{name or 'the value'} has members {sorted(once)} in the notebook, {sorted(again)} now"]
        return [d for member in once for d in _arrays(f"{name}.{member}", once[member], again[member], tolerance)]
    for what in ("dtype", "shape"):
        if stored[what] != new[what]:
            return [f"{what}{' of ' + name if name else ''} is {stored[what]} in the notebook, {new[what]} now"]
    limits = tolerance.of(stored["dtype"])
    found = []
    for part in ("values", "sample"):
        found += _elements(f"{name}" if part == "values" else f"{name} sample", stored, new, part, limits)
    once, again = stored.get("summary", {}), new.get("summary", {})
    largest = max((abs(float(once.get(k, 0))) for k in ("min", "max")), default=0.0)
    for what in sorted({*once, *again}):
        exact = what == "not_finite" or what not in once or what not in again
        if once.get(what) != again.get(what) if exact else not _close(once[what], again[what], limits, largest):
            text = "" if exact else _limits_text(limits)
            found.append(f"{what}{' of ' + name if name else ''} is {once.get(what)} in the notebook, {again.get(what)} now{text}")
    return found


def _place(at, shape):
    index = []
    for extent in reversed(shape):
        index.append(at % extent)
        at //= extent
    return ", ".join(map(str, reversed(index)))


def _elements(name, stored, new, part, limits):
    once, again = stored.get(part) or [], new.get(part) or []
    if len(once) != len(again):
        return [f"{len(once)} elements in the notebook, {len(again)} now"]
    wrong = [at for at, pair in enumerate(zip(once, again)) if not _close(*pair, limits)]
    found = []
    for at in wrong[:3]:
        place = _place(at, stored["shape"]) if part == "values" else str(at)
        found.append(f"{name}[{place}] is {once[at]} in the notebook, {again[at]} now{_limits_text(limits)}")
    if len(wrong) > 3:
        found.append(f"{len(wrong)} of {len(once)} elements differ")
    return found


# --- checkpoints -----------------------------------------------------------------------------------------------------


def checkpoints(stored, new, tolerance=None):
    plans = [[(step["kind"], step["depth"], step["text"]) for step in one["steps"]] for one in (stored, new)]
    if stored["kernel"] != new["kernel"] or plans[0] != plans[1]:
        return [f"the graph of {stored['kernel']} in the notebook differs from that of {new['kernel']} now"]
    if stored["moves"] or new["moves"]:
        return []
    found = []
    for what in ("next", "over", "yielded"):
        if stored[what] != new[what]:
            found.append(f"{new['kernel']}: {what} is {stored[what]} in the notebook, {new[what]} now")
    for once, again in zip(stored["steps"], new["steps"]):
        if "turn" in once:  # the name of `iteration` in notebooks of older versions
            once = {**once, "iteration": once["turn"]}
        for what in ("state", "iteration", "runs", "value"):
            if once[what] != again[what]:
                found.append(f"{new['kernel']}, {again['text']}: {what} is {once[what]} in the notebook, {again[what]} now")
    once, again = stored["arrays"], new["arrays"]
    if set(once) != set(again):
        return [*found, f"arrays are {sorted(once)} in the notebook, {sorted(again)} now"]
    return found + [d for name in once for d in _arrays(name, once[name], again[name], tolerance or Tolerance())]


# --- numbers in text -------------------------------------------------------------------------------------------------

OTHER_TEXT = "the text around the numbers differs"
_number = re.compile(r"(?<![\w.])[+-]?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|inf|nan)(?![\w])")


def numbers_in_text(stored, new, tolerance=None):
    """Compares text token by token: numbers within the tolerance, everything else exactly. Blanks are ignored, since they align numbers."""
    tolerance = tolerance or Tolerance()
    once, again = _number.findall(stored), _number.findall(new)
    words = [_number.sub("#", text).split() for text in (stored, new)]
    words = [[part for part in re.split(r"(\W)", " ".join(one)) if part.strip()] for one in words]
    if words[0] != words[1] or len(once) != len(again):
        return [OTHER_TEXT]
    limits, exact = tolerance.of("f32"), tolerance.of("i32")
    found = []
    for at, (a, b) in enumerate(zip(once, again)):
        here = exact if all(re.fullmatch(r"[+-]?\d+", n) for n in (a, b)) else limits
        if not _close(a, b, here):
            found.append(f"number {at + 1} is {a} in the notebook, {b} now{_limits_text(here)}")
    return found


# --- gradients -------------------------------------------------------------------------------------------------------


_OPEN = "cannot say"


def gradients(stored, new, tolerance=None):
    """Does not compare verdicts that are open in either."""
    before, now = _verdicts(stored), _verdicts(new)
    hurried = _OPEN in {*before.values(), *now.values()}
    found = []
    for name in dict.fromkeys([*before, *now]):
        once, again = before.get(name), now.get(name)
        if once is None or again is None:
            if not hurried:
                found.append(f"the gradient of {name} is checked {'now, not in the notebook' if once is None else 'in the notebook, not now'}")
        elif once != again and _OPEN not in (once, again):
            found.append(f"the gradient of {name} was found {once!r} in the notebook, {again!r} now")
    return found


def _verdicts(one):
    """Returns {kernel: verdict}: a program that was checked as a whole names several kernels."""
    found = {}
    for check in one["checks"]:
        for name in check["name"].split(", "):
            if found.get(name, _OPEN) == _OPEN:
                found[name] = check["verdict"] if check["verdict"] in ("agrees", "wrong") else _OPEN
    return found


# --- adstack ---------------------------------------------------------------------------------------------------------


def adstack(stored, new, tolerance=None):
    before, now = ({kernel["name"]: kernel for kernel in one["kernels"]} for one in (stored, new))
    found = []
    for name in dict.fromkeys([*before, *now]):
        if name not in before or name not in now:
            found.append(f"{name} keeps something {'now, not in the notebook' if name in now else 'in the notebook, not now'}")
            continue
        once, again = before[name], now[name]
        if once["budget"] != again["budget"]:
            found.append(f"the budget of {name} is {once['budget']} in the notebook, {again['budget']} now")
        for what, rows in (("loops", _loops), ("measurements", _measurements)):
            if rows(once) != rows(again):
                found.append(f"{what} of {name}: {rows(once)} in the notebook, {rows(again)} now")
    return found


def _loops(kernel):
    words = []
    for task in kernel["tasks"]:
        for loop in task["loops"]:
            kept = ", ".join(f"{v['name']} ({v['type']}, line {v['line']})" for v in loop["variables"])
            words.append(f"line {loop['line']}, {loop['text']!r}, {loop['trips']} times, {loop['choice']}: {kept}")
    return "; ".join(words) or "none"


def _measurements(kernel):
    return ", ".join(f"1/{one['part']} {one['choice']}, {one['measured']} bytes" for one in kernel["measurements"]) or "none"


def cache(stored, new, tolerance=None):
    once, again = stored["about"], new["about"]
    return [] if once == again else [f"%qd_cache {once} in the notebook, %qd_cache {again} now"]


kinds = {COVERAGE: coverage, COMPILED: compiled, GRADIENTS: gradients, ADSTACK: adstack, CHECKPOINTS: checkpoints, CACHE: cache, VALUES: values}


def differences(kind, stored, new, tolerance=None):
    """Returns the differences in words; none if the two mean the same."""
    try:
        found = kinds[kind](stored, new, tolerance)
    except (KeyError, TypeError, ValueError) as error:
        found = [f"the data do not have the expected form: {type(error).__name__}: {error}"]
    rest = len(found) - _most_differences
    return found[:_most_differences] + ([f"and {rest} more"] if rest > 0 else [])
