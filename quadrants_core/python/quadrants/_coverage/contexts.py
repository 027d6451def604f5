"""Attributes the lines that kernels ran to contexts of coverage.py, such as tests. coverage.py switches contexts in a single function, so
the counts since the previous switch belong to the context that ends. Counts are read only if they have changed."""

from coverage import Coverage as _Coverage, CoverageData as _CoverageData

from quadrants._coverage import counts as _coverage

ran = {}  # context -> display name of a file -> (lines, arcs)
_now = ""  # the current context
_switched = False
_before, _stamp = {}, None  # counts and their state at the last switch


def follow():
    """Records contexts from now on."""
    global _now
    host = getattr(_Coverage.current(), "_data", None)
    _now = getattr(host, "_current_context", None) or ""
    set_context = _CoverageData.set_context

    def noted(data, context):
        if data is getattr(_Coverage.current(), "_data", None):
            _switch(context or "")
        return set_context(data, context)

    _CoverageData.set_context = noted
    _coverage._before_clear.append(_keep)


def _switch(context):
    global _now, _switched
    if context != _now:
        take()
        _now, _switched = context, True


def wanted():
    """Returns whether each context needs its own counts."""
    host = _Coverage.current()
    return _switched or bool(host and host.get_option("run:dynamic_context"))


def take():
    """Attributes what ran since the last switch to the current context."""
    global _before, _stamp
    stamp = _coverage._stamp()
    if stamp == _stamp:
        return
    now = _coverage._merged(others=False)
    grown = {key: count - _before.get(key, 0) for key, count in now.items() if count > _before.get(key, 0)}
    _before, _stamp = now, stamp
    for file, counts in _coverage._snapshot(grown).items():
        lines, arcs = ran.setdefault(_now, {}).setdefault(file, (set(), set()))
        lines.update(line for line, count in counts.items() if count)
        arcs.update(counts.arcs)


def _keep():
    """Called before the counts are cleared."""
    global _before, _stamp
    if _switched:
        take()
    _before, _stamp = {}, None


def apart():
    """Returns context -> name of a file -> (lines, arcs). If there has been only one context, returns it with None in place of its
    files."""
    if not _switched:
        return {_now: None}
    take()
    return ran


def forget():
    """Resets the state in a forked child."""
    global _before, _stamp
    ran.clear()
    _before, _stamp = {}, None
