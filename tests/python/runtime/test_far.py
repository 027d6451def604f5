"""A device whose memory the host cannot access: `far` runs programs there, `null` counts the requests to the device."""

import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
import quadrants as qd
from quadrants import _native


@pytest.fixture(params=["far"], autouse=True)
def arch(request):
    qd.init(arch=request.param, offline_cache=False, print_full_traceback=True)
    yield request.param
    qd.reset()


@pytest.fixture
def calls(arch):
    """calls(work) returns how often `work` called each function of the device."""
    qd.init(arch="null", offline_cache=False)

    def count(work):
        before = _native.core().device_calls()
        work()
        after = _native.core().device_calls()
        return {verb: n - before[verb] for verb, n in after.items() if n != before[verb]}

    return count


@qd.kernel
def double(x: qd.types.ndarray()):
    for i in x:
        x[i] = 2 * x[i]


@qd.kernel
def add(x: qd.types.ndarray(), y: qd.types.ndarray()):
    for i in y:
        y[i] = y[i] + x[i]


def test_host_arrays_are_uploaded_and_downloaded():
    x = np.arange(5, dtype=np.float32)
    double(x)
    assert x.tolist() == [0, 2, 4, 6, 8]
    y = np.ones(5, np.float32)
    add(x, y)
    assert y.tolist() == [1, 3, 5, 7, 9] and x.tolist() == [0, 2, 4, 6, 8]
    empty = np.zeros(0, np.float32)
    double(empty)


def test_host_arrays_that_share_memory_share_it_on_the_device():
    x = np.arange(6, dtype=np.float32)
    add(x, x)
    assert x.tolist() == [0, 2, 4, 6, 8, 10]

    @qd.kernel
    def shift(a: qd.types.ndarray(), b: qd.types.ndarray()):
        qd.loop_config(serialize=True)
        for i in range(a.shape[0]):
            b[i] = a[i] + 1

    x = np.zeros(6, np.float32)
    shift(x[:5], x[1:])  # each element is computed from the previous one, just written
    assert x.tolist() == [0, 1, 2, 3, 4, 5]


def test_changes_of_a_failed_launch_are_downloaded():
    @qd.kernel
    def fails(x: qd.types.ndarray()):
        x[0] = 7
        assert x[1] > 0, "no"
        x[2] = 7

    qd.init(arch="far", offline_cache=False, debug=True)
    x = np.zeros(3, np.float32)
    with pytest.raises(AssertionError, match="no"):
        fails(x)
    assert x.tolist() == [7, 0, 0]


def test_views_of_the_memory_are_refused():
    x = qd.ndarray(qd.f32, 4)
    f = qd.field(qd.f32, 4)
    x.fill(3)
    f.fill(4)
    for array in (x, f):
        with pytest.raises(ValueError, match="the memory of this arch cannot be reached by the host"):
            array.to_dlpack()
        with pytest.raises(ValueError, match="the memory of this arch cannot be reached by the host"):
            array.to_numpy(copy=False)
        with pytest.raises(BufferError, match="the memory of this arch cannot be reached by the host; use to_numpy"):
            array.__dlpack__()
        assert array.__dlpack_device__() == (12, 0)  # kDLExtDev, which no library mistakes for memory of the host
        with pytest.raises((BufferError, RuntimeError)):
            np.from_dlpack(array)
        copied = array.to_numpy(copy=None)
        copied[:] = 0
        assert array[0] != 0


def test_members_between_others_are_written_separately():
    a, b = qd.field(qd.i32), qd.field(qd.f64)
    qd.root.dense(qd.i, 4).place(a, b)
    b.fill(0.5)
    a.from_numpy(np.arange(4, dtype=np.int32))
    assert a.to_numpy().tolist() == [0, 1, 2, 3] and b.to_numpy().tolist() == [0.5] * 4


def test_counts_of_lines_are_downloaded(monkeypatch):
    monkeypatch.setenv("QD_KERNEL_COVERAGE", "1")
    qd.init(arch="far", offline_cache=False)
    x = qd.ndarray(qd.f32, 10)
    double(x)
    double(x)
    line = open(__file__).read().splitlines().index("        x[i] = 2 * x[i]") + 1
    rows = _native.core().coverage()
    assert [row[-1] for row in rows if row[:2] == ("line", __file__) and row[3] == line] == [20]


