"""The process that shows windows: either process may end, and the other reacts."""

import os
import random
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import quadrants as qd
from quadrants._windows import process as processes
from quadrants._windows.process import Memory, Process

KILLS = int(os.environ.get("QD_KILLS", 100))


def gone(pid, seconds=10):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if os.waitpid(pid, os.WNOHANG)[0] == pid:
                return True
        except ChildProcessError:
            if not os.path.exists(f"/proc/{pid}"):
                return True
            with open(f"/proc/{pid}/stat") as file:
                if file.read().split()[2] == "Z":
                    return True
        time.sleep(0.005)
    return False


def window(**more):
    return Process({"mode": "window", "title": "test", "size": [64, 48], "show": False, **more})


def frame(process, memory, number, **more):
    message = {"kind": "frame", "number": number, "memory": memory.number, "size": [64, 48], "background": 0xFF0000FF, "draw": [], "widgets": []}
    return process.send({**message, **more})


@pytest.fixture
def linked():
    process = window()
    memory = Memory(process, 1)
    memory.reserve(1)
    yield process, memory
    process.close()


def test_hello_and_first_frame(linked):
    process, memory = linked
    frame(process, memory, 7)
    assert process.wait_for("shown")["number"] == 7
    assert process.answer["version"] == 1 and process.answer["seen"] is False


def test_another_version_is_refused(capfd):
    process = window(version=2)
    assert process.wait_for("hello") == {"kind": "hello", "version": 1}
    assert process.wait_for("shown", 2) is None and not process.alive
    assert "another version" in capfd.readouterr().err


GARBLED = [
    b"no json\n", b"[]\n", b'{"kind":3}\n', b'{"kind":"frame"}\n', b'{"kind":"nothing that is known"}\n', b'{"kind":"memory","id":9,"bytes":8}\n',
    b'{"kind":"frame","number":1,"memory":5,"size":[4,4],"background":0,"draw":[{"do":"discs","n":1,"at":0,"radius":1,"colour":1}]}\n',
    b'{"kind":"frame","number":1,"memory":1,"size":[4,4],"background":0,"draw":[{"do":"discs","n":99999999,"at":0,"radius":1,"colour":1}]}\n',
    b'{"kind":"frame","number":1,"memory":1,"size":[4,4],"background":0,"draw":[],"widgets":[{"do":"slider_float"}]}\n',
    b'{"kind":"input","events":[{"type":"key"}]}\n', b'{"kind":"read","memory":1,"at":0,"bytes":99999999999}\n', b"\x00\xff\n", b"[" * 100000 + b"\n",
]  # fmt: skip


@pytest.mark.parametrize("line", GARBLED, ids=range(len(GARBLED)))
def test_garbled_messages_end_the_connection(linked, line):
    process, memory = linked
    pid = process.pid
    frame(process, memory, 1)
    assert process.wait_for("shown")
    process.socket.sendall(line)
    assert process.wait_for("shown", 10) is None and not process.alive
    assert gone(pid)  # the window is not shown


def test_a_window_on_the_screen_outlives_a_garbled_message(display, monkeypatch):
    monkeypatch.setenv("DISPLAY", display)
    process = window(show=True)
    memory = Memory(process, 1)
    memory.reserve(1)
    frame(process, memory, 1)
    assert process.wait_for("shown", 30) and process.answer["seen"]
    pid = process.pid
    process.socket.sendall(b"garbage\n")
    assert process.wait_for("shown", 10) is None and not process.alive
    assert not gone(pid, 0.5)
    os.kill(pid, signal.SIGTERM)
    assert gone(pid)


def test_no_display_is_one_line_and_a_window_in_memory(monkeypatch, capfd):
    monkeypatch.setenv("DISPLAY", ":98765")
    process = window(show=True)
    memory = Memory(process, 1)
    memory.reserve(1)
    frame(process, memory, 1)
    assert process.wait_for("shown", 30)
    assert len(capfd.readouterr().err.splitlines()) == 1
    process.close()


def test_the_script_runs_on_without_its_window():
    gui = qd.GUI("killed", (32, 32), show_gui=False)
    gui.show()
    os.kill(gui._surface.process.pid, signal.SIGKILL)
    start = time.monotonic()
    for _ in range(20):
        gui.set_image(np.zeros((32, 32), np.float32))
        gui.show()
    assert not gui.running and gui.get_image().shape == (32, 32, 4)
    assert time.monotonic() - start < 5


PROGRAM = """
import sys, time, numpy as np, quadrants as qd
gui = qd.GUI("program", (32, 32), show_gui=False)
gui.show()
print(gui._surface.process.pid, flush=True)
while True:
    gui.circles(np.random.rand(100, 2), 3)
    gui.show()
"""
FORKS = """
import os, time
import quadrants as qd
gui = qd.GUI("forks", (32, 32), show_gui=False)
gui.show()
if os.fork() == 0:
    assert not gui._surface.process.alive and not gui.running
    time.sleep(30)
    os._exit(0)
print(gui._surface.process.pid, flush=True)
gui.circle((0.5, 0.5), radius=20)
assert gui.get_image()[16, 16, 0] == 1, "the parent keeps its window"
print("drawn", flush=True)
time.sleep(60)
"""


