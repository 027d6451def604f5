"""The thread that sends changes and requested data to the window, and executes requests of the window."""

import collections
import os
import sys
import threading
import time

from quadrants import _exceptions, _native, _runtime, _settings
from quadrants._coverage import counts as _coverage
from quadrants._inspect.main_thread import MainThreadQueue
from quadrants._windows import messages

PERIOD = 0.2  # seconds between two readings of counts and times
FRAME = 1 / 30  # seconds between two pictures of a view
STEADY = 0.25  # seconds to wait for the main thread before memory is read directly
_share = 0.008  # fraction of one core's time that is spent on counts and times
SLOTS = 3
_loading = threading.Lock()  # held while a thread imports modules, see _before_fork()
_waited = False
_measured = None  # generation of the program whose times are measured for the window alone
PANES = ("lines", "tasks", "adstack", "graph")
_FORM = ("width", "height", "component", "slice", "first")  # pictures that agree in these can be compared


class Pictures:
    """A view that the window displays: the memory for its pictures, and the position of the latest one."""

    def __init__(self, view, memory, samples):
        self.view, self.memory, self.samples = view, memory, samples
        numbers = memory.view[: 4 * SLOTS * samples].cast("f")
        self.slots = [numbers[k * samples : (k + 1) * samples] for k in range(SLOTS)]
        self.wanted = None
        self.number = 0
        self.shown = True  # the window has consumed the latest picture
        self.asked_at = None  # the time when the main thread was requested
        self.next_at = 0.0
        self.pause = FRAME
        self.form = None  # form of the latest picture sent
        self.last = None  # the latest picture message sent

    def after(self, now):
        """Returns the due time of the next picture: the regular time if this one was late by less than a period, else a period from now."""
        return (self.next_at if self.next_at <= now < self.next_at + self.pause else now) + self.pause

    def same_form(self, picture):
        return self.number > 0 and self.form == {key: picture[key] for key in _FORM}

    def newest(self):
        """Returns the memory of the latest picture sent, or None."""
        return self.slots[(self.number - 1) % SLOTS] if self.number > 0 else None


