"""Coverage while cells run, for the marks that JupyterLab shows next to the lines of a cell: the Python side of
widgets/protocol/coverage.ts.

The first counted kernel of a cell starts a thread, and opens a comm if the front end sends ids of cells. While a cell runs, the thread
reads the counts about five times a second, and sends those that grew to the listeners; launches are not involved. The end of a cell
sends them once more, and so does the end of a callback. Counts of threads and tasks between cells are found by the thread, which
checks less often the longer nothing happens. Without listeners, nothing is read and nothing is sent.
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
from quadrants._live.kept import adstack_now
from quadrants._live.runs import History
from quadrants_jupyter import ordinary
from quadrants_jupyter.looks import MIME, digest

TARGET = "quadrants.coverage"
VERSION = 1
_period = 0.2  # s
_longest = 1.0  # s between two checks when no cell runs and nothing is counted
_share = 0.008  # maximum share of a core's time: with many counters, updates are sent less often


# --- shapes ----------------------------------------------------------------------------------------------------------

def coverage_of(cells, history):
    """Returns {cell: CellCoverage}."""
    coverages = coverage.coverage_of(cells, history)
    return {cell: {"cell_id": cell.known_as, **coverages[cell]} for cell in cells}


def message(coverages, scale, running=False):
    """Returns a CoverageMessage."""
    return {"version": VERSION, "running": running, "scale": scale, "cells": list(coverages.values())}


# --- publishing ------------------------------------------------------------------------------------------------------

class Live:
    """Follows the executions of a session. `lock` guards what the publishing thread shares with the cells."""

    def __init__(self):
        self.history = History()
        self.lock = threading.RLock()
        self.comms = set()
        self.watchers = []  # called while a cell runs, about as often as counts are sent
        self.followers = {}  # heatmap.Display objects that follow, by the cell that shows them
        self.unsent = {}  # cells with changes that have not been sent, in order
        self.touched = {}  # cells in which the execution changed anything
        self.published_running = False  # the last message said that more will come
        self.published_at = -_period
        self.stamp = None  # stamp of the counts that were read last
        self.publisher = None
        self.has_ids = False  # the front end sends ids of cells
        self.awaits_page = False  # no comm is open yet for a page that runs cells

    # Executions of cells.

    def begin(self):
        with self.lock:
            self.take()
            self.history.begin()
            self.touched.clear()
        if self.publisher is not None:
            self.publisher.begin()

    def define(self, cell_id, number, digest, entries):
        """Defines these entries in the running cell, which may run them at once."""
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
            self.publish({**self.unsent, **self.touched}, running=False)
            self.store()
            self.history.begin()

    def leave_old(self, place):
        """Drops the kernels of an ordinary cell that ran again: they have been replaced by new ones, which have no counts yet."""
        cell = self.history.listings.get(place.cell_id) if place is not None and not place.entries else None
        if cell is not None and any(isinstance(entry, ordinary.Compiled) for entry in cell.entries):
            self.place(place)
            self.changed(self.history.leave_out_replaced())

    def forget(self):
        """To be called after the counts were cleared."""
        with self.lock:
            self.stamp = None
            self.history.forget()
            self.changed(self.history.listings.values())

    def clear(self, entries):
        """Resets the counts of these entries."""
        with self.lock:
            self.take()
            self.stamp = None
            self.changed(self.history.clear(entries))

    def changed(self, cells):
        for cell in cells:
            self.unsent[cell] = self.touched[cell] = True

    # Between cells, callbacks, threads and tasks launch kernels.

    def begin_callback(self):
        if self.publisher is not None:
            with self.lock:
                self.take()
                self.history.begin()

    def end_callback(self):
        """Sends changes at once, unless the last message is too recent; then the thread does."""
        if self.publisher is None:
            return
        with self.lock:
            if time.monotonic() - self.published_at >= _period:
                self.take()
                self.take_kept()
                self.publish(self.unsent, running=False)
            self.history.begin()
        self.publisher.look()

    # Messages.

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
        self.stamp = stamp  # later counts are not part of it
        self.changed(self.history.read())
        for place in ordinary.cells.find(waiting, self.history.now):
            self.place(place)
        self.changed(self.history.leave_out_replaced())

    def take_kept(self):
        """Reads what gradients keep, which is known when their kernels have ended; pages receive it for cells without counts, too."""
        if self.history.listings and (kept := adstack_now()):
            if self.publisher is None:
                self.start(executions.shell)
                self.publisher.end()
            self.changed(self.history.keep(kept))

    def place(self, place):
        """Defines the entries known for an ordinary cell."""
        self.changed([self.history.define(place.cell_id, f"cell {place.number}", digest(place.text), place.entries)])

    def tick(self, running):
        """Performs one check of the thread. Returns False if nothing grew."""
        with self.lock:
            if self.publisher.running is not running:
                return True  # the end of the cell has been published meanwhile
            grew = self.publisher.context.run(self.publish_growth, running)
            for watcher in self.watchers if running else ():
                self.publisher.context.run(watcher)
            return grew

    def publish_growth(self, running):
        self.take()
        grew = bool(self.unsent)
        if running or grew:
            self.publish(self.unsent, running=True)
        else:
            self.publish({}, running=False)
            self.store()
        return grew

    def publish(self, cells, running):
        if not cells and not (self.published_running and not running):
            return
        if self.listened_to():
            coverages = coverage_of(cells, self.history)
            for comm in list(self.comms):
                comm.send(message(coverages, self.history.scale(), running))
            for follower in self.followers.values():
                follower.update(running, coverages)
        self.published_running, self.published_at = running, time.monotonic()
        self.unsent.clear()

    def store(self):
        for follower in self.followers.values():
            follower.store()

    # Listeners.

    def start(self, shell):
        """Starts at the first cell with counted kernels, or with gradients that keep values: waits for pages that open a comm."""
        if self.publisher is not None:
            return
        self.publisher = Publisher(self)
        self.publisher.start()
        self.publisher.begin()
        atexit.register(self.publisher.stop)
        os.register_at_fork(after_in_child=self.disable_in_child)
        _coverage._after_clear.append(self.forget)
        if getattr(shell, "kernel", None) is None:
            return
        import comm

        comm.get_comm_manager().register_target(TARGET, self.joined)
        self.awaits_page = True
        self.meet(executions.current()[0])

    def meet(self, cell_id):
        """To be called before a cell runs. Opens the comm once any cell had an id: a client without ids has no cells to mark, and may
        complain about an unexpected comm."""
        self.has_ids = self.has_ids or cell_id is not None
        if not self.awaits_page or not self.has_ids:
            return
        self.awaits_page = False
        import comm

        self.listen(comm.create_comm(target_name=TARGET, data={}))

    def follow(self, cell, display):
        """Replaces the display of a cell that runs again by a new one, or by none (None)."""
        with self.lock:
            self.followers.pop(cell, None)
            if display is not None:
                self.followers[cell] = display
                self.publisher.look()

    def watch(self, watcher):
        with self.lock:
            if watcher not in self.watchers:
                self.watchers.append(watcher)
                self.start(executions.shell)
                self.publisher.look()

    def listen(self, comm):
        self.comms.add(comm)
        comm.on_close(lambda _: self.comms.discard(comm))
        self.publisher.look()

    def joined(self, comm, opened):
        """Sends everything to a page that has connected later. It may request zeros first."""
        if opened["content"].get("data", {}).get("clear") is True:
            _coverage.clear()
        with self.lock:
            self.take()
            self.publish(self.unsent, running=self.published_running)
            self.listen(comm)
            if self.history.listings:
                coverages = coverage_of(self.history.listings.values(), self.history)
                comm.send(message(coverages, self.history.scale(), self.published_running))

    def disable_in_child(self):
        """To be called in a forked child, which has neither the front end nor the thread; that may have held any lock of its own."""
        self.lock = threading.RLock()
        self.publisher, self.awaits_page = None, False
        self.comms.clear()
        self.watchers.clear()
        self.followers.clear()


class Publisher(threading.Thread):
    """Checks the counts while a cell runs, and between cells, ever less often as long as they do not change."""

    pydev_do_not_trace = is_pydev_daemon_thread = True  # hidden from debuggers

    def __init__(self, live):
        super().__init__(name="quadrants coverage", daemon=True)
        self.live = live
        self.state = threading.Condition()
        self.running = self.called = self.stopping = False

    def begin(self):
        self.context = contextvars.copy_context()  # messages belong to the cell that ran last
        self.become(running=True)

    def end(self):
        self.become(running=False)

    def look(self):
        """To be called when counts may have changed."""
        self.become(called=True)

    def stop(self):
        self.become(stopping=True)

    def become(self, **state):
        with self.state:
            vars(self).update(state)
            self.state.notify()

    def turned(self, running, pause):
        """Waits until the next check is due, or the state changes."""
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
                logging.getLogger(__name__).warning("Coverage of running cells is no longer reported", exc_info=True)
                return
            share = max(_period, (time.thread_time() - start) / _share)
            between = _period if grew else min(2 * between, _longest)


live = Live()


# --- cells of the session --------------------------------------------------------------------------------------------

class Executions:
    """Tracks the running cell, by the events of IPython before and after each cell."""

    def __init__(self, shell):
        self.shell = shell
        self.open = []  # running executions, outermost first
        self.loading = False  # this package was loaded by the running cell
        self.place = None  # ordinary.Place of the outermost execution, if it is numbered

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
        """Also called before a callback of a widget or another comm."""
        if not self.open and not self.loading:
            live.begin_callback()

    def post_execute(self):
        if not self.open and not self.loading:
            live.end_callback()

    def note(self, text, info=None):
        """Notes where functions of the running cell are defined."""
        code = getattr(info, "transformed_cell", None) or self.shell.transform_cell(text)
        number = self.shell.displayhook.prompt_count
        return ordinary.cells.ran(self.shell.compile, self.current()[0], number, text, code)

    def current(self):
        """Returns (the front end's id, text) of the running cell."""
        if self.open:
            info = self.open[-1]
            return getattr(info, "cell_id", None), info.raw_cell
        request = self.request()  # this package was loaded by the running cell
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
