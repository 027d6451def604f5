"""What was counted, by listing and line, at one moment."""

import ast
import linecache
import time

from quadrants._coverage import counts as _coverage


class Kernel:
    """What one specialisation of a kernel counted. `title`: what it was made for; `place`: (name of the cell or file, line) of its
    first statement; `launched`: whether it ever ran. One that works out gradients has `backward` alone: how often lines were run
    once more for that."""

    def __init__(self, name, title, rows):
        self.name, self.title, self.place, self.launched = name, title, None, False
        self.unfinished = False  # see unfinished_now()
        self.copies, self.outcomes = {}, {}  # name of the cell or file -> {line: {copy: count}}, {line: {outcome: count}}
        self.backward = {}  # name of the cell or file -> {line: count}
        self.count_backward(name.removesuffix("_reverse_grad"), rows)
        for (what, file, scope, line, column, end_line, copy), count in _coverage._outcomes(rows).items():
            self.launched = self.launched or count > 0
            if what != "line":
                here = self.outcomes.setdefault(file, {}).setdefault(line, {})
                here[what] = here.get(what, 0) + count
                continue
            if scope == name and (self.place is None or line < self.place[1]):
                self.place = file, line
            lines = self.copies.setdefault(file, {})
            for covered in range(line, max(end_line, line) + 1):  # a statement may stand on several lines
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
        return None if copies is None else sum(copies.values())

    def add(self, other):
        """The same specialisation, compiled again."""
        self.launched = self.launched or other.launched
        for mine, others in ((self.copies, other.copies), (self.outcomes, other.outcomes)):
            for name, lines in others.items():
                for line, counts in lines.items():
                    _add(mine.setdefault(name, {}).setdefault(line, {}), counts)


def _add(into, counts):
    for key, count in counts.items():
        into[key] = into.get(key, 0) + count


_cleared = {}  # key of a kernel -> {row: count when it was cleared}
_coverage._after_clear.append(_cleared.clear)


class _Launches:
    """Which kernels have come to the end of a launch since they were cleared, and which have not."""

    patience = 1.0  # s

    def __init__(self):
        self.finished = set()  # (kernel, specialisation)
        self.seen = {}  # number of a launch that goes on -> (when it was seen first, (kernel, specialisation))
        self.program = None

    def look(self):
        """(kernel, specialisation) of those in a launch that may yet count lines without a count: their first one, or one that takes
        long. What inner loops count is added up at the ends of outer ones."""
        core, now = _coverage._core(), time.monotonic()
        if self.program != _coverage._moves:
            self.program = _coverage._moves
            self.clear()
        running = {}
        for kernel, specialisation, number in core.running_launches() if core is not None else ():
            running[number] = self.seen.get(number, (now, (kernel, specialisation)))
        self.finished.update(key for number, (_, key) in self.seen.items() if number not in running)
        self.seen = running
        return frozenset(key for since, key in running.values() if key not in self.finished or now - since >= self.patience)

    def ran(self, key):
        if all(key != one for _, one in self.seen.values()):
            self.finished.add(key)

    def clear(self):
        self.finished.clear()


_launches = _Launches()
_coverage._after_clear.append(_launches.clear)
unfinished_now = _launches.look


def clear_at(entries):
    """Kernels and funcs of cells begin from zero here, and so do funcs in what these kernels counted."""
    def of_one(file, line):
        return any(entry.label == file and entry.first_line <= line <= entry.last_line for entry in entries)

    for key, rows in _coverage._by_kernel().items():
        whole = of_one(*key[-1])
        gone = {row: count for row, count in rows.items() if whole or of_one(row[1], row[3])}
        if gone:
            _cleared[key] = {**_cleared.get(key, {}), **gone}
            _launches.finished.discard(key[:2])


def _since_cleared(key, rows):
    if key not in _cleared:
        return rows
    return {row: max(0, count - _cleared[key].get(row, 0)) for row, count in rows.items()}


def kernels_now():
    """Any thread may ask, also while kernels run."""
    rows, unfinished = sorted(_coverage._by_kernel().items()), _launches.look()
    kernels = []
    for key, counts in rows:
        kernel = Kernel(key[0], key[2], _since_cleared(key, counts))
        kernel.unfinished = key[:2] in unfinished
        if kernel.launched:
            _launches.ran(key[:2])
        kernels.append(kernel)
    return kernels


class Reading:
    """Counts of all cells and files: `lines`: name -> {line: count}; `outcomes`: name -> {line: {outcome: count}}; `launched`: name
    -> lines of kernels that ever ran, which say never if they have no count; `backward`: as `lines`, where gradients were worked out."""

    def __init__(self, kernels, replaced=frozenset()):
        self.kernels = kernels
        self.leave_out(replaced)

    def leave_out(self, replaced):
        """Those at these places do not count."""
        self.lines, self.outcomes, self.launched, self.backward = {}, {}, {}, {}
        for kernel in self.kernels:
            if kernel.place in replaced:
                continue
            for name, lines in kernel.copies.items():
                sums = self.lines.setdefault(name, {})
                for line, copies in lines.items():
                    sums[line] = sums.get(line, 0) + sum(copies.values())
                if kernel.launched:
                    sure = (line for line in lines if not kernel.unfinished or kernel.count(name, line))
                    self.launched.setdefault(name, set()).update(sure)
            for name, lines in kernel.backward.items():
                _add(self.backward.setdefault(name, {}), lines)
            for name, lines in kernel.outcomes.items():
                sums = self.outcomes.setdefault(name, {})
                for line, counts in lines.items():
                    _add(sums.setdefault(line, {}), counts)

    def count(self, name, line):
        return self.lines.get(name, {}).get(line)


nothing = Reading([])


def outcomes_of(counts, entry, line):
    """What the condition or loop on a line of a kernel or func did, by a Reading or a Kernel."""
    found = counts.outcomes.get(entry.label, {}).get(line, {})
    body = _code(entry)[1].get(line)
    if body is not None and counts.count(entry.label, body) == 0:  # a `while` shows it by its body alone
        started = counts.count(entry.label, line) or 0
        return {**found, "entered": 0, "zero_trips": started}
    return found


def code_lines(entry):
    """Lines of a kernel or func that hold a statement: not comments, blank lines, decorators, signatures, docstrings."""
    return _code(entry)[0]


def _code(entry):
    """The same, and the first line of the body of each `while`."""
    wanted = entry.file, entry.first_line, entry.last_line
    if getattr(entry, "code", (None,))[0] != wanted:
        entry.code = wanted, _code_lines(*wanted)
    return entry.code[1]


def _code_lines(file, first, last):
    texts = linecache.getlines(file)
    found, whiles = set(), {}
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
        found.update(range(node.lineno, max(end, node.lineno) + 1))
    shown = ((line, texts[line - 1].strip()) for line in found if first <= line <= min(last, len(texts)))
    return sorted(line for line, text in shown if text and not text.startswith("#")), whiles
