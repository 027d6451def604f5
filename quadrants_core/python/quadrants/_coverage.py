"""qd.coverage: how often each line of the kernels ran. Counted while QD_KERNEL_COVERAGE=1; kept over qd.reset()."""

from quadrants import _runtime

_gathered = {}  # (what, file, scope, line, column, end_line, end_column) -> count, of programs that have ended


def _running():
    core = _runtime._core
    return core.coverage() if core is not None and core.initialised() else []


def _harvest():
    for row in _running():
        _gathered[row[:-1]] = _gathered.get(row[:-1], 0) + row[-1]


_runtime.before_reset.append(_harvest)


def counters():
    """Every counter: (what, file, scope, line, column, end_line, end_column) -> count. `what` is "line", or a branch:
    "taken", "not_taken", "entered", "zero_trips", "broken"."""
    total = dict(_gathered)
    for row in _running():
        total[row[:-1]] = total.get(row[:-1], 0) + row[-1]
    return total


def snapshot():
    """file or cell -> {line: count}, over all kernels so far; reading does not stop or change anything."""
    result = {}
    for (what, file, _, line, *_), count in counters().items():
        if what == "line":
            lines = result.setdefault(file, {})
            lines[line] = lines.get(line, 0) + count
    return {file: dict(sorted(lines.items())) for file, lines in result.items()}


def branches():
    """file or cell -> {line: {what: count}} for conditions and loops."""
    result = {}
    for (what, file, _, line, *_), count in counters().items():
        if what != "line":
            kinds = result.setdefault(file, {}).setdefault(line, {})
            kinds[what] = kinds.get(what, 0) + count
    return result


def clear():
    """Forgets all counts."""
    _gathered.clear()
    if _runtime._core is not None and _runtime._core.initialised():
        _runtime._core.clear_coverage()
