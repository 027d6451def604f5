"""A badge below a cell that computed gradients, which says if they are right. It shows the result of qd.ad.check for the most recent
calls, in little time, and restores everything. `%qd_gradients --off` and `--on`.

nbval compares the data, `application/vnd.quadrants.gradients+json` (nbval_meaning.py):
    {"version": 1, "checks": [{"name", "verdict"}]}
"""

import ast
import collections
import contextlib
import threading
import time
import warnings

from quadrants import _native
from quadrants._language import kernel as _kernel
from quadrants._storage import naming as _naming
from quadrants_jupyter import adstack

MIME = "application/vnd.quadrants.gradients+json"
# Limits: time for the checks of a cell; elements that one check may change; kernels that are checked.
SECONDS, ELEMENTS, MOST = 1.5, 4_000_000, 6
DIRECTIONS = 2  # directions in which each input is changed
RUNS = 24  # minimum number of runs of a program that a check needs


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
    """The gradients that a cell has called."""

    def __init__(self):
        self.on = True
        self.lock = threading.Lock()
        self.calls = collections.OrderedDict()  # kernel -> arguments of its most recent `grad`
        self.tape = None  # the most recent Tape, with its calls
        self.shell = None
        self.launches = 0  # number of launches before the cell

    def observe(self, info, args):
        adstack.newest.observe(info, args)
        with self.lock:
            self.calls[info] = args
            self.calls.move_to_end(info)
            while len(self.calls) > MOST:
                self.calls.popitem(last=False)

    def observe_tape(self, tape):
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
        self.launches = _native.loaded.launches_made() if _native.loaded is not None else 0

    def end(self, result):
        """Checks the gradients at the end of a cell. Stop ends the checks, and then the cell as any other."""
        calls, tape = self.take()
        if not self.on or not (calls or tape) or result is not None and not result.success:
            return
        from IPython.display import display

        checks, stopped = Checks(self.launches), None
        try:
            with getattr(self.shell, "stoppable", contextlib.nullcontext)(), _naming.names_of(self.shell.user_ns):
                checks.run(calls, tape)
        except KeyboardInterrupt as stop:
            stopped = stop
            checks.stopped(calls, tape)
        if checks.results:
            display(Badge(checks.results))
        if stopped is not None and result is not None:
            result.error_in_exec = stopped
            self.shell.showtraceback((KeyboardInterrupt, stopped, None))

    def follow(self, on):
        self.on = on
        if not on:
            adstack.newest.calls.clear()  # later calls are not observed
        _kernel.observe_gradients(self.observe if on else None)
        _kernel.on_tape = self.observe_tape if on else None


badges = Badges()


class Checks:
    """The checks of a cell, in little time. Kernels that ran for long are not launched again. `since` is the number of launches before the
    cell."""

    def __init__(self, since):
        self.since, self.results = since, []

    def run(self, calls, tape):
        """Checks the program as a whole first; if that takes too long, its kernels."""
        from quadrants._gradients import agreement

        until = time.monotonic() + SECONDS
        if tape:
            fits = tape.seconds * RUNS < SECONDS
            whole = self.check(_title(tape), tape.calls, tape._held, until if fits else 0, tape)
            if whole.reason != agreement.TOO_LONG:
                self.results.append(whole)
            else:
                until = time.monotonic() + SECONDS
                newest = dict(tape.calls)
                parts = [(call, args) for call, args in newest.items() if isinstance(call, _kernel.KernelInfo)][:MOST]
                found = [r for r in self.apart(parts, until) if r.verdict != agreement.UNKNOWN]
                self.results += found + [whole] * (len(found) < len(parts))
        self.results += self.apart(calls, until)

    def stopped(self, calls, tape):
        from quadrants._gradients import agreement

        known = {result.name for result in self.results}
        for name in ([_title(tape)] if tape else []) + [_name(call) for call, _ in calls]:
            if name not in known:
                self.results.append(agreement.Check(name))
                self.results[-1].reason = "Stop was pressed"

    def apart(self, calls, until):
        return [self.check(_name(call), [(call, args)], [None], until) for call, args in calls]

    def check(self, name, calls, held, until, tape=None):
        import numpy as np
        from quadrants._gradients import agreement, changes

        result = agreement.Check(name)
        if not calls:
            result.reason = "no kernel was called in its block"
            return result
        loud = next((_name(call) for call, _ in calls if _prints(call)), None)
        if loud:
            result.reason = f"{loud} prints, or calls an external function"
            return result
        if tape is not None and tape.unrecorded:
            result.reason = changes.UNRECORDED
            return result
        if time.monotonic() + self.seconds(calls) * RUNS > until:
            result.reason = agreement.TOO_LONG
            return result
        try:
            loss = tape.loss if tape is not None else None
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the cell itself has already warned
                return agreement.run_calls(calls, held, result, DIRECTIONS, np.random.default_rng(0), ELEMENTS, until, loss)
        except Exception as error:
            result.verdict, result.reason = agreement.UNKNOWN, str(error).strip().splitlines()[-1] if str(error).strip() else type(error).__name__
        return result

    def seconds(self, calls):
        """Returns the minimum time of one launch of each of these kernels or of its gradient, as measured in the cell."""
        total = 0.0
        for call in dict(calls):
            if isinstance(call, _kernel.KernelInfo):
                gradient = call.derivatives.get(_kernel.AutodiffMode.REVERSE)
                made = [kernel._newest_launch() for kernel in (call.kernel(), gradient) if kernel is not None]
                total += min((seconds for number, seconds in made if number > self.since), default=0.0)
        return total


def _title(tape):
    names = list(dict.fromkeys(_name(call) for call, _ in tape.calls)) or ["Tape"]
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")


def _name(call):
    return getattr(call, "name", getattr(call, "__qualname__", str(call))).replace("<locals>.", "")


def _prints(call):
    """Returns True if running it again would have visible effects."""
    from quadrants._gradients import changes

    if isinstance(call, changes.Replaced):
        return False
    if not isinstance(call, _kernel.KernelInfo):
        return True  # any function may have effects
    names = {n.func.id for n in ast.walk(call._qd_source_.python_tree()) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
    return "print" in names


def register(shell):
    badges.shell = shell
    badges.follow(True)
    shell.events.register("pre_run_cell", badges.begin)
    shell.events.register("post_run_cell", badges.end)


def unregister(shell):
    badges.follow(False)
    shell.events.unregister("pre_run_cell", badges.begin)
    shell.events.unregister("post_run_cell", badges.end)
