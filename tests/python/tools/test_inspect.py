"""qd.inspect() in the script's process, with a window that only records its messages."""

import enum
import pathlib
import re
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import quadrants as qd
from inspected import PATIENCE, members, program, window
from quadrants import _native, _settings
from quadrants._inspect import inspector, publisher


def make_step():
    @qd.kernel
    def step(x: qd.types.ndarray(qd.f32, ndim=2), factor: qd.f32):
        for i, j in x:
            if x[i, j] < 100:
                x[i, j] = x[i, j] * factor

    return step


def test_lines_tasks_and_messages_have_the_members_of_the_protocol(window, program):
    ins = qd.inspect()
    feed = ins.param("feed", 2.0, 0.0, 3.0)
    x = qd.ndarray(qd.f32, (8, 4))
    x.fill(1)
    ins.show(x)
    step = make_step()
    step(x, feed)
    ins.plot("energy", 1.0, float("nan"))
    ins.say("begun")
    window.want({"id": 0})
    listing = window.wait("listings", lambda m: any(line["count"] == 32 for line in m["listings"][0]["lines"]))
    assert list(listing) == members("ListingsMessage")
    one = listing["listings"][0]
    assert list(one) == members("FileListing") and one["file"] == __file__
    assert list(one["lines"][0]) == members("LineCounts", "coverage.ts")
    first = window.wait("listings", lambda m: m["listings"][0]["text"] is not None)["listings"][0]
    text = first["text"].splitlines()
    counts = {text[line["number"] - 1].strip(): line["count"] for line in one["lines"]}
    assert counts == {"for i, j in x:": 1, "if x[i, j] < 100:": 32, "x[i, j] = x[i, j] * factor": 32}
    tasks = window.wait("tasks", lambda m: any(row["kernel"].endswith("step") for row in m["tasks"]) or m["compilations"])
    of_step = lambda m: [one for one in m["compilations"] if one["kernel"].endswith("step")]
    compiled = of_step(window.wait("tasks", of_step))[0]
    assert list(tasks) == members("TasksMessage") and list(compiled) == members("Compilation")
    assert list(compiled["phases"][0]) == members("PhaseTime") and compiled["compiled"] > 0
    for kind, interface in (("state", "StateMessage"), ("views", "ViewsMessage"), ("parameters", "ParametersMessage"),
                            ("series", "SeriesMessage"), ("log", "LogMessage"), ("picture", "PictureMessage")):  # fmt: skip
        assert list(window.wait(kind)) == members(interface)
    assert list(window.wait("views", lambda m: m["views"])["views"][0]) == members("View")
    assert list(window.wait("parameters", lambda m: m["parameters"])["parameters"][0]) == members("Parameter")
    assert window.wait("series")["series"] == [{"name": "energy", "first": 0, "values": [1.0, None]}]
    assert window.wait("log")["lines"] == [{"what": "note", "text": "begun"}]
    time.sleep(0.05)  # times are measured from the second reading on
    step(x, feed)
    rows = window.wait("tasks", lambda m: any(row["runs"] for row in m["tasks"]))["tasks"]
    assert list(rows[0]) == members("TaskTimes")
    assert rows[0]["total"] > 0 and rows[0]["file"] == __file__ and rows[0]["line"] > 0


def test_nothing_is_counted_or_measured_after_close(window, program):
    before, x = make_step(), qd.ndarray(qd.f32, (8, 4))
    ins = qd.inspect()
    steps = before, make_step()
    for step in steps:
        step(x, 1.0)
    counted = _native.core().coverage()
    assert counted and _settings.cfg.kernel_profiler
    ins.close()
    for step in steps:
        step(x, 1.0)
    assert _native.core().coverage() == counted and not _settings.cfg.kernel_profiler