def started(program):
    environment = {**os.environ, "ENABLE_QUADRANTS_HEADER_PRINT": "0"}
    script = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env=environment, start_new_session=True)
    return script, int(script.stdout.readline())


def test_the_window_ends_with_a_script_that_is_killed():
    script, pid = started(PROGRAM)
    script.kill()
    script.communicate()
    assert gone(pid)


def test_a_forked_child_does_not_keep_the_window():
    script, pid = started(FORKS)
    assert script.stdout.readline() == "drawn\n"
    os.kill(script.pid, signal.SIGKILL)  # the child stays alive
    assert gone(pid)
    os.killpg(script.pid, signal.SIGKILL)
    script.communicate()


def test_random_kills_of_the_window(unseen):
    """Whenever the window is killed, the script neither hangs nor fails, and leaves no zombie."""
    rng = random.Random(3)
    slowest = 0
    for _ in range(KILLS):
        gui = qd.GUI("killed", (32, 32), show_gui=False)
        os_pid = gui._surface.process.pid
        end = time.monotonic() + rng.random() * 0.03
        shown = 0
        while time.monotonic() < end:
            gui.circles(np.full((50, 2), 0.5), 3)
            gui.show()
            shown += 1
        os.kill(os_pid, rng.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV]))
        start = time.monotonic()
        gui.circle((0.5, 0.5))
        gui.show()
        gui.get_image()
        gui.close()
        slowest = max(slowest, time.monotonic() - start)
        assert gone(os_pid)
    assert slowest < 5


def test_random_kills_of_the_script():
    rng = random.Random(4)
    program = PROGRAM.replace('gui = qd.GUI("program"', 'time.sleep(0); gui = qd.GUI("program"')
    for _ in range(max(KILLS // 20, 1)):  # each starts an interpreter
        script, pid = started(program)
        time.sleep(rng.random() * 0.05)
        os.kill(script.pid, rng.choice([signal.SIGKILL, signal.SIGTERM]))
        script.communicate()
        assert gone(pid)


def test_a_window_in_a_cycle_at_the_end_of_a_program(unseen):
    program = "import quadrants as qd\nqd.init(arch=qd.cpu, log_level=qd.ERROR)\nw = qd.ui.Window('w', (8, 8), show_window=False)\nw.show()\nw.itself = w\n"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert ended.returncode == 0 and "Error" not in ended.stderr


def test_a_missing_library_is_reported(unseen, monkeypatch, tmp_path, capfd):
    """The loader ends the window's process, and the script continues."""
    program = tmp_path / "qd-inspector"
    program.write_text("#!/bin/sh\necho libX11.so.6: cannot open shared object file >&2\nexit 127\n")
    program.chmod(0o755)
    monkeypatch.setattr(processes, "executable", lambda: str(program))
    process = window()
    assert process.wait_for("hello", 60) is None and not process.alive
    end, said = time.monotonic() + 60, ""
    while "libx11-6" not in said and time.monotonic() < end:
        processes._reap()
        said += capfd.readouterr().err
    assert said.count("libx11-6") == 1 and "continues without windows" in said


def test_close_while_a_thread_waits_for_messages(unseen):
    """close() ends the wait without an exception; the descriptor is closed."""
    for _ in range(20):
        process = window()
        assert process.wait_for("hello", 30)
        began, ended = threading.Event(), []

        def wait(process=process, began=began, ended=ended):
            try:
                while process.alive:
                    began.set()
                    process.receive(timeout=60)
                ended.append(None)
            except BaseException as error:
                ended.append(error)

        thread = threading.Thread(target=wait)
        thread.start()
        assert began.wait(30)
        pid = process.pid
        process.close()
        thread.join(30)
        assert ended == [None] and process.socket is None and gone(pid, 30)
        assert process.receive() == [] and not process.send({"kind": "close"})


def test_memory_grows_and_keeps_what_is_in_it(linked):
    process, memory = linked
    first = memory.take(1000)
    memory.view[first : first + 4] = b"kept"
    before = len(memory.view)
    second = memory.take(before * 3)
    assert len(memory.view) >= before * 4 and bytes(memory.view[first : first + 4]) == b"kept" and second >= 1000
    frame(process, memory, 1, draw=[{"do": "image", "at": second, "size": [64, 48], "components": 1, "form": "u8"}])
    assert process.wait_for("shown")


def test_the_page_and_the_code_have_the_same_protocol():
    """The version is in three places, the kinds of messages are in two."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    with open(os.path.join(root, "docs/design/inspector.md"), encoding="utf-8") as file:
        page = file.read()
    with open(os.path.join(root, "inspector/main.cpp"), encoding="utf-8") as file:
        main = file.read()
    from quadrants._windows import process

    assert f"protocol_version = {process.VERSION};" in main and f"`version` ({process.VERSION})" in page
    for kind in ("hello", "memory", "read", "input", "close", "frame", "shown", "depth", "title", "picture"):
        assert f"`{kind}`" in page, kind