def test_transfers_of_arrays(calls):
    x = qd.ndarray(qd.f32, 1000)
    assert calls(lambda: x[3]) == {"download": 1, "wait": 1}

    def set_one():
        x[3] = 1

    assert calls(set_one) == {"upload": 1, "wait": 1}
    assert calls(x.to_numpy) == {"download": 1, "wait": 1}
    assert calls(lambda: x.from_numpy(np.zeros(1000, np.float32))) == {"upload": 1, "wait": 1}
    assert calls(lambda: x.fill(1)) == {"upload": 1, "copy": 10, "wait": 1}
    v = qd.Vector.ndarray(3, qd.f32, 10)
    assert calls(lambda: v[3]) == {"download": 1, "wait": 1}
    y = qd.ndarray(qd.f32, 1000)
    assert calls(lambda: y.copy_from(x)) == {"copy": 1, "wait": 1}


def test_transfers_of_fields(calls):
    f = qd.field(qd.f32, 1000)
    f[0] = 1
    assert calls(lambda: f[3]) == {"download": 1, "wait": 1}
    assert calls(f.to_numpy) == {"download": 1, "wait": 1}


def test_transfers_of_launches(calls):
    x = qd.ndarray(qd.f32, 1000)
    double(x)
    qd.sync()
    assert calls(lambda: double(x)) == {"launch": 1}
    assert calls(qd.sync) == {"wait": 1}
    assert calls(qd.sync) == {}
    host, other = np.zeros(1000, np.float32), np.zeros(1000, np.float32)
    add(host, other)
    # two arrays are uploaded, one is downloaded; there is one wait for the launch
    assert calls(lambda: add(host, other)) == {"alloc": 2, "free": 2, "upload": 2, "launch": 1, "download": 1, "wait": 4}


@qd.kernel
def total(x: qd.types.ndarray()) -> qd.f32:
    sum = 0.0
    for i in x:
        sum += x[i]
    return sum


def test_operations_that_wait_for_launches(calls):
    x, f = qd.ndarray(qd.f32, 10), qd.field(qd.f32, 10)
    stream, event = qd.create_stream(), qd.create_event()
    readers = [lambda: x[3], x.to_numpy, lambda: x.fill(1), lambda: f[3], stream.synchronize, event.synchronize, qd.sync]

    f[0] = 1  # materialises the tree
    for wait in readers:
        alone = calls(wait).get("wait", 0)
        double(x)
        assert calls(wait)["wait"] == alone + 1, wait
    double(x)
    assert calls(lambda: total(x))["wait"] == 1
    for silent in (True, False):

        @qd.kernel
        def says(y: qd.types.ndarray()):
            y[0] = 1
            if qd.static(not silent):
                print(y[0])

        says(x)
        qd.sync()
        assert calls(lambda: says(x)).get("wait", 0) == (not silent)
        qd.sync()


@qd.kernel
def put(x: qd.types.ndarray(), at: qd.i32):
    for i in range(3):  # loop
        x[at] += i


LOOP = next(i for i, text in enumerate(open(__file__).read().splitlines(), 1) if text.endswith("  # loop"))


@pytest.mark.parametrize("wait", [qd.sync, lambda: qd.create_stream().synchronize(), "to_numpy", "element", "result"])
def test_a_fault_is_raised_by_the_next_wait(wait):
    qd.init(arch="far", offline_cache=False)
    x, y = qd.ndarray(qd.i32, 3), qd.ndarray(qd.f32, 3)
    y.fill(1)
    waits = {"to_numpy": x.to_numpy, "element": lambda: x[0], "result": lambda: total(y)}
    put(x, -(1 << 31))
    double(y)
    with pytest.raises(qd.QuadrantsRuntimeError, match="kernel put tried to (read|write) memory outside") as caught:
        waits.get(wait, wait)()
    assert f"line {LOOP}, in put" in str(caught.value) and "launched after it did not run" in str(caught.value)
    qd.sync()  # the fault is raised only once
    assert y.to_numpy().tolist() == [1, 1, 1]
    put(x, 1)
    double(y)
    assert x.to_numpy().tolist() == [0, 3, 0] and y.to_numpy().tolist() == [2, 2, 2]


