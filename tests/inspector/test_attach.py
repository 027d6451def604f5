"""Attaching windows to running programs: `QD_INSPECT=attach`, `quadrants inspect`."""

import contextlib
import json
import mmap
import os
import random
import select
import signal
import socket
import stat
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import quadrants as qd
from quadrants import _command
from quadrants._inspect import inspector, sockets

PATIENCE = 60
KILLS = int(os.environ.get("QD_KILLS", 100))

# Runs a kernel repeatedly; a line on its input is an expression or statement, whose value it prints.
PROGRAM = """
import os, select, sys, threading, time
import quadrants as qd
qd.init(arch=qd.cpu, offline_cache=False, log_level=qd.WARN)
x = qd.field(qd.f32, shape=(8, 4))

@qd.data_oriented
class Simulation:
    def __init__(self):
        self.v = qd.Vector.field(2, qd.f32, shape=6)

simulation = Simulation()

@qd.kernel
def step():
    for i, j in x:
        x[i, j] += 1.0

step()
launches = 1
print(os.getpid(), flush=True)
while True:
    step()
    launches += 1
    time.sleep(0.001)
    if select.select([sys.stdin], [], [], 0)[0]:
        line = sys.stdin.readline()
        if not line:
            break
        try:
            print(repr(eval(line)), flush=True)
        except SyntaxError:
            exec(line)
            print(None, flush=True)
"""


