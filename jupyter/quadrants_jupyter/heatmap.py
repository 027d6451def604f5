"""The heatmap of `%qd_coverage`: data (the Python side of widgets/protocol/heatmap.ts), plain text, static HTML, widget."""

import dataclasses
import linecache
import uuid
from html import escape

from quadrants._live.adstack import shown_name
from quadrants._live.counts import code_lines, outcomes_of
from quadrants._live.coverage import count_of
from quadrants_jupyter import cells, live, ordinary
from quadrants_jupyter.looks import dim, hatch, said_of_branches, tint
from quadrants_jupyter.models import model_class

MIME = "application/vnd.quadrants.heatmap+json"
VERSION = 1
TRAITS = {"listings": "List", "follows": "Bool", "running": "Bool", "scale": "Dict"}


@dataclasses.dataclass
class Line:
    number: int
    text: str
    count: int | None = None
    newest: int = 0
    previous: int | None = None
    launched: bool = True
    backward: int | None = None
    outcomes: dict = dataclasses.field(default_factory=dict)

    def marks(self):
        """Returns remarks about the branches of the line."""
        if not self.count:
            return []
        words = {"taken": "never true", "not_taken": "never false", "entered": "never entered", "exhausted": "only left by break"}
        return [words[outcome] for outcome in words if self.outcomes.get(outcome) == 0]


@dataclasses.dataclass
class Listing:
    title: str
    lines: list
    specialisations: list


# --- data ------------------------------------------------------------------------------------------------------------

def listings_of(entries, coverages=None):
    """Returns the listings of kernels and funcs of cells with their current counts, and the CoverageMessage of their cells. The second
    argument is the coverage of changed cells, if live.Live has computed it already."""
    with live.live.lock:
        if coverages is None:
            live.live.take()
        history, coverages = live.live.history, coverages or {}
        cells = {cell: True for cell in map(history.listing_of, entries) if cell is not None}
        unknown = [cell for cell in cells if cell not in coverages]
        coverages = {**coverages, **(live.coverage_of(unknown, history) if unknown else {})}
        message = live.message({cell: coverages[cell] for cell in cells}, history.scale())
        listings = [_listing(entry, history, coverages) for entry in entries]
    titles = [one.title for one in listings]
    for entry, one in zip(entries, listings):
        if titles.count(one.title) > 1:  # a cell that defines a name twice
            one.title = f"{one.title.removesuffix(')')}, line {entry.first_line + entry.shift})"
    return listings, message


def _listing(entry, history, coverages):
    cell = history.listing_of(entry)
    # A kernel that its cell no longer defines may still be called.
    reading = history.now if cell is not None else history.now.whole_at(entry.label)
    texts, code = linecache.getlines(entry.file), set(code_lines(entry))
    lines = []
    for number in range(entry.first_line, min(entry.last_line, len(texts)) + 1):
        line = Line(number + entry.shift, texts[number - 1].rstrip("\n"))
        if number in code:
            line.count = count_of(entry, number, reading)
            line.outcomes = outcomes_of(reading, entry, number)
            line.backward = reading.of(entry.label).backward.get(number) or None
            line.launched = line.count is None or reading.launched(entry.label, number)
            if cell is not None and line.count is not None:
                line.newest, line.previous = history.newest(cell, entry, number), history.previous(cell, entry, number)
        lines.append(line)
    specialisations = []
    for one in coverages[cell]["specialisations"] if cell is not None else ():
        here = [line for line in one["lines"] if entry.first_line <= line["number"] - entry.shift <= entry.last_line]
        if here:
            specialisations.append({"name": one["name"], "lines": here})
    edited = ", edited since" if cell is None and entry.label in history.labels else ""
    return Listing(f"{shown_name(entry.name)} ({cell.label if cell is not None else entry.label}{edited})", lines, specialisations)


# --- text ------------------------------------------------------------------------------------------------------------

def _count_text(line):
    if line.count is None:
        return ""
    return f"{line.count:,}" if line.count else "never" if line.launched else "not yet"


def _nothing(listings):
    if ordinary.runs_as_python():
        return "nothing is counted with arch=qd.python, which runs kernels as Python; qd.init(arch=qd.cpu) counts their lines"
    if not listings:
        return "no kernels: no %%qd_kernel cell defines one, and none of an ordinary cell has run with counts"
    if not any(line.count is not None for one in listings for line in one.lines):
        return "nothing was counted: the kernels have not run yet, or run with --no-coverage"
    return ""


def _backward_text(line):
    return f"{line.backward:,} back" if line.backward else ""


def _rows(listings):
    """Yields each listing with its lines: (Line, number, count, number of backward runs, text, remarks about its branches), each column as
    wide as needed."""
    widest, back = (max(len(text(line)) for one in listings for line in one.lines) for text in (_count_text, _backward_text))
    for one in listings:
        yield one, [(line, f"{line.number:>4}", f"{_count_text(line):>{widest}}", f" {_backward_text(line):>{back}}" if back else "",
                     line.text, f"  <- {', '.join(line.marks())}" if line.marks() else "") for line in one.lines]


