"""A client that records the reply of a cell, its outputs in order and its merged text. Kernels are ended by their process id."""

import signal

# A program that a shell starts in the background ignores Ctrl-C, and so would every test of Stop.
signal.signal(signal.SIGINT, signal.default_int_handler)

import contextlib
import os
import queue
import re
import tempfile
import time

import pytest
from jupyter_client import KernelManager

SPEC = "quadrants"
PATIENCE = 300  # seconds, enough for a loaded machine; a wait for a message that never comes must end too


class Cell:
    def __init__(self, reply, messages, seconds):
        self.reply, self.messages, self.seconds = reply, messages, seconds

    @property
    def status(self):
        return self.reply["content"]["status"]

    def of(self, kind):
        return [m["content"] for m in self.messages if m["msg_type"] == kind]

    def text(self, name="stdout"):
        return "".join(c["text"] for c in self.of("stream") if c["name"] == name)

    @property
    def result(self):
        results = self.of("execute_result")
        return results[0]["data"]["text/plain"] if results else None

    @property
    def error(self):
        errors = self.of("error")
        return errors[0]["ename"] if errors else None


class Client:
    def __init__(self, name=SPEC, **options):
        # Not TCP: another program may take a free port before the kernel opens it.
        self.folder = tempfile.TemporaryDirectory(prefix="qd-", dir="/tmp", ignore_cleanup_errors=True)
        self.manager = KernelManager(kernel_name=name, shutdown_wait_time=PATIENCE, transport="ipc", ip=self.folder.name + "/k")
        self.manager.start_kernel(**options)
        self.pid = self.manager.provisioner.process.pid
        self.raw = self.manager.client()
        self.raw.start_channels()
        self.raw.wait_for_ready(timeout=PATIENCE)

    def check_alive(self):
        """Fails if the kernel has died, since no message would ever come."""
        assert (code := self.manager.provisioner.process.poll()) is None, f"the kernel died: {code}"

    def send(self, code, **options):
        self.started = time.perf_counter()
        return self.raw.execute(code, **options)

    def collect(self, message_id, timeout=PATIENCE):
        messages, reply, idle = [], None, False
        until = time.monotonic() + timeout
        while not (reply and idle):
            if time.monotonic() > until:
                kinds = [m["msg_type"] for m in messages]
                raise TimeoutError(f"reply: {reply is not None}, idle: {idle}, messages: {kinds}")
            self.check_alive()
            if not reply:
                with contextlib.suppress(queue.Empty):
                    message = self.raw.get_shell_msg(timeout=0.02)
                    if message["parent_header"].get("msg_id") == message_id:
                        reply, seconds = message, time.perf_counter() - self.started
            with contextlib.suppress(queue.Empty):
                while not idle:
                    message = self.raw.get_iopub_msg(timeout=0.02)
                    if message["parent_header"].get("msg_id") != message_id:
                        continue
                    content = message["content"]
                    if message["msg_type"] == "status":
                        idle = content["execution_state"] == "idle"
                    else:
                        messages.append(message)
        return Cell(reply, messages, seconds)

    def run(self, code, timeout=PATIENCE, **options):
        return self.collect(self.send(code, **options), timeout)

    def wait_for_text(self, text, timeout=PATIENCE):
        """Waits until a running cell has printed `text`."""
        seen, until = "", time.monotonic() + timeout
        while text not in seen:
            assert time.monotonic() < until, f"never printed {text!r}, only {seen!r}"
            self.check_alive()
            with contextlib.suppress(queue.Empty):
                message = self.raw.get_iopub_msg(timeout=0.1)
                if message["msg_type"] == "stream":
                    seen += message["content"]["text"]

    def interrupt(self):
        """Presses Stop; the next `collect` measures time from here."""
        self.started = time.perf_counter()
        os.kill(self.pid, signal.SIGINT)

    def close(self):
        with contextlib.suppress(Exception):
            self.raw.stop_channels()
        with contextlib.suppress(Exception):
            self.manager.shutdown_kernel(now=True)
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        self.folder.cleanup()


@pytest.fixture(scope="session", autouse=True)
def history_elsewhere(tmp_path_factory):
    """Other test suites and users write to the usual history."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("IPYTHONDIR", str(tmp_path_factory.mktemp("ipython")))
        yield


@pytest.fixture(scope="module")
def kernel():
    client = Client()
    yield client
    client.close()


@pytest.fixture
def fresh_kernel():
    client = Client()
    yield client
    client.close()


@pytest.fixture(params=["quadrants", "python3"])
def session(request, tmp_path):
    """A kernel with a program and an empty cache on disk."""
    client = Client(request.param, env={**os.environ, "QD_OFFLINE_CACHE_FILE_PATH": str(tmp_path)})
    client.run("%load_ext quadrants_jupyter\nimport quadrants as qd\nqd.init(arch=qd.cpu)")
    yield client
    client.close()


def plain(text):
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def trace_of(cell):
    return plain("\n".join(cell.of("error")[0]["traceback"])).splitlines()
