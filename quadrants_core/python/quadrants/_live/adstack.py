"""The adstack memory of gradients, by task, as in widgets/protocol/adstack.ts."""

from quadrants import _exceptions
from quadrants._gradients import memory as _memory


def shown_name(name):
    return name.replace("<locals>.", "")


def file_of(kept):
    """Returns the file of the kernel, as far as its variables reveal it."""
    return next((v.file for task in kept.tasks for loop in task.loops for v in loop.variables), "")


def _text(file, line):
    return _exceptions._source_line(file, line).strip() if file else ""


def _loop(loop, shift):
    file = loop.variables[0].file
    variables = [{"name": v.name, "type": v.type, "bytes": v.bytes, "line": v.line + shift(v.file, v.line)} for v in loop.variables]
    return {"line": loop.line + shift(file, loop.line), "text": _text(file, loop.line), "depth": loop.depth, "trips": loop.trips,
            "choice": loop.choice, "slot_bytes": loop.slot_bytes, "bytes": loop.bytes, "reason": loop.reason, "variables": variables}


def task_data(task, file, shift=lambda file, line: 0):
    """Returns the data of a task. `shift`: function of file and line that returns the number of preceding lines in the displayed code."""
    loops = [loop for loop in task.loops if loop.variables]
    lanes = max((loop.lanes for loop in loops), default=1)
    ran = {loop.line for loop in loops if loop.trips}
    # of the alternative versions of a loop, only the one that was taken
    loops = [_loop(loop, shift) for loop in loops if loop.trips or loop.line not in ran]
    return {"name": task.name, "line": task.line + shift(file, task.line), "text": _text(file, task.line), "predicted": task.predicted,
            "measured": task.measured, "total": task.total, "of_one": task.of_one, "lanes": lanes, "excess": task.excess, "loops": loops}


class Adstack:
    """Builds AdstackMessage of widgets/protocol/inspector.ts."""

    def __init__(self):
        self.gradients = []

    def take(self):
        """Returns whether there are changes to send. The figures of a launch in progress change constantly, so they are sent when it has
        ended."""
        found = _memory.memory_now()
        if any(task.running for kernel in found for task in kernel.tasks):
            return False
        now = []
        for kept in found:
            file = file_of(kept)
            name = shown_name(kept.name.removesuffix("_reverse_grad"))
            now.append({"name": name, "file": file, "tasks": [task_data(task, file) for task in kept.tasks]})
        changed, self.gradients = now != self.gradients, now
        return changed

    def message(self):
        return {"kind": "adstack", "gradients": self.gradients}
