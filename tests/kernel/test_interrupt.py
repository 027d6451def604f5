"""Stop: the cell ends with KeyboardInterrupt, soon, and the session stays usable."""

import os
import random
import re
import signal
import threading
import time

import pytest
from conftest import PATIENCE, Client


@pytest.mark.parametrize("body", [
    "import time; time.sleep(3000)",
    "while True: pass",
    "import asyncio; await asyncio.sleep(3000)",
    "import subprocess; subprocess.run(['sleep', '3000'])",
    "sum(i for i in iter(int, 1))",
    "import threading; threading.Event().wait(3000)",
], ids=["sleep", "busy", "await", "subprocess", "generator", "event"])
@pytest.mark.parametrize("how", ["signal", "message"])
def test_stop(kernel, body, how):
    cell = kernel.send("print('go')\n" + body)
    kernel.wait_for_text("go")
    time.sleep(0.05)
    if how == "signal":
        kernel.interrupt()
    else:
        kernel.raw.control_channel.send(kernel.raw.session.msg("interrupt_request", {}))
        assert kernel.raw.get_control_msg(timeout=PATIENCE)["content"]["status"] == "ok"
    ended = kernel.collect(cell)
    assert ended.status == "error" and ended.error == "KeyboardInterrupt"
    assert kernel.run("6 * 7").result == "42"


def test_stop_while_idle_is_ignored(kernel):
    for _ in range(20):
        os.kill(kernel.pid, signal.SIGINT)
        time.sleep(0.005)
    assert kernel.run("1 + 1").result == "2"


def test_stop_where_the_parent_ignores_it():
    """A server that a shell starts in the background ignores Ctrl-C, and so do its kernels."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        client = Client()
    finally:
        signal.signal(signal.SIGINT, before)
    try:
        assert error_of_stop(client) == "KeyboardInterrupt"
    finally:
        client.close()


def error_of_stop(client):
    """Returns the error that ends an endless loop."""
    cell = client.send("print('go')\nwhile True: pass")
    client.wait_for_text("go")
    client.interrupt()
    return client.collect(cell).error


def test_the_first_stop_loads_nothing(fresh_kernel):
    """Loading the modules that format long tracebacks would take a third of a second."""
    fresh_kernel.run("import sys; before = set(sys.modules)")
    assert error_of_stop(fresh_kernel) == "KeyboardInterrupt"
    assert fresh_kernel.run("set(sys.modules) - before").result == "set()"


GIANT = """import warnings, quadrants as qd
warnings.simplefilter("ignore")
qd.init(arch=qd.cpu, offline_cache=False)

def announce():
    print("go")

@qd.kernel
def giant(x: qd.types.ndarray(qd.f32, ndim=1)):
    for i in x:
        a = x[i]
        for k in qd.static(range(20000)):
            a = a * 0.5 + x[(i + k) % 7] * (a - k)
        x[i] = a
    qd.static(announce())

giant(qd.ndarray(qd.f32, 10))
print("compiled")"""


def test_stop_while_a_kernel_is_compiled(kernel):
    cell = kernel.send(GIANT)
    kernel.wait_for_text("go")
    kernel.interrupt()
    ended = kernel.collect(cell)
    assert ended.error == "KeyboardInterrupt" and "compiled" not in ended.text()
    assert kernel.run("@qd.kernel\ndef one() -> qd.i32:\n    return 1\none()").result == "1"


def test_shutdown_while_a_kernel_is_compiled(fresh_kernel):
    fresh_kernel.send(GIANT)
    fresh_kernel.wait_for_text("go")
    process = fresh_kernel.manager.provisioner.process
    fresh_kernel.raw.shutdown()
    assert process.wait(timeout=PATIENCE) == 0  # a regular exit: it did not have to be killed


KERNELS = """import asyncio, threading, time, numpy as np, quadrants as qd
qd.init(arch=qd.cpu)

@qd.kernel
def endless(x: qd.types.ndarray(qd.f64, ndim=1)):
    for i in range(x.shape[0]):
        while True:
            x[i] += 1.0

@qd.kernel
def short(x: qd.types.ndarray(qd.f64, ndim=1)):
    for i in range(x.shape[0]):
        x[i] += 1.0

def run():
    try:
        endless(x)
    except BaseException as error:
        met.append(type(error).__name__)

def started():
    global x
    while not x[0]:
        time.sleep(0.01)

