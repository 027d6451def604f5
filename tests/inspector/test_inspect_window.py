"""The real window of qd.inspect(), driven by its test channel, on a screen (Xvfb) and without one; pictures are read back."""

import os
import queue
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import quadrants as qd
from quadrants._inspect import inspector
from quadrants._windows.process import Memory, executable

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 60
WIDTH, HEIGHT = 1280, 800

pytestmark = pytest.mark.skipif(executable() is None, reason="built without windows (QD_INSPECTOR=OFF)")



class Person:
    """The actions of a user at the window, and the things on it."""

    def __init__(self, ins):
        self.ins, self.process, self.publisher = ins, ins._process, ins._publisher
        self.answers, self.read = queue.Queue(), queue.Queue()
        self.publisher.do_model, self.publisher.do_picture = self.answers.put, self.read.put
        self.memory = Memory(self.process, 100_000)
        self.memory.reserve(4 * WIDTH * HEIGHT)

    def model(self):
        self.process.send({"kind": "test", "do": "model"})
        return self.answers.get(timeout=PATIENCE)

    def until(self, suits):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            model = self.model()
            if suits(model):
                return model
            time.sleep(0.02)
        raise AssertionError(model)

    def seen(self):
        self.process.send({"kind": "read", "memory": 100_000, "at": 0, "bytes": 4 * WIDTH * HEIGHT})
        assert self.read.get(timeout=PATIENCE)["size"] == [WIDTH, HEIGHT]
        picture = np.frombuffer(self.memory.view, np.uint8, 4 * WIDTH * HEIGHT).reshape(HEIGHT, WIDTH, 4)[..., :3].copy()
        if os.environ.get("QD_SCREENSHOTS"):
            from PIL import Image

            test = os.environ["PYTEST_CURRENT_TEST"].split("::")[1].split(" ")[0]
            Image.fromarray(picture).save(f"{os.environ['QD_SCREENSHOTS']}/{test}-{time.monotonic():.2f}.png")
        return picture

    def events(self, *events):
        self.process.send({"kind": "input", "events": list(events)})

    def place(self, name, across=0.5, down=0.5):
        before = None
        while True:  # new items may move in the next frames
            found = self.until(lambda m: name in m["places"])["places"][name]
            if found == before:
                break
            before = found
            self.seen()
        left, top, right, bottom = found
        return {"type": "move", "x": left + (right - left) * across, "y": top + (bottom - top) * down}

    def click(self, name, across=0.5, down=0.5):
        at = self.place(name, across, down)
        button = {"type": "button", "key": "LMB"}
        self.events(at)
        self.seen()  # the item under the pointer is known once a frame was drawn
        self.events({**button, "down": True}, {**button, "down": False})

    def key(self, *names):
        self.events(*({"type": "key", "key": name, "down": True} for name in names),
                    *({"type": "key", "key": name, "down": False} for name in reversed(names)))  # fmt: skip

    def part(self, name):
        left, top, right, bottom = map(round, self.until(lambda m: name in m["places"])["places"][name])
        return self.seen()[top:bottom, left:right]


@pytest.fixture(params=["memory", "screen"])
def person(request, monkeypatch):
    monkeypatch.setenv("DISPLAY", request.getfixturevalue("display") if request.param == "screen" else "")
    qd.init(arch=qd.cpu, offline_cache=False, log_level=qd.WARN)
    qd.coverage.clear()
    ins = qd.inspect(title="a test", show_window=request.param == "screen", keep=False)
    assert ins.alive
    one = Person(ins)
    yield one
    ins.close()


def make_add(x):
    @qd.kernel
    def add(by: qd.f32):
        for i, j in x:
            if by > 100.0:
                x[i, j] = 0.0
            x[i, j] += by

    return add


def at_work(add, suits, argument=0.0):
    """Runs the program until the condition holds."""
    end = time.monotonic() + PATIENCE
    while not suits():
        assert time.monotonic() < end
        add(argument)


def test_lines_and_tasks(person):
    x = qd.field(qd.f32, shape=(8, 4))
    add = make_add(x)
    add(1.0)
    add(1.0)
    model = person.until(lambda m: m["files"] and m["tasks"])
    file = model["files"][__file__]
    counts = {file["text"][int(line["number"]) - 1].strip(): line for line in file["lines"]}
    assert counts["x[i, j] += by"]["count"] == 64 and counts["x[i, j] = 0.0"]["count"] == 0
    assert counts["if by > 100.0:"]["outcomes"] == {"taken": 0, "not_taken": 64}
    at_work(add, lambda: any(task["runs"] > 0 for task in person.model()["tasks"]))
    # the kernel's lines are tinted once the user jumps to them from the task
    shown = person.until(lambda m: any(name.startswith("task ") for name in m["places"]))["places"]
    name = next(name for name in shown if name.startswith("task "))
    person.click(name, 0.02)
    person.until(lambda m: "lines" in m["places"])
    end, orange = time.monotonic() + PATIENCE, 0
    while orange <= 30 and time.monotonic() < end:
        lines = person.part("lines").astype(int)
        orange = (lines[..., 0] > lines[..., 2] + 60).any(axis=1).sum()
    assert orange > 30


