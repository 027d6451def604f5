"""A snapshot of the counts, by listing and line."""

import ast
import linecache
import sys
import time

from quadrants._coverage import counts as _coverage


class Kernel:
    """The counts of one specialisation of a kernel. `title`: its types and values; `place`: (name of the cell or file, line) of its first
    statement; `launched`: whether it has run. A reverse kernel has only `backward`: how often lines were run again for it."""

    def __init__(self, name, title, rows):
        self.name, self.title, self.place, self.launched = name, title, None, False
        self.unfinished = False  # see unfinished_now()
        self.copies, self.outcomes = {}, {}  # name of the cell or file -> {line: {copy: count}}, {line: {outcome: count}}
        self.bodies = {}  # name of the cell or file -> {line: count}, for loops with their body on the line of their header
        self.backward = {}  # name of the cell or file -> {line: count}
        self.count_backward(name.removesuffix("_reverse_grad"), rows)
        for (_, file, _, line, *_), count in _coverage.bodies_on_their_line(rows):
            _add(self.bodies.setdefault(file, {}), {line: count})
        for (what, file, _, line, *_), count in rows.items():
            if what == "finished":
                _add(self.outcomes.setdefault(file, {}).setdefault(line, {}), {what: count})
        for (what, file, scope, line, column, end_line, copy), count in _coverage._outcomes(rows).items():
            self.launched = self.launched or count > 0
            if what != "line":
                here = self.outcomes.setdefault(file, {}).setdefault(line, {})
                here[what] = here.get(what, 0) + count
                continue
            if scope == name and (self.place is None or line < self.place[1]):
                self.place = file, line
            lines = self.copies.setdefault(file, {})
            for covered in range(line, max(end_line, line) + 1):  # a statement may span several lines
                copies = lines.setdefault(covered, {})
                copies[copy, column] = copies.get((copy, column), 0) + count

    def count_backward(self, name, rows):
        for (what, file, scope, line, _, end_line, _), count in rows.items():
            if what != "backward":
                continue
            if scope == name and (self.place is None or line < self.place[1]):
                self.place = file, line
            lines = self.backward.setdefault(file, {})
            for covered in range(line, max(end_line, line) + 1):
                lines[covered] = lines.get(covered, 0) + count

    def count(self, name, line):
        copies = self.copies.get(name, {}).get(line)
        return None if copies is None else max(sum(copies.values()), self.bodies.get(name, {}).get(line, 0))

    def outcomes_at(self, name, line):
        return self.outcomes.get(name, {}).get(line, {})

    def is_sure(self, name, line):
        """Returns whether the kernel has run and cannot count this line later if it has no count yet."""
        return self.launched and (not self.unfinished or bool(self.count(name, line)))

    def names(self):
        return {*self.copies, *self.backward}

    def sums(self, name):
        """Returns line -> count; the count of a body on the line of its header has the negative line as its key."""
        sums = {line: sum(copies.values()) for line, copies in self.copies.get(name, {}).items()}
        return {**sums, **{-line: count for line, count in self.bodies.get(name, {}).items()}}

    def add(self, other):
        """Adds the counts of the same specialisation, compiled again."""
        self.launched = self.launched or other.launched
        for mine, others in ((self.copies, other.copies), (self.outcomes, other.outcomes)):
            for name, lines in others.items():
                for line, counts in lines.items():
                    _add(mine.setdefault(name, {}).setdefault(line, {}), counts)
        for name, lines in other.bodies.items():
            _add(self.bodies.setdefault(name, {}), lines)


def _add(into, counts):
    for key, count in counts.items():
        into[key] = into.get(key, 0) + count


_cleared = {}  # key of a kernel -> {row: count when it was cleared}
_clearings = []  # keys of cleared kernels, in order
_coverage._after_clear.append(_cleared.clear)


def _stepped():
    """Returns the launches of Steppers that have not ended."""
    stepper = sys.modules.get("quadrants._language.stepper")
    return stepper.stepped_launches() if stepper is not None else set()


