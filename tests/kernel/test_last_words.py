"""A dying process reports why: in its log, in the cell that ran, and in the first cell of the process that replaces it."""

import contextlib
import queue
import signal

import pytest
from conftest import PATIENCE, Client

WILD = """import ctypes, mmap, os, tempfile
import numpy as np
import quadrants as qd
qd.init(arch=qd.cpu, offline_cache=False)

@qd.kernel
def wild(a: qd.types.ndarray(qd.f32, ndim=1), n: qd.i32):
    qd.loop_config(serialize=True)
    for i in range(n):
        a[i] = 1.0

libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.free.argtypes = [ctypes.c_void_p]
small = np.zeros(4, np.float32)
wild(small, 4)
qd._native.core().settle()"""
LINE = "kernel wild (Cell In[1], line 9)"

# The data that glibc stores behind the block, which may be 16 bytes larger than requested, are overwritten, and read when it is freed.
ABORTS = """address = libc.malloc(4000)
block = np.ctypeslib.as_array((ctypes.c_float * 1000).from_address(address))
wild(block, 1010)
libc.free(address)"""

BUS = """file = tempfile.TemporaryFile()
file.truncate(mmap.PAGESIZE)
pages = mmap.mmap(file.fileno(), mmap.PAGESIZE)
file.truncate(0)
pages[0]"""

ILLEGAL = """code = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
code.write(bytes([0x0f, 0x0b]))
ctypes.CFUNCTYPE(None)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()"""


class Mortal(Client):
    """A client whose process may die; its log is a file."""

    def __init__(self, tmp_path):
        self.log = open(tmp_path / "log", "w+")
        super().__init__(stderr=self.log)

    def dies_in(self, code):
        """Runs a cell in which the process dies, and returns its text on stderr."""
        message_id, process, told = self.send(code), self.manager.provisioner.process, ""
        assert -process.wait(timeout=PATIENCE) in (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGILL, -3)
        with contextlib.suppress(queue.Empty, ValueError):  # anything else on the heap may be corrupted
            while True:
                message = self.raw.get_iopub_msg(timeout=0.5)
                if message["msg_type"] == "stream" and message["parent_header"].get("msg_id") == message_id:
                    told += message["content"]["text"]
        return told

    def logged(self):
        self.log.seek(0)
        return self.log.read()

    def restart(self):
        self.raw.stop_channels()
        self.manager.restart_kernel(now=True)
        self.raw = self.manager.client()
        self.raw.start_channels()
        self.raw.wait_for_ready(timeout=PATIENCE)

    def close(self):
        super().close()
        self.log.close()


@pytest.fixture
def mortal(tmp_path):
    client = Mortal(tmp_path)
    yield client
    client.close()


@pytest.mark.parametrize("number, code", [(signal.SIGSEGV, "ctypes.string_at(16)"), (signal.SIGABRT, ABORTS),
                                          (signal.SIGABRT, "os.abort()"), (signal.SIGBUS, BUS), (signal.SIGILL, ILLEGAL)], ids=lambda v: getattr(v, "name", ""))
def test_a_process_that_dies_names_its_newest_kernel(mortal, number, code):
    assert mortal.run(WILD).status == "ok"
    told = mortal.dies_in(code)
    mortal.restart()
    first, second = mortal.run("6 * 7"), mortal.run("7 * 7")
    for text in told, mortal.logged(), first.text("stderr"):
        assert LINE in text and "qd.init(debug=True) checks every index" in text, text
        assert f"died in Cell In[2] ({number.name}" in text, text
    assert "when its heap is corrupted" in told or number != signal.SIGABRT
    assert first.text("stderr").startswith("The kernel was restarted, and its variables are gone.")
    assert (first.result, second.result, second.text("stderr")) == ("42", "49", "")


def test_a_kernel_that_runs_over_the_heap(mortal):
    assert mortal.run(WILD).status == "ok"
    mortal.dies_in("wild(small, 40_000_000)")  # another thread or the C library may be the first to read the corrupted data
    mortal.restart()
    told = mortal.run("6 * 7").text("stderr")
    assert LINE in told and "qd.init(debug=True)" in told, told
    assert LINE in mortal.logged()


def test_without_kernels_only_the_cell_is_named(mortal):
    mortal.dies_in("import ctypes\nctypes.string_at(16)")
    mortal.restart()
    assert mortal.run("1").text("stderr") == (
        "The kernel was restarted, and its variables are gone. The previous process wrote:\n"
        "The kernel process died in Cell In[1] (SIGSEGV: invalid memory access).\n")


def test_a_cell_that_exits_the_process_is_named(mortal):
    told = mortal.dies_in("import os\nos._exit(3)")
    said = "The kernel process died in Cell In[1] (os._exit(3)).\n"
    assert told == said and said in mortal.logged()
    mortal.restart()
    cell = mortal.run("child = __import__('os').fork()\nif child == 0: __import__('os')._exit(4)\n__import__('os').waitpid(child, 0)[1] >> 8")
    assert cell.text("stderr") == f"The kernel was restarted, and its variables are gone. The previous process wrote:\n{said}"
    assert cell.result == "4"
    mortal.restart()
    assert mortal.run("1").text("stderr") == "", "a child process is another one"


def test_a_regular_end_leaves_no_report(mortal):
    assert mortal.run(WILD).status == "ok"
    for now in False, True:
        mortal.manager.shutdown_kernel(restart=True, now=now)
        mortal.manager.start_kernel()
        mortal.raw.wait_for_ready(timeout=PATIENCE)
        assert mortal.run("1").text("stderr") == ""


def test_a_dying_forked_child_is_not_reported(mortal):
    cell = mortal.run("import os, ctypes\nchild = os.fork()\nif child == 0: ctypes.string_at(16)\nos.waitpid(child, 0)[1]")
    assert cell.result == "11" and "died" not in cell.text("stderr")
    assert mortal.run("6 * 7").result == "42"


def test_a_handler_of_the_user_comes_first(mortal):
    assert mortal.run("import faulthandler\nfaulthandler.enable()\n" + WILD).status == "ok"
    told = mortal.dies_in("ctypes.string_at(16)")
    assert "Fatal Python error: Segmentation fault" in told and "kernel wild (Cell In[1], line 11)" in told