def test_counts_grow_inside_of_one_launch(window, program):
    qd.inspect()

    @qd.kernel
    def long(x: qd.types.ndarray(qd.f32, ndim=1)):
        for i in range(67108864):
            for j in range(1000):
                x[i % 64] = qd.sin(x[i % 64])

    window.want()
    x = np.zeros(64, np.float32)
    seen = []

    def watch():
        before = 0
        for _ in range(2):
            message = window.wait("listings", lambda m: max((line["count"] for line in m["listings"][0]["lines"]), default=0) > before)
            before = max(line["count"] for line in message["listings"][0]["lines"])
            seen.append(before)
        window.ask("do", what="stop")

    thread = threading.Thread(target=watch)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        long(x)
    thread.join()
    assert len(seen) == 2 and seen[0] < seen[1]


def test_a_slider_reaches_the_next_launch(window, program):
    ins = qd.inspect()
    factor = ins.param("factor", 2.0, 0.0, 10.0)
    count = ins.param("count", 3, 1, 9)

    @qd.kernel
    def read(f: qd.f32, n: qd.i32) -> qd.f32:
        return f * n

    assert read(factor, count) == 6.0 and factor.value == 2.0 and list(range(count)) == [0, 1, 2]
    window.ask("set", name="factor", value=3.5)
    window.ask("set", name="count", value=50)
    while count.value != 9:
        time.sleep(0.001)
    assert read(factor, count) == 31.5 and ins.param("factor", 2.0, 0.0, 10.0) is factor
    factor.value = 1.5
    window.wait("parameters", lambda m: m["parameters"] and m["parameters"][0]["value"] == 1.5)
    with pytest.raises(ValueError, match="lo=2 must be less than hi=1"):
        ins.param("wrong", 1, 2, 1)
    with pytest.raises(TypeError, match="value must be a number, not str"):
        ins.param("wrong", "1", 0, 1)
    with pytest.raises(ValueError, match="nan is not a finite number"):
        factor.value = float("nan")


