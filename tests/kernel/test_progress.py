"""The progress of a cell that waits for the compiler or for a kernel, in the Quadrants kernel and in ipykernel: on the comm, at a console,
and nowhere else. Every wait is for a message."""

import ast
import io
import re
import threading
import time
import types

import pytest
from conftest import PATIENCE, Client
from quadrants_jupyter import progress as shown_progress
from test_live import LONG, PROTOCOL, run

TARGET = "quadrants.progress"

GRAPH = """
@qd.kernel(graph=True)
def turns(go_on: qd.types.ndarray(qd.i32, ndim=0), x: qd.types.ndarray(qd.f32, ndim=1)):
    while qd.graph.do_while(go_on):
        for i in range(x.shape[0]):
            for j in range(20000):
                x[i] = qd.sin(x[i] + j)
        for i in range(x.shape[0]):
            x[i] += 1
"""

# Each of the `tasks` loops is a task that takes the compiler a moment.
MANY = """
def body(n):
    lines = "".join(f"        x[i] = qd.sin(x[i] * {n}.5 + {k}.0) * x[(i + {k}) % 64] + qd.exp(-x[i])\\n" for k in range(60))
    return "    for i in range(64):\\n" + lines

import linecache
text = "@qd.kernel\\ndef many(x: qd.types.ndarray(qd.f32, ndim=1)):\\n" + "".join(body(n) for n in range(tasks))
linecache.cache["many.py"] = (len(text), None, text.splitlines(True), "many.py")
exec(compile(text, "many.py", "exec"))
"""


@pytest.fixture(params=["quadrants", "python3"])
def session(request):
    client = Client(request.param)
    client.run("import numpy as np\nimport quadrants as qd\nqd.init(arch=qd.cpu, offline_cache=False)")
    client.run("%load_ext quadrants_jupyter")
    yield client
    client.close()


def send(session, code, cell_id=None, allow_stdin=False):
    """Sends a cell like a front end; without an id like a program without a page, or like a console if it answers input requests."""
    message = session.raw.session.msg("execute_request", {
        "code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": allow_stdin, "stop_on_error": True})
    message["metadata"] = {"cellId": cell_id} if cell_id else {}
    session.started = 0
    session.raw.shell_channel.send(message)
    return message["header"]["msg_id"]


class Told:
    """The messages of one request as they arrive."""

    def __init__(self, session, request):
        self.session, self.request, self.comm_id = session, request, None
        self.all, self.ended = [], False

    def take(self, message):
        content = message["content"]
        if message["parent_header"].get("msg_id") != self.request:
            return False
        if message["msg_type"] == "status" and content["execution_state"] == "idle":
            self.ended = True
        if message["msg_type"] == "comm_open" and content["target_name"] == TARGET:
            self.comm_id = content["comm_id"]
        elif message["msg_type"] != "comm_msg" or set(content["data"]) != {"version", "cell_id", "running", "progress"}:
            return False
        self.all.append(content["data"])
        return True

    def until(self, enough):
        while not enough(self.all):
            assert not self.ended, f"the cell has ended: {self.all}"
            self.session.check_alive()
            self.take(self.session.raw.get_iopub_msg(timeout=PATIENCE))

    def end(self, stop=True):
        if stop:
            self.session.interrupt()
        cell = self.session.collect(self.request)
        self.rest = [message for message in cell.messages if not self.take(message)]
        return cell


def progress(messages, what):
    return [m["progress"] for m in messages if m["progress"] and m["progress"]["what"] == what]


def test_a_launch_that_takes_long(session):
    run(session, LONG, "long")
    told = Told(session, send(session, "long(np.ones(64, np.float32))", "here"))
    told.until(lambda all: len({p["seconds"] for p in progress(all, "running")}) >= 3)
    cell = told.end()
    assert cell.error == "KeyboardInterrupt"
    assert {m["content"]["data"].get("cells") is None for m in told.rest if m["msg_type"] == "comm_msg"} <= {False}
    assert not cell.of("stream") and not cell.of("display_data")
    *before, last = told.all
    assert last == {"version": 1, "cell_id": "here", "running": False, "progress": None}
    assert all(m["running"] and m["cell_id"] == "here" for m in before)
    shown = progress(before, "running")
    assert {p["kernel"] for p in shown} == {"long"} and {p["place"] for p in shown} == {"line 4"}
    assert shown[0]["seconds"] >= 1, "nothing before the first second"
    shares = [p["share"] for p in shown]
    assert None not in shares and shares == sorted(shares) and 0 <= shares[0] and shares[-1] < 1