def test_a_fault_with_arrays_of_the_host_is_raised_by_the_call():
    qd.init(arch="far", offline_cache=False)
    x = np.zeros(3, np.int32)
    with pytest.raises(qd.QuadrantsRuntimeError, match="kernel put tried to (read|write) memory outside") as caught:
        put(x, -(1 << 31))
    assert f"line {LOOP}, in put" in str(caught.value)
    put(x, 1)
    assert x.tolist() == [0, 3, 0]


def test_temporaries_outlive_the_kernels_that_use_them():
    @qd.kernel
    def set_all(x: qd.types.ndarray(), value: qd.f32):
        for i in x:
            x[i] = value

    y = qd.ndarray(qd.f32, 1000)
    for i in range(600):  # more launches than may be pending without a wait
        x = qd.ndarray(qd.f32, 1000)
        set_all(x, i)
        add(x, y)
        del x
    assert y.to_numpy().tolist() == [sum(range(600))] * 1000


def test_memory_of_pending_launches_is_freed():
    @qd.kernel
    def pass_on(x: qd.types.ndarray(), at: qd.i32):
        last = x[at]  # passed from the serial task to the loop
        for i in x:
            x[i] = last + 1

    x = qd.ndarray(qd.i32, 8)
    for i in range(1000):
        pass_on(x, i % 8)
    assert x.to_numpy().tolist() == [1000] * 8


def test_ranges_that_depend_on_data():
    n, x = qd.field(qd.i32, ()), qd.field(qd.i32, (8, 8))

    @qd.kernel
    def fill(value: qd.i32):
        for i in range(n[None]):
            x[0, i] = value
        n[None] += 1
        for i, j in qd.ndrange((1, n[None]), (2, 2 + n[None])):
            x[i, j] = value

    n[None] = 3
    fill(5)
    expected = np.zeros((8, 8), np.int32)
    expected[0, :3] = 5
    expected[1:4, 2:6] = 5
    assert (x.to_numpy() == expected).all() and n[None] == 4


def test_stop_ends_pending_launches():
    @qd.kernel
    def long(x: qd.types.ndarray()):
        for i in x:
            while x[i] >= 0:
                x[i] += 0.25

    x = qd.ndarray(qd.f32, 2)
    long(x)
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        x.to_numpy()
    double(x)
    x.to_numpy()


ENDS = """
import os, subprocess
import quadrants as qd

qd.init(arch="far", offline_cache=False)

@qd.kernel
def long(x: qd.types.ndarray()):
    for i in x:
        while x[i] >= 0:
            x[i] += 0.25

x = qd.ndarray(qd.f32, 2)
long(x)
subprocess.Popen(["sh", "-c", f"sleep 0.5; kill -INT {os.getpid()}"])
"""
RESETS = """
try:
    qd.reset()
except KeyboardInterrupt:
    qd.init(arch="far", offline_cache=False)
    y = qd.ndarray(qd.f32, 2)
    print("on", y.to_numpy())
"""


@pytest.mark.parametrize("how", ["reset", "exit"])
def test_stop_ends_the_end_of_a_program(how, tmp_path):
    script = tmp_path / "program.py"  # kernels need a source
    script.write_text(ENDS + (RESETS if how == "reset" else ""))
    quiet = dict(os.environ, ENABLE_QUADRANTS_HEADER_PRINT="0", QD_LOG_LEVEL="error")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=20, env=quiet)
    assert done.stdout == ("on [0. 0.]\n" if how == "reset" else ""), done.stderr
    assert how == "exit" or done.returncode == 0, done.stderr


def test_the_architectures_for_tests_are_not_offered():
    with pytest.raises(ValueError) as failed:
        qd.init(arch="nowhere")
    assert "far" not in str(failed.value) and "null" not in str(failed.value)