def test_a_parameter_is_a_number(window, program):
    ins = qd.inspect()
    m, f = ins.param("m", 5, 0, 10), ins.param("f", 2.5, 0.0, 10.0)
    assert m == 5 and m != 6 and m < 6 and m >= 5 and 4 < m and not m > f * 2 and m == ins.param("m", 5, 0, 10)
    assert (m + 1, 1 + m, 7 - m, m // 2, 11 % m, m**2, 2**m, -m, abs(m), pow(m, 2, 7), divmod(m, 2)) == (6, 6, 2, 2, 1, 25, 32, -5, 5, 4, (2, 1))
    assert type(m + 1) is int and m * f == 12.5 and m / f == 2.0 and max(f, 3) == 3 and min(f, 3) is f
    assert f"{f:.2f} {m:03d} {m}" == "2.50 005 5" and round(f, 1) == 2.5 and round(f) == 2 and int(f) == 2 and bool(m)
    np.testing.assert_array_equal(np.arange(3) * f, [0.0, 2.5, 5.0])
    with pytest.raises(TypeError, match="unhashable"):
        hash(m)
    with pytest.raises(TypeError):
        m + "a"

    @qd.kernel
    def power(n: qd.template(), g: qd.template()) -> qd.f32:
        total = 0.0
        for k in qd.static(range(n)):
            total += g
        return total

    assert power(m, f) == 12.5 and power(5, 2.5) == 12.5
    m.value = 3
    assert power(m, f) == 7.5 and power(m, f) == 7.5
    m.value = 5
    assert power(m, f) == 12.5


def test_unsupported_objects_are_named(window, program):
    x, three = qd.field(qd.i32, shape=4), object()
    ins = qd.inspect(x)
    with pytest.raises(TypeError, match="^argument 2: a field, an ndarray or a numpy array can be shown, not float"):
        ins.show(x, 3.5)
    with pytest.raises(TypeError, match="^three: .* not object"):
        ins.show(three)
    with pytest.raises(TypeError, match="^here: .* not float"):
        ins.show(here=3.5)


def test_a_parameter_prints_and_computes_with_numpy(window, program):
    ins = qd.inspect()
    m, f = ins.param("m", 6, 0, 10), ins.param("f", 0.5, 0.0, 1.0)
    assert str(m) == "6" and f"{f} %s" % f == "0.5 0.5" and "parameter" in repr(f)
    assert np.sin(f) == np.sin(0.5) and isinstance(np.sin(f), float) and np.add(m, f) == 6.5
    for made in (np.arange(3.0) * f, f * np.arange(3.0), np.array([1.0, 2.0]) - m, np.array([f, m]), np.asarray(f)):
        assert made.dtype == np.float64
    assert (np.arange(3.0) * f).tolist() == [0.0, 0.5, 1.0] and np.array([f, m]).tolist() == [0.5, 6.0]
    assert (np.ones(2, np.float32) * f).dtype == np.float32 and np.array([m, m]).dtype == np.int64
    assert (np.arange(3) < m).all() and np.maximum(np.arange(3), m).tolist() == [6, 6, 6]
    assert [m << 1, m >> 1, m & 3, m | 1, m ^ 2, ~m] == [12, 3, 2, 7, 4, -7]
    assert [1 << m, 1024 >> m, 3 & m, 1 | m, 2 ^ m] == [64, 16, 2, 7, 4] and m & m == 6
    with pytest.raises(TypeError):
        f << 1

    @qd.kernel
    def scale(x: qd.types.ndarray(dtype=qd.f64, ndim=1)):
        for i in x:
            x[i] += 1

    x = np.arange(3.0) * f
    scale(x)
    assert x.tolist() == [1.0, 1.5, 2.0]


def test_a_parameter_of_a_name_that_is_known(window, program):
    ins = qd.inspect()
    p = ins.param("p", 1.0, 0.0, 2.0)
    p.value = 1.5
    assert ins.param("p", 1.0, 0.0, 2.0) is p and p.value == 1.5
    q = ins.param("p", 1.25, 0.0, 2.0)
    assert q.value == 1.25 and q is not p
    r = ins.param("p", 3.0, 2.5, 4.0)
    assert (r.value, r.lowest, r.highest) == (3.0, 2.5, 4.0)
    window.wait("parameters", lambda m: [row["value"] for row in m["parameters"]] == [3.0])
    window.ask("set", name="p", value=3.5)
    until = time.monotonic() + PATIENCE
    while r.value != 3.5 and time.monotonic() < until:
        time.sleep(0.001)
    assert r.value == 3.5 and q.value == 1.25
    with pytest.raises(ValueError, match="parameter p: value=9 is not between lo=0 and hi=1"):
        ins.param("p", 9, 0, 1)
    with pytest.raises(TypeError, match="parameter p: value must be a number, not str"):
        r.value = "a"
    assert r.value == 3.5


def test_garbled_requests_are_answered_and_change_nothing(window, program):
    ins = qd.inspect(np.zeros(4, np.float32))
    ins.param("p", 1.0, 0.0, 2.0)
    for message in ({"kind": "set"}, {"kind": "set", "name": "p", "value": "x"}, {"kind": "want", "panes": 3},
                    {"kind": "want", "panes": [], "views": [{"id": 0}]}, {"kind": "edit", "view": 9}, {"kind": 7}, {}, {"kind": "do"}):  # fmt: skip
        window.asked.put(message)
    window.ask("do", what="dance")
    window.ask("set", name="p", value=2.0)
    until = time.monotonic() + PATIENCE
    while ins.param("p", 1.0, 0.0, 2.0).value != 2.0 and time.monotonic() < until:
        time.sleep(0.001)
    assert ins.alive and ins.param("p", 1.0, 0.0, 2.0).value == 2.0


def test_pause_step_resume_and_edit(window, program):
    x = qd.field(qd.i32, shape=(4, 4))

    @qd.kernel
    def add():
        for i, j in x:
            x[i, j] += 1

    add()
    ins = qd.inspect(x)
    counts = []

    def person():
        window.ask("do", what="pause")
        window.wait("state", lambda m: m["paused"])
        counts.append(int(x.to_numpy()[0, 0]))
        window.ask("do", what="step")
        window.wait("state", lambda m: m["paused"] and m["stepped"] == 1)
        counts.append(int(x.to_numpy()[0, 0]))
        window.ask("edit", view=0, index=[2, 3], component=0, value="1000000000")
        window.wait("state", lambda m: "= 1000000000" in m["said"])
        counts.append(int(x.to_numpy()[2, 3]))
        window.ask("edit", view=0, index=[9, 9], component=0, value="1")
        window.wait("state", lambda m: "was not changed: index (9, 9) is out of bounds for shape (4, 4)" in m["said"])
        window.ask("edit", view=0, index=[0, 0], component=0, value="many")
        window.wait("state", lambda m: "'many'" in m["said"])
        window.ask("do", what="resume")
        window.wait("state", lambda m: not m["paused"], after=len(window.told))

    def person_then_end():
        try:
            person()
        finally:  # after a failure, too, the paused program must go on
            window.ask("do", what="resume")
            ended.set()

    ended = threading.Event()
    thread = threading.Thread(target=person_then_end)
    thread.start()
    until = time.monotonic() + PATIENCE
    while not ended.is_set() and time.monotonic() < until:
        add()
    thread.join()
    assert counts[1] == counts[0] + 1 and counts[2] == 1000000000 and x[2, 3] - x[0, 0] == 1000000000 - counts[1]
    assert ins.alive


def test_ctrl_c_while_it_is_paused(window, program):
    ins = qd.inspect()

    def person():
        window.wait("state", lambda m: m["paused"])
        window.ask("do", what="stop")

    thread = threading.Thread(target=person)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        ins.pause()
        time.sleep(PATIENCE)
    thread.join()


INTERRUPTED = """
import sys, threading, time
sys.path.insert(0, {folder!r})
import quadrants as qd
from quadrants._inspect import inspector
from inspected import Window
made = Window()
inspector._open = lambda *_: (made, made.memory)
{begin}
threading.Thread(target=lambda: (made.wait("state", lambda m: m["paused"]), print("paused", flush=True)), daemon=True).start()
{pause}
"""


@pytest.mark.parametrize("handled", [False, True])
@pytest.mark.parametrize("how", ["pause", "wait"])
def test_ctrl_c_ends_a_paused_program(tmp_path, how, handled):
    import os
    import signal

    begin, pause = ("ins = qd.inspect()", "ins.pause()") if how == "pause" else ("", "ins = qd.inspect(wait=True)")
    if handled:
        pause = f"try:\n    {pause}\nexcept KeyboardInterrupt:\n    time.sleep(0.6)\n    inspector._current.close()\n    print('closed')"
    text = INTERRUPTED.format(folder=str(pathlib.Path(__file__).parent), begin=begin, pause=pause)
    child = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert child.stdout.readline() == "paused\n"
        os.kill(child.pid, signal.SIGINT)
        out, err = child.communicate(timeout=PATIENCE)
    finally:
        child.kill()
    if handled:
        assert (child.returncode, out, err) == (0, "closed\n", "")
    else:
        assert child.returncode == -signal.SIGINT and err.splitlines()[-1] == "KeyboardInterrupt"


@pytest.mark.parametrize("why", ["never shown", "killed meanwhile"])
def test_a_pause_without_a_window_is_ignored(window, program, capfd, why):
    ins = qd.inspect()
    if why == "never shown":
        window.answer = {"seen": False}
    else:
        threading.Thread(target=lambda: (window.wait("state", lambda m: m["paused"]), window.leave())).start()
    ins.pause()
    ins.pause()
    said = [line for line in capfd.readouterr().err.splitlines() if "no window to press Resume in; the program continues" in line]
    assert len(said) == 1 and ins.alive == (why == "never shown")


@pytest.mark.parametrize("where", ["look", "mark", "pictures"])
def test_an_uninitialised_program_sends_nothing(window, program, monkeypatch, caplog, where):
    from quadrants._exceptions import QuadrantsRuntimeError

    ins = qd.inspect()
    publisher, failed = ins._publisher, threading.Event()
    window.want()
    window.wait("state")

    def ended(*_):
        failed.set()
        raise QuadrantsRuntimeError("Quadrants is not initialised: call qd.init() first")

    qd.reset()
    place, name = {"look": (publisher.files, "take"), "mark": (publisher.files, "mark"), "pictures": (publisher, "take_pictures")}[where]
    monkeypatch.setattr(place, name, ended)
    if where == "mark":
        window.ask("do", what="mark")
    assert failed.wait(PATIENCE)
    time.sleep(0.1)
    monkeypatch.undo()
    ins.say("here")
    window.wait("log")
    assert ins.alive and not caplog.records


def test_a_new_program_and_the_log(window, program):
    x = qd.field(qd.f32, shape=4)
    x.fill(1)
    ins = qd.inspect(x)
    window.want({"id": 0})
    window.wait("picture")
    qd.init(arch=qd.cpu, offline_cache=False, log_level=qd.WARN)
    window.wait("views", lambda m: m["views"] and m["views"][0]["gone"])

    @qd.kernel
    def speak():
        print("one", 2)

    speak()
    assert {"what": "print", "text": "one 2\n"} in window.wait("log")["lines"]
    y = qd.field(qd.f32, shape=4)
    y.fill(3)
    ins.show(x=y)
    window.wait("views", lambda m: m["views"] and not m["views"][0]["gone"], after=len(window.told))
    window.want({"id": 0})
    assert window.samples(window.wait("picture", lambda m: window.samples(m)[0, 0] == 3)).tolist() == [[3.0]] * 4


def test_a_program_that_ends_while_it_is_inspected(window, program, monkeypatch):
    ins = qd.inspect()
    window.want()
    window.wait("state")
    tasks = ins._publisher.tasks

    def ended():
        from quadrants._exceptions import QuadrantsRuntimeError

        monkeypatch.undo()
        raise QuadrantsRuntimeError("Quadrants is not initialised")

    monkeypatch.setattr(tasks, "take", ended)
    x = qd.ndarray(qd.f32, (8, 4))
    make_step()(x, 1.0)
    window.wait("tasks")
    assert ins.alive


def test_without_a_window_it_runs_on(monkeypatch, program):
    monkeypatch.setattr(inspector, "_open", lambda *_: (None, None))
    ins = qd.inspect(np.zeros(3), wait=True)
    try:
        p = ins.param("p", 1, 0, 3)
        ins.plot("a", 1)
        ins.pause()
        ins.show(np.zeros(3))
        p.value = 2
        assert not ins.alive and p.value == 2 and "closed" in repr(ins)
    finally:
        ins.close()
    assert inspector._current is ins or inspector._current is None
    inspector._current = None


def test_values_that_gradients_keep(window):
    qd.init(arch=qd.cpu, offline_cache=False, log_level=qd.WARN, ad_stack_experimental_enabled=True)
    ins = qd.inspect()
    x = qd.field(qd.f32, shape=4, needs_grad=True)
    total = qd.field(qd.f32, shape=(), needs_grad=True)

    @qd.kernel
    def power():
        for i in x:
            p = 1.0
            for _ in range(5):
                p *= x[i]
            total[None] += p

    x.fill(2)
    power()
    total.grad[None] = 1
    power.grad()
    assert x.grad[0] == 80

    def is_measured(message):  # a message sent while the launch runs may have no measurements
        return any(task["measured"] and task["loops"] for one in message["gradients"] for task in one["tasks"])

    message = window.wait("adstack", is_measured)
    assert list(message) == members("AdstackMessage")
    (one,) = message["gradients"]
    assert list(one) == members("Gradient") and one["name"].endswith(".power") and one["file"] == __file__
    task = next(task for task in one["tasks"] if task["loops"])
    loop = task["loops"][0]
    assert list(task) == members("Task", "adstack.ts") and list(loop) == members("Loop", "adstack.ts")
    assert loop["trips"] == 5 and loop["text"] == "for _ in range(5):" and task["measured"] >= loop["bytes"] > 0
    assert [v["name"] for v in loop["variables"]] == ["p"] and ins.alive


Flag, Line = qd.types.ndarray(qd.i32, ndim=0), qd.types.ndarray(qd.f32, ndim=1)


class Stage(enum.IntEnum):
    ROOM = 7


def make_staged():
    @qd.kernel(graph=True, checkpoints=True)
    def staged(x: Line, again: Flag, full: Flag):
        while qd.graph.do_while(again):
            for i in x:
                x[i] += 1.0
            for _ in range(1):
                again[()] -= 1
        with qd.checkpoint(Stage.ROOM, yield_on=full):
            for i in x:
                x[i] *= 2.0
        for i in x:
            x[i] -= 1.0

    return staged


def test_the_path_of_a_graph(window, program):
    ins = qd.inspect()
    staged = make_staged()
    x, again, full = qd.ndarray(qd.f32, 4), qd.ndarray(qd.i32, ()), qd.ndarray(qd.i32, ())
    publisher.measure()  # the thread starts it at its second reading

    def launch(turns, fills):
        x.fill(0)
        again.fill(turns)
        full.fill(fills)
        return staged(x, again, full)

    def told(launches):
        return window.wait("graph", lambda m: m["graphs"] and m["graphs"][0]["launches"] == launches and not m["graphs"][0]["running"])

    assert not launch(3, 0).yielded and x.to_numpy().tolist() == [5] * 4
    message = told(1)
    assert list(message) == members("GraphMessage")
    (graph,) = message["graphs"]
    assert list(graph) == members("Graph") and graph["file"] == __file__ and graph["yielded"] is None
    assert list(graph["steps"][0]) == members("PlacedStep") and list(graph["steps"][0]["step"]) == members("Step", "checkpoints.ts")
    steps = [one["step"] for one in graph["steps"]]
    lines = pathlib.Path(__file__).read_text().splitlines()
    assert [(s["kind"], s["depth"], s["iteration"], s["state"], s["runs"]) for s in steps if s["flag"]] == [
        ("level", 0, 3, "", None), ("checkpoint", 0, None, "done", None)]  # fmt: skip
    tasks = [(lines[one["line"] - 1].strip(), one["step"]["runs"]) for one in graph["steps"] if one["line"]]
    assert tasks[0] == ("for i in x:", 3) and tasks[-1] == ("for i in x:", 1) and len(tasks) == 4
    assert launch(2, 1).yielded
    (graph,) = told(2)["graphs"]
    steps = {one["step"]["kind"]: one["step"] for one in graph["steps"] if one["step"]["flag"]}
    assert (steps["level"]["iteration"], steps["checkpoint"]["state"], graph["yielded"]) == (2, "yielded", "ROOM")
    assert [one["step"]["runs"] for one in graph["steps"] if one["line"]] == [5, 5, 2, 1]
    qd.graph.Stepper(staged, x, again, full).iteration()  # a launch in steps stops after its first iteration
    under_way = window.wait("graph", lambda m: m["graphs"] and m["graphs"][0]["running"])["graphs"][0]
    assert under_way["launches"] == 3 and ins.alive


def test_a_failed_graph_is_not_running(window, program):
    """A graph of another specialisation does not get its iterations either."""

    @qd.kernel(graph=True)
    def turning(x: Line, again: Flag, wide: qd.template()):
        while qd.graph.do_while(again):
            for i in x:
                x[i] += 1.0
                assert x[i] < 2.5
            for _ in range(1):
                again[()] -= 1

    qd.init(arch=qd.cpu, offline_cache=False, log_level=qd.WARN, debug=True)
    ins = qd.inspect()
    publisher.measure()
    x, again = qd.ndarray(qd.f32, 4), qd.ndarray(qd.i32, ())
    again.fill(5)
    with pytest.raises(AssertionError):
        turning(x, again, 1)
    (graph,) = window.wait("graph", lambda m: m["graphs"] and m["graphs"][0]["launches"] and not m["graphs"][0]["running"])["graphs"]
    assert graph["steps"][0]["step"]["iteration"] == 3 and ins.alive


@pytest.mark.parametrize(
    "title, name",
    [("waves", "waves"), ("a/b\nc\x1b", "a_b_c_"), ("../x", "_x"), ("...", "program"), ("v 0.5", "v 0.5"), ("run.py", "run"), ("x" * 300, "x" * 100),
     ("\U0001f600" * 99, "\U0001f600" * 50), ("\udcff", "_")],
)  # fmt: skip
def test_where_a_report_is(window, program, tmp_path, monkeypatch, title, name):
    monkeypatch.chdir(tmp_path)
    ins = qd.inspect(title=title)
    ins.param("\udcff", 2.0, 0.0, 3.0)
    window.ask("save", path="")
    assert window.wait("state", lambda m: "saved" in m["said"])["said"] == f"saved {tmp_path / name}-inspect.html"
    assert [file.name for file in tmp_path.iterdir()] == [f"{name}-inspect.html"]


def test_a_report(window, program, tmp_path):
    ins = qd.inspect(x=np.arange(6, dtype=np.float32).reshape(3, 2))
    ins.param("feed", 2.0, 0.0, 3.0)
    step = make_step()
    step(np.ones((8, 4), np.float32), 2.0)
    window.want({"id": 0})
    window.wait("picture")
    window.ask("save", path=str(tmp_path / "report.html"))
    window.wait("state", lambda m: "saved" in m["said"])
    text = (tmp_path / "report.html").read_text()
    assert re.search(r"32 \|\s+if x\[i, j\] &lt; 100:  <i>never false</i>", text)
    assert "feed = 2, of 0 to 3" in text and "x: 0 to 5" in text and "<h2>Tasks</h2>" not in text.split("<h2>")[0]
    from PIL import Image
    import base64
    import io

    data = base64.b64decode(re.search(r"base64,([^']*)'", text).group(1))
    picture = np.asarray(Image.open(io.BytesIO(data)))
    assert picture.shape == (2, 3, 3) and tuple(picture[1, 0]) == (68, 1, 84) and tuple(picture[0, 2]) == (253, 231, 37)
    window.ask("save", path=str(tmp_path / "none" / "report.html"))
    window.wait("state", lambda m: "No such file" in m["said"])


def test_a_fork_has_no_window(window, program):
    import os

    ins = qd.inspect()
    child = os.fork()
    if child == 0:
        ins.plot("a", 1)
        os._exit(0 if not ins.alive else 1)
    assert os.waitpid(child, 0)[1] == 0 and ins.alive


def test_unused_it_is_not_even_imported(tmp_path):
    file = tmp_path / "program.py"
    file.write_text(
        "import sys, threading, quadrants as qd\nqd.init(arch=qd.cpu, offline_cache=False)\n"
        "@qd.kernel\ndef f(): pass\nf()\n"
        "print([m for m in sys.modules if m.startswith(('quadrants._inspect', 'quadrants._live', 'quadrants._windows'))])\n"
        "print([t.name for t in threading.enumerate()])"
    )
    out = subprocess.run([sys.executable, file], capture_output=True, text=True, check=True).stdout.splitlines()
    assert out[-2:] == ["[]", "['MainThread']"]


def in_a_process(folder, text):
    """Returns the last line of its output. Only the package is imported there."""
    import os

    file = folder / "program.py"
    file.write_text(text)
    environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(qd.__file__).parents[1]), "ENABLE_QUADRANTS_HEADER_PRINT": "0"}
    done = subprocess.run([sys.executable, "-S", file], capture_output=True, text=True, env=environment, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]


