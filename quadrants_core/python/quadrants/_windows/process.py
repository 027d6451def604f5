"""The process that shows a window, and the communication with it: a pair of sockets with lines of JSON, and shared memory.

The program continues regardless of the state of the process: nothing here raises because of it, but `alive` becomes False.
"""

import _signal  # the C versions of `signal` and `socket`: the enums of the Python modules take 3 ms
import _socket
import os
import select
import sys
import threading
import time
import weakref

from quadrants import _logging
from quadrants._windows import messages

VERSION = 1
_NOT_LOADED = 127  # exit status of a program with missing libraries
SILENT = 10.0  # seconds after which a window that reads nothing is considered dead
LONGEST = 64 << 20  # maximum size of a message in bytes
_AT_ONCE = 1 << 20  # maximum number of bytes to read before messages are processed
_all = weakref.WeakSet()
_ending = []  # process ids of windows that have been closed, until they are reaped


def executable():
    """Returns the path of the program that shows windows, or None if it was not built."""
    path = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "_lib", "qd-inspector")
    return path if os.access(path, os.X_OK) else None


def written(text):
    """Returns a string that is valid in UTF-8: lone surrogates, as in file names with another encoding, become U+FFFD."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def text(x, what):
    """Returns a string that a message can contain."""
    if not isinstance(x, str):
        raise TypeError(f"{what} must be a str, not {type(x).__name__}")
    return written(x)


def end_of_slider(x, what):
    """Validates a bound of a slider: the slider computes the distance between its bounds, so each must be at most half of the range of its
    type."""
    most = sys.float_info.max / 2
    least, most = (-(1 << 62), (1 << 62) - 1) if isinstance(x, int) else (-most, most)
    if not least <= x <= most:
        raise ValueError(f"{what}={x} is outside the range of a slider, {least:g} to {most:g}")
    return x


class Process:
    """The process of a window.

    Args:
        hello: the properties of the window, see docs/design/inspector.md: mode, title, size, show.
        connected: a socket that is already connected to a window; None: starts a window.
        greets: if False, hello is sent by `greet`, or before the first message.
    """

    def __init__(self, hello, connected=None, greets=True):
        self.alive, self.pid, self.socket = False, None, None
        self.answer = None  # the window's own hello
        self._hello = {"kind": "hello", "version": VERSION, **hello}
        self._rest, self._waiting = bytearray(), []
        self._lock = threading.RLock()
        self._reading = threading.Lock()  # held while a thread waits for messages
        _reap()
        self.socket = connected if connected is not None else self._start()
        if self.socket is None:
            return
        self.socket.settimeout(SILENT)
        self.alive = True
        _all.add(self)
        if greets:
            self.greet()

    def _start(self):
        """Returns the socket of a window being started, or None."""
        path = executable()
        if path is None:
            _say("this build has no windows (QD_INSPECTOR=OFF)")
            return None
        ours, theirs = _socket.socketpair()
        try:
            # Windows of other programs must not inherit descriptors: all except these are closed on exec.
            actions = [(os.POSIX_SPAWN_DUP2, theirs.fileno(), 3)] if theirs.fileno() != 3 else []
            if not actions:
                os.set_inheritable(3, True)
            self.pid = os.posix_spawn(
                path, [path, "--socket", "3"], os.environ, file_actions=actions, setsigmask=(), setsigdef=(_signal.SIGTERM, _signal.SIGHUP)
            )
        except OSError as error:
            ours.close()
            _say(f"the program that shows windows cannot start: {error}")
            return None
        finally:
            theirs.close()
        return ours

    def __repr__(self):
        return f"<window of process {self.pid}{'' if self.alive else ', gone'}>"

    def greet(self):
        """Sends the properties of the window unless they have been sent."""
        with self._lock:
            hello, self._hello = self._hello, None
            if hello is not None:
                self._write(hello, None)

    def send(self, message, descriptor=None):
        """Sends a message; may be called from any thread. Returns False if the window is gone."""
        if self._hello is not None:
            self.greet()
        self._write(message, descriptor)
        return self.alive

    def _write(self, message, descriptor):
        import json  # the import takes longer than starting a window

        try:
            line = written(json.dumps(message, separators=(",", ":"), ensure_ascii=False, allow_nan=False)).encode() + b"\n"
            if len(line) > LONGEST:
                raise ValueError(f"{len(line)} bytes are too many")
        except (TypeError, ValueError) as error:
            raise type(error)(f"a message of the kind {message['kind']!r} for a window: {error}") from None
        with self._lock:
            if not self.alive:
                return
            try:
                if descriptor is not None:
                    rights = _socket.SOL_SOCKET, _socket.SCM_RIGHTS, descriptor.to_bytes(4, sys.byteorder)
                    line = line[self.socket.sendmsg([line], [rights]) :]
                if line:
                    self.socket.sendall(line)
            except (OSError, ValueError):
                self._gone()

    def receive(self, timeout=0.0):
        """Returns the received messages, after at most `timeout` seconds if there are none yet. It must be called by one thread at a
        time."""
        if self.alive and not self._waiting:
            self._read(timeout)
        found, self._waiting = self._waiting, []
        return found

    def wait_for(self, kind, timeout=SILENT):
        """Returns the next message of a kind, or None; other messages remain to be received."""
        end = time.monotonic() + timeout
        kept = []
        while True:
            for message in self.receive(max(0.0, end - time.monotonic())):
                kept.append(message)
            for position, message in enumerate(kept):
                if message["kind"] == kind:
                    del kept[position]
                    self._waiting = kept + self._waiting
                    return message
            if not self.alive or time.monotonic() >= end:
                self._waiting = kept + self._waiting
                return None

    def close(self):
        """Closes the window if it still exists."""
        self.send({"kind": "close"})
        self._gone()

    def leave(self):
        """Disconnects from the window, which then follows its `keep` setting."""
        self._gone()

    def _read(self, timeout):
        with self._reading:
            if self.socket is not None:
                self._read_held(timeout)
        if not self.alive:
            self._let_go()

    def _read_held(self, timeout):
        try:
            if not select.select([self.socket], [], [], timeout)[0]:
                return
            for _ in range(_AT_ONCE >> 16):
                got = os.read(self.socket.fileno(), 1 << 16)  # never blocks, unlike a socket with a timeout
                if not got:
                    self._gone()
                    break
                self._rest += got
        except BlockingIOError:
            pass
        except (OSError, ValueError):
            self._gone()
        import json

        *lines, rest = self._rest.split(b"\n")
        self._rest = bytearray(rest)
        if len(rest) > LONGEST:
            self._gone()
            return
        for line in lines:
            try:
                message = json.loads(line)
            except (ValueError, RecursionError):
                message = None
            if not messages.is_message(message, messages.ANSWERS):
                self._gone()
                return
            if message["kind"] == "hello" and self.answer is None:
                self.answer = message
            self._waiting.append(message)

    def _gone(self):
        with self._lock:
            self.alive = False
            if self.socket is not None:
                try:
                    self.socket.shutdown(_socket.SHUT_RDWR)  # wakes a thread that waits for messages
                except OSError:
                    pass
            if self.pid is not None:
                _ending.append(self.pid)
                self.pid = None
        self._let_go()
        _reap()

    def _let_go(self):
        """Closes the socket of a window that is gone. If a thread is waiting on it, that thread closes it, so that no thread reads from a
        reused descriptor."""
        if not self._reading.acquire(blocking=False):
            return
        try:
            with self._lock:
                if self.socket is not None:
                    self.socket.close()
                    self.socket = None
        finally:
            self._reading.release()

    def _forked(self):
        """Called in a forked child: the window belongs to the parent."""
        self._lock, self._reading = threading.RLock(), threading.Lock()
        self.alive, self.pid = False, None
        if self.socket is not None:
            self.socket.close()
            self.socket = None

    def __del__(self):
        if self.alive and not sys.is_finalizing():  # otherwise the window ends with the socket
            self.close()


def _reap():
    """Reaps windows that have ended, so that they do not remain as zombies while the program runs."""
    for pid in list(_ending):
        try:
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended == 0:
                continue
            if os.waitstatus_to_exitcode(status) == _NOT_LOADED:
                _say("the program that shows windows lacks a library of the system, which the line above names (Debian: apt install libx11-6)")
        except ChildProcessError:  # another thread has waited for it
            pass
        if pid in _ending:
            _ending.remove(pid)


def _say(text):
    _logging.warn(f"windows: {text}; the program continues without windows")


def _in_child():
    for process in list(_all):
        process._forked()
    _all.clear()
    _ending.clear()


os.register_at_fork(after_in_child=_in_child)


class Memory:
    """Bytes shared with a window, reallocated when more are requested. The memory is sealed against shrinking, so no process can read past
    its end."""

    def __init__(self, process, number):
        self.process, self.number = process, number
        self.view = memoryview(b"")
        self.map = None
        self.used = 0

    def reserve(self, size, touched=False):
        """Ensures a size of at least `size` bytes and preserves the contents. `touched`: maps all pages in advance."""
        if size <= len(self.view):
            return
        import fcntl
        import mmap

        size = max(1 << 16, 1 << (size - 1).bit_length())
        descriptor = os.memfd_create("quadrants", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        try:
            os.ftruncate(descriptor, size)
            fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW)
            made = mmap.mmap(descriptor, size, mmap.MAP_SHARED | (mmap.MAP_POPULATE if touched else 0))
            view = memoryview(made)
            view[: self.used] = self.view[: self.used]
            self.map, self.view = made, view  # arrays on the old memory keep it alive
            self.process.send({"kind": "memory", "id": self.number, "bytes": size}, descriptor)
        finally:
            os.close(descriptor)

    def clear(self):
        self.used = 0

    def take(self, size):
        """Allocates bytes and returns their offset, aligned for any type."""
        at = -(-self.used // 16) * 16
        self.reserve(at + size)
        self.used = at + size
        return at
