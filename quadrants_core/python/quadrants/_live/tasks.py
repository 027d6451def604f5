"""Times of tasks and compilations: TasksMessage of widgets/protocol/inspector.ts. Task times are measured while the profiler is on."""

from quadrants import _native


class Tasks:
    def __init__(self):
        self.known = 0  # number of processed compile reports
        self.places = {}  # (kernel, task) -> (file, line)
        self.last = {}  # (kernel, task) -> (runs, total) as last sent
        self.compilations = []

    def take(self):
        """Returns whether there are changes to send."""
        core = _native.loaded
        if core is None or not core.initialised():
            return False
        self.learn(core)
        rows = core.task_times()
        return bool(self.compilations) or any(self.last.get((k, t), (0, 0))[0] != runs for k, t, runs, *_ in rows)

    def learn(self, core):
        self.known, fresh = core.reports_since(self.known)
        for report in fresh:
            for task in report["tasks"]:
                self.places[report["kernel"], task["name"]] = report["file"], task["line"]
            self.compilations.append(_compilation(report))
        del self.compilations[:-256]

    def message(self):
        rows = self.rows()
        made, self.compilations = self.compilations, []
        return {"kind": "tasks", "tasks": rows, "compilations": made}

    def rows(self):
        rows = []
        core = _native.loaded
        if core is None or not core.initialised():
            return rows
        times = core.task_times()
        self.learn(core)  # includes tasks that have run meanwhile
        for kernel, task, runs, shortest, longest, total in times:
            before = self.last.get((kernel, task), (0, 0))
            if before[0] > runs:  # from another program
                before = 0, 0
            self.last[kernel, task] = runs, total
            file, line = self.places.get((kernel, task), ("", 0))
            rows.append({
                "kernel": kernel, "task": task, "file": file, "line": line, "runs": runs, "shortest": shortest,
                "longest": longest, "total": total, "newest_runs": runs - before[0], "newest_total": max(0.0, total - before[1]),
            })  # fmt: skip
        return rows


def _compilation(report):
    origins = [task["origin"] for task in report["tasks"]]
    phases = {}
    for name, microseconds in [*report["phases"], *(phase for task in report["tasks"] for phase in task["phases"])]:
        phases[name] = phases.get(name, 0.0) + microseconds
    return {
        "kernel": report["kernel"], "file": report["file"], "line": report["line"], "microseconds": report["microseconds"],
        **{origin: origins.count(origin) for origin in ("compiled", "memory", "disk")},
        "phases": [{"name": name, "microseconds": value} for name, value in phases.items()],
    }  # fmt: skip
