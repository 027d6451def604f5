"""Coverage while cells run, for the marks that JupyterLab puts beside the lines of a cell: the Python side of
widgets/protocol/coverage.ts.

At the first kernel of a cell that is counted a comm is opened and a thread started. While a cell runs, the thread takes the
counts about five times a second, and where they grew it tells those who listen; launches know nothing of it. The end of a cell
tells them once more. Where nobody listens nothing is taken and nothing is sent.
"""

import atexit
import contextvars
import logging
import os
import threading
import time

from quadrants_jupyter import ordinary
from quadrants_jupyter.counts import Reading, code_lines
from quadrants_jupyter.runs import History

TARGET = "quadrants.coverage"
MIME = "application/vnd.quadrants.coverage+json"
VERSION = 1
_period = 0.2  # s
_share = 0.008  # of the time of a core: with many counters, news come less often


# --- shapes ----------------------------------------------------------------------------------------------------------

def digest(text):
    """64-bit FNV-1a of the text in UTF-8."""
    state = 0xCBF29CE484222325
    for byte in text.encode("utf-8", "surrogatepass"):
        state = ((state ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return f"{state:016x}"


_outcomes = ("taken", "not_taken", "entered", "zero_trips", "broken")


def _line(cell, entry, number, reading):
    outcomes = reading.outcomes_of(entry, number)
    return {
        "number": number + entry.shift,
        "count": reading.count(entry.label, number),
        "newest": cell.newest(entry, number),
        "previous": cell.previous(entry, number),
        "outcomes": {name: outcomes[name] for name in _outcomes if name in outcomes},
    }


def _specialisations(cell, by_kernel):
    wanted = {(entry.label, number): number + entry.shift for entry in cell.entries for number in code_lines(entry)}
    found, numbers = [], {}
    for (kernel, _), rows in by_kernel:
        lines = {}
        for (what, name, line, _, _), count in rows:
            if what == "line" and (name, line) in wanted:
                lines.setdefault(wanted[name, line], []).append(count)
        if lines:
            numbers[kernel] = numbers.get(kernel, 0) + 1
            shown = [{"number": n, "count": sum(copies), "copies": copies} for n, copies in sorted(lines.items())]
            found.append({"name": f"{kernel}, specialisation {numbers[kernel]}", "lines": shown})
    return found


def coverage_of(cells, reading):
    """Cell -> CellCoverage."""
    from quadrants import _coverage

    by_kernel = sorted((key, sorted(rows.items())) for key, rows in _coverage._by_kernel().items())
    told = {}
    for cell in cells:
        lines = [_line(cell, entry, number, reading) for entry in cell.entries for number in code_lines(entry)
                 if reading.count(entry.label, number) is not None]
        ran = any(line["count"] for line in lines)
        told[cell] = {
            "cell_id": cell.cell_id,
            "label": cell.label,
            "digest": cell.digest,
            "lines": sorted(lines, key=lambda line: line["number"]) if ran else [],
            "specialisations": _specialisations(cell, by_kernel) if ran else [],
        }
    return told


def message(told, running=False):
    """A CoverageMessage."""
    return {"version": VERSION, "running": running, "cells": list(told.values())}


# --- telling ---------------------------------------------------------------------------------------------------------

class Live:
    """Follows the executions of a session. `lock` guards what the publishing thread shares with the cells."""

    def __init__(self):
        self.history = History()
        self.lock = threading.RLock()
        self.comms = set()
        self.followers = {}  # heatmap.Display that follow, by the cell that they stand under
        self.news = {}  # cells of which more is known than was sent, in order
        self.touched = {}  # cells of which the execution changed anything
        self.told_running = False  # somebody was told that more is to come
        self.publisher = None

    # What cells do.

    def begin(self):
        with self.lock:
            self.history.begin()
            self.touched.clear()
        if self.publisher is not None:
            self.publisher.begin()

    def define(self, cell_id, number, digest, entries):
        """These stand in the cell that runs; it may run them at once."""
        with self.lock:
            self.changed([self.history.define(cell_id, number, digest, entries)])

    def end(self):
        if self.publisher is not None:
            self.publisher.end()
        with self.lock:
            self.take()
            self.leave_old(executions.place)
            self.tell(self.touched, running=False)
            for follower in self.followers.values():
                follower.store()

    def leave_old(self, place):
        """Kernels of an ordinary cell that ran again are others now, which were not counted yet."""
        cell = self.history.cells.get(place.cell_id) if place is not None and not place.entries else None
        if cell is not None and any(isinstance(entry, ordinary.Compiled) for entry in cell.entries):
            self.place(place)

    def forget(self):
        """The counts were cleared."""
        with self.lock:
            self.history.forget()
            self.changed(self.history.cells.values())

    def changed(self, cells):
        for cell in cells:
            self.news[cell] = self.touched[cell] = True

    # What is sent.

    def listened_to(self):
        return bool(self.comms or self.followers)

    def take(self):
        waiting = ordinary.cells.waiting()
        if self.history.cells or waiting:
            reading = Reading()
            for place in ordinary.cells.find(waiting, reading):
                self.place(place)
            self.changed(self.history.read(reading))

    def place(self, place):
        """What is known of an ordinary cell."""
        self.changed([self.history.define(place.cell_id, place.number, digest(place.text), place.entries)])

    def tick(self):
        with self.lock:
            if self.publisher.running.is_set():  # else the end of the cell was told meanwhile
                self.publisher.context.run(self.tell_growth)

    def tell_growth(self):
        self.take()
        self.tell(self.news, running=True)

    def tell(self, cells, running):
        if not cells and not (self.told_running and not running):
            return
        if self.listened_to():
            told = coverage_of(cells, self.history.now)
            for comm in list(self.comms):
                comm.send(message(told, running))
            for follower in self.followers.values():
                follower.update(running, told)
        self.told_running = running
        self.news.clear()

    # Who listens.

    def start(self, shell):
        """At the first cell with kernels: opens the comm, and waits for pages that open one."""
        if self.publisher is not None:
            return
        self.publisher = Publisher(self)
        self.publisher.start()
        self.publisher.begin()
        atexit.register(self.publisher.stop)
        os.register_at_fork(after_in_child=self.stay_silent)
        from quadrants import _coverage

        _coverage._after_clear.append(self.forget)
        if getattr(shell, "kernel", None) is None:
            return
        import comm

        comm.get_comm_manager().register_target(TARGET, self.joined)
        self.listen(comm.create_comm(target_name=TARGET, data={}))

    def follow(self, cell, display):
        """A cell that is run again shows a display of its own, or none (None), in place of the one before."""
        with self.lock:
            self.followers.pop(cell, None)
            if display is not None:
                self.followers[cell] = display

    def listen(self, comm):
        self.comms.add(comm)
        comm.on_close(lambda _: self.comms.discard(comm))

    def joined(self, comm, _):
        """A page came later: it is told everything."""
        with self.lock:
            self.listen(comm)
            if self.history.cells:
                comm.send(message(coverage_of(self.history.cells.values(), self.history.now)))

    def stay_silent(self):
        """In a forked child, which has no front end, nor the thread; that may have held any lock of its own."""
        self.lock = threading.RLock()
        self.publisher = None
        self.comms.clear()
        self.followers.clear()


class Publisher(threading.Thread):
    def __init__(self, live):
        super().__init__(name="quadrants coverage", daemon=True)
        self.live = live
        self.running, self.over, self.stopping = threading.Event(), threading.Event(), False

    def begin(self):
        self.context = contextvars.copy_context()  # what is sent belongs to the cell that runs
        self.over.clear()
        self.running.set()

    def end(self):
        self.running.clear()
        self.over.set()

    def stop(self):
        self.stopping = True
        self.running.set()
        self.over.set()

    def run(self):
        pause = _period
        while self.running.wait() and not self.stopping:
            if self.over.wait(pause) or not self.live.listened_to():
                continue
            start = time.thread_time()
            try:
                self.live.tick()
            except Exception:
                logging.getLogger(__name__).warning("Coverage of running cells is not told any more", exc_info=True)
                return
            pause = max(_period, (time.thread_time() - start) / _share)


live = Live()


# --- cells of the session --------------------------------------------------------------------------------------------

class Executions:
    """Which cell runs, by what IPython tells before and after each."""

    def __init__(self, shell):
        self.shell = shell
        self.open = []  # executions that go on, the outermost first
        self.place = None  # ordinary.Place of the outermost, if it is numbered

    def pre_run_cell(self, info):
        if getattr(info, "cell_id", None) is not None:
            self.open.clear()  # the front end runs one cell at a time
        if not self.open:
            for cell in self.request().get("metadata", {}).get("deletedCells", ()) if live.followers else ():
                live.follow(cell, None)
            live.begin()
        self.open.append(info)
        place = self.note(info.raw_cell, info) if info.store_history and not info.silent else None
        if len(self.open) == 1:
            self.place = place

    def post_run_cell(self, result):
        info = getattr(result, "info", None)
        at = [n for n, one in enumerate(self.open) if one is info]
        del self.open[at[0] if at else 0:]
        if not self.open:
            live.end()

    def note(self, text, info=None):
        """Where functions of the cell that runs stand."""
        code = getattr(info, "transformed_cell", None) or self.shell.transform_cell(text)
        number = self.shell.displayhook.prompt_count
        return ordinary.cells.ran(self.shell.compile, self.current()[0], number, text, code)

    def current(self):
        """(the front end's id, text) of the cell that runs."""
        if self.open:
            info = self.open[-1]
            return getattr(info, "cell_id", None), info.raw_cell
        request = self.request()  # this package was loaded by the cell that runs
        return request.get("metadata", {}).get("cellId"), request.get("content", {}).get("code")

    def request(self):
        return self.shell.kernel.get_parent() if getattr(self.shell, "kernel", None) else {}


executions = None


def register(shell):
    global executions
    executions = Executions(shell)
    text = executions.current()[1]
    if text:
        executions.place = executions.note(text)
    live.begin()
    ordinary.cells.follow(lambda: live.start(shell))
    shell.events.register("pre_run_cell", executions.pre_run_cell)
    shell.events.register("post_run_cell", executions.post_run_cell)


def unregister(shell):
    ordinary.cells.leave()
    shell.events.unregister("pre_run_cell", executions.pre_run_cell)
    shell.events.unregister("post_run_cell", executions.post_run_cell)
