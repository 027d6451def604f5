"""Work for the main thread at safepoints: between two Python instructions of the program's own code, so after a launch, and outside this
package."""

import collections
import os
import sys
import threading

from quadrants import _native

_package = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_runner = os.path.join(_package, "inspect.py")


def _in_package(frame):
    """Returns whether the interrupted code runs on behalf of this package, which may be in the middle of an operation."""
    while frame is not None:
        name = frame.f_code.co_filename
        if name.startswith(_package) and name != _runner and not name.startswith(_own):
            return True
        frame = frame.f_back
    return False


_own = os.path.dirname(os.path.abspath(__file__)) + os.sep


class Bell:
    """Wakes the main thread. Ringing never blocks, even if a signal has interrupted the wait of the main thread."""

    def __init__(self):
        self._silent = threading.Lock()
        self._silent.acquire()

    def ring(self):
        try:
            self._silent.release()
        except RuntimeError:  # it is ringing already
            pass

    def wait(self, timeout):
        self._silent.acquire(timeout=timeout)


class MainThreadQueue:
    """A queue of work for the main thread, and the pause of the program."""

    def __init__(self):
        self.waiting = collections.deque()
        self.asked = False  # a pending call to `run_pending` has been registered
        self.paused = False
        self.steps = 0  # number of launches that a paused program may still perform
        self.stepped = 0
        self.changed = Bell()
        self.said_paused = None  # called with True when the program pauses, with False when it continues
        self.closed = False

    def do(self, work):
        """Queues `work()` for the main thread."""
        self.waiting.append(work)
        self.ask()

    def ask(self):
        """Requests the main thread if there is work for it."""
        self.changed.ring()
        core = _native.loaded  # the main thread loads it
        if core is not None and (self.waiting or self.paused) and not self.asked and not self.closed:
            self.asked = True  # set first, since the call may happen within the next line
            if not core.add_pending_call(self.run_pending):
                self.asked = False

    def run_pending(self, still):
        """The pending call on the main thread."""
        self.asked = False
        if still and not self.closed and not _in_package(sys._getframe(1)):
            self.empty()
            if self.paused and self.steps == 0:
                self.wait()

    def empty(self):
        for _ in range(len(self.waiting)):
            try:
                work = self.waiting.popleft()
            except IndexError:
                return
            work()

    def wait(self):
        """Blocks until the program is resumed; Ctrl-C ends the pause, too."""
        if self.said_paused is not None:
            self.said_paused(True)
        try:
            while self.paused and self.steps == 0 and not self.closed:
                self.changed.wait(0.05)
                self.empty()
        except BaseException:
            self.resume()  # the code that handles the exception, such as a traceback, must not pause again
            raise
        finally:
            if self.said_paused is not None:
                self.said_paused(False)

    def pause(self):
        self.paused, self.steps = True, 0
        self.ask()

    def resume(self):
        self.paused, self.steps = False, 0
        if _native.loaded is not None:
            _native.loaded.observe_launches(None)
        self.changed.ring()

    def step(self):
        """Lets a paused program perform one launch."""
        self.steps, self.paused = 1, True
        _native.core().observe_launches(self.launched)
        self.changed.ring()

    def launched(self):
        """Called on the main thread after a launch."""
        if self.steps > 0:
            self.steps -= 1
            self.stepped += 1
        if self.steps == 0:
            _native.core().observe_launches(None)
            self.ask()

    def close(self):
        self.closed, self.paused = True, False
        self.waiting.clear()
        if _native.loaded is not None:
            _native.loaded.observe_launches(None)
        self.changed.ring()
