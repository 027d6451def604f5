"""Progress of a cell. A compilation or a launch that has taken a second is shown below the cell until it ends: the Python side of
widgets/protocol/progress.ts.

A thread checks four times a second while a cell runs; launches are not involved. Pages that send ids of cells receive the progress on
a comm, so it is not part of the notebook. A user at a console sees a line on stderr, which is erased before anything else is written,
and at the end. Programs that run cells without a user (nbclient, nbval, papermill) receive nothing.
"""

import contextlib
import contextvars
import logging
import os
import sys
import threading

from quadrants import _source
from quadrants._live import activity
from quadrants_jupyter import live, ordinary

TARGET = "quadrants.progress"
VERSION = 1
PERIOD = 0.25  # s
PATIENCE = 1.0  # s


# --- shapes ----------------------------------------------------------------------------------------------------------

def _shift_of(shown):
    """Returns the number of lines in the editor before line 1 of the cell."""
    return next((place.shift for place in list(ordinary.cells.places.values()) if _source.shown_name(place.file) == shown), 0)


def progress_of(now):
    """Converts the report of the core to a Progress."""
    return {"what": now["what"], "kernel": activity.shown_name(now["kernel"]),
            "place": activity.place_of(now, _shift_of(now["file"])),
            "share": _rounded(activity.share_of(now)), "seconds": int(now["seconds"])}


def _rounded(share):
    return None if share is None else round(share, 2)


# --- where it is shown -----------------------------------------------------------------------------------------------

class Page:
    """Shows progress in JupyterLab, below the cell."""

    comm = None  # one per session
    refused = False

    def __init__(self, cell_id):
        self.cell_id = cell_id

    def show(self, progress, running=True):
        message = {"version": VERSION, "cell_id": self.cell_id, "running": running, "progress": progress}
        if Page.refused:
            return
        if Page.comm is not None:
            return Page.comm.send(message)
        import comm

        Page.comm = comm.create_comm(target_name=TARGET, data=message)
        Page.comm.on_close(lambda _: setattr(Page, "refused", True))

    def end(self):
        self.show(None, running=False)


class Console:
    """Shows progress as a line that overwrites itself. Output of others erases it first, and it stays hidden while that output is within a
    line."""

    def __init__(self):
        self.stream, self.write, self.length = sys.stderr, None, 0
        self.watched, self.whole = [], True
        self.lock = threading.RLock()  # others write from their own threads

    def show(self, progress):
        if progress is None:
            return self.end()
        text = activity.text_of(progress)[:78]
        with self.lock:
            if not self.watched:
                self.write = self.stream.write
                for stream in {id(s): s for s in (sys.stdout, sys.stderr)}.values():
                    self.watch(stream)
            self.erase()
            if self.whole:
                self.write(f"\r{text}")
                self.stream.flush()
                self.length = len(text)

    def watch(self, stream):
        write, own = stream.write, vars(stream).get("write")

        def write_below(text):
            with self.lock:
                self.erase()
                self.whole = text.endswith("\n") if text else self.whole
                return write(text)

        try:
            stream.write = write_below
        except AttributeError:  # a stream without settable attributes
            return
        self.watched.append((stream, own))

    def erase(self):
        if self.length:
            length, self.length = self.length, 0
            self.write("\r" + " " * length + "\r")
            self.stream.flush()

    def end(self):
        with self.lock:
            self.erase()
            for stream, own in self.watched:
                if own is None:
                    vars(stream).pop("write", None)
                else:
                    stream.write = own
            self.watched.clear()
            self.whole = True


# --- cells -----------------------------------------------------------------------------------------------------------

class Cell:
    """A running cell. `place`: where its progress is shown."""

    def __init__(self, place):
        self.place = place
        self.context = contextvars.copy_context()  # messages belong to this cell
        self.shown = self.iterations = None
        self.begun = False

    def look(self):
        now = activity.now()
        if not self.begun and (now is None or now["seconds"] < PATIENCE):
            return
        progress = progress_of(now) if now is not None else None
        iterations = now.get("iterations") if now is not None else None
        if iterations and iterations != self.iterations:  # the share of a task that ends before the next check is meaningless
            progress["share"] = None
        self.iterations = iterations
        if self.begun and progress == self.shown:
            return
        self.begun, self.shown = True, progress
        self.context.run(self.place.show, progress)

    def end(self):
        if self.begun:
            self.begun = False
            self.context.run(self.place.end)


def _place(shell, cell_id):
    if cell_id is not None:
        return Page(cell_id)
    if getattr(shell, "kernel", None) is None:
        return Console() if sys.stderr.isatty() else None
    asks = live.executions.request().get("content", {}).get("allow_stdin")
    return Console() if asks else None


class Watcher(threading.Thread):
    """Checks the progress while a cell runs. A shorter cell does not wake it."""

    pydev_do_not_trace = is_pydev_daemon_thread = True  # hidden from debuggers

    def __init__(self):
        super().__init__(name="quadrants progress", daemon=True)
        self.state = threading.Condition()
        self.cell = None
        self.idle = self.stopping = False

    def follow(self, cell):
        with self.state:
            if self.cell is not None:
                self.cell.end()
            self.cell = cell
            if self.idle:
                self.state.notify()

    def stop(self):
        with self.state:
            self.stopping = True
            self.state.notify()

    def run(self):
        with self.state:
            while not self.stopping:
                self.idle = self.cell is None
                self.state.wait(None if self.idle else PERIOD)
                if self.cell is None or self.idle:
                    continue
                try:
                    self.cell.look()
                except Exception:
                    logging.getLogger(__name__).warning("What cells wait for is no longer shown", exc_info=True)
                    return


class Shown:
    """The switch that shows progress below cells, and the thread that watches."""

    def __init__(self):
        self.on = True
        self.watcher = None

    def begin(self, shell, cell_id):
        place = _place(shell, cell_id) if self.on else None
        if place is None:
            return self.end()
        self.follow_in(place)

    def end(self):
        if self.watcher is not None:
            self.watcher.follow(None)

    @contextlib.contextmanager
    def following(self, place):
        """Shows the progress of a callback of the front end that launches kernels at `place`."""
        if self.on:
            self.follow_in(place)
        try:
            yield
        finally:
            self.end()

    def follow_in(self, place):
        if self.watcher is None or not self.watcher.is_alive():
            self.watcher = Watcher()
            self.watcher.start()
        self.watcher.follow(Cell(place))

    def follow(self, on):
        self.on = on
        if not on:
            self.end()

    def disable_in_child(self):
        """To be called in a forked child, which has neither the front end nor the thread."""
        self.watcher, self.on = None, False


shown = Shown()
os.register_at_fork(after_in_child=shown.disable_in_child)


def _before_cell(info):
    if len(live.executions.open) == 1:  # not a cell run by another one
        shown.begin(live.executions.shell, getattr(info, "cell_id", None))


def _after_cell(_):
    if not live.executions.open:
        shown.end()


def register(shell):
    """To be called after `live.register`, which tracks the running cell, and after all other handlers of the end of a cell."""
    activity.shift_of = _shift_of
    if live.executions.loading:
        shown.begin(shell, live.executions.current()[0])
    shell.events.register("pre_run_cell", _before_cell)
    shell.events.register("post_run_cell", _after_cell)


def unregister(shell):
    shown.end()
    shell.events.unregister("pre_run_cell", _before_cell)
    shell.events.unregister("post_run_cell", _after_cell)
