"""`%qd_coverage`: the source of a cell's kernels with how often each line ran."""

import linecache
import math
from html import escape

_loops = {"entered": "entered", "zero_trips": "zero_trips"}


class Counts:
    """Counts of one file (cell): line -> count, and what became of branches and loops."""

    def __init__(self, label):
        from quadrants import _coverage

        self.lines, self.branches = {}, {}
        for (what, file, _, line, _, end_line, _), count in _coverage.counters().items():
            if file != label:
                continue
            if what == "line":
                for covered in range(line, max(end_line, line) + 1):
                    self.lines[covered] = self.lines.get(covered, 0) + count
            else:
                kinds = self.branches.setdefault(line, {})
                kinds[what] = kinds.get(what, 0) + count

    def remark(self, line):
        """What a person should know of the branch or loop on this line."""
        b = self.branches.get(line, {})
        ran = sum(b.values())
        if not ran:
            return ""
        if ("taken" in b or "not_taken" in b) and not b.get("taken"):
            return "never true"
        if ("taken" in b or "not_taken" in b) and not b.get("not_taken"):
            return "always true"
        if ("entered" in b or "zero_trips" in b) and not b.get("entered"):
            return "loop never entered"
        return ""


class Row:
    def __init__(self, number, text, count, remark):
        self.number, self.text, self.count, self.remark = number, text, count, remark


def _statement_lines(entry):
    """Lines of a definition that hold code: no comments, blank lines or docstring."""
    import ast

    source = "".join(linecache.getlines(entry.file))
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and entry.first_line <= node.lineno <= entry.last_line:
            for statement in node.body:
                for inner in ast.walk(statement):
                    if not isinstance(inner, ast.stmt) or isinstance(inner, (ast.FunctionDef, ast.Pass)):
                        continue
                    if isinstance(inner, ast.Expr) and isinstance(inner.value, ast.Constant):
                        continue
                    header = inner.body[0].lineno - 1 if hasattr(inner, "body") else inner.end_lineno
                    found.update(range(inner.lineno, max(header, inner.lineno) + 1))
    return found


class Listing:
    """One kernel or func."""

    def __init__(self, entry):
        self.entry = entry
        counts = Counts(entry.label)
        lines = linecache.getlines(entry.file)
        code = _statement_lines(entry)
        self.rows = []
        for number in range(entry.first_line, min(entry.last_line, len(lines)) + 1):
            text = lines[number - 1].rstrip("\n")
            held = number in code and text.strip() and not text.lstrip().startswith("#")
            count = counts.lines.get(number) if held else None
            self.rows.append(Row(number, text, count, counts.remark(number) if held else ""))

    @property
    def ran(self):
        return any(row.count for row in self.rows)

    def title(self):
        return f"{self.entry.name} ({self.entry.label})"


def _short(count):
    return "" if count is None else f"{count:,}"


class Coverage:
    def __init__(self, entries):
        self.listings = [Listing(e) for e in entries]
        self.largest = max((r.count or 0 for l in self.listings for r in l.rows), default=0)

    def _note(self):
        if not self.listings:
            return "no kernels: run a %%qd_kernel cell first"
        if not any(l.ran for l in self.listings):
            return "nothing was counted: the kernels have not run, or were compiled with --no-coverage"
        return ""

    def __repr__(self):
        note = self._note()
        if note:
            return note
        out = []
        width = max(len(_short(r.count)) for l in self.listings for r in l.rows)
        width = max(width, len("never"))
        for listing in self.listings:
            out.append(listing.title())
            for row in listing.rows:
                count = "never" if row.count == 0 else _short(row.count)
                remark = f"  <- {row.remark}" if row.remark else ""
                out.append(f"{row.number:>4} {count:>{width}} | {row.text}{remark}".rstrip())
            out.append("")
        return "\n".join(out[:-1])

    def level(self, count):
        """0 to 1 on a log scale."""
        return math.log1p(count) / math.log1p(self.largest) if self.largest else 0

    def _repr_html_(self):
        note = self._note()
        if note:
            return f"<i>{escape(note)}</i>"
        return "".join(self._listing_html(l) for l in self.listings) + self._legend()

    # Everything is inline: a notebook that is only read keeps style attributes, and nothing else. One hue whose strength
    # follows the count reads the same for people who do not tell colours apart; `never` is text as well.
    _font = ("font-family:var(--jp-code-font-family,monospace);font-size:var(--jp-code-font-size,13px);"
             "color:var(--jp-content-font-color1,inherit)")
    _dim = "color:var(--jp-content-font-color2,#777)"

    def _shade(self, count):
        strength = round(8 + 62 * self.level(count))
        return f"background:color-mix(in srgb,var(--jp-brand-color1,#1976d2) {strength}%,transparent)"

    def _row_html(self, row):
        count, style, border = "", "", "transparent"
        if row.count == 0:
            count, border = "never", "var(--jp-warn-color0,#b35900)"
            style = "font-style:italic"
        elif row.count is not None:
            count, style = _short(row.count), self._shade(row.count)
        remark = ""
        if row.remark:
            remark = (f'<span style="margin-left:2em;padding:0 .5em;border:1px solid var(--jp-warn-color0,#b35900);'
                      f'border-radius:3px;font-size:85%">{row.remark}</span>')
        pad = "padding:0 .6em;white-space:pre;text-align"
        return (f'<tr style="background:none"><td style="{pad}:right;{self._dim};border-left:4px solid {border}">{row.number}</td>'
                f'<td style="{pad}:right;{style}">{count}</td>'
                f'<td style="{pad}:left">{escape(row.text)}{remark}</td></tr>')

    def _listing_html(self, listing):
        rows = "".join(self._row_html(r) for r in listing.rows)
        head = f'<div style="margin:.6em 0 .2em"><b>{escape(listing.entry.name)}</b> <span style="{self._dim}">{escape(listing.entry.label)}</span></div>'
        table = f'<table style="border-collapse:collapse;border:none;margin:0;line-height:1.35;{self._font}">{rows}</table>'
        return f'<div style="overflow-x:auto">{head}{table}</div>'

    def _legend(self):
        steps, at = [], 1
        while at <= self.largest:
            steps.append(at)
            at *= 10
        if len(steps) > 7:
            steps = steps[:: math.ceil(len(steps) / 7)]
        boxes = "".join(f'<span style="padding:0 .6em;{self._shade(s)}">{s:,}</span>' for s in steps)
        never = '<span style="padding:0 .6em;border-left:4px solid var(--jp-warn-color0,#b35900);font-style:italic">never</span>'
        return f'<div style="margin-top:.6em;{self._font}"><span style="{self._dim}">runs of a line: </span>{never}{boxes}</div>'
