"""Reports of compilations, as text, as HTML and as data. Times are in elements of class qd-time and never in the plain text.

nbval compares the data, `application/vnd.quadrants.compiled+json` (nbval_meaning.py):
    {"version": 1, "kernels": [{"name", "compiled", "unchanged", "note", "milliseconds"}]}         of a cell
    {"version": 1, "kernels": [{"name", "tasks": [{"name", "line", "source", "origin", "updates"}]}]}  of %qd_tasks

and of `%qd_cache`, `application/vnd.quadrants.cache+json`: {"version": 1, "about": the words after %qd_cache}
"""

import itertools
from html import escape

from quadrants import _source
from quadrants._live.adstack import shown_name
from quadrants_jupyter import cells, ordinary

MIME = "application/vnd.quadrants.compiled+json"
CACHE = "application/vnd.quadrants.cache+json"
_history = {}  # kernel -> [(program, compile report)] of its newest definition in the newest program that compiled it, in order
_most = 256  # maximum number of reports per kernel


def collect():
    """Fetches the reports that the core has collected: returns {kernel: reports}, in order."""
    from quadrants import _native

    fresh = {}
    if _native.loaded is None:
        return fresh
    program = _native.loaded.generation()
    for report in _native.loaded.take_reports():
        fresh.setdefault(report["kernel"], []).append(report)
        known = _history.setdefault(report["kernel"], [])
        if known and (known[-1][0] != program or known[-1][1]["file"] != report["file"]):
            known.clear()
        known.append((program, report))
        del known[:-_most]
    return fresh


def latest(name):
    return _history[name][-1][1] if name in _history else None


def specialisations(name):
    """Returns (title, report) of each specialisation, in the order in which they were made; only the newest, without a title, if there is
    one, or if reports cannot be matched to specialisations."""
    from quadrants._coverage import counts
    from quadrants._language import kernel

    known = [report for _, report in _history[name]]
    for one in kernel.living():
        if len(known) > 1 and one.fn.__qualname__ == name and _source.shown_name(one.fn.__code__.co_filename) == known[-1]["file"]:
            plans = one._plans()
            if len(plans) == len(known):
                return [(counts._title(params), report) for (_, params, _), report in zip(plans, known)]
    return [("", known[-1])]


class Reported:
    """A kernel of a cell without %%qd_kernel, known only from its compile report."""

    is_kernel = True

    def __init__(self, name, place):
        self.name, self.file, self.cell = name, place.file, place.number


def compiled():
    """Returns {name: kernel}, each from the cell in which it was compiled last."""
    magic = {_source.shown_name(file) for file in ordinary.cells.magic}
    places = {_source.shown_name(place.file): place for place in ordinary.cells.places.values()}
    found = dict(cells.registry.entries)
    for name in _history:
        file = latest(name)["file"]
        place = places.get(file) if file not in magic else None
        if place is not None and (name not in found or found[name].cell < place.number):
            found[name] = Reported(name, place)
    return found


def find(names):
    """Returns these kernels, or those of the newest cell that has any."""
    known = compiled()
    if names:
        return cells.registry.pick(names, known, "was compiled")
    newest = max((e for e in known.values() if isinstance(e, Reported)), key=lambda e: e.cell, default=None)
    if newest is None or newest.cell < cells.registry.last_number:
        return cells.registry.of_last_cell()
    return [e for e in known.values() if isinstance(e, Reported) and e.cell == newest.cell]


def _plural(n, what):
    return f"{n} {what}" + ("" if n == 1 else "s")


