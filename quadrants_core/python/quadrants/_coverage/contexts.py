"""In which context of coverage.py, such as a test, the lines of kernels ran. coverage.py switches contexts in one place, whoever asks for
it: what kernels counted since the switch before belongs to the context that ends there. Nothing is read where nothing was counted."""

from coverage import Coverage as _Coverage, CoverageData as _CoverageData

from quadrants._coverage import counts as _coverage

ran = {}  # context -> name of a file in messages -> (lines, arcs)
_now = ""  # the context that goes on
_switched = False
_before, _stamp = {}, None  # counts at the last switch


def follow():
    """Notes contexts from here on."""
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
    """Each context must have counts of its own."""
    host = _Coverage.current()
    return _switched or bool(host and host.get_option("run:dynamic_context"))


def take():
    """What ran since goes to the context that goes on."""
    global _before, _stamp
    stamp = _coverage._stamp()
    if stamp == _stamp:
        return
    now = _coverage._merged()
    grown = {key: count - _before.get(key, 0) for key, count in now.items() if count > _before.get(key, 0)}
    _before, _stamp = now, stamp
    for file, counts in _coverage._snapshot(grown).items():
        lines, arcs = ran.setdefault(_now, {}).setdefault(file, (set(), set()))
        lines.update(line for line, count in counts.items() if count)
        arcs.update(counts.arcs)


def _keep():
    """Before the counts are forgotten."""
    global _before, _stamp
    if _switched:
        take()
    _before, _stamp = {}, None


def apart():
    """context -> name of a file -> (lines, arcs). One context alone, None as its files, if there was never another."""
    if not _switched:
        return {_now: None}
    take()
    return ran


def forget():
    """In a forked child."""
    global _before, _stamp
    ran.clear()
    _before, _stamp = {}, None