class Program:
    def __init__(self, tmp_path, text=PROGRAM, wanted="attach", **more):
        file = tmp_path / "program.py"
        file.write_text(text)
        env = {**os.environ, "QD_INSPECT": wanted, "ENABLE_QUADRANTS_HEADER_PRINT": "0", **more}
        self.process = subprocess.Popen([sys.executable, file], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.pid = int(self.process.stdout.readline())
        assert self.pid == self.process.pid

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return eval(self.process.stdout.readline())

    def until(self, line):
        end = time.monotonic() + PATIENCE
        while not (found := self.ask(line)):
            assert time.monotonic() < end, line
        return found

    def end(self):
        """Returns the exit status."""
        self.process.stdin.close()
        return self.process.wait(PATIENCE)

    def kill(self):
        self.process.kill()
        self.process.wait()
        for file in (self.process.stdin, self.process.stdout, self.process.stderr):
            with contextlib.suppress(OSError):
                file.close()


class Watcher:
    """Acts as a window towards the program: says hello, receives messages, maps memory."""

    def __init__(self, pid, hello=True):
        self.connection = sockets.attach(pid)
        self.rest, self.descriptors, self.told, self.memories = b"", [], [], {}
        if hello:
            self.say(kind="hello", version=1, seen=True)

    def say(self, **message):
        self.connection.sendall(json.dumps(message).encode() + b"\n")

    def want(self, *views):
        one = {"width": 64, "height": 64, "component": 0, "slice": [], "first": []}
        self.say(kind="want", panes=["lines", "tasks", "adstack", "graph"], views=[{**one, "id": view["id"]} for view in views])

    def hear(self, seconds=0.05):
        """Returns False at the end of the connection."""
        if not select.select([self.connection], [], [], seconds)[0]:
            return True
        data, given, *_ = socket.recv_fds(self.connection, 1 << 16, 16)
        self.descriptors += given
        *lines, self.rest = (self.rest + data).split(b"\n")
        for line in map(json.loads, lines):
            if line["kind"] == "memory":
                with os.fdopen(self.descriptors.pop(0), "rb") as file:
                    self.memories[line["id"]] = mmap.mmap(file.fileno(), line["bytes"], prot=mmap.PROT_READ)
            self.told.append(line)
        return bool(data)

    def wait(self, kind, suits=lambda message: True):
        """Returns the first suitable message."""
        end, seen = time.monotonic() + PATIENCE, 0
        while time.monotonic() < end:
            for message in self.told[seen:]:
                if message["kind"] == kind and suits(message):
                    return message
            seen = len(self.told)
            assert self.hear(), "the connection has ended"
        raise AssertionError([m for m in self.told if m["kind"] == kind])

    def samples(self, picture):
        n = picture["width"] * picture["height"]
        return np.frombuffer(self.memories[picture["memory"]], np.float32, n, picture["at"]).reshape(picture["width"], picture["height"])

    def counts(self, text):
        """Returns the count of the line with this text in the newest message."""
        (listing,) = [m for m in self.told if m["kind"] == "listings"][-1]["listings"]
        lines = next(m for m in self.told if m["kind"] == "listings")["listings"][0]["text"].splitlines()
        return next((line["count"] for line in listing["lines"] if lines[line["number"] - 1].strip() == text), None)

    def ended(self, seconds=PATIENCE):
        end = time.monotonic() + seconds
        with contextlib.suppress(ConnectionError):
            while self.hear():
                if time.monotonic() > end:
                    return False
        return True

    def close(self):
        self.connection.close()


def raw(pid, line, end=True):
    """Returns the program's complete reply to this line."""
    connection = sockets.connect(pid)
    with connection, contextlib.suppress(ConnectionError):
        connection.sendall(line)
        if end:
            connection.shutdown(socket.SHUT_WR)
        connection.settimeout(PATIENCE)
        heard = b""
        while piece := connection.recv(1 << 16):
            heard += piece
        return heard
    return b""


def inspect(*arguments, **environment):
    return subprocess.run([sys.executable, "-m", "quadrants", "inspect", *map(str, arguments)], capture_output=True, text=True,
                          timeout=PATIENCE, env={**os.environ, **environment})  # fmt: skip


def window(pid, *how, **environment):
    return subprocess.Popen([sys.executable, "-m", "quadrants", "inspect", str(pid), *how], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, env={**os.environ, **environment})  # fmt: skip


def refused(capsys, *arguments):
    """Returns the message of a command that fails to open a window."""
    assert _command.main(["inspect", *map(str, arguments)]) == 1
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1 and said.startswith("quadrants inspect: ")
    return said


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """The folder of sockets; its name is longer than the address of a socket may be."""
    runtime = tmp_path / ("long " * 30)
    runtime.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    monkeypatch.setattr(sockets, "FALLBACK", str(tmp_path / "fallback-{}"))
    return runtime / "quadrants"


@pytest.fixture
def program(tmp_path):
    made = Program(tmp_path)
    yield made
    made.kill()


@pytest.fixture
def here():
    """Makes this process attachable."""
    assert inspector._current is None
    listener = inspector.wait_for_windows()
    yield listener
    if inspector._current is not None:
        inspector._current.close()
    listener.close()
    listener.join(PATIENCE)
    inspector._attaching = None


STATE = "[t.name for t in threading.enumerate()], step._primal.coverage, sys.modules['quadrants._language.kernel'].counts_definition, qd.cfg.kernel_profiler"
UNWATCHED = (["MainThread", "quadrants attach"], None, None, False)


def test_nothing_is_counted_before_and_after(program):
    assert program.ask(STATE) == UNWATCHED
    first = Watcher(program.pid)
    first.want()
    first.wait("listings", lambda m: any(line["count"] for line in m["listings"][0]["lines"]))
    before = program.ask("launches")
    first.wait("tasks", lambda m: any(row["runs"] > 0 for row in m["tasks"]))
    assert 0 < first.counts("x[i, j] += 1.0") < 32 * before  # earlier launches were not counted
    first.close()
    program.until(f"({STATE}) == {UNWATCHED}")  # as if there had been no window
    second = Watcher(program.pid)
    second.want()
    second.wait("listings", lambda m: m["listings"][0]["text"] is not None)
    counted = second.counts("x[i, j] += 1.0")
    assert counted >= first.counts("x[i, j] += 1.0")  # the sums over all windows
    second.wait("listings", lambda m: second.counts("x[i, j] += 1.0") > counted)
    second.close()


def test_variables_of_the_program_are_shown(program):
    watcher = Watcher(program.pid)
    views = watcher.wait("views", lambda m: m["views"])["views"]
    assert {view["name"]: (view["shape"], view["element"]) for view in views} == {"x": ([8, 4], []), "simulation.v": ([6], [2])}
    program.ask("y = qd.field(qd.i32, shape=3)")
    program.ask("del simulation")
    views = watcher.wait("views", lambda m: [view["name"] for view in m["views"]] == ["x", "y"])["views"]
    watcher.want(views[0])
    for _ in range(3):  # one slot for each
        picture = watcher.wait("picture")
        values = watcher.samples(picture)
        assert values.shape == (8, 4) and values[0, 0] > 0 and (values == values[0, 0]).all()
        watcher.say(kind="shown", view=views[0]["id"])
        watcher.told.clear()
    watcher.say(kind="edit", view=views[0]["id"], index=[2, 3], component=0, value="-1e6")
    program.until("x[2, 3] < 0")
    watcher.close()
    assert program.end() == 0


READS = PROGRAM.replace("simulation = ", """
class Constants:
    dt = 1.0

by, constants, weights, r = 1.0, Constants(), (1.0, 2.0), qd.field(qd.f32, shape=3)

@qd.func
def amount():
    return by * constants.dt * weights[1]

@qd.func
def seven():
    return 7.0

@qd.kernel
def reads():
    r[0] = amount()

@qd.kernel
def other():
    r[1] += by

reads()
simulation = """, 1)  # fmt: skip


@pytest.mark.parametrize("change", ["by = 5.0", "constants.dt = 5.0", "Constants.dt = 5.0; constants = Constants()", "weights = (1.0, 5.0)", "amount = seven"])
def test_a_kernel_keeps_its_meaning(tmp_path, change):
    """It is compiled again with the values that it was compiled with, or not at all."""
    program = Program(tmp_path, READS)
    program.ask(change)
    assert program.ask("(reads(), r[0])") == (None, 2.0)
    watcher = Watcher(program.pid)
    watcher.want()
    program.until("step._primal.coverage")
    assert program.ask("(reads(), r[0])") == (None, 2.0) and program.ask("reads._primal.coverage") is None
    assert program.ask("other._primal.coverage")  # it had not been compiled
    told = watcher.wait("log")["lines"]
    assert [line["text"] for line in told] == ["reads is not counted: variables that it was compiled with have changed since"]
    program.ask("other()")
    program.ask("by = 3.0")
    watcher.close()
    program.until("step._primal.coverage is None")
    assert program.ask("(r.fill(0), other(), r[1])")[2] == program.ask("(r.fill(0), other(), r[1])")[2] == (5.0 if change.startswith("by") else 1.0)
    program.kill()


def test_a_kernel_that_came_from_disk_is_counted(tmp_path):
    """The variables of a cached kernel are recorded too."""
    text = PROGRAM.replace("offline_cache=False", f"offline_cache_file_path={str(tmp_path / 'cache')!r}", 1)
    for _ in range(2):
        program = Program(tmp_path, text)
        watcher = Watcher(program.pid)
        program.until("step._primal.coverage")
        watcher.close()
        program.until("step._primal.coverage is None")
        assert program.end() == 0
        program.kill()


def test_variables_that_refuse_to_be_inspected(tmp_path):
    """The kernel is compiled once and is not compiled again for counting."""
    odd = "class Odd:\n    value = 3\n    @property\n    def __dict__(self):\n        raise KeyError\nodd = Odd()\n"
    text = PROGRAM.replace("@qd.kernel", odd + "@qd.kernel", 1).replace("x[i, j] += 1.0", "x[i, j] += 1.0 * odd.value", 1)
    program = Program(tmp_path, text)
    watcher = Watcher(program.pid)
    assert "step is not counted" in watcher.wait("log")["lines"][0]["text"]
    assert program.ask("step._primal.coverage") is None
    watcher.close()
    program.kill()


def test_variables_that_cannot_be_shown(program):
    program.ask("import numpy as np")
    program.ask("empty, texts, masked, number = np.zeros((0, 3)), np.array(['a']), np.ma.zeros(3), np.float64(2)")
    program.ask("class Any: __getattr__ = lambda self, name: 1 / 0")
    program.ask("any, matrix, placed_later, numbers = Any(), qd.Matrix([[1, 2]]), qd.field(qd.f32), np.arange(3)")
    watcher = Watcher(program.pid)
    names = [view["name"] for view in watcher.wait("views", lambda m: len(m["views"]) > 2)["views"]]
    assert names == ["x", "simulation.v", "numbers"]
    program.ask("step()")  # compiled again, with a field that is not placed yet
    program.ask("qd.root.dense(qd.i, 5).place(placed_later) and None")
    views = watcher.wait("views", lambda m: len(m["views"]) > 3)["views"]
    assert {view["name"]: view["shape"] for view in views}["placed_later"] == [5]
    program.ask("many = qd.data_oriented(type('Many', (), {}))()")
    program.ask("[setattr(many, f'a{k}', np.zeros(2)) for k in range(100)] and None")
    watcher.wait("views", lambda m: len(m["views"]) == 24)
    watcher.close()


def test_views_that_a_program_opens_itself(program):
    """qd.inspect() does not open a window; its views are available to a window that attaches."""
    program.ask("ins = qd.inspect(x, named=simulation.v, title='mine')")
    program.ask("p = ins.param('p', 1.0, 0.0, 5.0)")
    assert program.ask("ins.plot('energy', 1.0, 2.0)") is None and program.ask("(ins.alive, p.value, ins.say('lost'))") == (False, 1.0, None)
    program.ask("ins.pause()")  # without a window the pause could not be ended
    watcher = Watcher(program.pid)
    assert watcher.wait("hello")["title"] == "mine"
    views = watcher.wait("views", lambda m: m["views"])["views"]
    assert [view["name"] for view in views] == ["x", "named"]  # each only once
    assert watcher.wait("series")["series"] == [{"name": "energy", "first": 0, "values": [1.0, 2.0]}]
    watcher.wait("parameters", lambda m: [row["name"] for row in m["parameters"]] == ["p"])
    watcher.say(kind="set", name="p", value=3.0)
    program.until("p.value == 3.0 and ins.alive")
    program.ask("ins.plot('energy', 3.0)")
    assert watcher.wait("series", lambda m: m["series"][0]["first"] == 2)["series"][0]["values"] == [3.0]
    watcher.close()
    program.until("not ins.alive")
    program.ask("ins.plot('energy', 4.0)")
    again = Watcher(program.pid)
    assert again.wait("series")["series"] == [{"name": "energy", "first": 0, "values": [1.0, 2.0, 3.0, 4.0]}]
    again.wait("parameters", lambda m: m["parameters"][0]["value"] == 3.0)
    program.ask("ins.close()")
    assert again.ended()
    program.until(f"({STATE}) == {UNWATCHED}")
    third = Watcher(program.pid)  # a program can be attached to as long as it runs
    assert [view["name"] for view in third.wait("views", lambda m: m["views"])["views"]] == ["x", "simulation.v"]
    third.close()
    program.process.stdin.close()
    assert program.process.stderr.read().count("there is no window to press Resume in") == 1


def test_a_second_window_is_refused(program, capsys):
    first = Watcher(program.pid)
    first.wait("views")
    assert refused(capsys, program.pid) == f"quadrants inspect: process {program.pid} has a window already\n"
    assert f"{program.pid:>8}  program.py  (has a window)" in inspect().stdout
    program.until("launches > 0")
    first.say(kind="do", what="mark")  # an action that the program does not have
    first.wait("state")
    first.close()
    again = Watcher(program.pid)  # without waiting
    again.wait("views")
    again.close()


def test_several_programs(tmp_path, capsys):
    programs = [Program(tmp_path) for _ in range(2)]
    try:
        assert inspect().stdout.splitlines()[-2:] == [f"{pid:>8}  program.py" for pid in sorted(p.pid for p in programs)]
        watchers = [Watcher(p.pid) for p in programs]
        for p, watcher in zip(programs, watchers):
            assert watcher.wait("state")["process"] == p.pid
            watcher.want()
            watcher.wait("listings")
    finally:
        for p in programs:
            p.kill()
    assert all(watcher.ended() for watcher in watchers)
    assert inspect().stdout.splitlines()[-1].startswith("There is no program to attach to.")


def test_programs_that_cannot_be_attached_to(tmp_path, capsys, folder):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert f"there is no process {ended.pid}" in refused(capsys, ended.pid)
    assert "there is no process -3" in refused(capsys, "--", -3)
    assert f"({open('/proc/self/comm').read().strip()}) cannot be attached to: start it with QD_INSPECT=attach" in refused(capsys, os.getpid())
    with pytest.raises(SystemExit):
        _command.main(["inspect", "program.py"])
    assert "invalid int value" in capsys.readouterr().err
    plain = Program(tmp_path, wanted="")
    assert "cannot be attached to: start it with QD_INSPECT=attach" in refused(capsys, plain.pid)
    plain.kill()
    assert not folder.exists()


def test_a_process_of_another_user(capsys):
    if os.geteuid() != 0:
        assert "belongs to another user" in refused(capsys, 1)
        return
    other = subprocess.Popen(["sleep", "60"], user=65534)
    try:
        assert f"process {other.pid} (sleep) belongs to another user" in refused(capsys, other.pid)
    finally:
        other.kill()
        other.wait()


def test_another_user_gets_no_answer(here, monkeypatch):
    line = json.dumps({"kind": "ask", "version": sockets.VERSION}).encode() + b"\n"
    assert json.loads(raw(os.getpid(), line))["kind"] == "program"
    connection = sockets.connect(os.getpid())
    with connection:  # the current user differs from the user that connects
        user = os.geteuid()
        monkeypatch.setattr(os, "geteuid", lambda: user + 1 if threading.current_thread() is here else user)
        assert raw(os.getpid(), line) == b""
    monkeypatch.undo()


def test_a_listener_of_another_user_is_refused(here, monkeypatch):
    """The opposite case: the listening process belongs to another user."""
    monkeypatch.setattr(sockets, "is_own", lambda connection: threading.current_thread() is here)
    with pytest.raises(sockets.Refused):
        sockets.connect(os.getpid())


def test_the_folder_is_for_the_user_alone(here, folder, tmp_path, monkeypatch):
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700 and os.listdir(folder) == [str(os.getpid())]
    sockets.connect(os.getpid()).close()
    folder.chmod(0o755)
    with pytest.raises(sockets.Refused):
        sockets.connect(os.getpid())
    folder.chmod(0o700)
    sockets.connect(os.getpid()).close()
    here.close()
    assert os.listdir(folder) == []


def test_without_a_runtime_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(sockets, "_is_own", lambda folder: False)
    fallback = tmp_path / f"fallback-{os.geteuid()}"
    assert sockets.folders() == [str(fallback)]
    listening, path = sockets.listen()
    with listening:
        assert stat.S_IMODE(fallback.stat().st_mode) == 0o700 and path == str(fallback / str(os.getpid()))
        sockets.connect(os.getpid()).close()
    fallback.chmod(0o777)
    with pytest.raises(sockets.Refused, match="is open to other users; chmod 700 closes it"):
        sockets.listen()
    fallback.chmod(0o700)
    fallback.rename(tmp_path / "elsewhere")
    fallback.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(sockets.Refused, match="is not a folder of this user"):
        sockets.listen()


def test_a_program_that_gets_no_socket_runs_on(tmp_path, folder):
    folder.write_text("a file is in its place")
    text = f"from quadrants._inspect import sockets\nsockets.FALLBACK = {str(folder)!r}\n"
    (tmp_path / "sitecustomize.py").write_text("import quadrants\n" + text + "import os\nos.environ['QD_INSPECT'] = 'attach'\nfrom quadrants._inspect.inspector import of_environment\nof_environment()\n")
    made = Program(tmp_path, wanted="", PYTHONPATH=str(tmp_path))
    assert made.ask("launches") > 0
    made.process.stdin.close()
    (line,) = made.process.stderr.read().splitlines()
    assert "no window can attach to this program" in line and "is not a folder of this user" in line
    made.kill()


def test_old_sockets_are_removed(tmp_path, capsys, folder):
    old = [Program(tmp_path) for _ in range(3)]
    for one in old:
        one.kill()
    left = {str(one.pid) for one in old}
    assert set(os.listdir(folder)) == left  # killed programs could not remove their sockets
    (folder / "1234567").write_text("not a socket")
    assert f"there is no process {old[0].pid}" in refused(capsys, old[0].pid)
    assert set(os.listdir(folder)) == left - {str(old[0].pid)} | {"1234567"}
    new = Program(tmp_path)
    assert set(os.listdir(folder)) == {str(new.pid), "1234567"}
    assert new.end() == 0
    assert os.listdir(folder) == ["1234567"]
    new.kill()


def test_an_old_socket_of_a_process_of_the_same_number(folder, capsys):
    folder.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as old, contextlib.chdir(folder):
        old.bind(str(os.getpid()))
        old.listen()
    assert "cannot be attached to" in refused(capsys, os.getpid()) and os.listdir(folder) == []
    with socket.socket(socket.AF_UNIX) as old, contextlib.chdir(folder):
        old.bind(str(os.getpid()))
        old.listen()
        with pytest.raises(sockets.Refused, match="Address already in use"):  # a listening socket is not replaced
            sockets._listen_in(str(folder))
    listening, _ = sockets.listen()
    with listening:
        sockets.connect(os.getpid()).close()


GARBLED = [b"", b"\n", b"no json\n", b"[]\n", b"3\n", b'{"kind":3}\n', b'{"kind":"attach"}\n', b'{"kind":"attach","version":99}\n', b"\x00\xff\n",
           b"[" * 4000 + b"\n", b"x" * 100_000, b'{"kind":"attach","version":1'] # fmt: skip
# Invalid messages, which end the connection, and requests with invalid members, which get an error as reply.
NO_MESSAGES = [
    b"no json\n", b"[]\n", b"3\n", b"\x00\xff\n", b"[" * 100_000 + b"\n", b'{"kind":["a"]}\n', b'{"kind":"shown","view":{}}\n', b'{"kind":"hello"}\n' * 1000,
]  # fmt: skip
REQUESTS = [
    b'{"kind":"want"}\n', b'{"kind":"want","panes":3,"views":[{"id":0}]}\n',
    b'{"kind":"want","panes":[],"views":[{"id":0,"width":1e400,"height":1,"component":0,"slice":[],"first":[]}]}\n',
    b'{"kind":"want","panes":[],"views":[{"id":0,"width":1e18,"height":1e18,"component":-7,"slice":[9,9,9],"first":[-1,99]}]}\n',
    b'{"kind":"set","name":"p","value":1e400}\n', b'{"kind":"edit","view":0,"index":[99],"component":0,"value":"x"}\n',
    b'{"kind":"do","what":[]}\n', b'{"kind":"save","path":7}\n',
]  # fmt: skip


def test_garbled_peers_leave_the_program_alone(program):
    program.ask("ins = qd.inspect(x)")
    program.ask("p = ins.param('p', 1.0, 0.0, 5.0)")
    for line in GARBLED:
        heard = raw(program.pid, line)
        if b"99" in line:
            assert b"uses version 1 of the protocol" in heard
        elif b'"attach"}' not in line:
            assert heard == b"", line
    for line in NO_MESSAGES + REQUESTS:
        one = Watcher(program.pid)
        one.connection.sendall(line)
        if line in REQUESTS:
            one.connection.shutdown(socket.SHUT_WR)
        assert one.ended(), line
        one.close()
    program.until(f"({STATE}) == {UNWATCHED}")
    sound = Watcher(program.pid)
    for line in REQUESTS:
        sound.connection.sendall(line)
    sound.say(kind="set", name="p", value=4.0)
    program.until("p.value == 4.0")
    sound.connection.sendall(b'{"kind":"do","what":[]}\n')
    sound.wait("state", lambda message: message["said"] == "do: a member is missing, or of another type")
    sound.close()
    program.process.stdin.close()
    assert program.process.stderr.read() == "" and program.process.wait(PATIENCE) == 0


def test_silent_connections_are_not_waited_for(program):
    """The program waits neither for a silent connection nor for a client that attaches without a window."""
    silent = sockets.connect(program.pid)
    watcher = Watcher(program.pid)  # connected after the silent one timed out
    watcher.wait("views")
    watcher.close()
    silent.close()
    program.until(f"({STATE}) == {UNWATCHED}")
    mute = Watcher(program.pid, hello=False)
    mute.wait("hello")
    assert program.ask(STATE)[1:] == UNWATCHED[1:]  # launches are not counted for it
    mute.close()
    program.until(f"({STATE}) == {UNWATCHED}")


def test_a_line_without_an_end(program, monkeypatch):
    program.ask("import quadrants._windows.process as w")
    program.ask("w.LONGEST = 1 << 20")
    watcher = Watcher(program.pid)
    with pytest.raises(ConnectionError):
        while True:
            watcher.connection.sendall(b" " * (1 << 20))
    watcher.close()
    program.until(f"({STATE}) == {UNWATCHED}")


def test_a_pause_ends_with_its_window(program):
    watcher = Watcher(program.pid)
    watcher.say(kind="do", what="pause")
    watcher.wait("state", lambda m: m["paused"])
    watcher.close()
    assert program.ask("launches") > 0 and program.end() == 0


def test_the_end_of_the_program_is_reported(program):
    watcher = Watcher(program.pid)
    watcher.wait("views")
    program.ask("ins = qd.inspect()")
    program.ask("ins.say('the last words')")
    assert program.end() == 0
    assert watcher.ended() and {"what": "note", "text": "the last words"} in [line for m in watcher.told if m["kind"] == "log" for line in m["lines"]]


def test_a_program_that_is_killed(program):
    watcher = Watcher(program.pid)
    watcher.wait("views")
    program.kill()
    assert watcher.ended()


FORKS = PROGRAM.replace("while True:", """
child = os.fork()
if child == 0:
    sys.stdin = open(os.devnull)
    time.sleep(600)
while True:""", 1)  # fmt: skip


def wait_until_it_holds_no_socket(pid):
    end = time.monotonic() + PATIENCE
    while any(os.readlink(f"/proc/{pid}/fd/{name}").startswith("socket:") for name in os.listdir(f"/proc/{pid}/fd")):
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_forked_child_has_no_socket(tmp_path, capsys):
    program = Program(tmp_path, FORKS)
    child = program.ask("child")
    try:
        watcher = Watcher(program.pid)
        assert watcher.wait("state")["process"] == program.pid
        grandchild = program.ask("os.fork() or os.execvp('sleep', ['sleep', '600'])")
        assert "cannot be attached to" in refused(capsys, child)
        for pid in (child, grandchild):
            wait_until_it_holds_no_socket(pid)  # a child that has not run yet has its parent's sockets
        program.kill()
        assert watcher.ended()  # although its children are alive
        assert "there is no process" in refused(capsys, program.pid)
        assert inspect().stdout.splitlines()[-1].startswith("There is no program")
    finally:
        for pid in (child, grandchild):
            os.kill(pid, signal.SIGKILL)


def test_a_child_that_ends_leaves_the_socket(tmp_path, folder):
    text = PROGRAM.replace("while True:", "if os.fork() == 0:\n    sys.exit(0)\nos.wait()\nwhile True:", 1)
    program = Program(tmp_path, text)
    assert program.ask("'QD_INSPECT' in os.environ") is False and os.listdir(folder) == [str(program.pid)]
    Watcher(program.pid).close()
    assert program.end() == 0
    program.kill()


def test_before_the_program_has_begun(tmp_path):
    text = "import os, sys, quadrants as qd\nprint(os.getpid(), flush=True)\nos.read(0, 1)\n" + PROGRAM.replace("print(os.getpid(), flush=True)", "")
    program = Program(tmp_path, text)
    watcher = Watcher(program.pid)
    watcher.want()
    assert watcher.wait("state")["device"] == ""
    program.process.stdin.write("\n")
    assert program.ask("launches") > 0
    watcher.wait("listings", lambda m: any(line["count"] for line in m["listings"][0]["lines"]))
    watcher.wait("tasks", lambda m: any(row["runs"] for row in m["tasks"]))
    assert watcher.counts("x[i, j] += 1.0") > 0
    program.ask("qd.init(arch=qd.cpu, log_level=qd.WARN); x = qd.field(qd.f32, shape=(8, 4))")  # another program in the same process
    watcher.wait("tasks", lambda m: watcher.told.index(m) > len(watcher.told) - 3 and any(row["runs"] for row in m["tasks"]))
    watcher.close()
    program.until(f"({STATE}) == {UNWATCHED}")
    program.kill()


def test_gradients_that_were_compiled_before(here):
    qd.init(arch=qd.cpu, offline_cache=False, log_level=qd.WARN)
    qd.coverage.clear()
    a = qd.field(qd.f32, shape=4, needs_grad=True)
    loss = qd.field(qd.f32, shape=(), needs_grad=True)

    @qd.kernel
    def squares():
        for i in a:
            loss[None] += a[i] * a[i]

    def launch():
        squares()
        loss.grad[None] = 1.0
        squares.grad()

    launch()
    watcher = Watcher(os.getpid())
    watcher.want()
    watcher.wait("views")
    end = time.monotonic() + PATIENCE
    while not squares._primal.coverage and time.monotonic() < end:
        time.sleep(0.01)
    launch()
    # the gradient was compiled again too, and is counted when it runs again
    from quadrants._coverage import counts

    assert any(what == "backward" and count for (what, *_), count in counts._rows().items())
    watcher.close()


@pytest.mark.parametrize("how", ["memory", "screen"])
def test_the_window_itself(program, how, request, tmp_path):
    display = request.getfixturevalue("display") if how == "screen" else ""
    shown = window(program.pid, *([] if how == "screen" else ["--unseen"]), DISPLAY=display)
    program.ask("from quadrants._inspect import inspector; import queue; models = queue.Queue()")
    program.until("inspector._current is not None and inspector._current.alive")
    program.ask("inspector._current._publisher.do_model = models.put; ask = lambda: inspector._current._process.send({'kind': 'test', 'do': 'model'}) and models.get()")
    model = program.until("(lambda m: m and m['files'] and m['tasks'] and len(m['shots']) == 2 and {**m, 'places': None})(ask())")
    assert [view["name"] for view in model["views"]] == ["x", "simulation.v"] and model["state"]["process"] == program.pid
    assert inspect(program.pid, DISPLAY=display).returncode == 1 and shown.poll() is None
    if how == "memory":
        assert program.end() == 0
        assert shown.wait(PATIENCE) == 0
        return
    shown.send_signal(signal.SIGINT)  # Ctrl-C in its terminal
    assert shown.wait(PATIENCE) == -signal.SIGINT
    program.until(f"({STATE}) == {UNWATCHED}")
    shown = window(program.pid, DISPLAY=display)
    program.until("inspector._current.alive and inspector._current._process.answer")
    os.kill(program.pid, signal.SIGKILL)
    assert program.process.wait() and titles(display, f"{program.process.args[1].name}: program ended")
    assert shown.poll() is None
    shown.kill()
    shown.communicate()


def titles(display, wanted):
    """True if a window gets this title."""
    import ctypes

    x11 = ctypes.CDLL("libX11.so.6")
    x11.XOpenDisplay.restype = ctypes.c_void_p
    x11.XDefaultRootWindow.restype = ctypes.c_ulong
    server = ctypes.c_void_p(x11.XOpenDisplay(display.encode()))
    root = ctypes.c_ulong(x11.XDefaultRootWindow(server))
    end, found = time.monotonic() + PATIENCE, set()
    while wanted not in found and time.monotonic() < end:
        time.sleep(0.02)
        of, parent, children, count = ctypes.c_ulong(), ctypes.c_ulong(), ctypes.POINTER(ctypes.c_ulong)(), ctypes.c_uint()
        x11.XQueryTree(server, root, ctypes.byref(of), ctypes.byref(parent), ctypes.byref(children), ctypes.byref(count))
        for k in range(count.value):
            name = ctypes.c_char_p()
            if x11.XFetchName(server, ctypes.c_ulong(children[k]), ctypes.byref(name)) and name.value:
                found.add(name.value.decode())
    x11.XCloseDisplay(server)
    return wanted in found


def test_no_display(program):
    done = inspect(program.pid, DISPLAY="")
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1
    assert "cannot show a window" in done.stderr and "display" in done.stderr.lower()
    program.until(f"({STATE}) == {UNWATCHED}")


def test_windows_that_are_killed(program):
    """A window may be killed at any moment: the program continues unchanged."""
    rng = random.Random(5)
    descriptors = program.ask("len(os.listdir('/proc/self/fd'))")
    for _ in range(max(KILLS // 10, 2)):
        shown = window(program.pid, "--unseen", ENABLE_QUADRANTS_HEADER_PRINT="0")
        time.sleep(rng.random() * 1.5)  # it may not have connected yet, or may be busy
        shown.send_signal(rng.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV]))
        assert shown.wait(PATIENCE) < 0 and shown.communicate()[1] == ""
        assert program.ask("launches") > 0
    program.until(f"({STATE}) == {UNWATCHED}")
    program.until(f"len(os.listdir('/proc/self/fd')) <= {descriptors}")


def test_commands_cannot_be_attached_to(folder):
    assert inspect(QD_INSPECT="attach").returncode == 0
    done = subprocess.run([sys.executable, "-m", "quadrants", "--version"], env={**os.environ, "QD_INSPECT": "attach"}, capture_output=True, text=True)
    assert done.returncode == 0 and not folder.exists()


def test_an_unknown_value_of_the_variable(tmp_path):
    done = subprocess.run([sys.executable, "-c", "import quadrants"], env={**os.environ, "QD_INSPECT": "yes"}, capture_output=True, text=True)
    assert done.returncode == 0 and "QD_INSPECT=yes has no effect" in done.stderr and "QD_INSPECT=attach" in done.stderr
