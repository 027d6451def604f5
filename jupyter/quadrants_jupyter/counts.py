"""What was counted, by cell and line, at one moment."""

import ast
import linecache

from quadrants import _coverage


class Reading:
    """Counts of all cells and files: `lines`: name -> {line: count}; `outcomes`: name -> {line: {outcome: count}}. Any thread
    may take one, also while kernels run."""

    def __init__(self, rows=None):
        self.lines, self.outcomes = {}, {}
        for (what, name, _, line, _, end_line, _), count in (_coverage.counters() if rows is None else rows).items():
            if what == "line":  # a statement may stand on several lines
                lines = self.lines.setdefault(name, {})
                for covered in range(line, max(end_line, line) + 1):
                    lines[covered] = lines.get(covered, 0) + count
            else:
                here = self.outcomes.setdefault(name, {}).setdefault(line, {})
                here[what] = here.get(what, 0) + count

    def count(self, name, line):
        return self.lines.get(name, {}).get(line)

    def outcomes_of(self, entry, line):
        """What the condition or loop on a line of a kernel or func did."""
        found = self.outcomes.get(entry.label, {}).get(line, {})
        body = _code(entry)[1].get(line)
        if body is not None and self.count(entry.label, body) == 0:  # a `while` shows it by its body alone
            started = self.count(entry.label, line) or 0
            return {**found, "entered": 0, "zero_trips": started}
        return found


nothing = Reading({})


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
