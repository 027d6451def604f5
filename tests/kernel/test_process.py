"""The process: environments, forks, input, bad requests, shutdown."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
import zmq
from conftest import PATIENCE, SPEC, Client
from jupyter_client.kernelspec import KernelSpecManager


def executable():
    spec = KernelSpecManager().get_kernel_spec(SPEC)
    return spec.argv[0].format(resource_dir=spec.resource_dir)


def test_environment(kernel):
    assert kernel.run("import sys; sys.prefix").result == repr(sys.prefix)
    assert kernel.run("sys.executable").result == repr(os.path.join(sys.prefix, "bin", "python"))
    assert kernel.run("sys.argv[1:]").result == "[]"
    cell = kernel.run("import subprocess\nsubprocess.run([sys.executable, '-c', 'import sys, IPython; print(sys.prefix)'])")
    assert cell.text() == sys.prefix + "\n"


def test_environment_of_another_python_is_refused(tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.9.2\n")
    done = subprocess.run([executable(), "-f", "none.json", "--python", str(tmp_path / "bin" / "python")],
                          capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 1 and "is Python 3.9.2, but this kernel needs" in done.stderr


@pytest.mark.parametrize("arguments, message", [
    ([], "no connection file"), (["-f"], "missing its value"), (["--what", "x"], "unknown option --what")])
def test_usage(arguments, message):
    done = subprocess.run([executable(), *arguments], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 2 and message in done.stderr and "usage:" in done.stderr


def test_missing_connection_file():
    done = subprocess.run([executable(), "-f", "/no/such/file.json"], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 1 and "xquadrants:" in done.stderr


def test_fork(kernel):
    cell = kernel.run("import os\npid = os.fork()\nif pid == 0:\n    print('child')\nelse:\n    os.waitpid(pid, 0); print('parent')")
    assert sorted(cell.text().split()) == ["child", "parent"]
    cell = kernel.run("pid = os.fork()\nif pid == 0: os._exit(7)\nos.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])")
    assert cell.result == "7"


def test_multiprocessing(kernel):
    cell = kernel.run("import multiprocessing as mp\nwith mp.get_context('fork').Pool(2) as pool: r = pool.map(abs, range(-5, 0))\nr")
    assert cell.result == "[5, 4, 3, 2, 1]"
    cell = kernel.run("with mp.get_context('spawn').Pool(1) as pool: r = pool.map(abs, [-1])\nr")
    assert cell.result == "[1]"


def test_input(kernel):
    cell = kernel.send("import getpass\nname = input('name? '); secret = getpass.getpass('word? '); name + secret", allow_stdin=True)
    assert kernel.raw.get_stdin_msg(timeout=PATIENCE)["content"] == {"prompt": "name? ", "password": False}
    kernel.raw.input("ada")
    assert kernel.raw.get_stdin_msg(timeout=PATIENCE)["content"] == {"prompt": "word? ", "password": True}
    kernel.raw.input("x")
    assert kernel.collect(cell).result == "'adax'"
    for ask in "input()", "getpass.getpass()":
        cell = kernel.run(ask, allow_stdin=False)
        assert cell.error == "StdinNotImplementedError" and "does not answer questions" in cell.of("error")[0]["evalue"]


@pytest.mark.parametrize("asks", ["await asyncio.to_thread(input, 'a? ')", "asyncio.run(asyncio.to_thread(input, 'a? '))"])
def test_input_in_a_task_of_another_thread(kernel, asks):
    cell = kernel.send(f"import asyncio\n{asks}", allow_stdin=True)
    assert kernel.raw.get_stdin_msg(timeout=PATIENCE)["content"]["prompt"] == "a? "
    kernel.raw.input("yes")
    assert kernel.collect(cell).result == "'yes'"


def test_input_in_threads_one_after_another(kernel):
    cell = kernel.send("import threading\nfound = {}\n"
                       "threads = [threading.Thread(target=lambda n=n: found.update({n: input(f'{n}? ')})) for n in range(3)]\n"
                       "for t in threads: t.start()\nfor t in threads: t.join()\nsorted(found.items())", allow_stdin=True)
    for _ in range(3):
        message = kernel.raw.get_stdin_msg(timeout=PATIENCE)
        assert message["parent_header"]["msg_id"] == cell
        kernel.raw.input(message["content"]["prompt"])
    assert kernel.collect(cell).result == "[(0, '0? '), (1, '1? '), (2, '2? ')]"


def test_a_question_of_a_thread_ends_with_its_cell(kernel):
    cell = kernel.run("import threading\ndef asks():\n    try:\n        input('never answered ')\n    except EOFError as error:\n        told.append(str(error))\n"
                      "told = []\nthread = threading.Thread(target=asks)\nthread.start()\nimport time; time.sleep(0.3)", allow_stdin=True)
    assert cell.status == "ok"
    assert kernel.raw.get_stdin_msg(timeout=PATIENCE)["content"]["prompt"] == "never answered "
    assert "the cell that called input() has ended" in kernel.run("thread.join(); told").result
    kernel.run("def late():\n    time.sleep(0.3)\n    try:\n        input()\n    except RuntimeError as error:\n        told.append(str(error))\n"
               "thread = threading.Thread(target=late)\nthread.start()", allow_stdin=True)
    time.sleep(1)  # between cells
    assert "only while a cell runs" in kernel.run("thread.join(); told[-1]").result


def test_the_request_of_a_thread_can_be_chosen(kernel):
    """Libraries do this to send output of threads to the cell that started them."""
    kernel.run("shell = get_ipython()\nparent = shell.get_parent()\nassert parent == shell.kernel.get_parent() == shell.parent_header\n"
               "said = threading.Event()\ngo = threading.Event()\n"
               "def speak():\n    shell.set_parent(parent)\n    go.wait()\n    print('later')\n    said.set()\n"
               "threading.Thread(target=speak).start()\nfirst = parent['header']['msg_id']\nparent['content']['code'][:5]")
    first = kernel.run("first").result.strip("'")
    other = kernel.send("go.set(); said.wait(); print('mine')")
    found = {}
    while "mine" not in found:
        message = kernel.raw.get_iopub_msg(timeout=PATIENCE)
        if message["msg_type"] == "stream":
            found[message["content"]["text"].strip()] = message["parent_header"]["msg_id"]
    assert found["later"] == first and found["mine"] == other
    while kernel.raw.get_shell_msg(timeout=PATIENCE)["parent_header"].get("msg_id") != other:
        pass


def test_other_requests_while_a_cell_runs(kernel, tmp_path):
    answered = tmp_path / "answered"
    cell = kernel.send(f"import os, time\nwhile not os.path.exists({str(answered)!r}): time.sleep(0.01)")
    kernel.raw.control_channel.send(kernel.raw.session.msg("kernel_info_request", {}))
    info = kernel.raw.get_control_msg(timeout=PATIENCE)["content"]
    assert info["language_info"]["name"] == "python" and info["implementation"] == "xquadrants"
    answered.touch()
    assert kernel.collect(cell).status == "ok"


def test_stop_on_error_aborts_waiting_cells(kernel, tmp_path):
    sent = tmp_path / "sent"
    first = kernel.send(f"import os, time\nwhile not os.path.exists({str(sent)!r}): time.sleep(0.01)\n1/0")
    later = [kernel.raw.execute(f"{i}") for i in range(3)]
    info = kernel.raw.kernel_info()
    for _ in range(2):  # the same threads carry these requests, so once they are answered all earlier ones have arrived
        kernel.raw.control_channel.send(kernel.raw.session.msg("kernel_info_request", {}))
        kernel.raw.get_control_msg(timeout=PATIENCE)
    sent.touch()
    replies = {}
    while not {first, info, *later} <= set(replies):
        message = kernel.raw.get_shell_msg(timeout=PATIENCE)
        replies[message["parent_header"]["msg_id"]] = message
    assert replies[first]["content"]["status"] == "error"
    assert [replies[i]["content"] for i in later] == [{"status": "aborted"}] * 3  # with an execution count the cell would appear to have run
    assert replies[info]["msg_type"] == "kernel_info_reply"
    assert kernel.run("'next'").result == "'next'"


@pytest.mark.parametrize("kind, content", [
    ("execute_request", {}), ("execute_request", {"code": 5}), ("execute_request", {"code": "1", "silent": "no"}),
    ("complete_request", {}), ("complete_request", {"code": "x", "cursor_pos": -7}), ("inspect_request", {"code": "", "cursor_pos": 99}),
    ("history_request", {"hist_access_type": "tail", "n": None, "raw": None, "output": None}),
    ("history_request", {"hist_access_type": "nonsense"}), ("is_complete_request", {}), ("no_such_request", {}),
    ("comm_info_request", {"target_name": None}), ("comm_msg", {"comm_id": "nobody", "data": {}}), ("comm_open", {}), ("comm_close", {}),
])
def test_bad_requests_get_an_answer(kernel, kind, content):
    message = kernel.raw.session.msg(kind, content)
    kernel.raw.shell_channel.send(message)
    if kind.endswith("_request"):
        while True:
            reply = kernel.raw.get_shell_msg(timeout=PATIENCE)
            if reply["parent_header"].get("msg_id") == message["header"]["msg_id"]:
                break
        assert reply["msg_type"] == kind.replace("_request", "_reply")
    assert kernel.run("1").result == "1"


def test_garbage_on_the_sockets(fresh_kernel):
    socket = fresh_kernel.raw.shell_channel.socket
    key = fresh_kernel.raw.session.key
    for frames in ([b""], [b"x"] * 3, [b"<IDS|MSG>"], [b"<IDS|MSG>", b"bad", b"{}", b"{}", b"{}", b"{}"],
                   [b"<IDS|MSG>", b"", b"[" * 100000, b"{}", b"{}", b"{}"], [b"\xff" * 1000] * 8):
        socket.send_multipart(frames)
    fresh_kernel.raw.session.key = b"wrong key"
    fresh_kernel.raw.execute("raise SystemExit")
    fresh_kernel.raw.session.key = key
    assert fresh_kernel.run("'alive'").result == "'alive'"


def test_repeated_messages_are_ignored(kernel):
    kernel.run("n = 0")
    session = kernel.raw.session
    again = session.serialize(session.msg("execute_request", {"code": "n += 1", "silent": False, "store_history": True,
                                                              "user_expressions": {}, "allow_stdin": False, "stop_on_error": True}))
    for _ in range(2):
        kernel.raw.shell_channel.socket.send_multipart(again)
    assert kernel.run("n").result == "1"
    kernel.raw.control_channel.socket.send_multipart(again)  # only now: the kernel reads the channels in any order
    assert kernel.run("n").result == "1"


def test_the_heart_beats_on_after_a_signal(fresh_kernel):
    """Signals such as SIGALRM may be delivered to any thread."""
    fresh_kernel.run("import os, signal\nsignal.signal(signal.SIGALRM, lambda *args: None)")
    threads = fresh_kernel.run("sorted(map(int, os.listdir('/proc/self/task')))").result
    fresh_kernel.run("import ctypes\nfor t in THREADS: ctypes.CDLL(None).syscall(234, os.getpid(), t, signal.SIGALRM)".replace("THREADS", threads))
    socket = fresh_kernel.raw.context.socket(zmq.REQ)
    socket.linger = 0
    socket.connect(fresh_kernel.raw._make_url("hb"))
    socket.send(b"ping")
    assert socket.poll(1000 * PATIENCE) and socket.recv() == b"ping"
    socket.close()


def test_exit_handlers_run_at_shutdown(tmp_path):
    client = Client()
    try:
        client.run(f"import atexit; atexit.register(lambda: open({str(tmp_path / 'mark')!r}, 'w').write('done'))")
        client.manager.shutdown_kernel()
        assert (tmp_path / "mark").read_text() == "done"
    finally:
        client.close()


def test_shutdown_while_busy():
    client = Client()
    try:
        client.send("print('go')\nwhile True: pass")
        client.wait_for_text("go")
        process = client.manager.provisioner.process
        client.manager.shutdown_kernel()
        assert process.returncode == 0  # it did not have to be killed
    finally:
        client.close()


def test_shutdown_while_a_cell_begins():
    """Stop does not find a running cell yet; the cell must not run for ever."""
    client = Client()
    try:
        cell = client.send("while True: pass  #" + "x" * 30_000_000)
        while client.raw.get_iopub_msg(timeout=PATIENCE)["parent_header"].get("msg_id") != cell:
            pass  # wait until it is busy: the long text still has to be copied before the first line runs
        process = client.manager.provisioner.process
        client.manager.shutdown_kernel()
        assert process.returncode == 0
    finally:
        client.close()


def test_last_messages(fresh_kernel):
    """Everything sent before the end arrives: text of exit handlers and the reply to the request."""
    fresh_kernel.run("import atexit; atexit.register(print, 'bye ' + 'x' * 1_000_000)")
    fresh_kernel.raw.shutdown()
    assert fresh_kernel.raw.get_control_msg(timeout=PATIENCE)["msg_type"] == "shutdown_reply"
    fresh_kernel.wait_for_text("x\n")


def test_restart(fresh_kernel):
    fresh_kernel.run("x = 1")
    fresh_kernel.manager.restart_kernel(now=False)
    fresh_kernel.pid = fresh_kernel.manager.provisioner.process.pid
    fresh_kernel.raw.wait_for_ready(timeout=PATIENCE)
    assert fresh_kernel.run("'x' in globals()").result == "False"


def test_dies_with_its_parent(tmp_path):
    """A kernel must not outlive its killed driver."""
    script = ("import sys, time, jupyter_client\n"
              f"m, c = jupyter_client.manager.start_new_kernel(kernel_name={SPEC!r})\n"
              "print(m.provisioner.process.pid, flush=True); time.sleep(3000)")
    driver = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    pid = int(driver.stdout.readline())
    driver.kill()
    driver.wait()
    try:
        for _ in range(10 * PATIENCE):
            try:
                state = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[0]
            except FileNotFoundError:
                return
            if state == "Z":
                return
            time.sleep(0.1)
        pytest.fail("the kernel outlived its parent")
    finally:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def test_unsigned_session(tmp_path):
    """An empty key in the connection file means messages without signatures."""
    from jupyter_client import BlockingKernelClient
    from jupyter_client.connect import write_connection_file
    path, _ = write_connection_file(str(tmp_path / "c.json"), key=b"")
    config = json.load(open(path))
    assert config["key"] == ""
    process = subprocess.Popen([executable(), "-f", path, "--python", os.path.join(sys.prefix, "bin", "python")])
    try:
        client = BlockingKernelClient(connection_file=path)
        client.load_connection_file()
        client.start_channels()
        until = time.monotonic() + PATIENCE
        while True:
            try:
                client.wait_for_ready(timeout=PATIENCE)
                break
            except RuntimeError:  # without a manager a heartbeat that is one second late counts as death
                assert process.poll() is None and time.monotonic() < until
        client.stop_channels()
    finally:
        process.kill()
        process.wait()
