"""The HTML page of the coverage report: a table of files, and each file with heat and the branches that were never taken.
Heat is the strength of one hue, so that people who do not tell colours apart read the same; what never ran is hatched and
says so."""

import math
from html import escape

_style = """
:root { color-scheme: light dark; --heat: 232 113 10; --line: #8884; --dim: #667; }
@media (prefers-color-scheme: dark) { :root { --dim: #99a; } }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em; }
table { border-collapse: collapse; }
.files td, .files th { padding: .15em .8em; text-align: right; border-bottom: 1px solid var(--line); }
.files :is(td, th):is(:first-child, :last-child) { text-align: left; }
.low { font-weight: bold; }
details { margin: 1.2em 0; overflow-x: auto; }
summary { cursor: pointer; font-weight: 600; }
.source { font: 13px/1.45 ui-monospace, monospace; width: 100%; margin-top: .5em; }
.source td { padding: 0 .7em; white-space: pre; }
.source td:nth-child(-n+2) { text-align: right; width: 1%; user-select: none; }
.source td:first-child { color: var(--dim); border-left: 3px solid transparent; }
tr:is(.ran, .partial) td:nth-child(n+2) { background: rgb(var(--heat) / var(--level, .08)); }
tr.missing td:nth-child(n+2) { background: repeating-linear-gradient(135deg, #8883 0 6px, #8886 6px 8px); }
tr.new td:first-child { border-left-color: rgb(var(--heat)); }
.mark { margin-left: 1em; padding: 0 .5em; border: 1px dashed; border-radius: 3px; font-size: 85%; }
p.key { color: var(--dim); }
"""


def _level(count, most):
    return 0.08 + 0.52 * (math.log(count) / math.log(most) if most > 1 and count > 0 else 0)


def _count(f, number):
    state = f.state(number)
    if state == "missing":
        return "never"
    return f"{f.counts[number]:,}" if f.counts.get(number) else "ran" if state else ""


def _marks(f, number):
    found = []
    for end in f.partial.get(number, ()):
        words = "never leaves the function" if end < 0 else f"never goes to {end} ↷"
        found.append(f'<span class="mark">{words}</span>')
    return "".join(found)


def _source(index, f):
    most = max(f.counts.values(), default=0)
    rows = []
    for number, text in enumerate(f.text, 1):
        classes = " ".join(filter(None, (f.state(number), "new" if number in f.changed else "")))
        level = f' style="--level:{_level(f.counts[number], most):.2f}"' if f.counts.get(number) else ""
        cells = (number, _count(f, number), escape(text) + _marks(f, number))
        rows.append(f'<tr class="{classes}"{level}>' + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    opened = " open" if f.counts or f.missing else ""
    return (f'<details id="f{index}"{opened}><summary>{escape(f.name)} &middot; {f.percent():.1f}%</summary>'
            f'<table class="source"><tbody>{"".join(rows)}</tbody></table></details>')  # fmt: skip


def _row(index, f, diff, low):
    from quadrants import _coverage_report

    new = f"<td>{f'{f.diff_percent:.1f}%' if f.new else '-'}</td>" if diff else ""
    mark = ' class="low"' if f.percent() < low else ""
    return (f'<tr><td><a href="#f{index}">{escape(f.name)}</a></td><td>{len(f.statements)}</td><td>{len(f.missing)}</td>'
            f'<td>{f.branches[0]}/{f.branches[1]}</td><td{mark}>{f.percent():.1f}%{" ⚠" if mark else ""}</td>{new}'
            f'<td>{_coverage_report.ranges(f.missing)}</td></tr>')  # fmt: skip


def page(files, total, base, low=80):
    diff = total.diff is not None
    titles = ["file", "lines", "missing", "branches", "cover", *["new"] * diff, "never ran"]
    head = "".join(f"<th>{title}</th>" for title in titles)
    new = f", <b>{total.diff:.1f}%</b> of what is new since {escape(base)}" if diff else ""
    rows = "".join(_row(index, f, diff, low) for index, f in enumerate(files))
    sources = "".join(_source(index, f) for index, f in enumerate(files))
    return (f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Coverage</title><style>{_style}</style>'
            f"<h1>Coverage</h1><p><b>{total.overall:.1f}%</b> overall{new}.</p>"
            f'<table class="files"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
            f'<p class="key">Numbers beside lines say how often kernels ran them; the stronger the colour, the more often (log scale). '
            f"Hatched lines never ran. A dashed mark names a way that a branch never went.</p>{sources}</html>\n")  # fmt: skip
