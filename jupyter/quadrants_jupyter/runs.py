"""Which part of the counts is of the newest run of a cell's kernels, and which of the run before: a run is an execution of
any cell during which a count of the cell's kernels grew."""

import collections

from quadrants_jupyter.counts import Reading, nothing


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

    def grew(self, before, now):
        return any((now.count(e.label, line) or 0) > (before.count(e.label, line) or 0)
                   for e in self.entries for line in now.lines.get(e.label, ()) if e.first_line <= line <= e.last_line)

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
        self.execution = 0
        self.start = self.now = nothing

    def begin(self):
        """Another execution starts."""
        self.execution += 1
        if self.cells:
            self.start = self.now = Reading()

    def define(self, cell_id, number, digest, entries):
        """The cell was run, and these stand in it now."""
        label = f"cell {number}"
        cell = self.cells.setdefault(cell_id or label, Cell(cell_id))
        cell.label, cell.digest = label, digest
        for other in self.cells.values():
            other.entries = [e for e in other.entries if e not in entries]
        cell.entries = list(entries)
        for entry in entries:
            if not hasattr(entry, "since"):
                entry.since = self.execution
        self.cells = {key: c for key, c in self.cells.items() if c.entries or c is cell}
        return cell

    def read(self, reading):
        """Takes what was counted by now, in the execution that goes on; gives the cells whose counts grew."""
        before, self.now = self.now, reading
        grown = [cell for cell in self.cells.values() if cell.grew(before, self.now)]
        for cell in grown:
            if not cell.runs or cell.runs[-1].execution != self.execution:
                cell.runs.append(Run(self.execution, self.start))
            cell.runs[-1].end = self.now
        return grown

    def forget(self):
        """All counts are zero."""
        self.start = self.now = nothing
        for cell in self.cells.values():
            cell.runs.clear()

    def cell_of(self, entry):
        return next((cell for cell in self.cells.values() if entry in cell.entries), None)
