"""`qd.inspect()` and what it gives."""

import atexit
import itertools
import os
import sys
import threading
import time
import weakref

from quadrants import _environment, _logging, _native, _settings
from quadrants._coverage import counts as _coverage
from quadrants._inspect import parameters as _parameters, publisher as _publisher, views as _views
from quadrants._language import kernel as _kernel

_current = None  # the Inspector of the process
PATIENCE = 10.0  # s in which a window begins


class Inspector:
    """What `qd.inspect()` gives: the window of this process. Without a window everything works and nothing is shown.

    Example:
        >>> ins = qd.inspect(show_window=False)  # doctest: +SKIP
        >>> feed = ins.param("feed", 0.037, 0.01, 0.08)  # doctest: +SKIP
        >>> ins.plot("energy", 3.0)  # doctest: +SKIP
        >>> ins.close()  # doctest: +SKIP
    """

    def __init__(self, title, process, memory_of):
        self._process, self._memory_of, self._title = process, memory_of, title
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
        """Whether there is a window that is told."""
        return self._publisher is not None and self._publisher.is_alive() and self._process.alive

    def _begin(self):
        if self._publisher is None:
            return
        _count_lines()
        _settings.after_reset.append(self._program_ended)
        _native.when_core_loads(lambda core: core.listen_to_output(self._publisher.listen))
        if _settings.cfg is not None and threading.current_thread() is threading.main_thread():
            self._publisher.measured = _native.core().generation()
            _publisher.measure()
        self._publisher.start()
        atexit.register(self.close)
        os.register_at_fork(after_in_child=_forget(weakref.ref(self)))

    def _program_ended(self):
        if self._publisher is not None:
            self._publisher.changed("views")

    def _tell(self, kind):
        if self._publisher is not None:
            self._publisher.changed(kind)

    def show(self, *arrays, **named):
        """Adds fields, ndarrays or numpy arrays to what the window can show. One of a name that is known takes its place.

        Args:
            arrays: they are called as the variables that the caller has them in.
            named: under names of your own.

        Raises:
            TypeError: what is given is none of these.
        """
        self._show(arrays, named, sys._getframe(1))

    def _show(self, arrays, named, frame):
        for name, array in _views.named(arrays, named, _names(arrays, frame, len(self._shown))):
            known = self._shown.get(name)
            if known is not None and known.array is array and not known.gone:
                continue
            view = _views.View(known.number if known is not None else next(self._numbers), name, array)
            self._shown[name] = view
            if self._publisher is not None:
                with self._publisher.lock:
                    self._publisher.views[view.number] = view
                    self._publisher.looked_at.pop(view.number, None)
        self._tell("views")

    def param(self, name, value, lo, hi):
        """A number with a slider. Asked for again with the same name, value and ends it is the same, as it was set last; with others
        it is made anew, and the slider is that of the new one.

        Args:
            name: what stands beside the slider.
            value: at first; whole if all three are.
            lo, hi: the ends of the slider.

        Returns:
            A Parameter: it computes as a number, `p.value` is one, and it is an argument of kernels.

        Raises:
            TypeError: one of them is no number.
            ValueError: one is not finite, lo is not less than hi, or value is not between them.
        """
        known = self._parameters.get(name)
        made = _parameters.parameter(name, value, lo, hi, lambda: self._tell("parameters"))
        if known is None or known.asked != made.asked or known.whole != made.whole:
            self._parameters = {**self._parameters, name: made}
            if self._publisher is not None:
                self._publisher.parameters = self._parameters
            self._tell("parameters")
        return self._parameters[name]

    def plot(self, name, *values):
        """Adds numbers to a curve.

        Args:
            name: of the curve.
            values: numbers.
        """
        numbers = [float(value) for value in values]
        if self._publisher is not None:
            self._publisher.add_values(name, [v if abs(v) <= 1.7e308 else None for v in numbers])

    def say(self, text):
        """Adds a line to the log of the window.

        Args:
            text: one line or several.
        """
        if self._publisher is not None:
            self._publisher.listen("note", str(text))

    def pause(self):
        """The program stands still here until somebody presses Resume or Step in the window. Where none is shown it goes on, and one
        line on stderr says so. Ctrl-C ends the pause with KeyboardInterrupt."""
        publisher = self._publisher
        if publisher is None or not self._seen():
            self._say_unseen()
            return
        standing = publisher.standing
        try:
            standing.pause()
            if threading.current_thread() is threading.main_thread():
                standing.empty()
                standing.stand()
        except BaseException:
            standing.resume()
            raise
        if not self.alive:
            self._say_unseen()

    def _seen(self):
        """Whether there is a window that somebody can press a button of: it says so itself, once it has begun."""
        until = time.monotonic() + PATIENCE
        while self.alive and self._process.answer is None and time.monotonic() < until:
            time.sleep(0.005)
        return self.alive and bool((self._process.answer or {}).get("seen"))

    def _say_unseen(self):
        if not self._said_unseen:
            self._said_unseen = True
            _logging.warn("qd.inspect: there is no window to press Resume in; the program runs on")

    def resume(self):
        """A program that stands still goes on, as if Resume was pressed. Other threads call it."""
        if self._publisher is not None:
            self._publisher.standing.resume()

    def close(self):
        """The window is told nothing any more. It stays, and says that the program has ended, unless `keep=False`."""
        global _current
        publisher, self._publisher = self._publisher, None
        if publisher is None:
            return
        if publisher.is_alive() and threading.current_thread() is not publisher:
            publisher.next_look = 0.0
            publisher.close()
            publisher.join(2.0)
            if self._process.alive:
                for message in _last(publisher):
                    self._process.send(message)
        if _native.loaded is not None:
            _native.loaded.listen_to_output(None)
        self._process.leave()
        if self._program_ended in _settings.after_reset:
            _settings.after_reset.remove(self._program_ended)
        atexit.unregister(self.close)
        if _current is self:
            _current = None
            _count_no_more()

    def __repr__(self):
        return f"<inspector {self._title!r}, {'open' if self.alive else 'closed'}>"


