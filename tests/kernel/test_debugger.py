"""The debugger: the Debug Adapter Protocol over the control channel, with the requests of JupyterLab, and with invalid requests."""

import os
import pathlib
import queue
import time

import pytest
from conftest import PATIENCE, Client


class Debugged(Client):
    seq = 0

    def request(self, content):
        """Returns the content of the reply to any request."""
        message = self.raw.session.msg("debug_request", content)
        self.raw.control_channel.send(message)
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            self.check_alive()
            try:
                reply = self.raw.get_control_msg(timeout=1)
            except queue.Empty:
                continue
            if reply["parent_header"].get("msg_id") == message["header"]["msg_id"]:
                assert reply["msg_type"] == "debug_reply"
                return reply["content"]
        raise TimeoutError(f"{content} was not answered")

    def dap(self, command, **arguments):
        self.seq += 1
        reply = self.request({"type": "request", "seq": self.seq, "command": command, "arguments": arguments})
        assert reply["type"] == "response" and reply["command"] == command and reply["request_seq"] == self.seq, reply
        return reply

    def ask(self, command, **arguments):
        reply = self.dap(command, **arguments)
        assert reply["success"], reply
        return reply["body"]

    def event(self, name):
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            self.check_alive()
            try:
                message = self.raw.get_iopub_msg(timeout=1)
            except queue.Empty:
                continue
            if message["msg_type"] == "debug_event" and message["content"]["event"] == name:
                return message["content"]["body"]
        raise TimeoutError(name)

    def start(self):
        self.ask("initialize", clientID="test", adapterID="python", pathFormat="path", linesStartAt1=True, columnsStartAt1=True)
        self.ask("attach")

    def break_at(self, code, *lines):
        path = self.ask("dumpCell", code=code)["sourcePath"]
        assert pathlib.Path(path).read_text() == code and os.stat(os.path.dirname(path)).st_mode & 0o777 == 0o700
        set_ = self.ask("setBreakpoints", source={"path": path}, breakpoints=[{"line": n} for n in lines], sourceModified=False)
        assert [b["verified"] for b in set_["breakpoints"]] == [True] * len(lines)
        self.ask("configurationDone")
        return path

    def frames(self, stopped):
        return self.ask("stackTrace", threadId=stopped["threadId"])["stackFrames"]

    def locals(self, frame):
        scopes = self.ask("scopes", frameId=frame["id"])["scopes"]
        found = self.ask("variables", variablesReference=scopes[0]["variablesReference"])["variables"]
        return {v["name"]: v["value"] for v in found}


@pytest.fixture
def debugged():
    client = Debugged()
    yield client
    client.close()


def test_cells_do_not_report_the_debugger(debugged):
    debugged.start()
    for code in ("1 + 1", "%%time\n2", "import asyncio; await asyncio.sleep(0)"):
        cell = debugged.run(code)
        assert cell.status == "ok" and cell.text("stderr") == ""


CELL = """

def f(a):
    b = a + 1
    return b * 2
r = f(20)
r"""


