"""Coverage while cells run, for the marks that JupyterLab puts beside the lines of a cell: the Python side of
widgets/protocol/coverage.ts.

At the first kernel of a cell that is counted a thread is started, and a comm opened if the front end names its cells. While a cell runs, the thread looks at the
counts about five times a second, and where they grew it tells those who listen; launches know nothing of it. The end of a cell
tells them once more, and so does the end of a callback. What threads and tasks count between cells is found by the thread, which
looks less often the longer nothing happens. Where nobody listens nothing is taken and nothing is sent.
"""

import atexit
import contextvars
import logging
import os
import threading
import time

from quadrants._coverage import counts as _coverage
from quadrants._live import coverage
from quadrants._live.counts import unfinished_now
from quadrants._live.kept import kept_now
from quadrants._live.runs import History
from quadrants_jupyter import ordinary
from quadrants_jupyter.looks import MIME, digest

TARGET = "quadrants.coverage"
VERSION = 1
_period = 0.2  # s
_longest = 1.0  # s between two looks when no cell runs and nothing is counted
_share = 0.008  # of the time of a core: with many counters, news come less often


# --- shapes ----------------------------------------------------------------------------------------------------------

def coverage_of(cells, history):
    """Cell -> CellCoverage."""
    told = coverage.coverage_of(cells, history)
    return {cell: {"cell_id": cell.known_as, **told[cell]} for cell in cells}


def message(told, scale, running=False):
    """A CoverageMessage."""
    return {"version": VERSION, "running": running, "scale": scale, "cells": list(told.values())}


# --- telling ---------------------------------------------------------------------------------------------------------

