"""The side of a worker: its program, and its reports to the process that uses it."""

import itertools
import os
import threading

from quadrants import _environment, _native, _options, _runtime, _settings
from quadrants._coverage import counts as _counts, others as _others

_current = None  # (process id, Setup) of the running program; a forked child inherits that of its parent
_first_compilation = 0
_numbers = itertools.count(1)


class Setup:
    """Starts workers in the same way. It is made in the process that uses them, and pickled to them.

    Args:
        arch: as in `qd.init`.
        options: the options of `qd.init`.
    """

    def __init__(self, arch, options):
        keywords = {"print_non_pure": False, "src_ll_cache": True, **options}
        _options.gather({"default_fp": None, "default_ip": None, **keywords}, {})  # an unknown option is an error here, not in each worker
        if options.get("offline_cache_file_path"):
            options["offline_cache_file_path"] = _options.absolute(options["offline_cache_file_path"])
        self.arch, self.options = arch, options
        self.user = _others.name_of_process()
        self.counts = _environment.given("kernel_coverage")

    def begin(self, threads):
        """Starts the program of this process, unless an equal setup has done so. The user's own process has a program already: a cluster
        without processes runs kernels in that.

        Args:
            threads: number of threads that run loops, unless the options say so.
        """
        global _current, _first_compilation
        if self.user == _others.name_of_process():
            return
        if _current is not None and _current[0] == os.getpid() and _current[1].equals(self):
            return
        if _current is None or _current[0] != os.getpid():  # a forked child has inherited the counts and reports of its parent
            _others.forget()
            _counts._forget()
            _first_compilation = _native.core().reports_since(0)[0]
        if self.counts is not None:
            os.environ["QD_KERNEL_COVERAGE"] = "1" if self.counts else "0"
        # Optimised code is compiled at once, since other workers wait for it.
        _runtime.init(self.arch, **{"cpu_max_num_threads": threads, "compile_tiers": False, "log_level": "warn", **self.options})
        _native.core().share_compilations(True)
        _current = os.getpid(), self

    def equals(self, other):
        return (self.arch, self.options, self.counts) == (other.arch, other.options, other.counts)


class Reporter:
    """Makes the reports of this process: counts, compile reports, times of tasks."""

    def __init__(self):
        self._lock = threading.Lock()
        self._changes = _counts.Changes(others=False)
        self._stamp = None
        self._compiled = _first_compilation

    def changes(self):
        """Returns a report of what has changed since the last one, or None."""
        with self._lock:
            stamp = _counts._stamp(), _native.core().reports_since(self._compiled)[0]
            if stamp == self._stamp:
                return None
            self._stamp = stamp
            return self._report(self._changed(), self._compiled)

    def everything(self):
        """Returns a report of all that happened in this process."""
        with self._lock:
            return self._report({**self._changed(), **self._changes.rows}, _first_compilation)

    def _changed(self):
        """Returns the kernels that have changed. A key without rows was replaced: a specialisation gets its title after its first reading."""
        return {key: self._changes.rows.get(key, {}) for key in self._changes.take()}

    def _report(self, kernels, known):
        core = _native.core()
        self._compiled, fresh = core.reports_since(known)
        timed = _settings.cfg is not None and _settings.cfg.kernel_profiler
        return {
            "process": _others.name_of_process(),
            "clears": _counts._clears,
            "number": next(_numbers),
            "kernels": [[*key, [[*row, count] for row, count in rows.items()]] for key, rows in kernels.items()],
            "compiled": [self._compiled - len(fresh), [_shortened(one) for one in fresh]],
            "times": [list(row) for row in core.task_times()] if timed else [],
        }


def _shortened(compiled):
    tasks = [[task["name"], task["origin"]] for task in compiled["tasks"]]
    return {**{name: compiled[name] for name in ("kernel", "file", "line", "microseconds")}, "tasks": tasks}