def test_four_times_a_second_at_most(session):
    run(session, GRAPH)  # its iterations differ at every reading
    arrays = "n = qd.ndarray(qd.i32, ()); n.fill(1)\nx = qd.ndarray(qd.f32, 2000)"
    begin = time.monotonic()
    told = Told(session, send(session, f"qd.init(arch=qd.cpu, offline_cache=False)\n{arrays}\n%timeit -n1 -r1 turns(n, x)", "here"))
    told.until(lambda all: len(all) >= 8)
    told.end()
    *before, last = told.all
    assert not last["running"]
    assert len(before) <= 4 * (time.monotonic() - begin)


def test_the_progress_share_of_a_long_pass_is_reported(monkeypatch):
    """The share of a short pass would differ at each reading."""
    from quadrants_jupyter import progress as side

    shown = []

    class Place:
        def show(self, progress):
            shown.append((progress["place"], progress["share"]))

    cell = side.Cell(Place())
    for turn, done in ((1, 3), (7, 9), (7, 10), (8, 1)):
        told = {"what": "running", "kernel": "k", "file": "", "seconds": 2.0, "tasks": 1, "task": "k.0", "number": 1, "line": 0, "chunks": 20, "done": done,
                "iterations": [turn]}
        monkeypatch.setattr(side.activity, "now", lambda told=told: told)
        cell.look()
    assert shown == [("iteration 1", None), ("iteration 7", None), ("iteration 7", 0.5), ("iteration 8", None)]


def test_another_launch_starts_again(session):
    run(session, LONG, "long")
    for cell in ("first", "second"):
        told = Told(session, send(session, "long(np.ones(64, np.float32))", cell))
        told.until(lambda all: progress(all, "running"))
        if cell == "first":
            told.until(lambda all: progress(all, "running")[-1]["seconds"] >= 3)
        told.end()
        assert progress(told.all, "running")[0]["seconds"] == 1


def test_passes_of_a_graph(session):
    run(session, GRAPH)
    code = "n = qd.ndarray(qd.i32, ()); n.fill(1)\nx = qd.ndarray(qd.f32, 20000)\nturns(n, x)"
    told = Told(session, send(session, code, "here"))

    def turns(all):
        found = [re.fullmatch(r"iteration ([\d,]+), task \d of \d, line \d+", p["place"]) for p in progress(all, "running")]
        assert all and None not in found or not found, [p["place"] for p in progress(all, "running")]
        return [int(m[1].replace(",", "")) for m in found]

    told.until(lambda all: len(set(turns(all))) >= 3)
    told.end()
    assert turns(told.all) == sorted(turns(told.all))


def test_the_compiler(session):
    def shares(all):
        return len({p["share"] for p in progress(all, "compiling") if p["share"] is not None}) >= 3

    for tasks in (400, 1600, 6400):  # a program that takes one machine seconds may finish on another before the first message
        run(session, f"tasks = {tasks}\n{MANY}", "many")
        told = Told(session, send(session, "many(np.ones(64, np.float32))", "here"))
        told.until(lambda all: shares(all) or told.ended)
        if not told.ended:
            break
    assert shares(told.all)
    told.end()
    shown = progress(told.all, "compiling")
    assert {p["kernel"] for p in shown} == {"many"}
    counts = [re.fullmatch(rf"(\d+) of {tasks} tasks", p["place"]) for p in shown if p["share"] is not None]
    assert None not in counts and [int(m[1]) for m in counts] == sorted(int(m[1]) for m in counts)
    assert all(p["place"] == "reading its source" for p in shown if p["share"] is None)


def test_a_short_cell_sends_no_progress(session):
    run(session, "@qd.kernel\ndef short(x: qd.types.ndarray(qd.f32, ndim=1)):\n    for i in x:\n        x[i] += 1")
    told = Told(session, send(session, "import time\nshort(np.ones(5, np.float32))\ntime.sleep(1.6)", "here"))
    assert told.end(stop=False).status == "ok"
    assert told.all == [] and not [m for m in told.rest if m["msg_type"] in ("stream", "display_data")]


def test_it_can_be_switched_off(session):
    look = "from quadrants_jupyter import progress\nprogress.shown.watcher is not None and progress.shown.watcher.cell is not None"
    assert run(session, look).result == "True"
    run(session, "%qd_progress --off")
    assert run(session, look).result == "False"
    run(session, "qd.reset(); qd.init(arch=qd.cpu)")
    assert run(session, look).result == "False", "whatever program runs"
    run(session, "%qd_progress --on")
    assert run(session, look).result == "True"
    assert "one of the arguments --off --on is required" in session.run("%qd_progress").text("stderr")


def test_clients_without_a_page_get_no_progress(session):
    run(session, LONG, "long")
    look = "from quadrants_jupyter import progress\nprogress.shown.watcher.cell"
    assert session.collect(send(session, look)).result is None