class Live:
    """Follows the executions of a session. `lock` guards what the publishing thread shares with the cells."""

    def __init__(self):
        self.history = History()
        self.lock = threading.RLock()
        self.comms = set()
        self.watchers = []  # called while a cell runs, about as often as counts are told
        self.followers = {}  # heatmap.Display that follow, by the cell that they stand under
        self.news = {}  # cells of which more is known than was sent, in order
        self.touched = {}  # cells of which the execution changed anything
        self.told_running = False  # somebody was told that more is to come
        self.told_at = -_period
        self.stamp = None  # of the counts that were taken last
        self.publisher = None
        self.has_ids = False  # the front end names its cells
        self.awaits_page = False  # no comm is open for a page that runs cells

    # What cells do.

    def begin(self):
        with self.lock:
            self.take()
            self.history.begin()
            self.touched.clear()
        if self.publisher is not None:
            self.publisher.begin()

    def define(self, cell_id, number, digest, entries):
        """These stand in the cell that runs; it may run them at once."""
        with self.lock:
            self.changed([self.history.define(cell_id, f"cell {number}", digest, entries)])

    def end(self):
        if self.publisher is not None:
            self.publisher.end()
        with self.lock:
            ordinary.cells.settle()
            self.take()
            self.leave_old(executions.place)
            self.take_kept()
            self.tell({**self.news, **self.touched}, running=False)
            self.store()
            self.history.begin()

    def leave_old(self, place):
        """Kernels of an ordinary cell that ran again are others now, which were not counted yet."""
        cell = self.history.listings.get(place.cell_id) if place is not None and not place.entries else None
        if cell is not None and any(isinstance(entry, ordinary.Compiled) for entry in cell.entries):
            self.place(place)
            self.changed(self.history.leave_out_replaced())

    def forget(self):
        """The counts were cleared."""
        with self.lock:
            self.stamp = None
            self.history.forget()
            self.changed(self.history.listings.values())

    def clear(self, entries):
        """These begin from zero."""
        with self.lock:
            self.take()
            self.stamp = None
            self.changed(self.history.clear(entries))

    def changed(self, cells):
        for cell in cells:
            self.news[cell] = self.touched[cell] = True

    # What happens between cells: callbacks, threads and tasks launch kernels.

    def begin_callback(self):
        if self.publisher is not None:
            with self.lock:
                self.take()
                self.history.begin()

    def end_callback(self):
        """Tells at once, if that is not too often; else the thread does."""
        if self.publisher is None:
            return
        with self.lock:
            if time.monotonic() - self.told_at >= _period:
                self.take()
                self.take_kept()
                self.tell(self.news, running=False)
            self.history.begin()
        self.publisher.look()

    # What is sent.

    def listened_to(self):
        return bool(self.comms or self.followers or self.watchers)

    def take(self):
        waiting = ordinary.cells.waiting()
        if not self.history.listings and not waiting:
            return
        stamp = (_coverage._stamp(), unfinished_now())
        if stamp == self.stamp and not waiting:
            self.changed(self.history.leave_out_replaced())
            return
        self.stamp = stamp  # what is counted from here on is not part of it
        self.changed(self.history.read())
        for place in ordinary.cells.find(waiting, self.history.now):
            self.place(place)
        self.changed(self.history.leave_out_replaced())

    def take_kept(self):
        """What gradients keep is known when their kernels are over; pages are told that of cells without counts, too."""
        if self.history.listings and (kept := kept_now()):
            if self.publisher is None:
                self.start(executions.shell)
                self.publisher.end()
            self.changed(self.history.keep(kept))

    def place(self, place):
        """What is known of an ordinary cell."""
        self.changed([self.history.define(place.cell_id, f"cell {place.number}", digest(place.text), place.entries)])

    def tick(self, running):
        """What the thread does. False: nothing grew."""
        with self.lock:
            if self.publisher.running is not running:
                return True  # the end of the cell was told meanwhile
            grew = self.publisher.context.run(self.tell_growth, running)
            for watcher in self.watchers if running else ():
                self.publisher.context.run(watcher)
            return grew

    def tell_growth(self, running):
        self.take()
        grew = bool(self.news)
        if running or grew:
            self.tell(self.news, running=True)
        else:
            self.tell({}, running=False)
            self.store()
        return grew

    def tell(self, cells, running):
        if not cells and not (self.told_running and not running):
            return
        if self.listened_to():
            told = coverage_of(cells, self.history)
            for comm in list(self.comms):
                comm.send(message(told, self.history.scale(), running))
            for follower in self.followers.values():
                follower.update(running, told)
        self.told_running, self.told_at = running, time.monotonic()
        self.news.clear()

    def store(self):
        for follower in self.followers.values():
            follower.store()

    # Who listens.

    def start(self, shell):
        """At the first cell with kernels that are counted, or gradients that keep values: waits for pages that open a comm."""
        if self.publisher is not None:
            return
        self.publisher = Publisher(self)
        self.publisher.start()
        self.publisher.begin()
        atexit.register(self.publisher.stop)
        os.register_at_fork(after_in_child=self.stay_silent)
        _coverage._after_clear.append(self.forget)
        if getattr(shell, "kernel", None) is None:
            return
        import comm

        comm.get_comm_manager().register_target(TARGET, self.joined)
        self.awaits_page = True
        self.meet(executions.current()[0])

    def meet(self, cell_id):
        """A cell is about to run. Opens the comm once any had an id: who runs cells without has none to mark, and may complain of
        a comm that nobody takes."""
        self.has_ids = self.has_ids or cell_id is not None
        if not self.awaits_page or not self.has_ids:
            return
        self.awaits_page = False
        import comm

        self.listen(comm.create_comm(target_name=TARGET, data={}))

    def follow(self, cell, display):
        """A cell that is run again shows a display of its own, or none (None), in place of the one before."""
        with self.lock:
            self.followers.pop(cell, None)
            if display is not None:
                self.followers[cell] = display
                self.publisher.look()

    def watch(self, told):
        with self.lock:
            if told not in self.watchers:
                self.watchers.append(told)
                self.start(executions.shell)
                self.publisher.look()

    def listen(self, comm):
        self.comms.add(comm)
        comm.on_close(lambda _: self.comms.discard(comm))
        self.publisher.look()

    def joined(self, comm, opened):
        """A page came later: it is told everything. It may ask for zeros first."""
        if opened["content"].get("data", {}).get("clear") is True:
            _coverage.clear()
        with self.lock:
            self.take()
            self.tell(self.news, running=self.told_running)
            self.listen(comm)
            if self.history.listings:
                told = coverage_of(self.history.listings.values(), self.history)
                comm.send(message(told, self.history.scale(), self.told_running))

    def stay_silent(self):
        """In a forked child, which has no front end, nor the thread; that may have held any lock of its own."""
        self.lock = threading.RLock()
        self.publisher, self.awaits_page = None, False
        self.comms.clear()
        self.watchers.clear()
        self.followers.clear()


