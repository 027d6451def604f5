"""Work that the program's main thread does where it stands still: between two instructions of Python of the program's own code, so
after a launch, and not inside of this package."""

import collections
import os
import sys
import threading

from quadrants import _native

_package = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_runner = os.path.join(_package, "inspect.py")


def _in_package(frame):
    """Whether the code that was interrupted runs for this package, which then has work half done."""
    while frame is not None:
        name = frame.f_code.co_filename
        if name.startswith(_package) and name != _runner and not name.startswith(_own):
            return True
        frame = frame.f_back
    return False


_own = os.path.dirname(os.path.abspath(__file__)) + os.sep


class Bell:
    """Wakes the main thread. Whoever rings never waits, also if a signal ended the wait of the other half-way."""

    def __init__(self):
        self._silent = threading.Lock()
        self._silent.acquire()

    def ring(self):
        try:
            self._silent.release()
        except RuntimeError:  # it rings already
            pass

    def wait(self, timeout):
        self._silent.acquire(timeout=timeout)


class Standing:
    """A queue that the main thread empties, and its pause."""

    def __init__(self):
        self.waiting = collections.deque()
        self.asked = False  # the main thread was asked to come
        self.paused = False
        self.steps = 0  # launches that a paused program may do yet
        self.stepped = 0
        self.changed = Bell()
        self.said_paused = None  # called with True or False when it pauses or goes on
        self.closed = False

    def do(self, work):
        """`work()` is to be called by the main thread; again and again while it gives False."""
        self.waiting.append(work)
        self.ask()

    def ask(self):
        """Has the main thread come, if there is anything for it."""
        self.changed.ring()
        core = _native.loaded  # the main thread loads it
        if core is not None and (self.waiting or self.paused) and not self.asked and not self.closed:
            self.asked = True  # before it comes, which may be within the next line
            if not core.add_pending_call(self.come):
                self.asked = False

    def come(self, still):
        """On the main thread."""
        self.asked = False
        if still and not self.closed and not _in_package(sys._getframe(1)):
            self.empty()
            if self.paused and self.steps == 0:
                self.stand()

    def empty(self):
        for _ in range(len(self.waiting)):
            try:
                work = self.waiting.popleft()
            except IndexError:
                return
            work()

    def stand(self):
        """Until somebody lets the program go on. Ctrl-C ends it too."""
        if self.said_paused is not None:
            self.said_paused(True)
        try:
            while self.paused and self.steps == 0 and not self.closed:
                self.changed.wait(0.05)
                self.empty()
        except BaseException:
            self.resume()  # what handles it, a traceback for one, must not stand still in turn
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
            _native.loaded.tell_launches(None)
        self.changed.ring()

    def step(self):
        """Lets a paused program do one launch."""
        self.steps, self.paused = 1, True
        _native.core().tell_launches(self.launched)
        self.changed.ring()

    def launched(self):
        """On the main thread, after a launch."""
        if self.steps > 0:
            self.steps -= 1
            self.stepped += 1
        if self.steps == 0:
            _native.core().tell_launches(None)
            self.ask()

    def close(self):
        self.closed, self.paused = True, False
        self.waiting.clear()
        if _native.loaded is not None:
            _native.loaded.tell_launches(None)
        self.changed.ring()