WITH_WINDOW = """
import queue, sys, time, quadrants as qd
qd.init(arch=qd.cpu, offline_cache=False, log_level="warn", ad_stack_experimental_enabled=True)
dense, vectors, sparse = qd.field(qd.f32, shape=(4, 4)), qd.Vector.ndarray(3, qd.f32, 8), qd.field(qd.f32)
qd.root.pointer(qd.ij, 2).dense(qd.ij, 2).place(sparse)
sparse[1, 1] = dense[1, 1] = 1.0

@qd.kernel
def turn(x: qd.types.ndarray(qd.f32, ndim=1), y: qd.types.ndarray(qd.f32, ndim=1)):
    for i in x:
        value = x[i]
        for k in range(3):
            value = qd.sin(value)
        y[i] += value

x, y = qd.ndarray(qd.f32, 4, needs_grad=True), qd.ndarray(qd.f32, 4, needs_grad=True)
before = set(sys.modules)

class Window:  # of the interface of _windows.process.Process
    alive, pid, answer = True, 0, {"seen": False}
    told, asked = [], queue.SimpleQueue()
    def greet(self): pass
    def leave(self): pass
    def send(self, message, descriptor=None): self.told.append(message)
    def receive(self, timeout=0):
        try: return [self.asked.get(timeout=timeout)]
        except queue.Empty: return []

class Memory:
    def __init__(self, number, size): self.number, self.view = number, memoryview(bytearray(size))

from quadrants._inspect import inspector
from quadrants._windows import process
"""