def test_newest_run_and_difference(person):
    x = qd.field(qd.f32, shape=(8, 4))
    add = make_add(x)

    def newest(model):
        lines = model["files"].get(__file__, {"lines": []})["lines"]
        return max(((line["newest"], line["previous"]) for line in lines), default=None)

    add(1.0)
    person.until(lambda m: newest(m) == (32, None))
    person.click("Mark")
    while person.publisher.files.history.execution == 0:
        time.sleep(0.01)
    add(1.0)
    add(1.0)
    person.until(lambda m: newest(m) == (64, 32))
    person.click("Difference")
    person.seen()
    person.click("Clear")
    person.until(lambda m: not m["files"][__file__]["lines"])


def test_a_view_is_drawn_in_its_colours(person):
    values = np.zeros((4, 4), np.float32)
    values[3, :] = 1.0
    values[0, 0] = np.nan
    x = qd.field(qd.f32, shape=(4, 4))
    x.from_numpy(values)
    person.ins.show(x)
    at_work(lambda _: time.sleep(0.01), lambda: bool(person.model()["shots"]))
    shot = person.model()["shots"]["0"]
    assert (shot["lowest"], shot["highest"], shot["nans"]) == (0.0, 1.0, 1)
    picture = person.part("view x")
    side = min(picture.shape[:2])
    top, left = ((extent - side) // 2 for extent in picture.shape[:2])
    cell = side / 4

    def colour(i, j):  # the second index increases upwards
        return tuple(picture[int(top + (3.5 - j) * cell), int(left + (i + 0.5) * cell)])

    assert colour(3, 2) == (0xFD, 0xE7, 0x25) and colour(1, 1) == (0x44, 0x01, 0x54) and colour(0, 0) == (0xFF, 0, 0xFF)
    # the user clicks an element and enters another value
    person.click("view x", (left + 2.5 * cell) / picture.shape[1], (top + 0.5 * cell) / picture.shape[0])
    person.click("value x")
    person.key("Control", "a")
    person.events({"type": "text", "text": "0.5"})
    person.click("set x")
    at_work(lambda _: time.sleep(0.001), lambda: x[2, 3] == 0.5)
    at_work(lambda _: time.sleep(0.01), lambda: person.model()["shots"]["0"]["head"]["number"] >= 1)
    moved = person.part("view x")
    assert (moved[:20] != picture[:20]).any() or moved.shape != picture.shape


def test_all_of_the_row_that_sets_an_element_is_there_among_six_views(person):
    for k in range(6):
        person.ins.show(**{f"momentum_of_part_{k}": qd.field(qd.f32, shape=(4, 4))})
    at_work(lambda _: time.sleep(0.01), lambda: len(person.model()["shots"]) >= 4)
    for k in (4, 5):
        person.click(f"show momentum_of_part_{k}", 0.1)
    at_work(lambda _: time.sleep(0.01), lambda: len(person.model()["shots"]) == 6)
    for k in (0, 2, 5):
        name = f"momentum_of_part_{k}"
        person.click(f"view {name}")
        model = person.until(lambda m: f"let go {name}" in m["places"])
        left, _, right, _ = model["places"][f"view {name}"]
        row = [model["places"][f"{what} {name}"] for what in ("value", "set", "let go")]
        assert left <= row[0][0] < row[0][2] <= row[1][0] < row[1][2] <= row[2][0] < row[2][2] <= right
        assert row[0][2] - row[0][0] >= 40
        person.click(f"let go {name}")
        person.until(lambda m: f"let go {name}" not in m["places"])


def test_a_slider_by_pointer_and_by_keyboard(person):
    factor = person.ins.param("factor", 0.0, 0.0, 10.0)
    person.click("parameter factor", 0.75)
    end = time.monotonic() + PATIENCE
    while not 7 < factor.value < 9.5 and time.monotonic() < end:
        time.sleep(0.01)
    reached = factor.value
    assert 7 < reached < 9.5  # the label is part of the item's rectangle
    person.key("Left")  # the keyboard focus becomes visible
    person.key(" ")  # grabs the slider
    for _ in range(3):
        person.key("Left")
    end = time.monotonic() + PATIENCE
    while factor.value >= reached and time.monotonic() < end:
        time.sleep(0.01)
    assert factor.value < reached


def test_the_pointer_of_the_screen_disturbs_no_test(person, display):
    import ctypes

    factor = person.ins.param("factor", 0.0, 0.0, 10.0)
    person.events(person.place("parameter factor", 0.75))
    x11 = ctypes.CDLL("libX11.so.6")
    x11.XOpenDisplay.restype = ctypes.c_void_p
    server = ctypes.c_void_p(x11.XOpenDisplay(display.encode()))
    root = ctypes.c_ulong(x11.XDefaultRootWindow(server))
    for at in (300, 320):  # the second one is a movement wherever the pointer was
        x11.XWarpPointer(server, ctypes.c_ulong(0), root, 0, 0, 0, 0, at, at)
        x11.XSync(server, 0)
        person.seen()
    x11.XCloseDisplay(server)
    person.events({"type": "button", "key": "LMB", "down": True}, {"type": "button", "key": "LMB", "down": False})
    end = time.monotonic() + PATIENCE
    while factor.value == 0 and time.monotonic() < end:
        time.sleep(0.01)
    assert 7 < factor.value < 9.5


def test_pause_step_and_resume_by_keyboard(person):
    x = qd.field(qd.i32, shape=())

    @qd.kernel
    def count():
        x[None] += 1

    seen = []

    def watch():
        person.key("F6")
        person.until(lambda m: m["state"]["paused"])
        seen.append(int(x.to_numpy()))
        for steps in range(1, 5):
            person.key("F10")
            person.until(lambda m, steps=steps: m["state"]["stepped"] == steps and m["state"]["paused"])
            seen.append(int(x.to_numpy()))
        person.click("Resume")
        person.until(lambda m: not m["state"]["paused"])
        person.key("F6")  # and again
        person.until(lambda m: m["state"]["paused"])
        person.click("Resume")
        person.until(lambda m: not m["state"]["paused"])
        seen.append(None)

    import threading

    thread = threading.Thread(target=watch)
    thread.start()
    at_work(lambda _: count(), lambda: len(seen) == 6)
    thread.join()
    assert seen[:5] == [seen[0] + k for k in range(5)]


def test_themes_and_scale(person):
    dark = person.seen()
    assert dark.mean() < 60
    person.key("Control", "d")
    person.until(lambda m: not m["dark"])
    light = person.seen()
    assert light.mean() > 180
    height = np.diff(np.array(person.model()["places"]["Pause"])[[1, 3]])[0]
    for _ in range(4):
        person.key("Control", "=")
    person.until(lambda m: m["scale"] > 1.4)
    assert np.diff(np.array(person.model()["places"]["Pause"])[[1, 3]])[0] > 1.2 * height
    person.key("Control", "0")
    assert person.until(lambda m: m["scale"] == 1)


def choose(person, view, kind, suits):
    """Chooses a kind of view until its picture suits: a busy window may have moved an item before it is pressed."""
    end = time.monotonic() + PATIENCE
    while not suits(person.model()["shots"]["0"]["head"]):
        assert time.monotonic() < end
        for name in (f"options {view}", "as", f"as {kind}"):
            until = time.monotonic() + 5
            while name not in person.model()["places"] and time.monotonic() < until:
                person.seen()
            if name not in person.model()["places"]:
                break
            person.click(name, 0.3)
        person.key("Escape")
        until = time.monotonic() + 5
        while not suits(person.model()["shots"]["0"]["head"]) and time.monotonic() < until:
            time.sleep(0.01)


def test_a_table_of_elements(person):
    values = np.arange(100 * 50, dtype=np.float32).reshape(100, 50)
    x = qd.field(qd.f32, shape=(100, 50))
    x.from_numpy(values)
    person.ins.show(x)
    still = lambda suits: at_work(lambda _: time.sleep(0.002), lambda: suits(person.model()["shots"].get("0")))  # noqa: E731
    still(lambda shot: shot)
    choose(person, "x", "table", lambda head: head["first"] == [0, 0])
    still(lambda shot: shot["head"]["first"] == [0, 0] and shot["head"]["width"] > 3)
    head = person.model()["shots"]["0"]["head"]
    assert (head["columns"], head["rows"]) == (100, 50)
    dark = person.part("view x")
    assert (dark.max(axis=2) > 150).sum() > 500  # digits
    person.click("row x", 0.999)  # to the last rows
    still(lambda shot: shot["head"]["first"][0] == 100 - shot["head"]["width"] and shot["highest"] > 4900)
    shot = person.model()["shots"]["0"]
    assert shot["lowest"] == values[int(shot["head"]["first"][0]), 0]
    person.click("view x", 0.2, 0.12)  # an element is chosen, and set
    person.click("value x")
    person.key("Control", "a")
    person.events({"type": "text", "text": "-7"})
    person.click("set x")
    still(lambda shot: shot["lowest"] == -7)
    assert (x.to_numpy() == -7).sum() == 1


def test_points_in_a_plane(person):
    points = np.zeros((4, 3), np.float32)
    points[:, 0], points[:, 1], points[:, 2] = [0, 1, 0, 1], [0, 0, 1, 1], [0, 1, 2, 3]
    p = qd.Vector.field(3, qd.f32, shape=4)
    p.from_numpy(points)
    person.ins.show(p)
    at_work(lambda _: time.sleep(0.002), lambda: bool(person.model()["shots"]))
    assert person.model()["shots"]["0"]["head"]["component"] == -2
    picture = person.part("view p")
    high, wide = picture.shape[:2]
    side = min(high, wide) - 8
    found = []
    for i, j in ((0, 0), (1, 0), (0, 1), (1, 1)):
        x, y = wide / 2 + (i - 0.5) * side, high / 2 - (j - 0.5) * side
        spot = picture[max(0, int(y) - 2) : int(y) + 3, max(0, int(x) - 2) : int(x) + 3].reshape(-1, 3)
        found.append(tuple(spot[np.argmax(np.abs(spot.astype(int) - picture[2, wide // 2].astype(int)).sum(1))]))
    assert found[0] == (0x44, 0x01, 0x54) and found[3] == (0xFD, 0xE7, 0x25) and len(set(found)) == 4
    points[3, 2] = np.nan
    p.from_numpy(points)
    at_work(lambda _: time.sleep(0.002), lambda: (person.part("view p") == (255, 0, 255)).all(axis=2).any())
    choose(person, "p", "lines", lambda head: head["component"] == 0)


def gone(pid, seconds=PATIENCE):
    """True if a child of this process ends within that time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if os.waitpid(pid, os.WNOHANG)[0] == pid:
                return True
        except ChildProcessError:
            return True
        time.sleep(0.005)
    return False


def make_turning():
    line, flag = qd.types.ndarray(qd.f32, ndim=1), qd.types.ndarray(qd.i32, ndim=0)

    @qd.kernel(graph=True, checkpoints=True)
    def turning(x: line, again: flag, full: flag):
        while qd.graph.do_while(again):
            for i in x:
                x[i] += 1.0
            with qd.checkpoint(7, yield_on=full):
                for i in x:
                    x[i] *= 0.5
            for _ in range(1):
                again[()] -= 1

    return turning


def test_the_graph_of_a_kernel(person):
    turning = make_turning()
    x, again, full = qd.ndarray(qd.f32, 64), qd.ndarray(qd.i32, ()), qd.ndarray(qd.i32, ())

    def launch(_):
        again.fill(4)
        full.fill(0)
        turning(x, again, full)

    def newest():
        graphs = person.model()["graphs"]
        return graphs[0] if graphs and graphs[0]["launches"] > 0 and not graphs[0]["running"] else None

    at_work(launch, newest)
    steps = [one["step"] for one in newest()["steps"]]
    room = next(s for s in steps if s["label"] == 7)
    assert steps[0]["iteration"] == 4 and room["state"] == "done" and {"level", "checkpoint", "task"} == {s["kind"] for s in steps}
    person.click("tab Graph")
    name = f"step {steps[0]['text']}"
    person.until(lambda m: name in m["places"])
    person.until(lambda m: __file__ in m["files"])
    person.click("step " + next(s["text"] for s in steps if s["kind"] == "task"))  # to its line
    person.until(lambda m: m["file"] == __file__)
    before = person.part("lower")
    full.fill(1)
    again.fill(2)
    assert turning(x, again, full).yielded
    at_work(lambda _: time.sleep(0.002), lambda: newest() and newest()["yielded"] == "7")
    assert (person.part("lower") != before).any()
    person.key("Tab")  # by keyboard, row by row
    person.key("Down")
    person.key(" ")


def test_the_log(person):
    @qd.kernel
    def speak():
        print("hello", 3)

    speak()
    person.ins.say("a note")
    person.until(lambda m: {"what": "print", "text": "hello 3"} in m["log"] and {"what": "note", "text": "a note"} in m["log"])
    person.click("tab Log")
    person.until(lambda m: "filter" in m["places"])
    person.seen()


def test_a_window_that_is_killed_leaves_the_program_alone(person):
    x = qd.field(qd.f32, shape=(8, 4))
    add = make_add(x)
    person.ins.show(x)
    add(1.0)
    os.kill(person.process.pid, signal.SIGKILL)
    at_work(add, lambda: not person.ins.alive)
    person.ins.plot("a", 1.0)
    person.ins.pause()
    add(1.0)


def test_a_garbled_message_ends_the_connection_and_not_the_window(person):
    if person.process.answer is None:
        person.model()
    if not person.process.answer["seen"]:
        pytest.skip("what nobody sees ends with its connection")
    pid = person.process.pid
    person.process.send({"kind": "picture", "view": "none"})
    at_work(lambda _: time.sleep(0.01), lambda: not person.ins.alive)
    assert not gone(pid, 0.2)
    os.kill(pid, signal.SIGTERM)
    assert gone(pid)


PROGRAM = """
import sys
import quadrants as qd
qd.init(arch=qd.cpu, offline_cache=False)
x = qd.field(qd.f32, shape=(8, 8))
@qd.kernel
def f():
    for i, j in x:
        x[i, j] += 1
f()
print("ran", sys.argv[1:], x[0, 0])
"""


@pytest.mark.parametrize("how", ["variable", "command"])
def test_windows_for_programs_that_do_not_call_inspect(tmp_path, how):
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    command = [sys.executable, *(["-m", "quadrants.inspect"] if how == "command" else []), str(file), "a"]
    env = {**os.environ, "DISPLAY": "", "QD_INSPECT": "1" if how == "variable" else ""}
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0 and "ran ['a'] 1.0" in done.stdout
    said = [line for line in done.stderr.splitlines() if not line.startswith("[Quadrants] version")]
    assert len(said) == 1 and "cannot show a window" in said[0]


def test_a_notebook_reports_that_no_window_is_shown(tmp_path):
    """In a notebook the line on stderr is in the log of the server."""
    file = tmp_path / "program.py"
    file.write_text("import quadrants as qd\nqd.init(arch=qd.cpu)\nx = qd.field(qd.f32, 4)\nshown = qd.inspect(x)\nprint(repr(shown))")
    env = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    done = subprocess.run([sys.executable, str(file)], env=env, capture_output=True, text=True, timeout=PATIENCE)
    assert "open, but not shown: there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set)>" in done.stdout, done.stderr


def test_all_sides_name_the_same_members():
    """The build generates the C++ structs of messages from the declarations; test_inspect.py compares those of Python."""
    header = ROOT / "build/inspector/written/model/protocol.h"
    if not header.is_file():
        pytest.skip("installed, not built here")
    for file in ("coverage", "adstack", "checkpoints", "inspector"):
        text = re.sub(r"/\*.*?\*/|//[^\n]*", "", (ROOT / f"widgets/protocol/{file}.ts").read_text(), flags=re.DOTALL)
        inside = re.search(rf"namespace {file} \{{(.*?)\}} // namespace {file}", header.read_text(), re.DOTALL).group(1)
        found = re.findall(r"export interface (\w+) \{(.*?)\n\}", text, re.DOTALL)
        assert len(found) > 3
        for name, body in found:
            members = re.findall(r"^  (\w+)\??:", body, re.MULTILINE)
            struct = re.search(rf"struct {name} \{{(.*?)\n\}};", inside, re.DOTALL).group(1)
            assert re.findall(r"^  [\w:<>, ]+ (\w+)(?: = \w+)?;$", struct, re.MULTILINE) == members, name


def test_the_inspector_of_this_process_is_one():
    assert inspector._current is None


def test_a_window_that_stays_holds_no_output(display, tmp_path):
    """Otherwise `python program.py | tail` would wait for it."""
    file = tmp_path / "program.py"
    file.write_text("import quadrants as qd\nqd.init(arch=qd.cpu)\nins = qd.inspect(keep=True)\nprint(ins._process.pid, flush=True)\n")
    program = subprocess.Popen([sys.executable, file], env={**os.environ, "DISPLAY": display}, stdout=subprocess.PIPE, text=True)
    said = program.communicate(timeout=PATIENCE)[0]  # ends once the last process that can write has ended
    window = int(said.split()[-1])
    try:
        assert Path(f"/proc/{window}/exe").readlink().name == "qd-inspector"
    finally:
        os.kill(window, signal.SIGTERM)
