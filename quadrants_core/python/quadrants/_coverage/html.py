"""The HTML page of the coverage report: a table of files, and each file with heat and the branches that were never taken. Heat is the
strength of a single hue, which is also readable with colour blindness; lines that never ran are hatched and labelled."""

import math
import re
from html import escape

from quadrants._coverage.percent import LOW, shown

_style = """
:root { color-scheme: light dark; --heat: 232 113 10; --line: #8884; --dim: #667; }
@media (prefers-color-scheme: dark) { :root { --dim: #99a; } }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em; }
table { border-collapse: collapse; }
.files td, .files th { padding: .15em .8em; text-align: right; border-bottom: 1px solid var(--line); }
.files :is(td, th):is(:first-child, :last-child) { text-align: left; }
.files tr:last-child { font-weight: bold; }
.files a.gap { color: inherit; text-underline-offset: .2em; text-decoration: underline dotted; white-space: nowrap; }
.low { font-weight: bold; }
.wide { overflow-x: auto; }
details { margin: 1.2em 0; overflow-x: auto; }
summary { cursor: pointer; font-weight: 600; }
.source { font: 13px/1.45 ui-monospace, monospace; width: 100%; margin-top: .5em; }
.source td { padding: 0 .7em; white-space: pre; }
.source td:nth-child(-n+2) { text-align: right; width: 1%; user-select: none; }
.source td:first-child { color: var(--dim); border-left: 3px solid transparent; }
tr:is(.ran, .partial) td:nth-child(n+2) { background: rgb(var(--heat) / var(--level, .08)); }
tr.missing td:nth-child(n+2) { background: repeating-linear-gradient(135deg, #8883 0 6px, #8886 6px 8px); }
tr.new td:first-child { border-left-color: rgb(var(--heat)); }
tr:target { outline: 2px solid; outline-offset: -2px; }
.mark { color: inherit; text-decoration: none; margin-left: 1em; padding: 0 .5em; border: 1px dashed; border-radius: 3px; font-size: 85%; }
p.key { color: var(--dim); }
"""


def _level(count, most):
    return 0.08 + 0.52 * (math.log(count) / math.log(most) if most > 1 and count > 0 else 0)


def _count(f, number):
    state = f.state(number)
    if state == "missing":
        return "never"
    return f"{f.counts[number]:,}" if f.counts.get(number) else "ran" if state else ""


def _marks(index, f, number):
    """Returns arrows to the branch targets that were never reached."""
    found = []
    for end in f.partial.get(number, ()):
        if end < 0:
            found.append('<span class="mark">never leaves the function ⇥</span>')
        else:
            arrow = "↓" if end > number else "↑"
            found.append(f'<a class="mark" href="#f{index}-{end}">never goes to {end} {arrow}</a>')
    return "".join(found)


def _source(index, f):
    most = max(f.counts.values(), default=0)
    rows = []
    for number, text in enumerate(f.text, 1):
        classes = " ".join(filter(None, (f.state(number), "new" if number in f.changed else "")))
        level = f' style="--level:{_level(f.counts[number], most):.2f}"' if f.counts.get(number) else ""
        cells = (number, _count(f, number), escape(text) + _marks(index, f, number))
        row = "".join(f"<td>{cell}</td>" for cell in cells)
        rows.append(f'<tr id="f{index}-{number}" class="{classes}"{level}>{row}</tr>')
    opened = " open" if f.counts or f.missing or f.partial else ""
    return (f'<details id="f{index}"{opened}><summary>{escape(f.name)} &middot; {shown(f.percent())}</summary>'
            f'<table class="source"><tbody>{"".join(rows)}</tbody></table></details>')  # fmt: skip


def _percent_cell(percent, low):
    return f'<td class="low">{shown(percent)} ⚠</td>' if percent < low else f"<td>{shown(percent)}</td>"


def _row(index, f, diff, low):
    new = (_percent_cell(f.diff_percent, low) if f.new else "<td>-</td>") if diff else ""
    gaps = ", ".join(f'<a class="gap" href="#f{index}-{re.match("[0-9]+", gap)[0]}">{escape(gap)}</a>' for gap in f.gaps())
    return (f'<tr><td><a href="#f{index}">{escape(f.name)}</a></td><td>{len(f.statements)}</td><td>{len(f.missing)}</td>'
            f"<td>{f.branches[0]}/{f.branches[1]}</td>{_percent_cell(f.percent(), low)}{new}<td>{gaps}</td></tr>")  # fmt: skip


def _total(total, diff):
    new = f"<td>{shown(total.diff)}</td>" if diff else ""
    return (f"<tr><td>total</td><td>{total.lines}</td><td>{total.missing}</td><td>{total.branches[0]}/{total.branches[1]}</td>"
            f"<td>{shown(total.overall)}</td>{new}<td></td></tr>")  # fmt: skip


def page(files, total, base, commit="", low=LOW):
    diff = total.diff is not None
    titles = ["file", "lines", "missing", "branches", "cover", *["new"] * diff, "never ran"]
    head = "".join(f"<th>{title}</th>" for title in titles)
    new = f", <b>{shown(total.diff)}</b> of what is new since {escape(base)}" if diff else ""
    if diff and not total.new:
        new = f"; no measured line is new since {escape(base)}"
    heading = f"Coverage of {escape(commit)}" if commit else "Coverage"
    rows = "".join(_row(index, f, diff, low) for index, f in enumerate(files)) + _total(total, diff)
    barred = " A bar beside a number: the line is new." if diff else ""
    sources = "".join(_source(index, f) for index, f in enumerate(files))
    return (f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{heading}</title><style>{_style}</style>'
            f"<h1>{heading}</h1><p><b>{shown(total.overall)}</b> overall{new}.</p>"
            f'<div class="wide"><table class="files"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'
            f'<p class="key">Numbers beside lines say how often kernels ran them; the stronger the colour, the more often (log scale). '
            f"Hatched lines never ran. A dashed mark points to where a branch never went.{barred}</p>{sources}</html>\n")  # fmt: skip