class _Launches:
    """Tracks which kernels have completed a launch since they were cleared."""

    patience = 1.0  # seconds

    def __init__(self):
        self.finished = set()  # (kernel, specialisation)
        self.seen = {}  # number of a launch in progress -> (when it was first seen, (kernel, specialisation))
        self.program = None

    def look(self):
        """Returns (kernel, specialisation) of the kernels in a launch that may still count lines without a count: their first launch, or a
        long one. The counts of inner loops are added at the ends of outer ones."""
        core, now = _coverage._core(), time.monotonic()
        if self.program != _coverage._moves:
            self.program = _coverage._moves
            self.clear()
        running = {}
        for kernel, specialisation, number in core.running_launches() if core is not None else ():
            running[number] = self.seen.get(number, (now, (kernel, specialisation)))
        self.finished.update(key for number, (_, key) in self.seen.items() if number not in running)
        self.seen = running
        waited_for = {key for since, key in running.values() if key not in self.finished or now - since >= self.patience}
        return frozenset(waited_for | (_stepped() if core is not None else set()))

    def ran(self, key):
        if all(key != one for _, one in self.seen.values()):
            self.finished.add(key)

    def clear(self):
        self.finished.clear()


_launches = _Launches()
_coverage._after_clear.append(_launches.clear)
unfinished_now = _launches.look


def clear_at(entries, counted):
    """Resets the counts of the kernels and funcs of these entries, including the counts of funcs in calling kernels. Returns the removed
    counts: key of a kernel -> rows."""
    def of_one(file, line):
        return any(entry.label == file and entry.first_line <= line <= entry.last_line for entry in entries)

    taken = {}
    for key in {key for entry in entries for key in counted.keys_at(entry.label)}:
        rows, whole = counted.changes.rows[key], of_one(*key[-1])
        gone = {row: count for row, count in rows.items() if whole or of_one(row[1], row[3])}
        if gone:
            taken[key] = gone
            _cleared[key] = {**_cleared.get(key, {}), **gone}
            _launches.finished.discard(key[:2])
            _clearings.append(key)
    return taken


def _since_cleared(key, rows):
    if key not in _cleared:
        return rows
    return {row: max(0, count - _cleared[key].get(row, 0)) for row, count in rows.items()}


class Counted:
    """All counted kernels, as of the last reading. A reading only updates the kernels that have changed."""

    def __init__(self):
        self.changes = _coverage.Changes()
        self.kernels = {}  # key -> Kernel
        self.of_pair = {}  # (kernel, specialisation) -> keys
        self.at = {}  # name of a cell or file -> keys of kernels with lines there
        self.unfinished = frozenset()
        self.clearings = 0  # number of entries of `_clearings` that have been processed

    def keys_at(self, name):
        return list(self.at.get(name, ()))

    def look(self):
        """Returns key -> (previous Kernel or None, current Kernel or None) for those that have changed. It may be called from any thread,
        also while kernels run."""
        changed, unfinished = self.changes.take(), _launches.look()
        changed.update(_clearings[self.clearings :])
        self.clearings = len(_clearings)
        for pair in self.unfinished ^ unfinished:
            changed.update(self.of_pair.get(pair, ()))
        self.unfinished = unfinished
        return {key: (self.kernels.get(key), self.replace(key)) for key in sorted(changed)}

    def replace(self, key):
        before = self.kernels.pop(key, None)
        for name in before.names() if before is not None else ():
            self.at[name].pop(key)
        rows = self.changes.rows.get(key)
        if rows is None:
            self.of_pair.get(key[:2], {}).pop(key, None)
            return None
        kernel = self.kernels[key] = Kernel(key[0], key[2], _since_cleared(key, rows))
        kernel.unfinished = key[:2] in self.unfinished
        if kernel.launched:
            _launches.ran(key[:2])
        self.of_pair.setdefault(key[:2], {})[key] = True
        for name in kernel.names():
            self.at.setdefault(name, {})[key] = True
        return kernel


class Sums:
    """The sums over all kernels that count in a cell or file."""

    def __init__(self):
        self.lines = {}  # line -> count; a negative line: for the body of a loop on the line of its header
        self.having = {}  # line, or line and outcome -> number of kernels that have it
        self.sure = {}  # line -> number of kernels with this line for which is_sure holds
        self.outcomes = {}  # line -> {outcome: count}
        self.backward = {}  # line -> count

    def add(self, kernel, name, sign):
        for line, count in kernel.sums(name).items():
            _sum(self.lines, line, sign * count)
            _sum(self.having, line, sign)
            if line > 0 and kernel.is_sure(name, line):
                _sum(self.sure, line, sign)
        for line, counts in kernel.outcomes.get(name, {}).items():
            here = self.outcomes.setdefault(line, {})
            for what, count in counts.items():
                _sum(here, what, sign * count)
                _sum(self.having, (line, what), sign)
                if not self.having[line, what]:
                    del here[what]
        for line, count in kernel.backward.get(name, {}).items():
            _sum(self.backward, line, sign * count)

    def count(self, line):
        return max(self.lines[line], self.lines.get(-line, 0)) if self.having.get(line) else None