class Line:
    """One kernel's line under the cell."""

    def __init__(self, name, reports, note=""):
        self.name, self.note = name, note
        tasks = [t for r in reports for t in r["tasks"]]
        self.tasks = len(tasks)
        self.kept = sum(t["origin"] == "memory" for t in tasks)
        self.from_disk = sum(t["origin"] == "disk" for t in tasks)
        self.compiled = self.tasks - self.kept
        self.milliseconds = sum(r["microseconds"] for r in reports) / 1000

    def time(self):
        return f"{self.milliseconds:.3g} ms" if self.milliseconds < 100 else f"{self.milliseconds:.0f} ms"

    def parts(self, from_disk=0, time=""):
        """Describes the counts. Code from the cache on disk differs from machine to machine: without `from_disk` it counts as compiled."""
        if not self.tasks:
            return self.note
        compiled = self.compiled - from_disk
        parts = [f"{compiled} compiled"] if compiled or not from_disk else []
        parts += [f"{from_disk} from the cache on disk"] if from_disk else []
        parts[-1] += time if self.compiled else ""
        parts += [f"{self.kept} unchanged"] if self.kept else []
        return ", ".join([_plural(self.tasks, "task"), *parts]) + (f"; {self.note}" if self.note else "")

    def text(self):
        return f"{shown_name(self.name)}: {self.parts()}"

    def html(self):
        time = f'<span class="qd-time" style="opacity:.7"> ({self.time()})</span>'
        return f"<b>{escape(shown_name(self.name))}</b>: {self.parts(self.from_disk, time)}"

    def data(self):
        counts = {"compiled": self.compiled, "unchanged": self.kept}
        return {"name": shown_name(self.name), **counts, "note": self.note, "milliseconds": self.milliseconds}


class CellReport:
    """Displayed under a `%%qd_kernel` cell."""

    def __init__(self, lines, seconds=None):
        self.lines, self.seconds = lines, seconds

    def __repr__(self):
        return "\n".join(line.text() for line in self.lines)

    def _repr_mimebundle_(self, **_):
        return {MIME: {"version": 1, "kernels": [line.data() for line in self.lines]}} if self.lines else {}

    def _repr_html_(self):
        rows = "".join(f"<div>{line.html()}</div>" for line in self.lines)
        if self.seconds is not None:
            rows += f'<div class="qd-time" style="opacity:.7">cell: {self.seconds * 1e3:.1f} ms</div>'
        style = "font-family:var(--jp-code-font-family,monospace);font-size:var(--jp-code-font-size,13px);line-height:1.5"
        return f'<div style="{style}">{rows}</div>'


class CacheReport:
    """`%qd_cache`: text about the cache on disk. The text depends on what earlier processes left there, so the data only name the question."""

    def __init__(self, about, text):
        self.about, self.text = about, str(text)

    def __repr__(self):
        return self.text

    def _repr_mimebundle_(self, **_):
        return {"text/plain": self.text, CACHE: {"version": 1, "about": self.about}}


_ways = {
    "unlocked": "updates without locks, on one thread",
    "locked": "updates with locks",
    "copies": "updates in {copies} copies, {size}",
    "parts": "updates in a fixed order, in {copies} copies, {size}",
    "one_thread": "updates in a fixed order, on one thread",
}


def _size(size):
    return f"{size} bytes" if size < 10_000 else f"{size / 1e3:.0f} kB" if size < 10_000_000 else f"{size / 1e6:.0f} MB"


def _updates(name):
    """Returns for each specialisation, in order: task -> how it updated shared memory at its last launch."""
    from quadrants import _native

    return [
        {task: _ways[how].format(copies=copies, size=_size(size)) for task, how, copies, size in tasks if how}
        for kernel, _, tasks in _native.core().last_updates()
        if kernel == name
    ]


