"""The event loop of the session. Between requests the C++ side lets asyncio run on the main thread until a message comes, so that tasks
continue. While a cell runs, the loop counts as running (for asyncio.create_task, asyncio.get_running_loop), and yet another loop can be
run: asyncio.run() works in a cell as it does in a script. All this begins when asyncio is imported."""

import importlib.machinery
import os
import signal
import sys
import threading

from IPython.core.async_helpers import get_asyncio_loop

import _qd
import qd_debug

show_error = None  # shows an error of a callback between cells; set by the shell
_loop = None
_of_parent = []  # loops of the parent, kept in a forked child: if collected, they would unregister themselves with the parent's selector
_entered = False  # a cell or a callback of the front end is running
_set = None  # asyncio's own functions for the running loop of a thread
_get = None
_stopped = False  # Stop was pressed while the cell awaited something


def enter():
    """To be called on the main thread before user code runs."""
    global _entered, _stopped
    _entered, _stopped = True, False
    _own_handler()
    if _set is not None:
        _mark()


def leave():
    global _entered
    _entered = False
    _own_handler()
    if _set is not None:
        _set(None)


def _own_handler():
    """Restores the default handler of SIGINT: one that a cell has set (as pdb does to continue) is only for that cell."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _mark():
    import asyncio

    asyncio.set_event_loop(_open_loop())
    _set(_loop)


def _open_loop():
    """Returns the loop, or a new one if the program has closed it."""
    global _loop
    if _loop is None or _loop.is_closed():
        import asyncio

        _loop = asyncio.SelectorEventLoop()
    return _loop


def _on_main_thread():
    return threading.current_thread() is threading.main_thread()


def _start(events):
    """To be called when asyncio has been imported."""
    global _set, _get
    _set, _get = events._set_running_loop, events._get_running_loop

    def get_running_loop():
        """Used by code that refuses to run a loop inside another: the session's loop only counts while it actually runs."""
        loop = _get()
        return None if loop is not None and loop is _loop and not loop.is_running() else loop

    def set_running_loop(loop):
        """When another loop has ended within a cell, the session's loop becomes the running one again."""
        _set(_open_loop() if loop is None and _entered and _on_main_thread() else loop)

    events._get_running_loop, events._set_running_loop = get_running_loop, set_running_loop
    os.register_at_fork(after_in_child=_forget)
    _qd.run_tasks()
    if _entered and _on_main_thread():
        _mark()


def _forget():
    """Replaces the loop in a forked child, which must not use the selector of its parent."""
    global _loop
    if _loop is not None:
        _loop.stop()
        _of_parent.append(_loop)
        _loop = None
        import asyncio

        asyncio.set_event_loop(_open_loop())


class _Finder:
    """Detects the import of asyncio, which takes 40 ms that a session without it does not pay."""

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name != "asyncio":
            return None
        sys.meta_path.remove(cls)
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None or spec.loader is None:
            return spec
        load = spec.loader.exec_module

        def exec_module(module):
            load(module)
            _start(module.events)

        spec.loader.exec_module = exec_module
        return spec


def install():
    if "asyncio" in sys.modules:
        _start(sys.modules["asyncio"].events)
    else:
        sys.meta_path.insert(0, _Finder)


# --- cells that await something --------------------------------------------------------------------------------------

class CellRunner:
    """Runs a cell that awaits something. After Stop the cell is cancelled, and it has ended before the next one begins."""

    def __call__(self, coroutine):
        global _stopped
        import asyncio

        loop = get_asyncio_loop()
        task = loop.create_task(coroutine)
        while True:
            try:
                if _stopped and not task.done():
                    loop.run_until_complete(asyncio.wait([task], timeout=_patience()))
                    task.cancel()
                return loop.run_until_complete(task)
            except KeyboardInterrupt:
                if task.done():
                    raise
                _stopped = True

    def __str__(self):
        return "asyncio"


def _patience():
    """Returns for how long, in seconds, a stopped cell may end by the error of a launch in another thread, which says where it was."""
    core = _core()
    return 0 if core is None else 1 if core.launches_now() else 0.02


def as_stop(error):
    """Returns the KeyboardInterrupt to show in place of an error by which a stopped cell ended: its cancellation, or the error of a launch in
    another thread. None: the error itself is shown."""
    kind = type(error)
    if _stopped and kind is sys.modules["asyncio"].CancelledError:
        return KeyboardInterrupt()
    if _stopped and kind is getattr(sys.modules.get("quadrants._exceptions"), "QuadrantsInterruptedError", None):
        return KeyboardInterrupt(str(error).removesuffix(" (Ctrl-C or Stop)"))
    return None


# --- between requests ------------------------------------------------------------------------------------------------

def wait(shell, wake):
    """Runs tasks until one of these file descriptors is readable; runs them once if a message is already waiting."""
    loop = _open_loop()
    if _qd.message_waits():
        loop.stop()
    stop = _Stop()
    handler = signal.getsignal(signal.SIGINT)
    try:
        if handler is signal.default_int_handler:
            signal.signal(signal.SIGINT, stop.asked)
            _watch_kernels()
        loop.add_reader(shell, _look, loop)
        loop.add_reader(wake, loop.stop)
        _qd.allow_interrupts(True)
        before = qd_debug.begin()
        try:
            loop.run_forever()
        finally:
            qd_debug.give_back(before)
    except BaseException as error:  # Stop or SystemExit in a task; asyncio logs other errors itself
        stop.end()
        if not _qd.in_forked_child():
            show_error(error)
    finally:
        stop.end()
        if not _qd.in_forked_child():
            if handler is signal.default_int_handler:
                signal.signal(signal.SIGINT, handler)
                _watch_kernels()
            if not loop.is_closed():
                loop.remove_reader(shell)
                loop.remove_reader(wake)


def _core():
    """Returns the compiled core of the package, or None if it is not loaded."""
    return getattr(sys.modules.get("quadrants._native"), "loaded", None)


def _watch_kernels():
    """Installs the package's own SIGINT handler, if it is loaded: in front of this handler, too, Stop ends what threads have launched."""
    if _core() is not None:
        _core().watch_interrupts()


def _look(loop):
    if _qd.message_waits():
        loop.stop()


class _Stop:
    """Stop while only tasks run: it ends a callback that keeps running, not one that happened to be running for a moment, and never the
    loop itself."""

    patience = 0.1  # s

    def __init__(self):
        self.lock, self.over, self.suspect = threading.Lock(), False, None
        self.core, self.received = _core(), 0
        if self.core is not None:
            self.received = self.core.interrupts_received()

    def asked(self, number, frame):
        from asyncio import Handle

        self.stop_what_runs()
        while frame is not None and frame.f_code is not Handle._run.__code__:
            if frame.f_code is _look.__code__:
                return
            frame = frame.f_back
        if frame is not None and frame is self.suspect:
            self.suspect = None
            raise KeyboardInterrupt
        self.suspect = frame
        if frame is not None:
            timer = threading.Timer(self.patience, self.ask_again)
            timer.daemon = True
            timer.start()

    def stop_what_runs(self):
        """Stops what threads have launched, if the signal came while the package's handler was not in front of this one."""
        if self.core is None:
            return
        before, self.received = self.received, self.core.interrupts_received()
        if before == self.received:
            self.core.stop_what_runs()

    def ask_again(self):
        with self.lock:
            if not self.over:
                signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    def end(self):
        with self.lock:
            self.over = True
        self.suspect = None
        _qd.allow_interrupts(False)
