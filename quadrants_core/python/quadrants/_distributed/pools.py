"""Workers of a pool of processes: each connects to the process that uses them, and sends its reports."""

import contextlib
import hmac  # noqa: F401  multiprocessing imports it on a thread; a child forked meanwhile would wait for this import for ever
import logging
import os
import socket
import threading
import time
from multiprocessing import connection as _connection

from quadrants import _options
from quadrants._distributed import worker as _worker, workers as _workers

_PERIOD = 0.2  # seconds between two reports
_PATIENCE = 10.0  # seconds that `collect` waits for a worker


def begin(setup, address, key, threads):
    """The initializer of a worker. It raises nothing: `multiprocessing.Pool` would start another process, and so on for ever."""
    try:
        setup.begin(threads)
        _Link(_connection.Client(address, authkey=key)).start()
    except Exception:
        logging.getLogger(__name__).warning("A worker could not be set up", exc_info=True)


class _Link:
    """The connection of a worker, and the thread that sends reports."""

    def __init__(self, pipe):
        self._pipe, self._reporter, self._lock = pipe, _worker.Reporter(), threading.Lock()

    def start(self):
        import atexit
        from multiprocessing import util

        threading.Thread(target=self._run, name="quadrants reports", daemon=True).start()
        # Processes of multiprocessing end without the functions of atexit.
        util.Finalize(self, self._end, exitpriority=100)
        atexit.register(self._end)

    def _run(self):
        with contextlib.suppress(OSError, EOFError):
            while True:
                if self._pipe.poll(_PERIOD):
                    self._send(self._pipe.recv(), self._reporter.everything)
                else:
                    self._send(None, self._reporter.changes)

    def _send(self, request, make):
        with self._lock:  # reports are sent in the order in which they are made
            report = make()
            if report is not None or request is not None:
                self._pipe.send((request, report))

    def _end(self):
        with contextlib.suppress(OSError, EOFError):
            self._send(None, self._reporter.everything)


class _Member:
    """A worker, as seen by the process that uses it."""

    def __init__(self, pipe):
        self.pipe, self.answered = pipe, 0


class PoolWorkers(_workers.Workers):
    """The workers of a pool of processes.

    Args:
        setup: how they start.
        processes: their number.

    Attributes:
        initializer, initargs: for `concurrent.futures.ProcessPoolExecutor` and `multiprocessing.Pool`.

    Example:
        See `qd.distributed.for_pool`.
    """

    def __init__(self, setup, processes):
        super().__init__()
        key = os.urandom(32)
        self._listener = _connection.Listener(authkey=key)
        self._members, self._changed, self._request = set(), threading.Condition(), 0
        threads = max(1, _options.usable_cores() // processes)
        self.initializer, self.initargs = begin, (setup, self._listener.address, key, threads)
        threading.Thread(target=self._accept, args=(self._listener,), name="quadrants workers", daemon=True).start()

    def _accept(self, listener):
        while self._listener is not None:
            try:
                pipe = listener.accept()
            except Exception:  # a process without the key, or one that ended at once
                time.sleep(0.01)
                continue
            member = _Member(pipe)
            with self._changed:
                self._members.add(member)
            threading.Thread(target=self._read, args=(member,), name="quadrants reports", daemon=True).start()

    def _read(self, member):
        try:
            while True:
                request, report = member.pipe.recv()
                if report is not None:
                    self._receive(report)
                with self._changed:
                    member.answered = request or member.answered
                    self._changed.notify_all()
        except (OSError, EOFError):  # the worker has ended
            with self._changed:
                self._members.discard(member)
                self._changed.notify_all()

    def _collect(self):
        with self._changed:
            self._request = number = self._request + 1
            asked = set(self._members)
            for member in asked:
                with contextlib.suppress(OSError):
                    member.pipe.send(number)
            until = time.monotonic() + _PATIENCE
            waited_for = lambda: all(member.answered >= number for member in asked & self._members)
            self._changed.wait_for(waited_for, max(0.0, until - time.monotonic()))

    def _close(self):
        if self._listener is None:
            return
        self.collect()
        listener, self._listener = self._listener, None
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as last:  # ends the wait of the thread that accepts
            last.connect(listener.address)
        listener.close()