def erased(text):
    """Returns the text that remains on a terminal."""
    lines = [[]]
    column = 0
    for letter in text:
        if letter == "\r":
            column = 0
        elif letter == "\n":
            lines.append([])
            column = 0
        else:
            line = lines[-1]
            line[column : column + 1] = letter
            column += 1
    return ["".join(line).rstrip() for line in lines]


def test_a_console_has_a_temporary_line(session):
    run(session, LONG, "long")
    own = "import sys; [vars(stream).get('write') for stream in (sys.stdout, sys.stderr)]"
    before = session.run(own).result
    request = send(session, "long(np.ones(64, np.float32))", allow_stdin=True)
    text, lines = "", set()
    while len(lines) < 3:
        message = session.raw.get_iopub_msg(timeout=PATIENCE)
        assert message["msg_type"] not in ("comm_open", "display_data") or message["content"].get("target_name") != TARGET
        if message["msg_type"] == "stream":
            text += message["content"]["text"]
            lines = set(re.findall(r"long runs: line 4, \d+%, \d+ s", text))
    session.interrupt()
    cell = session.collect(request)
    text += "".join(content["text"] for content in cell.of("stream"))
    assert cell.error == "KeyboardInterrupt" and erased(text) == [""]
    assert session.run(own).result == before


def test_prints_at_a_console_are_on_separate_lines(session):
    run(session, LONG.replace("        for j in range(1000):", "        if i % 20000 == 19999:\n            print('at', i)\n        for j in range(1000):"), "long")
    request = send(session, "long(np.ones(64, np.float32))", allow_stdin=True)
    text = ""
    while "long runs" not in text or "at" not in text[text.index("long runs") :]:
        message = session.raw.get_iopub_msg(timeout=PATIENCE)
        if message["msg_type"] == "stream":
            text += message["content"]["text"]
    session.interrupt()
    cell = session.collect(request)
    text += "".join(content["text"] for content in cell.of("stream"))
    assert all(re.fullmatch(r"(at \d+)?", line) for line in erased(text)), erased(text)


@pytest.fixture
def console(monkeypatch):
    """The line of a console in this process, the text on the terminal, and the functions to call while the line is being written."""
    meanwhile = []

    class Terminal(io.StringIO):
        def write(self, text):
            count = super().write(text)
            while meanwhile and "runs" in text:
                meanwhile.pop()()
            return count

    terminal = Terminal()
    monkeypatch.setattr(shown_progress, "sys", types.SimpleNamespace(stdout=terminal, stderr=terminal))
    monkeypatch.setattr(shown_progress.activity, "text_of", lambda told: f"{told} runs")
    return shown_progress.Console(), terminal, meanwhile


def test_prints_of_a_thread_while_the_line_is_written_are_separate(console):
    line, terminal, meanwhile = console
    thread = threading.Thread(target=lambda: terminal.write("at 1\n"))

    def begin():
        thread.start()
        thread.join(0.2)

    meanwhile.append(begin)
    line.show("a")
    thread.join()
    line.show("b")
    assert erased(terminal.getvalue()) == ["at 1", "b runs"]
    line.end()
    assert erased(terminal.getvalue()) == ["at 1", ""] and "write" not in vars(terminal)


def test_the_line_does_not_overwrite_an_unfinished_line(console):
    line, terminal, _ = console
    line.show("a")
    terminal.write("at")
    line.show("b")
    terminal.write(" 1\n")
    assert erased(terminal.getvalue()) == ["at 1", ""]
    line.show("c")
    assert erased(terminal.getvalue()) == ["at 1", "c runs"]
    line.end()


def test_protocol_and_python_name_the_same_members(session):
    text = (PROTOCOL / "progress.ts").read_text()
    bodies = {name: re.findall(r"^  (\w+)\??:", body, re.M) for name, body in re.findall(r"interface (\w+) \{(.*?)^\}", text, re.M | re.S)}
    made = ast.literal_eval(session.run(
        "from quadrants_jupyter import progress\n"
        "told = {'what': 'running', 'kernel': 'k', 'file': '', 'seconds': 1.5, 'tasks': 2, 'task': 'k.1', 'number': 1, 'line': 3,"
        " 'chunks': 4, 'done': 1, 'iterations': [2, 5]}\n"
        "progress.progress_of(told)").result)
    assert list(made) == bodies["Progress"]
    assert made == {"what": "running", "kernel": "k", "place": "iteration 2 · 5, task 1 of 2, line 3", "share": 0.25, "seconds": 1}
    assert bodies["ProgressMessage"] == ["version", "cell_id", "running", "progress"]