class TaskTable:
    """`%qd_tasks`: the tasks of kernels as they were compiled last, and the way they made their updates at their last launch."""

    def __init__(self, entries):
        self.rows = []  # (entry, title of the specialisation if there are several, task)
        for entry in entries:
            if not entry.is_kernel or latest(entry.name) is None:
                continue
            all_tasks, updates = specialisations(entry.name), _updates(entry.name)
            updates = updates if len(updates) == len(all_tasks) else updates[-1:] if len(all_tasks) == 1 else []
            for (title, report), ways in itertools.zip_longest(all_tasks, updates, fillvalue={}):
                self.rows += [(entry, title, {**task, "updates": ways.get(task["name"], "")}) for task in report["tasks"]]

    def groups(self):
        """Yields (heading or "", entry, tasks) of each specialisation."""
        for (entry, title), rows in itertools.groupby(self.rows, lambda row: row[:2]):
            heading = f"{shown_name(entry.name)}({title})" if title else ""
            yield heading, entry, [{**task, "name": shown_name(task["name"])} for _, _, task in rows]

    def __repr__(self):
        if not self.rows:
            return "no tasks: no kernel of the cell has been compiled"
        out = []
        for title, entry, tasks in self.groups():
            out += [title] if title else []
            for task in tasks:
                out.append(f"{task['name']:<24} line {task['line']:>3}  {_line_text(entry, task['line'])}".rstrip())
                out[-1] += f"   ({task['updates']})" if task["updates"] else ""
        return "\n".join(out)

    def _repr_mimebundle_(self, **_):
        kernels = []
        for title, entry, tasks in self.groups():
            rows = [{"source": _line_text(entry, t["line"]), **{k: t[k] for k in ("name", "line", "origin", "updates")}} for t in tasks]
            kernels.append({"name": title or shown_name(entry.name), "tasks": rows})
        return {MIME: {"version": 1, "kernels": kernels}} if kernels else {}

    def _repr_html_(self):
        if not self.rows:
            return f"<i>{escape(repr(self))}</i>"
        cell = 'style="text-align:left;padding:1px 10px"'
        head = "".join(f"<th {cell}>{h}</th>" for h in ("task", "line", "source", "compiled", "updates"))
        body = ""
        for title, entry, tasks in self.groups():
            if title:
                body += f'<tr><th colspan="5" {cell}><code>{escape(title)}</code></th></tr>'
            for task in tasks:
                origin = {"compiled": "now", "memory": "unchanged", "disk": "from the cache on disk"}[task["origin"]]
                body += (f"<tr><td {cell}>{escape(task['name'])}</td><td {cell}>{task['line']}</td>"
                         f"<td {cell}><code>{escape(_line_text(entry, task['line']))}</code></td>"
                         f'<td {cell}><span class="qd-time" style="opacity:.8">{escape(origin + _times(task))}</span></td>'
                         f"<td {cell}>{escape(task['updates'])}</td></tr>")
        return f'<table style="border-collapse:collapse"><tr>{head}</tr>{body}</table>'


def _times(task):
    """Describes the total time of the passes, and the times of the phases after them."""
    groups = {}
    for phase, microseconds in task["phases"]:
        name = phase if phase in ("codegen", "load", "read") else "passes"
        groups[name] = groups.get(name, 0) + microseconds
    return "".join(f", {name} {microseconds / 1000:.2f} ms" for name, microseconds in groups.items())


def _line_text(entry, line):
    import linecache

    return linecache.getline(entry.file, line).strip()


def lines_for(outcome, fresh):
    out = []
    for name in dict.fromkeys(outcome.defined):
        entry = cells.registry.entries[name]
        if not entry.is_kernel:
            continue
        definitions = outcome.defined.count(name)
        reports = fresh.get(name, [])
        if definitions > 1:
            reports = [report for report in reports if all(entry.first_line <= task["line"] <= entry.last_line for task in report["tasks"])]
        note = ""
        if not reports:
            count = entry.value()._specialisations()
            known = latest(name)
            if name.split(".")[0] in outcome.kept and count and known:
                note = f"{_plural(len(known['tasks']), 'task')}, 0 compiled, {len(known['tasks'])} unchanged"
            elif name.split(".")[0] in outcome.kept:
                note = "unchanged"
            else:
                note = "compiles at its first call"
        elif not any(report["tasks"] for report in reports):
            note = "no tasks"
        if definitions > 1:
            last = f"line {entry.first_line + entry.shift} is the last of {definitions} definitions in this cell"
            note = f"{note}; {last}" if note else last
        out.append(Line(name, reports, note))
    for name in outcome.stale:
        out.append(Line(name, [], "inlines a func edited here; compiles at its next call"))
    return out
