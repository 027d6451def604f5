"""Which part of the counts is of the newest run of a cell's kernels, and which of the run before: a run is an execution during
which a count of the cell's kernels grew. An execution is that of a cell or of a callback, or the time between two of them, when
threads and tasks may launch. What is counted by kernels whose cell has other ones by now is left out."""

import collections

from quadrants_jupyter.counts import nothing

quantities = ("total", "newest", "difference")


class Run:
    """Counts at the start and at the end of one execution."""

    def __init__(self, execution, start):
        self.execution, self.start, self.end = execution, start, start

    def gained(self, name, line):
        return max(0, (self.end.count(name, line) or 0) - (self.start.count(name, line) or 0))


class Cell:
    """A cell with kernels or funcs, as the front end knows it."""

    def __init__(self, cell_id):
        self.cell_id, self.label, self.digest = cell_id, "", ""
        self.entries = []  # what stands in it; what a later cell defines again stands there
        self.runs = collections.deque(maxlen=2)  # the run before, the newest run
        self.most = dict.fromkeys(quantities, 0)  # of its busiest lines

    def changes(self, before, now):
        """By how much each line's count changed. `before`, `now`: Reading.lines"""
        for entry in self.entries:
            older, newer = before.get(entry.label, {}), now.get(entry.label, {})
            for line in {**older, **newer}:
                if entry.first_line <= line <= entry.last_line:
                    yield newer.get(line, 0) - older.get(line, 0)

    def newest(self, entry, line):
        return self.runs[-1].gained(entry.label, line) if self.runs else 0

    def previous(self, entry, line):
        """None where the kernel or func did not exist yet, too."""
        if len(self.runs) < 2 or self.runs[0].execution < entry.since:
            return None
        return self.runs[0].gained(entry.label, line)


class History:
    def __init__(self):
        self.cells = {}  # id, or label where the front end has none -> Cell
        self.labels = set()  # of all cells so far
        self.replaced = set()  # places of kernels that are left out
        self.execution = 0
        self.start = self.now = nothing

    def begin(self):
        """Another execution starts."""
        self.execution += 1
        self.start = self.now

    def define(self, cell_id, number, digest, entries):
        """The cell was run, and these stand in it now."""
        label = f"cell {number}"
        cell = self.cells.setdefault(cell_id or label, Cell(cell_id))
        cell.label, cell.digest = label, digest
        self.labels.add(label)
        for other in self.cells.values():
            other.entries = [e for e in other.entries if e not in entries]
        cell.entries = list(entries)
        for entry in entries:
            if not hasattr(entry, "since"):
                entry.since = self.execution
        self.cells = {key: c for key, c in self.cells.items() if c.entries or c is cell}
        return cell

    def read(self, reading):
        """Takes what was counted by now, in the execution that goes on; gives the cells whose counts changed."""
        changed = self.leave_out_replaced(reading)
        before, self.now = self.now, reading
        grown = [c for c in self.cells.values() if any(change > 0 for change in c.changes(before.lines, self.now.lines))]
        for cell in grown:
            if not cell.runs or cell.runs[-1].execution != self.execution:
                cell.runs.append(Run(self.execution, self.start))
            cell.runs[-1].end = self.now
        return changed + grown

    def leave_out_replaced(self, reading=None):
        """Gives the cells whose counts changed: those of funcs that replaced kernels called."""
        kernels = (reading or self.now).kernels
        replaced = {k.place for k in kernels if k.place and k.place[0] in self.labels and not self.stands(*k.place)}
        if reading is not None:
            reading.leave_out(replaced)
        if replaced == self.replaced:
            return []
        self.replaced, before = replaced, self.now.lines
        runs = [reading for cell in self.cells.values() for run in cell.runs for reading in (run.start, run.end)]
        for reading in {id(r): r for r in (self.start, self.now, *runs) if r is not nothing}.values():
            reading.leave_out(replaced)
        return [cell for cell in self.cells.values() if any(cell.changes(before, self.now.lines))]

    def stands(self, label, line):
        """A kernel or func of a cell still stands there."""
        return any(entry.label == label and entry.first_line <= line <= entry.last_line
                   for cell in self.cells.values() for entry in cell.entries)

    def forget(self):
        """All counts are zero."""
        self.start = self.now = nothing
        for cell in self.cells.values():
            cell.runs.clear()

    def begin_anew(self, entries, reading):
        """The counts of these are zero, as `reading` has it. Gives the cells whose counts changed: funcs lost what these counted there."""
        reading.leave_out(self.replaced)
        before = self.now.lines
        self.start = self.now = reading
        own = [cell for cell in self.cells.values() if any(entry in entries for entry in cell.entries)]
        for cell in own:
            cell.runs.clear()
        return [cell for cell in self.cells.values() if cell in own or any(cell.changes(before, reading.lines))]

    def cell_of(self, entry):
        return next((cell for cell in self.cells.values() if entry in cell.entries), None)

    def scale(self):
        """Count of the busiest line of all cells, for each quantity."""
        return {name: max((cell.most[name] for cell in self.cells.values()), default=0) for name in quantities}