def plain_text(listings):
    if _nothing(listings):
        return _nothing(listings)
    out = []
    for one, rows in _rows(listings):
        out += ["", one.title] if out else [one.title]
        out += [f"{number} {count}{back} | {text}{said}".rstrip() for _, number, count, back, text, said in rows]
    return "\n".join(out)


# --- static HTML -----------------------------------------------------------------------------------------------------
# A listing is preformatted text, so a site that drops styles still shows it like plain_text(). With styles, which are all inline, it is
# tinted; in an untrusted notebook JupyterLab drops every value with var() or color-mix(), so plain values come first, and better ones
# after them. A single hue whose strength follows the count is readable without colour vision; lines that never ran say so, and are
# hatched.

_font = ("font-family:monospace;font-family:var(--jp-code-font-family,monospace);"
         "font-size:13px;font-size:var(--jp-code-font-size,13px);color:var(--jp-content-font-color1,inherit)")
_pre = f"margin:0;padding:0;border:0;background:none;overflow-x:auto;white-space:pre;line-height:1.35;{_font}"
_row = "display:inline-block;min-width:calc(100% - 5ch);box-sizing:border-box"


def _html_row(line, number, count, back, text, said, most):
    ground = f";{tint(line.count, most)}" if line.count else ""
    weight = ";font-weight:bold" if line.count and line.count == most else ""
    shown = f'<span style="{hatch}">{count}</span>' if line.count == 0 and line.launched else count
    if weight:
        shown = f"<b>{count}</b>"
    if said:
        arrow, words = said[:5], said[5:]
        said = f'{escape(arrow)}<span style="{said_of_branches}">{escape(words)}</span>'
    if back:
        shown += f'<span style="{dim}">{back}</span>'
    return f'<span style="{dim}">{number}</span> <span style="{_row}{ground}">{shown} | {escape(text)}{said}</span>'


def _html_listing(one, rows, most):
    counted = [line for line in one.lines if line.count is not None]
    ran, waiting = sum(line.count > 0 for line in counted), sum(not line.launched for line in counted)
    note = f"{ran} of {len(counted)} lines ran" + (f", {waiting} not run yet" if waiting else "")
    head = (f'<div style="margin:.6em 0 .2em"><b>{escape(one.title)}</b> '
            f'<span style="{dim}">{note}</span></div>')
    lines = "\n".join(_html_row(*row, most) for row in rows)
    return f'<div>{head}<pre style="{_pre}">{lines}</pre></div>'


def static_html(listings, most=None):
    """`most`: count of the busiest line of the notebook; if None, of these listings."""
    if _nothing(listings):
        return f"<i>{escape(_nothing(listings))}</i>"
    most = most or max(line.count or 0 for one in listings for line in one.lines)
    return "".join(_html_listing(one, list(rows), most) for one, rows in _rows(listings))


# --- display ---------------------------------------------------------------------------------------------------------

class Heatmap:
    """The display of `%qd_coverage`: the current counts. One that follows is kept up to date by live.Live."""

    def __init__(self, entries, follows=False):
        self.entries = entries
        self.follows, self.model = follows, None
        self.listings, self.message = listings_of(entries)

    def __repr__(self):
        return plain_text(self.listings)

    def _repr_mimebundle_(self, **_):
        scale = self.message["scale"]
        data = {"text/plain": plain_text(self.listings), "text/html": static_html(self.listings, scale["total"])}
        if not self.listings or (_nothing(self.listings) and not self.follows):
            return data
        data[live.MIME] = self.message
        data[MIME] = {"version": VERSION, "listings": self.as_data(), "follows": self.follows, "scale": scale}
        make = model_class("heatmap", **TRAITS)
        if make is None:
            return data
        if self.model is None:
            self.model = make(listings=self.as_data(), follows=self.follows, scale=scale)
        bundle = self.model._repr_mimebundle_()
        widget = bundle[0] if isinstance(bundle, tuple) else bundle
        return {**(widget or {}), **data}

    def as_data(self):
        return [{**vars(one), "lines": [vars(line) for line in one.lines]} for one in self.listings]


class Display:
    """The output that shows a heatmap that follows."""

    def __init__(self, shell, heatmap):
        from IPython.display import display

        self.shell, self.heatmap = shell, heatmap
        self.id = uuid.uuid4().hex
        self.stale = False  # True if the stored picture is out of date
        display(heatmap, display_id=self.id)

    def update(self, running, coverages):
        """To be called while a cell runs, and at its end."""
        heatmap, newest = self.heatmap, cells.registry.counted()
        names = [entry.name for entry in heatmap.entries]
        heatmap.entries = [entry if names.count(entry.name) > 1 else newest.get(entry.name, entry) for entry in heatmap.entries]
        heatmap.listings, heatmap.message = listings_of(heatmap.entries, coverages)
        self.stale = True
        if heatmap.model is not None:
            with heatmap.model.hold_sync():
                heatmap.model.listings, heatmap.model.running = heatmap.as_data(), running
                heatmap.model.scale = heatmap.message["scale"]

    def store(self):
        """To be called at the end of a cell: updates what a saved notebook shows."""
        if self.stale:
            self.stale = False
            data, metadata = self.shell.display_formatter.format(self.heatmap)
            self.shell.display_pub.publish(data, metadata, transient={"display_id": self.id}, update=True)
