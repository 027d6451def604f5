"""The view of `%qd_adstack`: what backward kernels keep for the backward pass through their loops, the effect of a budget, and the cost
of the choices. Data (the Python side of widgets/protocol/adstack.ts), plain text, static HTML, widget.

nbval compares the data, `application/vnd.quadrants.adstack+json`, without times (nbval_meaning.py).
"""

import re
import time
import uuid
import warnings
import weakref
from html import escape

from quadrants import _settings, _source
from quadrants._gradients import memory as _memory
from quadrants._language import kernel as _kernel
from quadrants._live.adstack import file_of, shown_name, task_data
from quadrants_jupyter import cells, looks
from quadrants_jupyter.looks import dim
from quadrants_jupyter.models import model_class

MIME = "application/vnd.quadrants.adstack+json"
VERSION = 1
TRAITS = {"kernels": "List", "said": "Unicode", "measuring": "Unicode", "running": "Unicode"}
PARTS = (2, 4, 16)  # divisors of what is kept without a budget: the budgets to measure
ELEMENTS = 16_000_000  # maximum number of elements to restore
SECONDS, RUNS = 0.3, 20  # limits for the runs of one budget: time and number
OPEN = 8  # maximum number of views that are kept up to date

_REVERSE = _kernel.AutodiffMode.REVERSE


class Refused(Exception):
    """Raised if nothing can be measured; the text says why."""


# --- calls of gradients ----------------------------------------------------------------------------------------------

class Newest:
    """The arguments of the most recent call of each gradient. Keeps no array alive."""

    def __init__(self):
        self.calls = weakref.WeakKeyDictionary()

    def observe(self, info, args):
        self.calls[info] = [_weak(arg) for arg in args]

    def of(self, info):
        if info not in self.calls:
            raise Refused("the arguments of its last call are unknown; run %qd_gradients --on, and call its gradient again")
        args = tuple(held() if isinstance(held, weakref.ref) else held[0] for held in self.calls[info])
        if any(arg is None and isinstance(held, weakref.ref) for arg, held in zip(args, self.calls[info])):
            raise Refused("an array of its last call no longer exists; call its gradient again")
        return args


def _weak(value):
    try:
        return weakref.ref(value)
    except TypeError:
        return (value,)  # a number


newest = Newest()
_settings.after_reset.append(newest.calls.clear)


# --- kernels ---------------------------------------------------------------------------------------------------------

def _infos():
    """Returns {name: KernelInfo} of kernels whose gradient has been used."""
    found = {}
    for ref in _kernel._all_kernels:
        made = ref()
        if made is not None and (_REVERSE in made._primal.derivatives or made._primal in newest.calls):
            found[made._primal.name] = made._primal
    return found


def pick(names):
    """Returns kernels by name; without names, all whose gradient has been used."""
    infos = _infos()
    known = {shown_name(name): name for name in infos}
    unknown = [name for name in names if shown_name(name) not in known]
    if unknown:
        raise LookupError(f"no gradient of a kernel named {unknown[0]!r} has been computed{looks.meant(unknown[0], known)}")
    return {known[shown_name(name)]: infos[known[shown_name(name)]] for name in names} if names else infos


def set_budget(info, count):
    """Sets the budget, with which the gradient is recompiled at its next call. None: the option of the program."""
    if count == info.ad_stack_budget_bytes:
        return
    _newest_kept(info)
    # Kept alive until its successor runs, so that qd.ad.memory_report() shows what the view does.
    _replaced[info] = info.derivatives.get(_REVERSE)
    info.ad_stack_budget_bytes = count
    info.forget_gradient()


_known = weakref.WeakKeyDictionary()  # KernelInfo -> AdstackKernel, until a gradient with another budget has run
_whole = weakref.WeakKeyDictionary()  # KernelInfo -> bytes of one iteration without a budget, as far as known
_replaced = weakref.WeakKeyDictionary()  # KernelInfo -> the gradient with the previous budget, until the next call
_settings.after_reset += [_known.clear, _whole.clear, _replaced.clear]


def _newest_kept(info, report=None):
    """Returns what its gradient kept at its last launch, or None."""
    if found := _kept_of(info, report):
        _known[info] = found[-1]
    if len(found) > 1:
        _replaced.pop(info, None)
    return _known.get(info)


def _budget(info):
    own = info.ad_stack_budget_bytes
    return own if own is not None else int(_settings.current().ad_stack_budget_bytes)


# --- data ------------------------------------------------------------------------------------------------------------

def _shift(file, line):
    """Returns the offset of the lines of a cell, which also count the line of its magic."""
    for entry in cells.registry.entries.values():
        if _source.shown_name(entry.file) == file and entry.first_line <= line <= entry.last_line:
            return entry.shift
    return 0


