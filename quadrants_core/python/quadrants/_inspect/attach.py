"""Programs to which a window can be attached, `QD_INSPECT=attach`: the listening thread, and the state of an attached window."""

import atexit
import contextlib
import os
import socket
import threading
import time
import weakref

from quadrants import _native, _runtime, _settings
from quadrants._inspect import counting, readings, sockets, variables
from quadrants._inspect.publisher import PERIOD, Publisher, name_of_program
from quadrants._inspect.main_thread import MainThreadQueue
from quadrants._inspect.views import View

HASTE = 2.0  # seconds within which a client must send its request
BEGIN = 30.0  # seconds within which a window must start
LEAVE = 0.5  # grace period in seconds for noticing that a window has closed
_SEARCH = 1.0  # seconds between two searches for variables


class Effects:
    """The effects of windows on the program: lines are counted and times measured while there is a window. The main thread applies changes
    at safepoints."""

    def __init__(self):
        self.wanted = self.counting = False
        self.measured = None  # generation of the program whose times are measured for the window
        self.asked_before = False  # whether that program had requested the measurement itself
        self.main_thread = MainThreadQueue()
        self.left = []  # names of kernels that are not counted, until this has been reported

    def behind(self):
        """Returns whether the main thread must apply a change."""
        core = _native.loaded
        if core is None:
            return self.wanted != self.counting
        return self.wanted != self.counting or (self.wanted and core.initialised() and core.generation() != self.measured)

    def ask(self):
        if self.behind() and not self.main_thread.waiting:
            self.main_thread.waiting.append(self.settle)
        self.main_thread.ask()

    def settle(self):
        """Applies changes; called on the main thread between two launches."""
        wanted, core = self.wanted, _native.loaded
        if wanted != self.counting:
            self.counting = wanted
            if wanted:
                self.left = counting.begin(readings.are_the_same)
            else:
                counting.end(readings.are_the_same)
        if core is None or not core.initialised() or _settings.cfg is None:
            return
        if wanted and core.generation() != self.measured:
            self.measured, self.asked_before = core.generation(), _settings.cfg.kernel_profiler
            _settings.cfg.kernel_profiler = True
            _runtime.pass_options()
        elif not wanted and core.generation() == self.measured:
            _settings.cfg.kernel_profiler = _settings.cfg.kernel_profiler and self.asked_before
            _runtime.pass_options()
        if not wanted:
            self.measured = None


class AttachedWindow(Publisher):
    """An attached window. Its thread ends when the program has been restored to its previous state."""

    def __init__(self, process, memory_of, program, effects, ended, numbers):
        super().__init__(process, memory_of, program)
        self.effects, self.ended, self.numbers = effects, ended, numbers
        self.over = threading.Event()
        self.found = {}  # name -> View, for variables of the program
        self.next_search = 0.0
        self.effects_wanted = False

    def run(self):
        try:
            if self.process.wait_for("hello", BEGIN) is not None:
                self.effects.wanted = True
                super().run()
        finally:
            self.main_thread.close()
            with self.lock:
                self.looked_at.clear()  # also frees the shared memory of pictures
            self.effects.wanted = False
            self.ended(self)
            self.over.set()
            while self.effects.behind():
                self.effects.ask()
                time.sleep(PERIOD)

    def wait_for_end(self, seconds):
        self.over.wait(seconds)

    def measure(self):
        self.effects.ask()
        left, self.effects.left = self.effects.left, []
        for name in left:
            self.listen("warning", f"{name} is not counted: variables that it was compiled with have changed since")
        if time.monotonic() >= self.next_search:
            with contextlib.suppress(Exception):  # variables of the program may be in any state
                self.search()
            self.next_search = time.monotonic() + _SEARCH

    def search(self):
        """Finds variables of the program that contain fields and arrays and are not shown yet."""
        with self.lock:
            shown = {id(view.array) for view in self.views.values() if view not in self.found.values()}
            now = {name: array for name, array in variables.of_program() if id(array) not in shown}
            same = {name: view for name, view in self.found.items() if now.get(name) is view.array and not view.gone}
            if same.keys() == self.found.keys() == now.keys():
                return
            for name in self.found.keys() - same.keys():
                view = self.found[name]
                del self.views[view.number]
                self.looked_at.pop(view.number, None)
            for name in [name for name in now if name not in same]:
                number = self.found[name].number if name in self.found else next(self.numbers)
                same[name] = self.views[number] = View(number, name, now[name])
            self.found = {name: same[name] for name in now}
            self.views = {view.number: view for view in self.views.values()}
        self.changed("views")


class Listener(threading.Thread):
    """Thread that listens on the socket of the process."""

    def __init__(self, inspector_of):
        super().__init__(name="quadrants attach", daemon=True)
        self.socket, self.path = sockets.listen()
        self.process = os.getpid()
        self.inspector_of = inspector_of  # () -> the Inspector of the process
        atexit.register(self.close)
        os.register_at_fork(after_in_child=_forget(weakref.ref(self)))

    def run(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:  # the socket was closed
                return
            kept = False
            try:
                kept = self.meet(connection)
            except Exception:  # invalid requests are ignored, since the next one may be valid
                pass
            finally:
                if not kept:
                    connection.close()

    def meet(self, connection):
        """Handles a connection and returns whether a window has taken it over."""
        if not sockets.is_own(connection):
            return False
        connection.settimeout(HASTE)
        asked = sockets.hear(connection)
        kind = asked.get("kind") if asked else None
        if kind == "ask":
            sockets.say(connection, {"kind": "program", "program": name_of_program(), "attached": self.is_busy()})
        if kind != "attach":
            return False
        why = self.refusal(asked)
        if why is not None:
            sockets.say(connection, {"kind": "refused", "why": why})
            return False
        sockets.say(connection, {"kind": "attached"})
        self.inspector_of()._attach(connection)
        return True

    def is_busy(self):
        return self.inspector_of()._has_window()

    def refusal(self, asked):
        if asked.get("version") != sockets.VERSION:
            return f"process {self.process} uses version {sockets.VERSION} of the protocol; attach with the version of Quadrants that it runs"
        until = time.monotonic() + LEAVE
        while self.is_busy():
            if time.monotonic() >= until:
                return f"process {self.process} has a window already"
            time.sleep(0.01)
        return None

    def close(self):
        """Stops accepting windows."""
        atexit.unregister(self.close)
        if self.process != os.getpid():
            return
        with contextlib.suppress(OSError):
            os.unlink(self.path)
        with contextlib.suppress(OSError):  # in case it is closed already
            self.socket.shutdown(socket.SHUT_RDWR)  # wakes up the thread
        self.socket.close()


def _forget(listener):
    """Returns a hook that closes the listener in a forked child, to which windows cannot be attached."""

    def forget():
        one = listener()
        if one is not None:
            one.socket.close()

    return forget
