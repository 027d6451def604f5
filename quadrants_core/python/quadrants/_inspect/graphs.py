"""The paths taken by the latest launches of graphs: GraphMessage of widgets/protocol/inspector.ts."""

from quadrants import _native
from quadrants._language import kernel as _kernel, stepper as _stepper
from quadrants._live import graphs as _steps


def _went(all_steps, launch, times, name):
    """Returns the steps with the outcome of their latest launch (an entry of the core's `graph_launches`, or None), and the runs of tasks
    in all launches."""
    fits = launch is not None and len(launch[3]) == sum(one["kind"] == "level" for one in all_steps) and len(launch[4]) == sum(
        one["kind"] == "checkpoint" for one in all_steps)  # otherwise the launch was of another specialisation
    for one in all_steps:
        if one["kind"] == "task":
            runs, total = times.get((name, one["name"]), (0, 0.0))
            one.update(runs=runs, microseconds=total / runs if runs else None)
        elif one["kind"] == "level" and fits:
            one["iteration"] = launch[3][one["index"]]
        elif one["kind"] == "checkpoint" and fits:
            one["state"] = launch[4][one["index"]]
    return all_steps


class Graphs:
    """Builds GraphMessage of widgets/protocol/inspector.ts."""

    def __init__(self):
        self.graphs = []

    def take(self):
        """Updates the graphs; returns whether there are changes to send."""
        core = _native.loaded
        if core is None or not core.initialised():
            return False
        kernels = [kernel for kernel in _kernel.living() if kernel._primal.graph]
        now = []
        if kernels:
            times = {(kernel, task): (runs, total) for kernel, task, runs, _, _, total in core.task_times()}
            launches = {launch[0]: launch for launch in core.graph_launches()}
            now = [one for kernel in kernels if (one := _graph(kernel, launches, times)) is not None]
        changed, self.graphs = now != self.graphs, now
        return changed

    def message(self):
        return {"kind": "graph", "graphs": self.graphs}


def _graph(kernel, launches, times):
    outline = kernel._outline(None)
    if outline is None:  # not compiled yet
        return None
    name = kernel._primal.name
    launch = launches.get(name)
    all_steps = _went(_stepper.described(outline), launch, times, name)
    all_steps = [all_steps[at] for at in _steps.shown_steps(kernel, all_steps)]
    steps = [
        {"step": step, "line": one["line"] if one["kind"] == "task" else 0} for step, one in zip(_steps.steps_of(kernel, all_steps), all_steps)
    ]
    yielded = outline[1][launch[5]][0] if launch is not None and 0 <= launch[5] < len(outline[1]) else None
    return {
        "name": name, "file": kernel._primal.fn.__code__.co_filename, "launches": launch[1] if launch else 0,
        "running": bool(launch and launch[2]), "yielded": None if yielded is None else getattr(yielded, "name", str(yielded)),
        "steps": steps,
    }  # fmt: skip