x, met = np.zeros(3), []
short(np.zeros(3))"""


@pytest.fixture(params=["quadrants", "python3"])
def session(request):
    client = Client(request.param)
    client.run("%load_ext quadrants_jupyter")
    assert client.run(KERNELS).status == "ok"
    yield client
    client.close()


def stopped(session, code):
    """Returns the result of a waiting cell that Stop ends."""
    cell = session.send("print('go')\n" + code)
    session.wait_for_text("go")
    time.sleep(0.2)
    session.interrupt()
    return session.collect(cell, 30).error


@pytest.mark.parametrize("waits", ["time.sleep(3000)", "short(np.zeros(3))", "qd.init(arch=qd.cpu)"], ids=["sleep", "launch", "init"])
def test_stop_ends_kernels_of_other_threads(session, waits):
    """This includes threads that earlier cells started."""
    assert session.run("t = threading.Thread(target=run); t.start(); started()").status == "ok"
    assert stopped(session, waits) == "KeyboardInterrupt"
    assert session.run("t.join(30); t.is_alive(), met", 60).result == "(False, ['QuadrantsInterruptedError'])"
    session.run("qd.init(arch=qd.cpu)")
    assert session.run("y = np.zeros(3); short(y); y[0]", 30).result in ("1.0", "np.float64(1.0)")


@pytest.mark.parametrize("waits", ["await work", "short(np.zeros(3))"], ids=["await", "launch"])
def test_stop_ends_kernels_of_tasks(session, waits):
    """The event loop continues, and so does the process in ipykernel."""
    assert session.run("work = asyncio.create_task(asyncio.to_thread(endless, x)); kept = 1").status == "ok"
    assert session.run("while not x[0]: await asyncio.sleep(0.01)").status == "ok"
    assert stopped(session, waits) in ("KeyboardInterrupt", "CancelledError")
    cell = session.run("_ = await asyncio.wait([work], timeout=30); a = x[0]; time.sleep(0.2); kept, work.done(), bool(a == x[0])", 60)
    assert cell.result == "(1, True, True)"
    assert session.run("y = np.zeros(3); short(y); float(y[0])", 30).result == "1.0"


@pytest.mark.parametrize("waits, text", [
    ("await asyncio.to_thread(endless, x)", r"kernel endless was stopped at Cell In\[\d+\], line 6\b.*"),
    ("await asyncio.sleep(1)\nprint('goes on')", ""),
    ("try:\n    await asyncio.sleep(3000)\nfinally:\n    await asyncio.sleep(0.1)\n    print('tidied')", ""),
], ids=["launch", "sleep", "finally"])  # fmt: skip
def test_a_stopped_cell_that_awaits_has_ended(fresh_kernel, waits, text):
    """It does not go on between later cells."""
    fresh_kernel.run(KERNELS)
    cell = fresh_kernel.send("print('go')\n" + waits)
    fresh_kernel.wait_for_text("go")
    time.sleep(0.3)
    fresh_kernel.interrupt()
    ended = fresh_kernel.collect(cell, 30)
    (error,) = ended.of("error")
    assert error["ename"] == ended.reply["content"]["ename"] == "KeyboardInterrupt" and re.fullmatch(text, error["evalue"])
    assert re.search(r"Cell In\[\d+\], line \d, in <module>\n +await asyncio", error["traceback"][0])
    assert ("tidied" in ended.text()) == ("tidied" in waits) and "goes on" not in ended.text()
    seen, later = [], fresh_kernel.send("for _ in range(12): await asyncio.sleep(0.1)")
    while later not in [m["parent_header"].get("msg_id") for m in seen if m["content"].get("execution_state") == "idle"]:
        seen.append(fresh_kernel.raw.get_iopub_msg(timeout=PATIENCE))
    assert not [m for m in seen if m["msg_type"] in ("error", "stream")]


def test_stop_between_cells_ends_kernels_of_threads(kernel):
    kernel.run(KERNELS)
    kernel.run("t = threading.Thread(target=run); t.start(); started()")
    kernel.interrupt()
    assert kernel.run("t.join(30); met", 60).result == "['QuadrantsInterruptedError']"


def test_stop_during_input(kernel):
    cell = kernel.send("input('who? ')", allow_stdin=True)
    assert kernel.raw.get_stdin_msg(timeout=PATIENCE)["content"] == {"prompt": "who? ", "password": False}
    kernel.interrupt()
    assert kernel.collect(cell).error == "KeyboardInterrupt"
    cell = kernel.send("input('again? ')", allow_stdin=True)  # a late answer to the first question must not count
    kernel.raw.get_stdin_msg(timeout=PATIENCE)
    kernel.raw.input("yes")
    assert kernel.collect(cell).result == "'yes'"


def test_user_code_may_catch_it(kernel):
    cell = kernel.send("try:\n    print('go')\n    while True: pass\nexcept KeyboardInterrupt:\n    print('caught')")
    kernel.wait_for_text("go")
    kernel.interrupt()
    ended = kernel.collect(cell)
    assert ended.status == "ok" and "caught" in ended.text()


SETS = """import asyncio, signal, time
def deaf(*args): print("heard")
"""


@pytest.mark.parametrize("sets", ["signal.signal(signal.SIGINT, deaf)", "_ = asyncio.get_running_loop().call_soon(signal.signal, signal.SIGINT, deaf)"],
                         ids=["cell", "task"])
def test_a_handler_of_a_cell_is_for_that_cell(kernel, sets):
    """The behaviour is that of ipykernel."""
    kernel.run(SETS)
    kernel.run(sets)
    time.sleep(0.3)
    assert kernel.run("signal.getsignal(signal.SIGINT) is signal.default_int_handler").result == "True"
    assert error_of_stop(kernel) == "KeyboardInterrupt"
    cell = kernel.send(SETS + "signal.signal(signal.SIGINT, deaf)\nprint('go')\nfor _ in range(20): time.sleep(0.05)")
    kernel.wait_for_text("go")
    kernel.interrupt()
    ended = kernel.collect(cell)
    assert ended.status == "ok" and "heard" in ended.text()
    assert error_of_stop(kernel) == "KeyboardInterrupt"


def answered(kernel, code, *answers):
    """Runs a cell that asks for input; returns (cell, prompts)."""
    cell, prompts = kernel.send(code, allow_stdin=True), []
    for answer in answers:
        prompts.append(kernel.raw.get_stdin_msg(timeout=PATIENCE)["content"]["prompt"])
        kernel.raw.input(answer)
    return kernel.collect(cell), prompts


@pytest.mark.parametrize("begins", ["breakpoint()", "import pdb; pdb.set_trace()", "import pdb; pdb.Pdb().set_trace()"])
def test_stop_after_the_debugger_of_python(kernel, begins):
    cell, prompts = answered(kernel, f"{begins}\nz = 3\nz", "n", "c")
    assert cell.status == "ok" and prompts == ["ipdb> "] * 2
    assert error_of_stop(kernel) == "KeyboardInterrupt"
    assert kernel.run("6 * 7").result == "42"


def test_stop_at_the_prompt_of_the_debugger(kernel):
    """Stop ends the debugger, and the cell continues."""
    cell = kernel.send("breakpoint()\nz = 3\nz", allow_stdin=True)
    assert kernel.raw.get_stdin_msg(timeout=PATIENCE)["content"]["prompt"] == "ipdb> "
    kernel.interrupt()
    ended = kernel.collect(cell, 30)
    assert ended.result == "3" and "--KeyboardInterrupt--" in ended.text()
    assert error_of_stop(kernel) == "KeyboardInterrupt"


def test_storm(fresh_kernel):
    """Signals arrive at random moments of many short cells: each cell gets its reply, and the kernel survives."""
    stop = threading.Event()

    def press():
        while not stop.is_set():
            os.kill(fresh_kernel.pid, signal.SIGINT)
            time.sleep(random.uniform(0.0005, 0.004))

    thread = threading.Thread(target=press)
    thread.start()
    try:
        cells = [fresh_kernel.run("sum(range(20000))").status for _ in range(150)]
    finally:
        stop.set()
        thread.join()
    assert len(cells) == 150 and set(cells) <= {"ok", "error"}
    assert fresh_kernel.run("'alive'").result == "'alive'"


def test_children_can_be_interrupted(kernel):
    """The signal mask of a running cell is inherited: SIGINT must not be blocked in children."""
    ended = kernel.run("import subprocess, sys, signal\n"
                       "p = subprocess.Popen([sys.executable, '-c', 'import time; print(1, flush=True); time.sleep(20)'], "
                       "stdout=subprocess.PIPE)\n"
                       "p.stdout.readline(); p.send_signal(signal.SIGINT); p.wait() != 0")
    assert ended.result == "True"


@pytest.mark.parametrize("spec", ["quadrants", "python3"])
def test_stop_says_where_it_was(spec):
    client = Client(spec)
    try:
        client.run("%load_ext quadrants_jupyter\nimport numpy as np\nimport quadrants as qd\nqd.init(arch=qd.cpu, offline_cache=False)")
        code = """@qd.kernel
def fill(x: qd.types.ndarray(qd.f32, ndim=1), n: qd.i32):
    for i in x:
        x[i] = 0
    for i in x:
        for k in range(n):
            x[i] += qd.sin(k * 0.1)
x = np.zeros(100_000, np.float32)
fill(x, 1)"""
        number = client.run(code).reply["content"]["execution_count"]
        cell = client.send("print('go')\nfill(x, 100_000)")
        client.wait_for_text("go")
        time.sleep(0.5)
        client.interrupt()
        error = client.collect(cell).of("error")[0]
        assert error["ename"] == "KeyboardInterrupt"
        assert re.fullmatch(rf"kernel fill was stopped at Cell In\[{number}\], line 5(, after \d+% of this loop)?", error["evalue"]), error["evalue"]
        assert "kernel fill was stopped" in error["traceback"][-1]
        cell = client.send("print('go')\nwhile True: pass")
        client.wait_for_text("go")
        client.interrupt()
        assert client.collect(cell).of("error")[0]["evalue"] == ""
    finally:
        client.close()