def test_a_cell_stops_at_a_breakpoint_and_continues(debugged):
    c = debugged
    assert c.raw.kernel_info(reply=True, timeout=PATIENCE)["content"]["debugger"] is True
    info = c.ask("debugInfo")
    assert info["isStarted"] is False and info["hashMethod"] == "Murmur2"
    c.start()
    path = c.break_at(CELL, 5)
    assert path.startswith(info["tmpFilePrefix"]) and path.endswith(info["tmpFileSuffix"])
    cell = c.send(CELL)
    stopped = c.event("stopped")
    assert stopped["reason"] == "breakpoint"
    info = c.ask("debugInfo")
    assert info["isStarted"] and info["stoppedThreads"] == [stopped["threadId"]]
    assert info["breakpoints"] == [{"source": path, "breakpoints": [{"line": 5}]}]
    frames = c.frames(stopped)
    assert [(f["name"], f["line"], f["source"]["path"]) for f in frames] == [("f", 5, path), ("<module>", 6, path)]
    assert c.locals(frames[0]) == {"a": "20", "b": "21"}
    shown = c.ask("richInspectVariables", variableName="b", frameId=frames[0]["id"])
    assert shown["data"] == {"text/plain": "21"}
    c.ask("copyToGlobals", srcVariableName="b", dstVariableName="copied", srcFrameId=frames[0]["id"])
    assert c.ask("evaluate", expression="a * 3", frameId=frames[0]["id"], context="repl")["result"] == "60"
    assert c.ask("source", source={"path": path})["content"].rstrip("\n") == CELL
    c.ask("next", threadId=stopped["threadId"])
    assert c.event("stopped")["reason"] == "step"
    c.ask("continue", threadId=stopped["threadId"])
    done = c.collect(cell)
    assert done.status == "ok" and done.result == "42"
    variables = {v["name"]: v["value"] for v in c.ask("inspectVariables")["variables"]}
    assert variables["r"] == "42" and variables["copied"] == "21" and "get_ipython" not in variables
    assert c.ask("richInspectVariables", variableName="r")["data"] == {"text/plain": "42"}
    c.ask("disconnect", restart=False, terminateDebuggee=True)
    assert c.ask("debugInfo")["isStarted"] is False
    assert c.run(CELL).result == "42"  # breakpoints no longer stop it
    assert c.run("import sys; sys.gettrace() is None").result == "True"  # and it is not traced
    c.start()  # and again
    c.break_at(CELL, 4)
    cell = c.send(CELL)
    assert c.frames(c.event("stopped"))[0]["line"] == 4
    c.ask("disconnect")  # the program continues
    assert c.collect(cell).result == "42"


def test_values_can_be_opened_while_nothing_is_stopped(debugged):
    debugged.run("numbers = {'one': [1, 2, 3]}")
    found = next(v for v in debugged.ask("inspectVariables")["variables"] if v["name"] == "numbers")
    inner = debugged.ask("variables", variablesReference=found["variablesReference"])["variables"]
    assert any(v["value"] == "[1, 2, 3]" for v in inner)
    assert not debugged.dap("variables", variablesReference=12345)["success"]


KERNELS = """%%qd_kernel
import quadrants as qd
qd.init(arch=qd.python)
x = qd.field(qd.f32, 3)

@qd.func
def twice(v):
    return v * 2

@qd.kernel
def fill(scale: qd.f32):
    for i in x:
        s = twice(i * scale)
        x[i] = s

fill(1.5)"""


@pytest.mark.parametrize("code", [KERNELS, KERNELS.replace("%%qd_kernel", "# an ordinary cell")], ids=["magic", "ordinary"])
def test_kernels_stop_on_the_python_backend(debugged, code):
    c = debugged
    c.start()
    path = c.break_at(code, 8, 14)
    cell = c.send(code)
    stopped = c.event("stopped")
    frames = c.frames(stopped)
    assert [(f["name"], f["line"]) for f in frames] == [("twice", 8), ("fill", 13), ("<module>", 16)]
    assert {f["source"]["path"] for f in frames} == {path}
    assert set(c.locals(frames[0])) == {"v"}
    c.ask("continue", threadId=stopped["threadId"])
    stopped = c.event("stopped")
    frames = c.frames(stopped)
    assert [(f["name"], f["line"]) for f in frames] == [("fill", 14), ("<module>", 16)]
    assert c.locals(frames[0]) == {"scale": "f32(1.5)", "i": "i32(0)", "s": "f32(0.0)"}
    c.ask("setBreakpoints", source={"path": path}, breakpoints=[])
    c.ask("continue", threadId=stopped["threadId"])
    assert c.collect(cell).status == "ok"
    assert c.run("list(x.to_numpy())").result.count("6.0") == 1


