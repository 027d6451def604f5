"""`qd.inspect()` and the Inspector that it returns."""

import atexit
import collections
import itertools
import os
import sys
import threading
import time
import weakref

from quadrants import _environment, _logging, _native, _settings
from quadrants._inspect import counting as _counting, publisher as _publisher, views as _views
from quadrants._windows import process as _process

_current = None  # the Inspector of the process
_making = threading.RLock()  # guards it
_attaching = None  # the Effects of a program to which windows are attached
PATIENCE = 10.0  # maximum start time of a window, in seconds
CURVE_LENGTH = 100_000  # values of a curve that are retained for a future window


class Inspector:
    """The Inspector window of this process, as returned by `qd.inspect()`. Without a window, all methods work and nothing is shown.

    Example:
        >>> ins = qd.inspect(show_window=False)  # doctest: +SKIP
        >>> feed = ins.param("feed", 0.037, 0.01, 0.08)  # doctest: +SKIP
        >>> ins.plot("energy", 3.0)  # doctest: +SKIP
        >>> ins.close()  # doctest: +SKIP
    """

    def __init__(self, title, process, memory_of, effects=None):
        self._process, self._memory_of, self._title = process, memory_of, title
        self._effects = effects  # set if windows come and go
        self._lock = threading.RLock()  # guards the state that a new window receives
        self._curves = {}  # if windows come and go: name -> [number of values, the newest values]
        self._numbers = itertools.count()
        self._shown = {}  # name -> View
        self._parameters = {}
        self._said_unseen = False
        self._publisher = None
        if process is not None:
            self._publisher = _publisher.Publisher(process, memory_of, title)
            self._publisher.parameters = self._parameters

    @property
    def alive(self):
        """True while a window is connected."""
        return self._publisher is not None and self._publisher.is_alive() and self._process.alive

    def _begin(self):
        if self._publisher is None:
            return
        self._publisher.may_begin = threading.Event()
        _counting.begin()
        self._update()
        if _settings.cfg is not None and threading.current_thread() is threading.main_thread():
            self._publisher.measured = _native.core().generation()
            _publisher.measure()
        self._publisher.start()

    def _update(self):
        """Registers for the events of the program; done regardless of a window."""
        _settings.after_reset.append(self._program_ended)
        _native.when_core_loads(self._listen)
        atexit.register(self.close)
        os.register_at_fork(after_in_child=_forget(weakref.ref(self)))

    def _listen(self, core):
        if self._publisher is not None:
            core.listen_to_output(self._publisher.listen)

    def _attach(self, connection):
        """Connects a new window, which is at the other end of this socket."""
        from quadrants._inspect import attach

        process, memory_of = _joined(_hello(self._title, True, True), connection)
        with self._lock:
            visit = attach.AttachedWindow(process, memory_of, self._title, self._effects, self._left, self._numbers)
            visit.views = {view.number: view for view in self._shown.values()}
            visit.parameters = self._parameters
            visit.series = {name: [many - len(newest), newest.copy()] for name, (many, newest) in self._curves.items()}
            visit.pending.add("series")
            self._process, self._publisher = process, visit
        if _native.loaded is not None:
            self._listen(_native.loaded)
        visit.start()

    def _left(self, visit):
        """Disconnects a window that has been closed."""
        if self._publisher is visit:
            if _native.loaded is not None:
                _native.loaded.listen_to_output(None)
            self._process.leave()
            self._publisher = None

    def _has_window(self):
        return self._publisher is not None

    def _program_ended(self):
        if self._publisher is not None:
            self._publisher.changed("views")

    def _notify(self, kind):
        if self._publisher is not None:
            self._publisher.changed(kind)

    def show(self, *arrays, **named):
        """Adds fields, ndarrays or NumPy arrays to the window. A name that is already in use is replaced.

        Args:
            arrays: the arrays; they are named after the caller's variables.
            named: arrays with explicit names.

        Raises:
            TypeError: an argument is none of these.
        """
        self._show(arrays, named, sys._getframe(1))

    def _show(self, arrays, named, frame):
        for name, array in _views.named(arrays, named, _names(arrays, frame, len(self._shown))):
            with self._lock:
                self._show_one(name, array)
        self._notify("views")

    def _show_one(self, name, array):
        known, publisher = self._shown.get(name), self._publisher
        if known is not None and known.array is array and not known.gone:
            return
        view = _views.View(known.number if known is not None else next(self._numbers), name, array)
        self._shown[name] = view
        if publisher is not None:
            with publisher.lock:
                publisher.views[view.number] = view
                publisher.looked_at.pop(view.number, None)

    def param(self, name, value, lo, hi):
        """Returns a number with a slider. A repeated call with the same name, value and bounds returns the same parameter with its current
        value; otherwise a new parameter replaces the old one.

        Args:
            name: the caption of the slider.
            value: the initial value; the parameter is an integer if value, lo and hi are.
            lo, hi: the bounds of the slider.

        Returns:
            A Parameter. It computes like a number, its number is `p.value`, and it can be an argument of kernels.

        Raises:
            TypeError: an argument is not a number.
            ValueError: an argument is not finite, lo is not less than hi, value is not between them, or a bound exceeds half of the range
                of 64-bit numbers.
        """
        from quadrants._inspect import parameters as _parameters

        _process.text(name, "param: name")
        known = self._parameters.get(name)
        made = _parameters.parameter(name, value, lo, hi, lambda: self._notify("parameters"))
        if known is None or known.asked != made.asked or known.whole != made.whole:
            with self._lock:
                self._parameters = {**self._parameters, name: made}
                if self._publisher is not None:
                    self._publisher.parameters = self._parameters
            self._notify("parameters")
        return self._parameters[name]

    def plot(self, name, *values):
        """Appends numbers to a curve.

        Args:
            name: the name of the curve.
            values: the numbers to append.
        """
        _process.text(name, "plot: name")
        numbers = [v if abs(v) <= 1.7e308 else None for v in map(float, values)]
        with self._lock:
            if self._effects is not None:
                curve = self._curves.setdefault(name, [0, collections.deque(maxlen=CURVE_LENGTH)])
                curve[0] += len(numbers)
                curve[1].extend(numbers)
            if self._publisher is not None:
                self._publisher.add_values(name, numbers)

    def say(self, text):
        """Adds text to the log of the window.

        Args:
            text: one or several lines.
        """
        if self._publisher is not None:
            self._publisher.listen("note", str(text))

    def pause(self):
        """Pauses the program until Resume or Step is pressed in the window. If no window is visible, the program continues and one line on
        stderr says so. Ctrl-C ends the pause with KeyboardInterrupt."""
        publisher = self._publisher
        if publisher is None or not self._seen():
            self._say_unseen()
            return
        main_thread = publisher.main_thread
        try:
            main_thread.pause()
            if threading.current_thread() is threading.main_thread():
                main_thread.empty()
                main_thread.wait()
        except BaseException:
            main_thread.resume()
            raise
        if not self.alive:
            self._say_unseen()

    def _seen(self):
        """Returns whether a visible window can accept input; the window reports this itself when it has started."""
        until = time.monotonic() + PATIENCE
        while self.alive and self._process.answer is None and time.monotonic() < until:
            time.sleep(0.005)
        return self.alive and bool((self._process.answer or {}).get("seen"))

    def _say_unseen(self):
        if not self._said_unseen:
            self._said_unseen = True
            _logging.warn("qd.inspect: there is no window to press Resume in; the program continues")

    def resume(self):
        """Resumes a paused program, as if Resume were pressed. It is called from another thread."""
        if self._publisher is not None:
            self._publisher.main_thread.resume()

    def close(self):
        """Ends the connection to the window. The window stays open and says that the program has ended, unless `keep=False`. Kernels that
        were counted for the window are compiled again without counts."""
        global _current
        publisher, self._publisher = self._publisher, None
        if publisher is None and _current is not self:
            return
        if publisher is not None:
            self._take_leave(publisher)
        if self._program_ended in _settings.after_reset:
            _settings.after_reset.remove(self._program_ended)
        atexit.unregister(self.close)
        if _current is self:
            _current = None
            _counting.define_no_more()
            if self._effects is None and threading.current_thread() is threading.main_thread():
                _counting.end()
                _publisher.measure_no_more()

    def _take_leave(self, publisher):
        if publisher.is_alive() and threading.current_thread() is not publisher:
            publisher.next_look = 0.0
            publisher.close()
            publisher.wait_for_end(2.0)
            if self._process.alive:
                for message in _last(publisher):
                    self._process.send(message)
        if _native.loaded is not None:
            _native.loaded.listen_to_output(None)
        self._process.leave()
        if self._effects is not None and threading.current_thread() is threading.main_thread():
            self._effects.settle()

    def __repr__(self):
        state = "open" if self.alive else "closed"
        if self.alive and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
            state += ", but not shown: there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set)"
        return f"<inspector {self._title!r}, {state}>"