def _last(publisher):
    """What changed since the thread looked last."""
    try:
        return list(publisher.messages())
    except Exception:  # the program may be ending in any state
        return []


def _forget(inspector):
    """In a forked child, which has no window and no thread."""

    def forget():
        one = inspector()
        if one is not None:
            one._publisher = None

    return forget


def _names(arrays, frame, number):
    """How the caller's variables are called that hold these arrays."""
    variables = {**frame.f_globals, **frame.f_locals}
    for k, array in enumerate(arrays):
        yield next((name for name, value in variables.items() if value is array and not name.startswith("_")), f"array {number + k}")


# --- what is counted and measured from now on ---------------------------------------------------------------------------------

def _counts(fn):
    return True


def _count_lines():
    """In all kernels, which are compiled once more for it, but for those of which it was decided otherwise."""
    if _kernel.counts_definition is None:
        _kernel.counts_definition = _counts
    for kernel in _kernel.living():
        if kernel._primal.coverage is None:
            kernel._primal.coverage = True
            kernel._forget()


def _count_no_more():
    if _kernel.counts_definition is _counts:
        _kernel.counts_definition = None


def inspect(*arrays, title=None, wait=False, keep=True, show_window=True, **named):
    """Opens a window that shows what the program does while it runs: how often each line ran, fields and arrays as pictures, times of
    tasks, what kernels print. It returns at once; called again it adds to the window that there is. From here on lines are counted, so kernels that
    were compiled before are compiled once more.

    Args:
        arrays: fields, ndarrays and numpy arrays to be looked at, called as the variables that hold them.
        named: others, under names of your own.
        title: of the window; None: the name of the program.
        wait: the program stands still here until somebody presses Resume; where no window is shown it runs on.
        keep: the window stays when the program has ended.
        show_window: False: it is drawn where nobody sees it.

    Returns:
        An Inspector. Where there can be no window it says so in one line, and the program runs as without.

    Raises:
        TypeError: something else than fields and arrays is to be shown, or title is no text.

    Example:
        >>> ins = qd.inspect(v, pos=x, title="waves")  # doctest: +SKIP
    """
    global _current
    frame = sys._getframe(1)
    if title is not None and not isinstance(title, str):
        raise TypeError(f"qd.inspect: title must be a text, not {type(title).__name__}")
    if _current is None:
        title = title or _publisher.name_of_program()
        process, memory_of = _open(title, keep, show_window)
        _current = Inspector(title, process, memory_of)
        _current._begin()
    _current._show(arrays, named, frame)
    if wait:
        _current.pause()
    return _current


def of_environment():
    """QD_INSPECT: of this process, not of those that it starts."""
    wanted = _environment.value("inspect")
    os.environ.pop("QD_INSPECT")
    if wanted == "1":
        inspect()
    else:
        _logging.warn(f"QD_INSPECT={wanted} does nothing; QD_INSPECT=1 shows the window of qd.inspect()")


def _open(title, keep, show_window):
    """(process, number and size -> memory that it sees), or two times None."""
    from quadrants._windows import process as _process

    hello = {"mode": "inspect", "title": title, "size": [1280, 800], "position": [80, 60], "show": bool(show_window), "keep": bool(keep)}
    opened = _process.Process(hello)
    if not opened.alive:
        return None, None

    def memory_of(number, size):
        memory = _process.Memory(opened, number)
        memory.reserve(size)
        return memory

    return opened, memory_of