@pytest.mark.parametrize("code", [KERNELS, KERNELS.replace("%%qd_kernel", "# an ordinary cell")], ids=["magic", "ordinary"])
def test_a_breakpoint_in_compiled_code_is_reported_once(debugged, code):
    c = debugged
    c.start()
    code = code.replace("qd.python", "qd.cpu, offline_cache=False")
    c.break_at(code, 8, 14)
    cell = c.run(code)
    told = cell.text("stderr").splitlines()
    assert cell.status == "ok" and len(told) == 2, cell.text("stderr")
    for line, what in zip(sorted(told, key=lambda text: int(text.split("line ")[1].split(",")[0])), ("line 8, does not stop: func twice", "line 14, does not stop: kernel fill")):
        assert line.startswith("The breakpoint in Cell In[1], " + what) and "qd.init(arch=qd.python)" in line
    assert c.run("fill(2.0)").text("stderr") == ""


def test_an_array_argument_is_shown_as_the_array(debugged):
    code = """import numpy as np
import quadrants as qd
qd.init(arch=qd.python)

@qd.kernel
def first(a: qd.types.ndarray(qd.f32, ndim=1)) -> qd.f32:
    s = a[0]
    return s

first(np.array([1.5, 2.5], np.float32))"""
    c = debugged
    c.start()
    c.break_at(code, 8)
    cell = c.send(code)
    stopped = c.event("stopped")
    assert c.locals(c.frames(stopped)[0])["a"] == "array([1.5, 2.5], dtype=float32)"
    c.ask("continue", threadId=stopped["threadId"])
    assert c.collect(cell).result == "1.5"


def ends_by_itself(client):
    process = client.manager.provisioner.process
    client.manager.shutdown_kernel()
    return process.returncode == 0  # otherwise Jupyter would have sent it a signal


def test_a_trace_of_the_user_stays(debugged):
    """A tracer such as coverage.py starts in a cell and traces the next ones. Front ends request debugInfo even if the user does not
    debug."""
    c = debugged
    assert c.ask("debugInfo")["isStarted"] is False
    assert c.run("import sys\nseen = []\nsys.settrace(lambda frame, event, arg: seen.append(frame.f_code.co_name))").status == "ok"
    assert c.run("def of_mine():\n    return 1\nof_mine()").result == "1"
    assert c.run("'of_mine' in seen").result == "True"
    assert c.run("sys.settrace(None)").status == "ok"
    assert c.run("sys.gettrace() is None").result == "True"


def test_a_stopped_cell_can_be_interrupted_and_ended(debugged):
    c = debugged
    c.start()
    c.break_at(CELL, 5)
    cell = c.send(CELL)
    c.event("stopped")
    c.interrupt()
    stopped = c.collect(cell)
    assert stopped.error == "KeyboardInterrupt"
    assert c.run("1 + 1").result == "2"
    c.ask("disconnect")
    c.start()
    c.break_at(CELL, 5)
    c.send(CELL)
    c.event("stopped")
    assert ends_by_itself(c)


def test_nothing_is_stopped_after_an_interrupt(debugged):
    c = debugged
    c.start()
    c.break_at(CELL, 5)
    for _ in range(2):
        cell = c.send(CELL)
        c.event("stopped")
        c.interrupt()
        assert c.event("continued")["allThreadsContinued"]
        assert c.collect(cell).reply["content"]["ename"] == "KeyboardInterrupt"
        assert c.ask("debugInfo")["stoppedThreads"] == []
        refused = c.dap("continue", threadId=1)
        assert not refused["success"] and "no program is stopped at a breakpoint" in refused["message"]


THREAD = """import threading

def step(n):
    return n + 1

def work():
    n = 0
    while not over:
        n = step(n)
    ended.append(1)

over, ended = [], []
thread = threading.Thread(target=work)
thread.start()"""


def test_stop_lets_other_threads_continue(debugged):
    c = debugged
    c.start()
    c.break_at(CELL, 5)
    c.run(THREAD)
    cell = c.send(CELL)
    c.event("stopped")
    c.interrupt()
    assert c.collect(cell).error == "KeyboardInterrupt"
    assert c.run("over.append(1); thread.join(); ended").result == "[1]"