def _last(publisher):
    """Returns the changes since the publisher thread last collected them."""
    try:
        return list(publisher.messages())
    except Exception:  # the interpreter may be shutting down, in any state
        return []


def _forget(inspector):
    """Returns a hook that detaches the Inspector in a forked child, which has neither the window nor the thread."""

    def forget():
        one = inspector()
        if one is not None:
            one._publisher, one._lock = None, threading.RLock()

    return forget


def _names(arrays, frame, number):
    """Yields the names of the caller's variables that hold these arrays."""
    variables = {**frame.f_globals, **frame.f_locals}
    for k, array in enumerate(arrays):
        yield next((name for name, value in variables.items() if value is array and not name.startswith("_")), f"{_views.NAMELESS}{number + k}")


def inspect(*arrays, title=None, wait=False, keep=True, show_window=True, **named):
    """Opens a window that shows a running program: how often each line ran, pictures of fields and arrays, task times, and the output of
    kernels. It returns at once; later calls add to the same window. From then on lines are counted, so kernels compiled earlier are
    compiled again. In a program started with QD_INSPECT=attach no window opens: use `quadrants inspect PID`.

    Args:
        arrays: fields, ndarrays and NumPy arrays to show, named after the variables that hold them.
        named: further arrays, with explicit names.
        title: the title of the window; None: the name of the program.
        wait: whether to pause the program here until Resume is pressed; without a visible window it continues.
        keep: whether the window stays open after the program has ended.
        show_window: if False, the window is rendered off-screen.

    Returns:
        An Inspector. If no window can be opened, one line says so, and the program continues without it.

    Raises:
        TypeError: an argument is not a field or an array, or title is not a string.

    Example:
        >>> ins = qd.inspect(v, pos=x, title="waves")  # doctest: +SKIP
    """
    global _current
    frame = sys._getframe(1)
    if title is not None and not isinstance(title, str):
        raise TypeError(f"qd.inspect: title must be a str, not {type(title).__name__}")
    with _making:
        if _attaching is not None:
            here = _attachable()
            here._title = title or here._title
        elif _current is None:
            title = title or _publisher.name_of_program()
            process, memory_of = _open(title, keep, show_window)
            _current = Inspector(title, process, memory_of)
            _current._begin()
        here = _current
    here._show(arrays, named, frame)
    if here._publisher is not None and here._publisher.may_begin is not None:
        here._publisher.may_begin.set()
    if wait:
        here.pause()
    return here


