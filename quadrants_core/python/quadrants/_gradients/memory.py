"""qd.ad.memory_report: what reverse kernels keep for the way back through their loops."""

from dataclasses import dataclass, field, replace
from itertools import groupby

from quadrants import _exceptions, _native, _settings


@dataclass(frozen=True)
class KeptVariable:
    """`name` is the source text where the variable is first assigned, or "" if it cannot be read."""

    name: str
    type: str
    bytes: int  # of an entry
    file: str
    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True)
class KeptLoop:
    """A serial loop, or one level of it. `depth`: how many loops around it are run backward, so that it is filled again in each of
    their iterations. `trips` are the most at the last launch, or None before it."""

    line: int
    depth: int
    frame: int
    trips: int | None
    variables: tuple[KeptVariable, ...]
    choice: str  # "keep", or "every k-th": what enters each block of k iterations

    @property
    def slot_bytes(self):
        return sum(v.bytes for v in self.variables)

    @property
    def bytes(self):
        """Of one thread, at the last launch."""
        return sum(_whole_words((self.trips or 0) * v.bytes) for v in self.variables)


@dataclass(frozen=True)
class KeptTask:
    """What a task of a reverse kernel keeps, in bytes: `predicted` of one thread by the trips of its loops, `measured` of the thread
    that took most, `total` of all threads."""

    name: str
    line: int
    loops: tuple[KeptLoop, ...]
    measured: int
    total: int

    @property
    def predicted(self):
        return _most(self.loops)


@dataclass(frozen=True)
class KeptKernel:
    name: str
    specialisation: int
    tasks: tuple[KeptTask, ...] = field(default=())


class MemoryReport(list):
    """A list of KeptKernel; printed, a table."""

    def __str__(self):
        lines = []
        for kernel in self:
            for task in kernel.tasks:
                lines.append(
                    f"{task.name}: {task.predicted} bytes predicted, {task.measured} measured on one thread, {task.total} on all"
                )
                for loop in task.loops:
                    if not loop.variables or (loop.trips == 0 and any(other.trips for other in task.loops)):
                        continue  # a way to run a loop that was not taken
                    trips = "not run yet" if loop.trips is None else f"{loop.trips} times"
                    kept = ", ".join(f"{v.name or '?'} ({v.type}, line {v.line})" for v in loop.variables)
                    indent = "  " * (loop.depth + 1)
                    lines.append(
                        f"{indent}loop of line {loop.line}, {trips}: {loop.choice}, {loop.slot_bytes} bytes each: {kept}"
                    )
        return "\n".join(lines) or "no reverse kernel keeps anything"


def _whole_words(count):
    return (count + 7) // 8 * 8


def _most(loops):
    """Stacks of one frame are there together; those of frames side by side are not."""
    here = [loop for loop in loops if loop.depth == 0]
    inside = 0
    deeper = [loop for loop in loops if loop.depth > 0]
    for _, group in groupby(_frames(deeper), key=lambda frame: frame[0]):
        inside = max(inside, _most([loop for _, own in group for loop in own]))
    return sum(loop.bytes for loop in here) + inside


def _frames(loops):
    """(number of the outermost frame, its loops seen from inside)."""
    outermost = None
    for loop in loops:
        if loop.depth == 1:
            outermost = loop.frame
        yield outermost, [replace(loop, depth=loop.depth - 1)]


def _text(file, line, column, end_line, end_column):
    if line != end_line or not line:
        return ""
    text = _exceptions._source_line(file, line).encode()[column:end_column].decode(errors="replace")
    return text.partition("=")[0].partition("+")[0].strip() or text


def _loop(rows):
    frame, depth, line, entries = rows[0][:4]
    variables = tuple(
        KeptVariable(_text(file, at, column, end_line, end_column), type, size, file, at, column, end_line, end_column)
        for _, _, _, _, size, type, file, at, column, end_line, end_column in rows
        if size
    )
    return KeptLoop(line, depth, frame, entries, variables, "keep")


def _with_choices(loops):
    """A loop that was cut into blocks has a level for the blocks, and one deeper for the iterations of each."""
    found = []
    for loop in loops:
        sizes = [other.trips for other in loops if other.line == loop.line and other.depth == loop.depth + 1 and other.trips]
        found.append(replace(loop, choice=f"every {max(sizes)}-th") if sizes and loop.variables else loop)
    return found


def memory_report():
    """What the reverse kernels that were made so far keep, and kept at their last launch: a list of kernels with their tasks, loops and
    variables, which prints as a table."""
    if _settings.cfg is None:
        return MemoryReport()
    report = MemoryReport()
    for kernel, specialisation, tasks in _native.core().kept_memory():
        own = []
        for name, line, peak, total, stacks in tasks:
            loops = [_loop(list(rows)) for _, rows in groupby(stacks, key=lambda row: (row[0], row[2], row[3]))]
            own.append(KeptTask(name, line, tuple(_with_choices(loops)), peak, total))
        report.append(KeptKernel(kernel, specialisation, tuple(own)))
    return report