@pytest.mark.parametrize("idle", [True, False])
def test_a_kernel_answers_and_ends_while_a_thread_is_stopped(debugged, idle):
    c = debugged
    c.start()
    if idle:
        assert c.run(THREAD).status == "ok"
        c.break_at(THREAD, 4)
    else:
        c.break_at(THREAD, 4)
        c.send(THREAD)  # the cell may be stopped together with its thread
    c.event("stopped")
    if idle:  # no cell is running that could be stopped, and the session answers
        assert "threading" in c.raw.complete("threadi", reply=True, timeout=PATIENCE)["content"]["matches"]
        assert c.raw.inspect("thread", reply=True, timeout=PATIENCE)["content"]["found"]
    assert ends_by_itself(c)


def test_exit_handlers_pass_their_breakpoints(debugged, tmp_path):
    code = f"import atexit\ndef leave():\n    file = {str(tmp_path / 'left')!r}\n    open(file, 'w').close()\natexit.register(leave)"
    debugged.start()
    debugged.break_at(code, 4)
    assert debugged.run(code).status == "ok"
    assert ends_by_itself(debugged)
    assert (tmp_path / "left").exists()


NONSENSE = [
    {}, {"type": "request"}, {"type": "request", "seq": 1}, {"type": "response", "command": "attach"}, {"command": None, "type": "request"},
    {"type": "request", "seq": "one", "command": "initialize", "arguments": []}, {"type": "request", "seq": 1, "command": "attach", "arguments": 3},
    {"type": "request", "seq": 1, "command": "__init__", "arguments": {}}, {"type": "request", "seq": 1, "command": "no such", "arguments": {}},
    *({"type": "request", "seq": 1, "command": command, "arguments": arguments}
      for command in ("dumpCell", "setBreakpoints", "source", "stackTrace", "scopes", "variables", "richInspectVariables", "copyToGlobals",
                      "evaluate", "continue", "next", "modules", "threads", "terminate", "setExceptionBreakpoints", "launch", "restart")
      for arguments in ({}, {"code": 5, "source": 5, "threadId": "x", "variablesReference": "y", "variableName": 7, "frameId": -1},
                        {"source": {"path": "/nowhere\x00"}, "breakpoints": [{"line": -3}, {"line": "x"}], "startModule": "a", "code": "\x00"})),
]  # fmt: skip


@pytest.mark.parametrize("started", [False, True])
def test_nonsense_is_refused_and_the_kernel_lives(debugged, started):
    if started:
        debugged.start()
    for content in NONSENSE:
        reply = debugged.request(content)
        assert isinstance(reply["success"], bool), (content, reply)
        if not started and not reply["success"]:
            assert reply["message"], (content, reply)
    assert debugged.run("1 + 1").result == "2"
    debugged.dap("disconnect")
    debugged.start()
    cell = debugged.send(CELL)
    assert debugged.collect(cell).result == "42"


def test_a_front_end_gets_an_error_without_debugpy(tmp_path):
    (tmp_path / "debugpy").mkdir()
    (tmp_path / "debugpy/__init__.py").write_text("raise ImportError('none here')")
    client = Debugged(env={**os.environ, "PYTHONPATH": str(tmp_path)})
    try:
        reply = client.dap("initialize")
        assert not reply["success"] and "pip install debugpy" in reply["message"]
        assert client.run("1 + 1").result == "2"
    finally:
        client.close()


def test_files_of_cells_go_with_the_kernel(debugged):
    debugged.start()
    folder = pathlib.Path(debugged.break_at(CELL, 5)).parent
    assert folder.is_dir()
    debugged.manager.shutdown_kernel()
    assert not folder.exists()


def test_the_names_of_cells_are_those_that_front_ends_compute(debugged):
    from ipykernel.compiler import murmur2_x86

    info = debugged.ask("debugInfo")
    for end in ["", "#", "#a", "#ab", "# ä€😀"]:  # each length of the remainder after words of four bytes
        cell = "import inspect; inspect.currentframe().f_code.co_filename" + end
        name = f"{info['tmpFilePrefix']}{murmur2_x86(cell, info['hashSeed'])}{info['tmpFileSuffix']}"
        assert debugged.run(cell).result == repr(name)