def of_environment():
    """Applies QD_INSPECT to this process, but not to its child processes."""
    wanted = _environment.value("inspect").strip()
    os.environ.pop("QD_INSPECT")
    if wanted == "1":
        inspect()
    elif wanted == "attach":
        wait_for_windows()
    else:
        _logging.warn(
            f"QD_INSPECT={wanted} has no effect; QD_INSPECT=1 shows the window of qd.inspect(), QD_INSPECT=attach lets quadrants inspect show it later"
        )


def wait_for_windows():
    """Makes windows attachable from now on. Returns the thread that waits for them, or None if this is not possible."""
    global _attaching
    from quadrants._inspect import attach, readings, sockets
    from quadrants._language import kernel as _kernel

    _attaching = attach.Effects()
    if _kernel.on_compilation is None:
        _kernel.on_compilation = readings.note
    os.register_at_fork(after_in_child=_wait_no_more)
    try:
        listener = attach.Listener(_attachable)
    except sockets.Refused as why:
        _logging.warn(f"QD_INSPECT=attach: no window can attach to this program: {why}")
        return None
    listener.start()
    return listener


def _wait_no_more():
    """Resets the state in a forked child."""
    global _attaching, _current, _making
    _attaching, _making = None, threading.RLock()
    if _current is not None and _current._effects is not None:
        _current = None


def _attachable():
    """Returns the Inspector of a program whose windows come and go."""
    global _current
    with _making:
        if _current is None:
            _current = Inspector(_publisher.name_of_program(), None, None, _attaching)
            _current._update()
        return _current


def _hello(title, keep, show_window):
    return {"mode": "inspect", "title": title, "size": [1280, 800], "position": [80, 60], "show": bool(show_window), "keep": bool(keep)}


def _open(title, keep, show_window):
    return _joined(_hello(title, keep, show_window))


def _joined(hello, connection=None):
    """Returns (process, function (number, size) -> the memory that it sees), or two times None."""
    # without a connection, the publisher thread sends the greeting
    opened = _process.Process(hello, connection, greets=connection is not None)
    if not opened.alive and connection is None:
        return None, None

    def memory_of(number, size):
        memory = _process.Memory(opened, number)
        memory.reserve(size, touched=True)
        return memory

    return opened, memory_of