def _most(kept, what):
    """Returns the maximum over tasks, per thread, since tasks run one after the other."""
    return max((getattr(task, what) for task in kept.tasks), default=0) if kept is not None else 0


class View:
    """The display of `%qd_adstack`."""

    def __init__(self, shell, names):
        self.shell, self.id = shell, uuid.uuid4().hex
        self.infos = pick(names)
        self.measured = {}  # name -> measurements
        self.said, self.measuring, self.running = "", "", ""
        self.stopped = None  # the KeyboardInterrupt that ended a measurement
        self.model, self.acted = None, False
        self.take()

    def take(self, report=None):
        """Reads what is kept. `report`: a memory report, read now unless given; of a launch that is still running, in another thread, it
        has the current figures."""
        report = _memory.memory_now() if report is None else report
        self.report, self.kernels = _memory.MemoryReport(), []
        for name, info in self.infos.items():
            if (kept := _newest_kept(info, report)) is None:
                continue
            self.report.append(kept)
            _whole[info] = max(_whole.get(info, 0), _most(kept, "of_one"))
            file = file_of(kept)
            self.kernels.append({"name": shown_name(name), "budget": _budget(info), "whole": _whole[info],
                                 "tasks": [task_data(task, file, _shift) for task in kept.tasks],
                                 "measurements": self.measured.get(name, [])})

    def info(self, shown):
        for name, info in self.infos.items():
            if shown_name(name) == shown:
                return info
        raise LookupError(f"no kernel named {shown!r} is shown here")

    # user actions
    def set_budget(self, shown, count):
        info = self.info(shown)
        set_budget(info, count)
        self.said = f"{shown}: the gradient is compiled with this budget at its next call" if count else \
            f"{shown}: the gradient keeps all values from its next call on"
        for kernel in self.kernels:
            if kernel["name"] == shown:
                kernel["budget"] = _budget(info)

    def measure(self, shown):
        info = self.info(shown)
        self.measuring, self.said = shown, ""
        found = self.measured[info.name] = []
        self.update()
        try:
            for one in measurements(info, newest.of(info)):
                found.append(one)
                self.show(shown, found)
        except KeyboardInterrupt as stop:
            self.said, self.stopped = f"{shown}: Stop was pressed", stop
        except Exception as error:
            text = str(error).strip() or type(error).__name__
            self.said = f"{shown}: {text.splitlines()[-1]}"
        finally:
            self.measuring = ""
            self.show(shown, found)

    def show(self, shown, found):
        for kernel in self.kernels:
            if kernel["name"] == shown:
                kernel["measurements"] = list(found)
                if found:
                    kernel["whole"] = _whole[self.info(shown)]
        self.update()

    def update(self):
        if self.model is not None:
            with self.model.hold_sync():
                # a trait ignores a list that is equal to the old one
                self.model.kernels, self.model.said = list(map(dict, self.kernels)), self.said
                self.model.measuring, self.model.running = self.measuring, self.running

    def asked(self, _, content, buffers):
        """Handles a message of the page."""
        self.acted = True
        if content.get("do") == "budget":
            self.set_budget(content["kernel"], max(0, int(content["bytes"])))
            self.update()
        elif content.get("do") == "measure":
            self.measure(content["kernel"])
        self.store()

    def follow(self, report):
        """While a cell runs: shows what a running gradient has kept so far."""
        running = next((name for name, info in self.infos.items() if any(map(_runs, _kept_of(info, report)))), None)
        if running is None or self.measuring:
            return
        before, self.running = self.kernels, shown_name(running)
        self.take(report)
        if self.kernels != before or self.model.running != self.running:
            self.update()

    def refresh(self):
        """To be called at the end of a cell."""
        if self.running:
            self.running = ""
            self.update()
        before = self.kernels
        self.take()
        if not self.kernels:  # the program has ended
            self.kernels = before
        elif self.kernels != before:
            self.said = ""
            self.update()
            if self.acted:
                self.store()

    def store(self):
        """Updates what a saved notebook shows."""
        data, metadata = self.shell.display_formatter.format(self)
        self.shell.display_pub.publish(data, metadata, transient={"display_id": self.id}, update=True)

    # display
    def __repr__(self):
        measured = [measured_text(kernel) for kernel in self.kernels if kernel["measurements"]]
        return "\n".join(filter(None, [str(self.report), *measured, self.said]))

    def as_data(self):
        return {"version": VERSION, "kernels": self.kernels, "said": self.said}

    def _repr_mimebundle_(self, **_):
        data = {"text/plain": repr(self), "text/html": static_html(self.kernels), MIME: self.as_data()}
        make = model_class("adstack", **TRAITS) if self.kernels else None
        if make is None:
            return data
        if self.model is None:
            self.model = make(kernels=self.kernels, said=self.said)
            self.model.on_msg(self.asked)
            views.opened(self)
        bundle = self.model._repr_mimebundle_()
        return {**((bundle[0] if isinstance(bundle, tuple) else bundle) or {}), **data}


