"""qd.ad.memory_report: the adstack memory of reverse kernels, which saves values of their loops for the backward pass."""

import math
from collections import namedtuple
from itertools import groupby

from quadrants import _exceptions, _native, _settings


_NEXT_LEVEL = 1 << 24  # abi::next_level


class AdstackVariable(namedtuple("AdstackVariable", "name type bytes file line column end_line end_column")):
    """`name` is the source text of the first assignment to the variable, or "" if it cannot be read; `bytes` is the size of an entry."""

    __slots__ = ()


class AdstackLoop(namedtuple("AdstackLoop", "line depth frame trips pieces lanes variables choice reason", defaults=("",))):
    """A serial loop, or one level of a loop that is cut into blocks.

    Attributes:
        depth: number of enclosing loops that are run backward; the stack is refilled in each of their iterations.
        trips: maximum trip count at the last launch, or None before the first.
        pieces: number of stacks with `trips` entries that may exist at once: for an inner loop, one per iteration of the enclosing loops.
        lanes: iterations of the parallel loop that run in SIMD lanes, each with its own entries.
        variables: a tuple of AdstackVariable.
        choice: "keep", or "every k-th": only the values entering each block of k iterations are saved.
        reason: why no less memory is used, if the budget is exceeded.
    """

    __slots__ = ()

    @property
    def slot_bytes(self):
        return sum(v.bytes for v in self.variables)

    @property
    def bytes(self):
        """The size for one thread at the last launch."""
        return sum(_whole_words((self.trips or 0) * v.bytes * self.lanes * self.pieces) for v in self.variables)


class AdstackTask(namedtuple("AdstackTask", "name line loops measured total budget running", defaults=(0, False))):
    """The adstack memory of a task of a reverse kernel, in bytes: `predicted` for one thread from the trip counts and lanes of its loops,
    `measured` for the thread that used most, `total` for all threads. `loops`: a tuple of AdstackLoop; `budget`: 0 if there is none;
    `running`: true if the figures are those of a launch in progress."""

    __slots__ = ()

    @property
    def predicted(self):
        return most_bytes(self.loops)

    @property
    def of_one(self):
        """The size for one iteration of the parallel loop, which the budget limits."""
        return most_bytes([loop._replace(lanes=1) for loop in self.loops])

    @property
    def excess(self):
        """Describes by how much the budget is exceeded, or "". The `reason` of each loop explains why."""
        if not self.budget or self.of_one <= self.budget:
            return ""
        return f"over the budget of {self.budget} bytes: an iteration keeps {self.of_one}, and about {self.least} in the smallest blocks that are tried"

    @property
    def least(self):
        """The approximate minimum number of bytes for an iteration, regardless of the budget."""
        return most_bytes([loop._replace(lanes=1, trips=_least_trips(loop, self.loops)) for loop in self.loops])


class AdstackKernel(namedtuple("AdstackKernel", "name specialisation tasks", defaults=((),))):
    """`tasks`: a tuple of AdstackTask."""

    __slots__ = ()


class MemoryReport(list):
    """A list of AdstackKernel, which prints as a table."""

    def __str__(self):
        lines = []
        for kernel in self:
            for task in kernel.tasks:
                lines.append(
                    f"{task.name}: {task.predicted} bytes predicted, {task.measured} measured on one thread, {task.total} on all"
                )
                if task.excess:
                    lines.append(f"  {task.excess}")
                for loop in task.loops:
                    if not loop.variables or (loop.trips == 0 and any(other.trips for other in task.loops)):
                        continue  # an alternative version of the loop that was not taken
                    trips = "not run yet" if loop.trips is None else f"{loop.trips} times"
                    kept = ", ".join(f"{v.name or '?'} ({v.type}, line {v.line})" for v in loop.variables)
                    indent = "  " * (loop.depth + 1)
                    lines.append(
                        f"{indent}loop of line {loop.line}, {trips}: {loop.choice}, {loop.slot_bytes} bytes each: {kept}"
                    )
                    if loop.reason:
                        lines.append(f"{indent}  {loop.reason}")
        return "\n".join(lines) or "no reverse-mode kernel stores any values"


def _whole_words(count):
    return (count + 7) // 8 * 8


def most_bytes(loops):
    """Returns the size for one thread. Stacks of the same frame exist at the same time; those of sibling frames do not."""
    here = [loop for loop in loops if loop.depth == 0]
    inside = 0
    deeper = [loop for loop in loops if loop.depth > 0]
    for _, group in groupby(_frames(deeper), key=lambda frame: frame[0]):
        inside = max(inside, most_bytes([loop for _, own in group for loop in own]))
    return sum(loop.bytes for loop in here) + inside


def _frames(loops):
    """Yields (number of the outermost frame, its loops seen from inside)."""
    outermost = None
    for loop in loops:
        if loop.depth == 1:
            outermost = loop.frame
        yield outermost, [loop._replace(depth=loop.depth - 1)]


def _text(file, line, column, end_line, end_column):
    if line != end_line or not line:
        return ""
    text = _exceptions._source_line(file, line).encode()[column:end_column].decode(errors="replace")
    return text.partition("=")[0].partition("+")[0].strip() or text


