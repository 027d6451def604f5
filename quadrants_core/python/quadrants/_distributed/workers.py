"""The side of the process that uses workers: it receives their reports."""

import threading

from quadrants._coverage import others as _others


class Compilation:
    """A kernel that a worker compiled, or found in the cache.

    Attributes:
        process: the name of the worker's process.
        kernel: the name of the kernel.
        file, line: where its first statement is.
        milliseconds: the time from the call to code that is ready to run.
        tasks: {name of a task: "compiled", "disk" or "memory"}, where the code of each came from.
        compiled: whether the worker compiled any task itself.

    Example:
        See `qd.distributed.connect`.
    """

    def __init__(self, process, report):
        self.process, self.kernel, self.file, self.line = process, report["kernel"], report["file"], report["line"]
        self.milliseconds = report["microseconds"] / 1e3
        self.tasks = dict(report["tasks"])
        self.compiled = "compiled" in self.tasks.values()

    def __repr__(self):
        return f"<{self.kernel}: {'compiled' if self.compiled else 'found'} in {self.milliseconds:.1f} ms>"


class Workers:
    """The workers that this process uses. Use it in a `with` statement, or call `close` at the end.

    Example:
        See `qd.distributed.connect` and `qd.distributed.for_pool`.
    """

    def __init__(self):
        self._lock = threading.Lock()
        self._compiled = {}  # (process, number) -> Compilation
        self._times = {}  # process -> (number of the report, rows)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _receive(self, report):
        process, number = report["process"], report["number"]
        if process == _others.name_of_process():
            return  # a worker in this process, whose counts are here already
        kernels = {}
        for kernel, specialisation, title, place, rows in report["kernels"]:
            kernels[kernel, specialisation, title, tuple(place)] = {tuple(row): count for *row, count in rows}
        with self._lock:
            _others.receive(f"{process} {report['clears']}", number, kernels)  # after a clear in the worker, its counts begin again at 0
            first, compiled = report["compiled"]
            for at, one in enumerate(compiled, first):
                self._compiled[process, at] = Compilation(process, one)
            if number > self._times.get(process, (0, ()))[0]:
                self._times[process] = number, report["times"]

    def compilations(self):
        """Returns the kernels that workers have compiled or found in the cache. Call `collect` before.

        Returns:
            A list of `Compilation`, those of each process in order.

        Example:
            See `qd.distributed.connect`.
        """
        with self._lock:
            return [self._compiled[key] for key in sorted(self._compiled)]

    def task_times(self):
        """Returns the run times of tasks, summed over workers. They are measured with the option `kernel_profiler=True`, in the programs that
        the workers run now. Call `collect` before.

        Returns:
            A dict: (kernel, task) -> (runs, shortest, longest, total), times in milliseconds.

        Example:
            >>> with qd.distributed.for_pool(2, arch=qd.cpu, kernel_profiler=True) as workers:
            ...     workers.task_times()
            {}
        """
        sums = {}
        with self._lock:
            for _, rows in self._times.values():
                for kernel, task, runs, shortest, longest, total in rows:
                    known = sums.get((kernel, task), (0, shortest, longest, 0.0))
                    sums[kernel, task] = known[0] + runs, min(known[1], shortest), max(known[2], longest), known[3] + total
        return {key: (runs, *(us / 1e3 for us in times)) for key, (runs, *times) in sums.items()}

    def collect(self):
        """Waits until the workers have reported what they have done so far, for up to ten seconds. Without it, reports arrive a moment later:
        they are sent about five times a second.

        Example:
            See `qd.distributed.connect`.
        """
        self._collect()

    def close(self):
        """Collects, and ends the reports.

        Example:
            See `qd.distributed.for_pool`.
        """
        self._close()