class Views:
    """The views that may still be on a page."""

    def __init__(self):
        self.open = []

    def opened(self, view):
        from quadrants_jupyter.live import live

        self.open.append(view)
        del self.open[:-OPEN]
        live.watch(self.follow)

    def follow(self):
        if self.open and any(map(_runs, report := _memory.memory_now())):
            for view in self.open:
                view.follow(report)

    def refresh(self, *_):
        for view in self.open:
            view.refresh()


views = Views()


# --- measuring -------------------------------------------------------------------------------------------------------

def measurements(info, args):
    """Runs the gradient with each choice and yields what each takes. Restores all memory afterwards."""
    from quadrants._gradients import state as _state

    if _prints(info):
        raise Refused("it prints")
    state = _state.State(ELEMENTS)
    asked = info.ad_stack_budget_bytes, info.coverage
    try:
        with _kernel.unrecorded():
            state.keep(info, args)
            info.coverage = False
            whole, seen = 0, set()
            for part in (1, *PARTS):
                budget = 0 if part == 1 else max(8, whole // part)
                with warnings.catch_warnings():  # an exceeded budget is among the results
                    warnings.simplefilter("ignore", RuntimeWarning)
                    one = _measured(info, args, budget, seen)
                if part == 1:
                    whole = _whole[info] = one["measured"]
                state.restore(companions=True)
                if one is not None:
                    yield {"part": part, **one}
                if not whole:
                    return
    finally:
        info.ad_stack_budget_bytes, info.coverage = asked
        state.close()


def _prints(info):
    from quadrants_jupyter import badge

    return badge._prints(info)


def _measured(info, args, budget, seen):
    """Returns None if the same choice was measured already and is in `seen`."""
    info.ad_stack_budget_bytes = budget
    made = info._derive(_REVERSE)
    there = len(_kept_of(info))
    made(*args)  # compiles the gradient
    kept = _kept_of(info)
    own = kept[-1] if len(kept) > there else None
    choices = dict.fromkeys(loop.choice for task in own.tasks for loop in task.loops if loop.variables) if own is not None else ()
    cut = [choice for choice in choices if choice != "keep"]
    found = {"measured": _most(own, "of_one"), "choice": ", ".join(cut) or "keep"}
    if (chosen := tuple(found.values())) in seen:
        return None
    seen.add(chosen)
    times = []
    while not times or len(times) < RUNS and sum(times) < SECONDS:
        start = time.perf_counter()
        made(*args)
        times.append(time.perf_counter() - start)
    return {"budget": budget, "seconds": min(times), **found}


def _kept_of(info, report=None):
    """Returns what gradients of the kernel keep, newest last, followed by one that is running."""
    found = [kept for kept in (_memory.memory_report() if report is None else report) if kept.name == f"{info.name}_reverse_grad"]
    return sorted(found, key=_runs)


def _runs(kept):
    return any(task.running for task in kept.tasks)


# --- static HTML -----------------------------------------------------------------------------------------------------

_cell = 'style="text-align:left;padding:1px 10px"'
_heat = "#e8710a"


def grouped(count):
    return f"{count:,}"


def part_name(part):
    return "keep all" if part == 1 else f"budget 1/{part}"


def choice_text(choice):
    """Describes which iterations of a loop are kept, from "keep" or "every k-th"."""
    if choice == "keep":
        return "all iterations"
    return re.sub(r"every (\d+)-th", lambda m: f"every {_ordinal(int(m[1]))} iteration", choice) + "; the others are recomputed"


def _ordinal(n):
    return f"{n}{'th' if 10 < n % 100 < 14 else {1: 'st', 2: 'nd', 3: 'rd'}.get(n % 10, 'th')}"


def kept_text(task):
    """Describes what a task keeps: for one iteration, for a thread, for all threads."""
    beside = f", {task['lanes']} iterations at once on a thread" if task["lanes"] > 1 else ""
    return (f"{grouped(task['of_one'])} bytes for one iteration{beside}: {grouped(task['predicted'])} bytes predicted, "
            f"{grouped(task['measured'])} measured on one thread, {grouped(task['total'])} on all")


def milliseconds(seconds):
    return f"{seconds * 1e3:.3g} ms"


def measured_text(kernel):
    """Describes the measurements of a kernel, one per line, without times, so that a saved notebook can be compared."""
    lines = [f"{kernel['name']} with several budgets:"]
    for one in kernel["measurements"]:
        budget = f"{part_name(one['part'])} ({grouped(one['budget'])} bytes)" if one["budget"] else part_name(one["part"])
        lines.append(f"  {budget}: {grouped(one['measured'])} bytes for one iteration; kept: {choice_text(one['choice'])}")
    return "\n".join(lines)


def _table(head, rows):
    top = "".join(f"<th {_cell}>{escape(name)}</th>" for name in head)
    body = "".join("<tr>" + "".join(f"<td {_cell}>{one}</td>" for one in row) + "</tr>" for row in rows)
    return f'<table style="border-collapse:collapse"><tr>{top}</tr>{body}</table>'


def _loop_row(loop):
    trips = "not run yet" if loop["trips"] is None else grouped(loop["trips"])
    kept = ", ".join(f"<code>{escape(v['name'] or '?')}</code> ({escape(v['type'])}, line {v['line']}, {v['bytes']} bytes)"
                     for v in loop["variables"])
    return [f"<span style=\"padding-left:{loop['depth']}em\">{loop['line']}: <code>{escape(loop['text'])}</code></span>", trips, kept, grouped(loop["slot_bytes"]), grouped(loop["bytes"]),
            escape(": ".join(filter(None, (choice_text(loop["choice"]), loop["reason"]))))]


def _html_kernel(kernel):
    budget = f"budget {grouped(kernel['budget'])} bytes for one iteration" if kernel["budget"] else "no budget"
    parts = [f'<div style="margin:.6em 0 .2em"><b>{escape(kernel["name"])}</b> <span style="{dim}">{budget}</span></div>']
    for task in kernel["tasks"]:
        parts.append(f'<div>line {task["line"]}: <code>{escape(task["text"])}</code> <span style="{dim}">{kept_text(task)}</span></div>')
        if task["excess"]:
            parts.append(f'<div>{escape(task["excess"])}</div>')
        parts.append(_table(["loop", "iterations", "kept", "bytes per iteration", "bytes per thread", "choice"], map(_loop_row, task["loops"])))
    if kernel["measurements"]:
        rows = [[part_name(m["part"]), grouped(m["budget"]) if m["budget"] else "none", escape(choice_text(m["choice"])), grouped(m["measured"]),
                 f'<span class="qd-time">{milliseconds(m["seconds"])}</span>'] for m in kernel["measurements"]]
        parts.append(picture(kernel["measurements"]))
        parts.append(_table(["measured", "budget, bytes", "choice", "bytes of one iteration", "time of a launch"], rows))
    return "".join(parts)


WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 420, 200, 70, 40, 30, 90


def spread(points):
    """Returns the offsets by which labels of points are moved down, so that none overlap."""
    moved = [0.0] * len(points)
    order = sorted(range(len(points)), key=lambda at: points[at][1])
    for rank, at in enumerate(order):
        for other in order[:rank]:
            gap = points[at][1] - (points[other][1] + moved[other])
            if abs(points[at][0] - points[other][0]) <= RIGHT and gap < 13:
                moved[at] = max(moved[at], 13 - gap)
    return moved


def picture(found):
    """Draws time against memory, as widgets/adstack/chart.ts does."""
    most, longest = (max(m[what] for m in found) or 1 for what in ("measured", "seconds"))
    points = [(LEFT + (WIDTH - LEFT - RIGHT) * m["measured"] / most, HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * m["seconds"] / longest)
              for m in found]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{_heat}"/><text x="{x + 8:.1f}" y="{y + down:.1f}">{part_name(m["part"])}</text>'
                   for (x, y), down, m in zip(points, spread(points), found))
    floor, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    return (f'<svg class="qd-time" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" fill="currentColor" font-size="11" '
            f'role="img" aria-label="time against memory"><path d="M{LEFT},{TOP}V{floor}H{right}" fill="none" stroke="currentColor"/>'
            f'<polyline points="{line}" fill="none" stroke="{_heat}"/>{dots}'
            f'<text x="{right}" y="{floor + 16}" text-anchor="middle">{grouped(most)}</text>'
            f'<text x="{(LEFT + right) / 2}" y="{floor + 32}" text-anchor="middle">bytes of one iteration</text>'
            f'<text x="{LEFT}" y="{TOP - 12}" text-anchor="middle">time of a launch</text>'
            f'<text x="{LEFT - 6}" y="{floor + 4}" text-anchor="end">0</text>'
            f'<text x="{LEFT - 6}" y="{TOP + 4}" text-anchor="end">{milliseconds(longest)}</text>'
            f'<text x="{LEFT}" y="{floor + 16}" text-anchor="middle">0</text></svg>')


def static_html(kernels):
    if not kernels:
        return "<i>no reverse-mode kernel stores any values</i>"
    return "".join(map(_html_kernel, kernels))


# --- display ---------------------------------------------------------------------------------------------------------

def show(shell, view):
    from IPython.display import display

    display(view, display_id=view.id)