def test_modules_that_the_thread_loads_do_not_disturb_the_program(tmp_path):
    """For example, `dataclasses` checks whether `typing` is loaded, and the main thread may be using both at any moment."""
    text = (
        WITH_WINDOW
        + """
inspector._open = lambda *_: (Window(), Memory)
ins = qd.inspect(dense, vectors, sparse, keep=False)
wanted = {"width": 4, "height": 4, "component": 0, "slice": [], "first": []}
Window.asked.put({"kind": "want", "panes": ["lines", "tasks", "adstack", "graph"], "views": [{"id": k, **wanted} for k in range(3)]})
turn(x, y), turn.grad(x, y)
time.sleep(1.0)  # the thread itself takes what is seen
until, found = time.monotonic() + 20, set()
while not found >= {0, 1, 2, "listings", "tasks", "adstack"}:
    found = {m.get("view", m["kind"]) for m in list(Window.told)}
    assert time.monotonic() < until, found
    time.sleep(0.3)
print(sorted({"typing", "dataclasses", "inspect", "numpy"} & set(sys.modules) - before))
"""
    )
    assert in_a_process(tmp_path, text) == "[]"


def test_the_program_waits_for_few_modules(tmp_path):
    text = (
        WITH_WINDOW
        + """
from quadrants._inspect import publisher
publisher.Publisher.start = lambda self: None
process.executable = lambda: sys.executable  # which ends at once
ins = qd.inspect(dense)
print(sorted({"typing", "re", "json", "socket", "signal", "mmap", "numpy", "ast", "linecache"} & set(sys.modules) - before))
"""
    )
    assert in_a_process(tmp_path, text) == "[]"


def test_a_fork_while_the_thread_loads_modules(tmp_path):
    """The child may need the same modules."""
    text = (
        WITH_WINDOW
        + """
import importlib.util, os, signal, threading
begun = threading.Event()

class Slow:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "quadrants._live.files" and not begun.is_set():
            begun.set()
            time.sleep(0.3)

sys.meta_path.insert(0, Slow)
inspector._open = lambda *_: (Window(), Memory)
ins = qd.inspect(dense)
begun.wait()
child = os.fork()
if child == 0:
    signal.alarm(10)
    import quadrants._live.files
    os._exit(0)
print(os.waitpid(child, 0)[1])
"""
    )
    assert in_a_process(tmp_path, text) == "0"


def test_no_change_is_lost(window, program):
    """A change that arrives while the thread takes the earlier ones is not lost."""

    class Slow(set):
        def add(self, kind):
            time.sleep(0.5)
            super().add(kind)

    ins = qd.inspect()
    feed = ins.param("feed", 0.0, 0.0, 9.0)
    window.wait("parameters", lambda m: m["parameters"])
    ins._publisher.pending = Slow()
    feed.value = 7.0
    window.wait("parameters", lambda m: m["parameters"] and m["parameters"][0]["value"] == 7.0)