class Publisher(threading.Thread):
    def __init__(self, process, memory_of, program):
        super().__init__(name="quadrants inspect", daemon=True)
        self.process, self.memory_of, self.program = process, memory_of, program
        self.lock = threading.RLock()  # guards the state that the program's threads change
        self.main_thread = MainThreadQueue()
        self.main_thread.said_paused = self.say_state
        self.views, self.looked_at, self.parameters, self.series = {}, {}, {}, {}
        self.log = collections.deque(maxlen=1000)
        self.pending = {"state", "views", "parameters"}  # kinds of messages to send
        self.panes = set(PANES)
        self.with_texts = True
        self.said = ""
        self.pausing = False
        self.stopping = False
        self.memories = 0
        self.sent_state = {}  # View -> (gone, placed) as last sent to the window
        self.next_look = self.next_panes = 0.0
        self.measured = None  # generation of the program whose tasks are measured
        self.may_begin = None  # an Event that delays the start, so that the caller need not wait for the GIL

    # --- called by the program's threads ---

    def changed(self, kind):
        self.pending.add(kind)

    def listen(self, what, text):
        self.log.append({"what": what, "text": text})

    def say(self, text):
        self.said = text
        self.pending.add("state")

    def say_state(self, paused):
        self.pausing = paused
        self.pending.add("state")

    def add_values(self, name, values):
        with self.lock:
            first, fresh = self.series.setdefault(name, [0, collections.deque(maxlen=100_000)])
            dropped = max(0, len(fresh) + len(values) - fresh.maxlen)
            fresh.extend(values)
            self.series[name][0] = first + dropped
        self.pending.add("series")

    # --- the thread ---

    def run(self):
        if self.may_begin is not None:
            self.may_begin.wait(0.05)
        with _loading:
            self.load()
        try:
            while not self.stopping and self.process.alive:
                program = _settings.programs_ended
                try:
                    self.once()
                except Exception:
                    if _settings.cfg is not None and program == _settings.programs_ended:
                        raise
                    # objects that do not exist, or whose program has ended, have nothing to send
                    self.next_look = time.monotonic() + PERIOD
        except Exception:
            import logging

            logging.getLogger(__name__).warning("The window is no longer updated", exc_info=True)
        finally:
            self.main_thread.close()

    def load(self):
        """Imports modules without delaying the program. None of them may import `typing`, since other threads (dataclasses, the parser of
        kernels) use it as soon as it is partly initialised."""
        import fcntl, json, mmap  # noqa: E401, F401  used for messages and memory

        self.process.greet()
        from quadrants._inspect.graphs import Graphs
        from quadrants._live.adstack import Adstack
        from quadrants._live.files import Files
        from quadrants._live.tasks import Tasks

        self.files, self.tasks, self.adstack, self.graphs = Files(), Tasks(), Adstack(), Graphs()

    def once(self):
        wait = max(0.001, min([self.next_look, *self.times()]) - time.monotonic())
        for message in self.process.receive(timeout=min(wait, PERIOD)):
            self.handle(message)
        self.look()
        self.take_pictures()

    def times(self):
        for pictures in self.looked_at.values():
            if pictures.shown or pictures.asked_at is not None:
                yield pictures.next_at if pictures.asked_at is None else pictures.asked_at + STEADY

    def look(self):
        if time.monotonic() < self.next_look:
            return
        self.measure()
        try:
            for message in self.messages():
                self.process.send(message)
            if self.next_look == 0.0 or time.monotonic() >= self.next_panes:
                self.send_panes()
        except _exceptions.QuadrantsRuntimeError:
            pass  # the program has ended meanwhile; the next reading finds another, or none
        self.main_thread.ask()
        self.next_look = time.monotonic() + PERIOD

    def send_panes(self):
        """Sends the counts and times, at intervals that respect their share of the time, since long programs have many counts."""
        start = time.thread_time()
        try:
            for message in self.pane_messages():
                self.process.send(message)
        finally:
            self.next_panes = time.monotonic() + max(PERIOD, (time.thread_time() - start) / _share)

    def measure(self):
        """Enables the measurement of task times in each program, unless the program disables it again."""
        core = _native.loaded
        if core is not None and core.initialised() and core.generation() != self.measured:
            self.measured = core.generation()
            self.main_thread.do(measure)

    def messages(self):
        """Yields the messages that are due."""
        due = {self.pending.pop() for _ in range(len(self.pending))}  # the set object is never replaced, since other threads add to it
        if "state" in due:
            yield self.state()
        if "views" in due or any((view.gone, view.placed) != state for view, state in self.sent_state.items()):
            yield self.views_message()
        if "parameters" in due:
            with self.lock:
                yield {"kind": "parameters", "parameters": [p.data() for p in self.parameters.values()]}
        if "series" in due:
            yield self.series_message()
        if self.log:
            lines = [self.log.popleft() for _ in range(len(self.log))]
            yield {"kind": "log", "lines": lines}

    def pane_messages(self):
        if "lines" in self.panes:
            listings = self.files.take()
            listings = self.files.everything() if self.with_texts else listings
            if listings:
                yield self.files.message(listings, self.with_texts)
                self.with_texts = False
        if "tasks" in self.panes and self.tasks.take():
            yield self.tasks.message()
        if "adstack" in self.panes and self.adstack.take():
            yield self.adstack.message()
        if "graph" in self.panes and self.graphs.take():
            yield self.graphs.message()

    def state(self):
        said, self.said = self.said, ""
        config = _settings.cfg
        return {
            "kind": "state", "program": self.program, "process": os.getpid(), "device": config.arch.name if config else "",
            "paused": self.pausing, "stepped": self.main_thread.stepped, "said": said,
        }  # fmt: skip

    def views_message(self):
        with self.lock:
            views = list(self.views.values())
        self.sent_state = {view: (view.gone, view.placed) for view in views}
        return {"kind": "views", "views": [view.data() for view in views if self.sent_state[view][1]]}

    def series_message(self):
        rows = []
        with self.lock:
            for name, entry in self.series.items():
                first, fresh = entry
                if fresh:
                    rows.append({"name": name, "first": first, "values": list(fresh)})
                    entry[0] = first + len(fresh)
                    fresh.clear()
        return {"kind": "series", "series": rows}

    # --- pictures ---

    def take_pictures(self):
        now = time.monotonic()
        for pictures in list(self.looked_at.values()):
            if pictures.asked_at is not None:
                if now - pictures.asked_at >= STEADY:
                    self.take_as_it_is(pictures)
            elif pictures.shown and now >= pictures.next_at and pictures.view.ready():
                pictures.asked_at = now
                self.main_thread.do(lambda pictures=pictures: self.take(pictures))

    def take(self, pictures, during_launch=False):
        """Takes a picture into the next slot; called on the main thread, or on this thread if the main thread is not available."""
        with self.lock:
            if pictures.asked_at is None or self.looked_at.get(pictures.view.number) is not pictures:
                return
            pictures.asked_at = None
            pictures.next_at = pictures.after(time.monotonic())
            if not pictures.view.ready():
                return
            wanted, slot = pictures.wanted, pictures.number % SLOTS
            try:
                plan, same = pictures.view.sample(wanted, pictures.slots[slot], pictures.newest())
            except Exception as error:
                pictures.pause = 1.0
                self.say(f"{pictures.view.name} cannot be shown: {str(error).splitlines()[0] if str(error) else type(error).__name__}")
                return
            picture = {
                "kind": "picture", "view": pictures.view.number, "memory": pictures.memory.number, "at": 4 * slot * pictures.samples,
                "width": plan.width, "height": plan.height, "columns": plan.columns, "rows": plan.rows, "component": wanted["component"],
                "slice": plan.slice, "first": plan.first, "number": pictures.number,
                "during_launch": during_launch,
            }  # fmt: skip
            if same and pictures.same_form(picture):
                pictures.pause = min(2 * pictures.pause, PERIOD)
                pictures.next_at = time.monotonic() + pictures.pause
                return
            pictures.form, pictures.last = {key: picture[key] for key in _FORM}, picture
            pictures.number += 1
            pictures.pause, pictures.shown = FRAME, False
            self.process.send(picture)

    def take_as_it_is(self, pictures):
        """Takes a picture when the main thread has not responded, because of a long launch or because it is waiting for something else."""
        moving = _native.core().launches_now() > 0
        if moving and pictures.view.in_place() is None:
            pictures.asked_at = time.monotonic()  # a kernel would have to wait for the launch, too
            return
        self.take(pictures, during_launch=moving)

    # --- requests of the window ---

    def handle(self, message):
        answer = getattr(self, "do_" + str(message.get("kind")), None)
        if answer is None:
            return
        if not messages.is_message(message, messages.REQUESTS):
            self.say(f"{message['kind']}: a member is missing, or of another type")
            return
        try:
            answer(message)
        except Exception as error:  # an invalid message must not prevent the processing of the next one
            self.say(f"{message.get('kind')}: {error}")

    def do_want(self, message):
        self.panes = set(message["panes"])
        wanted = {number: _whole(one) for one in message["views"] if (number := int(one["id"])) in self.views}
        with self.lock:
            for number in list(self.looked_at):
                if number not in wanted:
                    del self.looked_at[number]
            for number, one in wanted.items():
                self.want(number, one)
        self.next_look = 0.0

    def want(self, number, wanted):
        view = self.views[number]
        width, height = view.samples_of(wanted)
        samples = -(-width * height // 4) * 4  # slots must be aligned for every type
        pictures = self.looked_at.get(number)
        if pictures is None or pictures.samples < samples:
            self.memories += 1
            memory = self.memory_of(self.memories, 4 * SLOTS * samples)
            pictures = self.looked_at[number] = Pictures(view, memory, samples)
        if pictures.wanted != wanted:
            pictures.wanted, pictures.next_at, pictures.pause, pictures.form = wanted, 0.0, FRAME, None

    def do_shown(self, message):
        pictures = self.looked_at.get(message["view"])
        if pictures is not None:
            pictures.shown = True

    def do_set(self, message):
        with self.lock:
            parameter = self.parameters[message["name"]]
        parameter._value = parameter._allowed(message["value"])

    def do_edit(self, message):
        view = self.views[message["view"]]
        self.main_thread.do(lambda: self.edit(view, message))

    def edit(self, view, message):
        try:
            view.edit(message["index"], int(message["component"]), message["value"])
            self.say(f"{view.name}[{', '.join(str(int(i)) for i in message['index'])}] = {message['value']}")
        except Exception as error:
            self.say(f"{view.name} was not changed: {error}")

    def do_do(self, message):
        what = message["what"]
        if what == "stop":
            import signal

            self.main_thread.resume()
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        elif what in ("pause", "resume", "step"):
            getattr(self.main_thread, what)()
        elif what == "mark":
            self.files.mark()
        elif what == "clear":
            _coverage.clear()
            self.files.forget()
            self.with_texts = True
        self.next_look = 0.0

    def do_save(self, message):
        if "numpy" not in sys.modules:
            self.await_typing()
        from quadrants._inspect import report

        self.say(f"saved {report.save(message['path'], self)}")

    def await_typing(self):
        """Makes the main thread import `typing`, if it responds; see load()."""
        come = threading.Event()

        def load():
            import typing  # noqa: F401

            come.set()

        self.main_thread.do(load)
        come.wait(STEADY)

    def close(self):
        self.stopping = True
        self.main_thread.close()

    def wait_for_end(self, seconds):
        """Waits until nothing more will be sent; the thread may continue with other work."""
        self.join(seconds)


def _whole(wanted):
    """Converts a WantedView to integers, since numbers in JSON may have a decimal point."""
    return {**{name: int(wanted[name]) for name in ("width", "height", "component")}, **{name: [int(at) for at in wanted[name]] for name in ("slice", "first")}}


def measure():
    """Enables the measurement of task times; called on the main thread between two launches."""
    global _measured
    if _settings.cfg is not None and not _settings.cfg.kernel_profiler:
        _measured = _native.core().generation()
        _settings.cfg.kernel_profiler = True
        _runtime.pass_options()


def measure_no_more():
    """Ends the measurement, if only the window requested it."""
    if _settings.cfg is not None and _measured == _native.core().generation():
        _settings.cfg.kernel_profiler = False
        _runtime.pass_options()


def _before_fork():
    """Waits until no thread is importing modules, since a forked child would wait forever for such an import. The wait is limited to a
    second, since the thread may itself wait for an import of the forking thread."""
    global _waited
    _waited = _loading.acquire(timeout=1.0)


def _after_fork():
    if _waited:
        _loading.release()


def _in_child():
    global _loading
    _loading = threading.Lock()


os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_in_child)


def name_of_program():
    return os.path.basename(sys.argv[0] or "") or "python"
