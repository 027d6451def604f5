"""Converts counts of lines and branches into transitions between lines, following the control flow of each function.

Lines and arcs are numbered as in coverage.py: -N, where N is the first line of the function including its decorators, stands for the entry
and the exits. A walk over the statements carries the pending transitions as (source line, count). Statements on a new line have a counter
of their own; those that share a line run as often as the statement before them. The flow into a statement can exceed its count only if the
kernel was left before it, by a failing assertion or by Stop: then every transition is reduced by the difference, so that none is invented.
"""

import ast

from quadrants import _source


class Flow:
    def __init__(self):
        self.arcs = {}  # (from, to) -> count
        self.branches = {}  # line -> {"taken": n, "not_taken": n}
        self.loops = {}  # line -> {"started", "zero_trips" (None: not known), "exhausted", "broken"}


def of_file(file, rows, lines):
    """rows: (what, line, column) -> count; lines: line -> count, of the same file."""
    flow = Flow()
    for text in _source.in_use.shown_as(file):
        _walk_text(flow, text, rows, lines)
    return flow


def _walk_text(flow, text, rows, lines):
    compiled, _, first_line, *_ = text.tree()
    if any(line in lines for line in range(compiled.line + first_line - 1, compiled.end_line + first_line)):
        _Walk(flow, rows, lines).function(text.python_tree())


class _Walk:
    def __init__(self, flow, rows, lines):
        self.flow, self.rows, self.lines = flow, rows, lines
        self.loops = []  # (transitions out by break, transitions back by continue)
        self.exit = 0

    def function(self, tree):
        self.exit = -min([tree.lineno, *(d.lineno for d in tree.decorator_list)])
        body = tree.body
        if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant) and isinstance(body[0].value.value, str):
            body = body[1:]
        if not body:
            return
        calls = self.lines.get(body[0].lineno, 0)
        self.leave(self.block(body, [(self.exit, calls)], None))

    def leave(self, under_way):
        for line, count in under_way:
            self.arc(line, self.exit, count)

    def arc(self, start, end, count):
        if count > 0:
            self.flow.arcs[start, end] = self.flow.arcs.get((start, end), 0) + count

    def count(self, what, node):
        return self.rows.get((what, node.lineno, node.col_offset), 0)

    def block(self, statements, under_way, line):
        """Walks the statements and returns the transitions at their end. `line`: line of the preceding statement."""
        for statement in statements:
            under_way = self.statement(statement, under_way, line)
            line = statement.lineno
        return under_way

    def arrive(self, under_way, line, before):
        """Returns how often the statement on `line` runs."""
        total = sum(count for _, count in under_way)
        if line == before:
            return total
        measured = self.lines.get(line, 0)
        missing = max(total - measured, 0)
        for start, count in under_way:
            self.arc(start, line, count - missing)
        return measured

    def statement(self, node, under_way, before):
        line = node.lineno
        runs = self.arrive(under_way, line, before)
        if isinstance(node, ast.If):
            return self.branch(node, line)
        if isinstance(node, (ast.For, ast.While)):
            return self.loop(node, line, runs)
        if isinstance(node, ast.With):
            inside = self.block(node.body, [(line, runs)], line)
            for start, count in inside:
                self.arc(start, line, count)
            return [(line, sum(count for _, count in inside))]
        if isinstance(node, ast.Return):
            self.arc(line, self.exit, runs)
            return []
        if isinstance(node, ast.Break):
            self.loops[-1][0].append((line, runs))
            return []
        if isinstance(node, ast.Continue):
            self.loops[-1][1].append((line, runs))
            return []
        return [(line, runs)]

    def branch(self, node, line):
        """Handles an `if` with its `elif`s, each of which is in the else block of the previous one."""
        out = []
        while True:
            taken, not_taken = self.count("taken", node), self.count("not_taken", node)
            ways = self.flow.branches.setdefault(line, {"taken": 0, "not_taken": 0})
            ways["taken"] += taken
            ways["not_taken"] += not_taken
            out += self.block(node.body, [(line, taken)], line)
            under_way, orelse = [(line, not_taken)], node.orelse
            if len(orelse) != 1 or not isinstance(orelse[0], ast.If):
                return out + self.block(orelse, under_way, line)
            self.arrive(under_way, orelse[0].lineno, line)
            node, line = orelse[0], orelse[0].lineno

    def loop(self, node, line, runs):
        first = node.body[0].lineno
        iterations = self.count("taken", node) if first == line else self.lines.get(first, 0)
        breaks, continues = [], []
        self.loops.append((breaks, continues))
        back = self.block(node.body, [(line, iterations)], line)
        self.loops.pop()
        for start, count in back + continues:
            self.arc(start, line, count)
        broken = sum(count for _, count in breaks)
        exhausted = max(self.count("finished", node) - broken, 0)
        here = self.flow.loops.setdefault(line, {"started": 0, "zero_trips": 0, "exhausted": 0, "broken": 0})
        here["started"] += runs
        here["zero_trips"] = self.zero_trips(node, runs, iterations, here["zero_trips"])
        here["exhausted"] += exhausted
        here["broken"] += broken
        return [(line, exhausted)] + breaks

    def zero_trips(self, node, runs, iterations, before):
        """Returns how often a loop had no iterations. None: unknown; a `while` has no counter for this, and it is certain only if it never
        iterated."""
        if isinstance(node, ast.For):
            return before + self.count("zero_trips", node)
        return None if iterations or before is None else before + runs
