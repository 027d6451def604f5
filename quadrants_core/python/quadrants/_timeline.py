"""What a program did when, for chrome://tracing and its like: filled while the option `timeline` is on."""

from quadrants import _native


def timeline_clear():
    """Forgets what has happened so far."""
    _native.core().clear_timeline()


def timeline_save(fn):
    """Writes the compilations and launches of kernels to the file `fn`, as trace events in JSON."""
    import json

    events = [
        {"name": kernel, "cat": what, "ph": "X", "ts": begin, "dur": duration, "pid": 0, "tid": 0}
        for what, kernel, begin, duration in _native.core().timeline()
    ]
    with open(fn, "w", encoding="utf-8") as file:
        json.dump(events, file)
