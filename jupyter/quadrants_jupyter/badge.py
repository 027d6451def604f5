"""A badge below a cell that asked for gradients: whether they are right. It says what qd.ad.check says of the newest calls, in little
time, and leaves everything as it was. `%qd_gradients --off` and `--on`.

The data, `application/vnd.quadrants.gradients+json`, are what nbval compares (nbval_meaning.py):
    {"version": 1, "checks": [{"name", "verdict"}]}
"""

import ast
import collections
import threading
import time

from quadrants._language import kernel as _kernel
from quadrants_jupyter import adstack

MIME = "application/vnd.quadrants.gradients+json"
SECONDS, ELEMENTS, MOST = 1.5, 4_000_000, 6  # for the checks of a cell; numbers that one may move; kernels that are looked at
RUNS = 16  # of a program, that a check needs at the least


class Badge:
    def __init__(self, results):
        self.results = results

    def __repr__(self):
        return "\n".join(map(repr, self.results))

    def _repr_mimebundle_(self, **_):
        checks = [{"name": r.name, "verdict": r.verdict} for r in self.results]
        return {"text/plain": repr(self), "text/html": "".join(r._repr_html_() for r in self.results),
                MIME: {"version": 1, "checks": checks}}


class Badges:
    """What a cell asked gradients of."""

    def __init__(self):
        self.on = True
        self.lock = threading.Lock()
        self.calls = collections.OrderedDict()  # kernel -> arguments of its newest `grad`
        self.tape = None  # calls of the newest one

    def told(self, info, args):
        adstack.newest.told(info, args)
        with self.lock:
            self.calls[info] = args
            self.calls.move_to_end(info)
            while len(self.calls) > MOST:
                self.calls.popitem(last=False)

    def tape_told(self, tape):
        with self.lock:
            self.tape = tape
            for call, _ in tape.calls:
                if isinstance(call, _kernel.KernelInfo):
                    self.calls.pop(call, None)

    def take(self):
        with self.lock:
            calls, tape = list(self.calls.items()), self.tape
            self.calls.clear()
            self.tape = None
        return calls, tape

    def begin(self, *_):
        self.take()

    def end(self, result):
        calls, tape = self.take()
        if not self.on or not (calls or tape) or result is not None and not result.success:
            return
        from IPython.display import display

        results = _checked(calls, tape)
        if results:
            display(Badge(results))

    def follow(self, on):
        self.on = on
        _kernel.tell_of_gradients(self.told if on else None)
        _kernel.tapes_told = self.tape_told if on else None


badges = Badges()


def _checked(calls, tape):
    """First the program as a whole; where that takes too long, its kernels."""
    from quadrants._gradients import agreement

    until, results = time.monotonic() + SECONDS, []
    if tape:
        names = list(dict.fromkeys(_name(call) for call, _ in tape.calls))
        title = ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
        whole = _check(title, tape.calls, tape._held, until if tape.seconds * RUNS < SECONDS else 0)
        results.append(whole)
        if whole.reason == agreement.TOO_LONG:
            newest = dict(tape.calls)
            parts = [(call, args) for call, args in newest.items() if isinstance(call, _kernel.KernelInfo)][:MOST]
            found = [r for r in _apart(parts, until + SECONDS) if r.verdict != agreement.UNKNOWN]
            results = found + [whole] * (len(found) < len(parts))
    return results + _apart(calls, until)


def _apart(calls, until):
    return [_check(_name(call), [(call, args)], [None], until) for call, args in calls]


def _name(call):
    return getattr(call, "name", getattr(call, "__qualname__", str(call))).replace("<locals>.", "")


def _check(name, calls, held, until):
    import numpy as np
    from quadrants._gradients import agreement

    result = agreement.Check(name)
    loud = next((_name(call) for call, _ in calls if _prints(call)), None)
    if loud:
        result.reason = f"{loud} prints, or calls a function outside"
        return result
    try:
        return agreement.run_calls(calls, held, result, 1, np.random.default_rng(0), ELEMENTS, until)
    except KeyboardInterrupt:
        result.verdict, result.reason = agreement.UNKNOWN, "Stop was pressed"
    except Exception as error:
        result.verdict, result.reason = agreement.UNKNOWN, str(error).strip().splitlines()[-1] if str(error).strip() else type(error).__name__
    return result


def _prints(call):
    """Whether running it once more would show anything."""
    from quadrants._gradients import tape

    if isinstance(call, tape.Replaced):
        return False
    if not isinstance(call, _kernel.KernelInfo):
        return True  # it may do anything
    names = {n.func.id for n in ast.walk(call._qd_source_.python_tree()) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
    return "print" in names


def register(shell):
    badges.follow(True)
    shell.events.register("pre_run_cell", badges.begin)
    shell.events.register("post_run_cell", badges.end)


def unregister(shell):
    badges.follow(False)
    shell.events.unregister("pre_run_cell", badges.begin)
    shell.events.unregister("post_run_cell", badges.end)