def _sum(into, key, amount):
    into[key] = into.get(key, 0) + amount


class Reading:
    """Counts of all cells and files as of the last reading, without the kernels that are left out."""

    def __init__(self):
        self.counted = Counted()
        self.sums = {}  # name of a cell or file -> Sums
        self.left_out = set()  # keys

    def names(self):
        return [name for name, sums in self.sums.items() if sums.lines]

    def of(self, name):
        return self.sums.get(name) or _nothing

    def count(self, name, line):
        return self.of(name).count(line)

    def outcomes_at(self, name, line):
        return self.of(name).outcomes.get(line, {})

    def launched(self, name, line):
        """Returns whether kernels with this line have run, so that a missing count means never."""
        return self.of(name).sure.get(line, 0) > 0

    def kernels_at(self, names):
        """Returns key -> Kernel of those that count there."""
        keys = sorted({key for name in names for key in self.counted.keys_at(name)} - self.left_out)
        return {key: self.counted.kernels[key] for key in keys}

    def whole_at(self, name):
        """Returns the counts in a cell or file of all kernels, including those that are left out."""
        whole = Reading()
        for key in self.counted.keys_at(name):
            whole.add(self.counted.kernels[key], 1)
        return whole

    def add(self, kernel, sign):
        for name in kernel.names() if kernel is not None else ():
            self.sums.setdefault(name, Sums()).add(kernel, name, sign)

    def leave_out(self, key, out):
        """Leaves a kernel out or includes it; returns the Kernel if this changes anything."""
        if out == (key in self.left_out):
            return None
        (self.left_out.add if out else self.left_out.discard)(key)
        kernel = self.counted.kernels.get(key)
        self.add(kernel, -1 if out else 1)
        return kernel


_nothing = Sums()


def outcomes_of(counts, entry, line):
    """Returns the outcomes of the condition or loop on a line of a kernel or func, from a Reading or a Kernel."""
    found = counts.outcomes_at(entry.label, line)
    breaks = _code(entry)[2].get(line, ())
    if "finished" in found and breaks:
        broken = sum(counts.outcomes_at(entry.label, at).get("broken", 0) for at in breaks)
        found = {**found, "exhausted": max(found["finished"] - broken, 0)} if broken else found
    body = _code(entry)[1].get(line)
    if body is not None and counts.count(entry.label, body) == 0:  # for a `while`, the count of the body is the only evidence
        started = counts.count(entry.label, line) or 0
        return {**found, "entered": 0, "zero_trips": started}
    return found


def code_lines(entry):
    """Returns the lines of a kernel or func that contain a statement: not comments, blank lines, decorators, signatures, docstrings."""
    return _code(entry)[0]


def _code(entry):
    """Returns the same, the first line of the body of each `while`, and the lines of the `break`s that leave each loop."""
    wanted = entry.file, entry.first_line, entry.last_line
    if getattr(entry, "code", (None,))[0] != wanted:
        entry.code = wanted, _code_lines(*wanted)
    return entry.code[1]


def _code_lines(file, first, last):
    texts = linecache.getlines(file)
    found, whiles, breaks = set(), {}, {}
    for node in ast.walk(ast.parse("".join(texts))):
        if not isinstance(node, ast.stmt) or not first <= node.lineno <= last:
            continue
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            continue
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        end = node.body[0].lineno - 1 if hasattr(node, "body") else node.end_lineno
        if isinstance(node, ast.While) and node.body[0].lineno > node.lineno:
            whiles[node.lineno] = node.body[0].lineno
        if isinstance(node, (ast.While, ast.For)):
            breaks[node.lineno] = list(_breaks(node.body))
        found.update(range(node.lineno, max(end, node.lineno) + 1))
    shown = ((line, texts[line - 1].strip()) for line in found if first <= line <= min(last, len(texts)))
    return sorted(line for line, text in shown if text and not text.startswith("#")), whiles, breaks


def _breaks(statements):
    """Yields the lines of the `break`s that leave the loop with this body."""
    for node in statements:
        if isinstance(node, ast.Break):
            yield node.lineno
        elif not isinstance(node, (ast.While, ast.For)):
            for name in ("body", "orelse"):
                yield from _breaks(getattr(node, name, ()))