class Publisher(threading.Thread):
    """Looks at the counts while a cell runs, and, ever less often as long as they stand still, between cells."""

    pydev_do_not_trace = is_pydev_daemon_thread = True  # a debugger does not stop it

    def __init__(self, live):
        super().__init__(name="quadrants coverage", daemon=True)
        self.live = live
        self.state = threading.Condition()
        self.running = self.called = self.stopping = False

    def begin(self):
        self.context = contextvars.copy_context()  # what is sent belongs to the cell that ran last
        self.become(running=True)

    def end(self):
        self.become(running=False)

    def look(self):
        """Something may have been counted."""
        self.become(called=True)

    def stop(self):
        self.become(stopping=True)

    def become(self, **state):
        with self.state:
            vars(self).update(state)
            self.state.notify()

    def turned(self, running, pause):
        """Waits for the time to look, or for another state."""
        with self.state:
            quiet = None if not self.live.listened_to() else pause
            turned = self.state.wait_for(lambda: self.stopping or self.called or self.running is not running, quiet)
            self.called = False
            return turned

    def run(self):
        share, between, running = _period, _period, False
        while not self.stopping:
            if self.turned(running, share if running else max(share, between)):
                running, between = self.running, _period
                continue
            start = time.thread_time()
            try:
                grew = self.live.tick(running)
            except Exception:
                logging.getLogger(__name__).warning("Coverage of running cells is not told any more", exc_info=True)
                return
            share = max(_period, (time.thread_time() - start) / _share)
            between = _period if grew else min(2 * between, _longest)


live = Live()


# --- cells of the session --------------------------------------------------------------------------------------------

class Executions:
    """Which cell runs, by what IPython tells before and after each."""

    def __init__(self, shell):
        self.shell = shell
        self.open = []  # executions that go on, the outermost first
        self.loading = False  # this package was loaded by the cell that runs
        self.place = None  # ordinary.Place of the outermost, if it is numbered

    def pre_run_cell(self, info):
        self.loading = False
        if getattr(info, "cell_id", None) is not None:
            self.open.clear()  # the front end runs one cell at a time
        if not self.open:
            for cell in self.request().get("metadata", {}).get("deletedCells", ()) if live.followers else ():
                live.follow(cell, None)
            live.meet(getattr(info, "cell_id", None))
            live.begin()
        self.open.append(info)
        place = self.note(info.raw_cell, info) if info.store_history and not info.silent else None
        if len(self.open) == 1:
            self.place = place

    def post_run_cell(self, result):
        info = getattr(result, "info", None)
        at = [n for n, one in enumerate(self.open) if one is info]
        del self.open[at[0] if at else 0:]
        self.loading = False
        if not self.open:
            live.end()

    def pre_execute(self):
        """Of a callback, too: of a widget, or another comm."""
        if not self.open and not self.loading:
            live.begin_callback()

    def post_execute(self):
        if not self.open and not self.loading:
            live.end_callback()

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
_events = ("pre_execute", "post_execute", "pre_run_cell", "post_run_cell")


def register(shell):
    global executions
    executions = Executions(shell)
    text = executions.current()[1]
    if text:
        executions.loading = True
        executions.place = executions.note(text)
    live.begin()
    ordinary.cells.follow(lambda: live.start(shell))
    for event in _events:
        shell.events.register(event, getattr(executions, event))


def unregister(shell):
    ordinary.cells.leave()
    for event in _events:
        shell.events.unregister(event, getattr(executions, event))