def _loop(rows):
    frame, depth, line, entries, lanes = rows[0][:5]
    variables = tuple(
        AdstackVariable(_text(file, at, column, end_line, end_column), type, size, file, at, column, end_line, end_column)
        for *_, size, type, file, at, column, end_line, end_column in rows
        if size
    )
    return AdstackLoop(line, depth, frame, entries, 1, lanes, variables, "keep")


def _with_pieces(loops):
    """Adds the number of stacks. Inner loops with persistent stacks follow the enclosing ones; the part of their frame above _NEXT_LEVEL is
    their level."""
    around, found = {}, []
    for loop in loops:
        level = loop.frame // _NEXT_LEVEL
        pieces = around.get((loop.frame - _NEXT_LEVEL, level - 1), 1) if level else 1
        around[loop.frame, level] = pieces * (loop.trips or 0)
        found.append(loop._replace(pieces=pieces, frame=loop.frame % _NEXT_LEVEL))
    return found


def _with_choices(loops):
    """Adds the choices. A loop that was cut into blocks has one level for the blocks, and a deeper one for the iterations of each."""
    found = []
    for loop in loops:
        sizes = [other.trips for other in loops if other.line == loop.line and other.depth == loop.depth + 1 and other.trips]
        found.append(loop._replace(choice=f"every {max(sizes)}-th") if sizes and loop.variables else loop)
    return found


# Reasons why a budget is exceeded

_LEVELS = (3, 2)  # maximum number of levels into which a loop is cut: an outermost loop, an inner one


def _levels(loop, loops):
    """Returns the levels of its source loop that ran, including itself."""
    return [other for other in loops if other.line == loop.line and other.trips and other.variables]


def _is_cut(loop, loops):
    """Returns whether there are versions of the loop other than running it as a whole."""
    return len({other.depth for other in loops if other.line == loop.line}) > 1


def _most_levels(levels):
    return _LEVELS[min(min(level.depth for level in levels), 1)]


_FEW = 5  # iterations that are always saved without blocks, regardless of the budget (autodiff/checkpoints.cpp)


def _least_trips(loop, loops):
    levels = _levels(loop, loops)
    if loop not in levels or not _is_cut(loop, loops):
        return loop.trips
    most = _most_levels(levels)
    entries = most * math.ceil(math.prod(level.trips for level in levels) ** (1 / most) - 1e-9)
    return min(loop.trips, math.ceil(entries / len(levels)))


def _reason(loop, loops):
    levels = _levels(loop, loops)
    if loop not in levels:
        return ""
    if int(_settings.current().ad_stack_size):
        return "ad_stack_size is set, which disables recomputation"
    if not _is_cut(loop, loops):
        return "its iterations load values from memory that changes later; these cannot be recomputed, so all of them are kept"
    most = _most_levels(levels)
    if len(levels) == 1 and loop.trips <= _FEW:
        return "with so few iterations, blocks would not save memory"
    if len(levels) < most:
        return "this fits in its share of the budget, which is divided among the loops that keep something"
    return f"in blocks of {'blocks' if most == 3 else 'iterations'} already, the smallest that are tried"


def _with_reasons(task):
    return task._replace(loops=tuple(loop._replace(reason=_reason(loop, task.loops)) for loop in task.loops)) if task.excess else task


_told = set()  # kernels whose budgets have been reported, by name and specialisation
_settings.after_reset.append(_told.clear)


def report_budgets():
    """Warns about gradients whose last launch exceeded their budget, once for each."""
    for kernel in memory_now():
        for task in kernel.tasks:
            if not task.excess or (kernel.name, kernel.specialisation, task.name) in _told:
                continue
            _told.add((kernel.name, kernel.specialisation, task.name))
            kept = {}
            for loop in task.loops:
                if loop.reason:
                    kept[loop.line, loop.reason] = kept.get((loop.line, loop.reason), 0) + loop._replace(lanes=1).bytes
            loops = "; ".join(f"loop of line {line}, {count} bytes: {reason}" for (line, reason), count in kept.items())
            name = kernel.name.removesuffix("_reverse_grad").replace("<locals>.", "")
            _exceptions.warn_caller(f"The gradient of '{name}' is {task.excess}. {loops}. See qd.ad.memory_report().", RuntimeWarning)


def _kernel(row):
    kernel, specialisation, budget, tasks = row
    own = []
    for name, line, peak, total, running, stacks in tasks:
        loops = [_loop(list(rows)) for _, rows in groupby(stacks, key=lambda row: (row[0], row[2], row[3]))]
        own.append(_with_reasons(AdstackTask(name, line, tuple(_with_choices(_with_pieces(loops))), peak, total, budget, running)))
    return AdstackKernel(kernel, specialisation, tuple(own))


def memory_report():
    """Returns the adstack memory of the reverse kernels made so far, and that used at their last launch.

    Returns:
        A list of kernels with their tasks, loops and variables, which prints as a table; sizes are in bytes.

    Example:
        >>> len(qd.ad.memory_report())
        0
    """
    return _report(wait=True)


def memory_now():
    """Like memory_report, but without waiting for a launch in progress, for which it returns the current figures."""
    return _report(wait=False)


def _report(wait):
    core = _native.loaded  # without a program, its list is empty
    return MemoryReport(map(_kernel, core.adstack_memory(wait=wait)) if core is not None else ())
