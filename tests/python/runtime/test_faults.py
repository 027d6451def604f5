"""A processor fault in a kernel is an exception that names the place, and the program continues. A fault elsewhere ends the process, as
usual."""

import signal
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest
import quadrants as qd
from quadrants._native import core


@pytest.fixture(autouse=True)
def compiled_code(arch):
    if arch != "cpu":
        pytest.skip("faults of compiled code")
    qd.init(arch=arch, offline_cache=False)


@qd.func
def put(x: qd.template(), at, value):
    x[at] = value  # write


@qd.kernel
def scatter(x: qd.types.ndarray(qd.i32, ndim=1), n: qd.i32):
    for i in range(n):
        put(x, i * 64, 1)  # call


@qd.kernel
def pick(x: qd.types.ndarray(qd.f32, ndim=1), at: qd.i32) -> qd.f32:
    return x[at]  # read


@qd.kernel
def three_loops(x: qd.types.ndarray(qd.i32, ndim=1), y: qd.types.ndarray(qd.i32, ndim=1), at: qd.i32):
    for i in x:
        x[i] = 1
    for i in x:
        y[i + at] = 2  # second
    for i in x:
        x[i] = 3


def fault(function, *args):
    with pytest.raises(qd.QuadrantsRuntimeError) as caught:
        function(*args)
    assert not isinstance(caught.value, AssertionError)
    return str(caught.value)


SOURCE = open(__file__).read().splitlines()


def place(comment):
    return f'File "{__file__}", line {next(i for i, s in enumerate(SOURCE, 1) if s.endswith("  # " + comment))}, in '


@qd.kernel
def put_far(x: qd.types.ndarray(qd.i32, ndim=1), at: qd.i32):
    x[at] = 1  # far


def test_a_write_on_the_pool():
    x = qd.ndarray(qd.i32, 10)
    for _ in range(3):
        text = fault(scatter, x, (1 << 31) // 64 - 1)
        assert "kernel scatter tried to write memory outside of its arrays and fields (address 0x" in text
        assert "its output may be incomplete" in text and "qd.init(debug=True) checks every index" in text
        assert text.index(place("call") + "scatter:") < text.index(place("write") + "put:")
    scatter(x, 1)
    assert x[0] == 1


def test_a_write_on_the_calling_thread():
    assert place("far") + "put_far:" in fault(put_far, qd.ndarray(qd.i32, 10), -(1 << 31))


def test_a_read():
    x = qd.ndarray(qd.f32, 3)
    x.fill(7)
    for at in (1 << 30, -(1 << 30)):
        text = fault(pick, x, at)
        assert "kernel pick tried to read memory outside" in text
        assert place("read") + "pick:\n    return x[at]  # read\n           ^^^^^" in text
    assert pick(x, 2) == 7


def test_a_field():
    x = qd.field(qd.i32, 10)

    @qd.kernel
    def spread(n: qd.i32):
        for i in range(n):
            x[i * 1000] = 1  # spread

    assert place("spread") in fault(spread, 1_000_000)
    spread(1)
    assert x[0] == 1


def test_a_task_in_the_middle():
    x, y = qd.ndarray(qd.i32, 100), qd.ndarray(qd.i32, 100)
    assert place("second") + "three_loops:" in fault(three_loops, x, y, 1 << 30)
    assert (x.to_numpy() == 1).all()  # the previous task ran, the next one did not
    three_loops(x, y, 0)
    assert (x.to_numpy() == 3).all() and (y.to_numpy() == 2).all()


def test_arrays_that_overlap():
    memory = np.zeros(100, np.int32)
    assert place("second") in fault(three_loops, memory, memory[:50], 1 << 30)


def test_numpy():
    assert place("read") in fault(pick, np.zeros(3, np.float32), 1 << 30)


def test_with_counts(monkeypatch):
    monkeypatch.setenv("QD_KERNEL_COVERAGE", "1")
    qd.init(arch=qd.cpu, offline_cache=False)
    assert place("second") in fault(three_loops, qd.ndarray(qd.i32, 100), qd.ndarray(qd.i32, 100), 1 << 30)


def test_in_code_from_the_disk(tmp_path):
    for _ in range(2):
        qd.init(arch=qd.cpu, offline_cache=True, offline_cache_file_path=str(tmp_path))
        assert place("second") in fault(three_loops, qd.ndarray(qd.i32, 100), qd.ndarray(qd.i32, 100), 1 << 30)


def test_in_code_compiled_fast():
    @qd.kernel
    def large(x: qd.types.ndarray(qd.f32, ndim=1), at: qd.i32):
        for i in x:
            a = x[i]
            for k in qd.static(range(200)):
                a = a * 0.5 + x[(i + k) % 7]
            x[i + at] = a  # large

    large(qd.ndarray(qd.f32, 100), 0)
    assert place("large") in fault(large, qd.ndarray(qd.f32, 100), 1 << 30)
    core().settle()  # the optimised code
    assert place("large") in fault(large, qd.ndarray(qd.f32, 100), 1 << 30)


def test_captured_values_that_changed():
    """The code cannot be compiled again to find the line, so the error names the loop."""
    shift = [1 << 30]

    @qd.kernel
    def moved(x: qd.types.ndarray(qd.i32, ndim=1)):
        for i in x:  # loop
            x[i + qd.static(shift[0])] = 1

    x = qd.ndarray(qd.i32, 10)
    fault(moved, x)
    shift[0] = 0
    assert place("loop") in fault(moved, x)


def test_many_threads_at_once():
    texts = []

    def run():
        for _ in range(20):
            texts.append(fault(pick, np.zeros(3, np.float32), 1 << 30))

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(texts) == 80 and all(place("read") in text for text in texts)


def test_reset_and_init_after_a_fault():
    for _ in range(3):
        assert place("read") in fault(pick, qd.ndarray(qd.f32, 3), 1 << 30)
        qd.reset()
        qd.init(arch=qd.cpu, offline_cache=False)


def test_handlers_of_faulthandler_stay(run_script):
    """This holds even if faulthandler is enabled after kernels ran; it reports faults outside of kernels."""
    for when in ("before", "after"):
        done = run_script(f"""
            import ctypes, faulthandler, time
            if {when == "before"}: faulthandler.enable()
            launch()
            if {when == "after"}: faulthandler.enable()
            time.sleep(0.01)
            launch()
            print("caught", flush=True)
            ctypes.string_at(16)
        """)
        assert done.returncode == -signal.SIGSEGV
        assert done.stdout.endswith("caught\n") and done.stderr.count("Fatal Python error: Segmentation fault") == 1


def test_functions_outside_are_not_guarded(run_script):
    """The process ends, and names its last launch, which may be the cause."""
    for how, number in ("ctypes.string_at(16)", signal.SIGSEGV), ("os.abort()", signal.SIGABRT):
        done = run_script(f"""
            import ctypes
            launch()
            {how}
        """)
        assert done.returncode == -number
        assert "quadrants: the last launch was of kernel put (" in done.stderr and "script.py, line " in done.stderr, done.stderr


def test_a_child_of_fork(run_script):
    done = run_script("""
        launch()
        child = os.fork()
        if child == 0:
            launch()
            os._exit(3)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """)
    assert done.stdout.endswith("3\n"), done.stderr


OVERRUNS = """
import sys

@qd.kernel
def store(a: qd.types.ndarray(qd.f32, ndim=1), n: qd.i32):
    qd.loop_config(serialize=True)
    for i in range(n):
        a[i] = 1.0

@qd.kernel
def add(a: qd.types.ndarray(qd.f32, ndim=1), n: qd.i32):
    qd.loop_config(serialize=True)
    for i in range(n):
        a[i] += 1.0

@qd.kernel
def parallel_store(a: qd.types.ndarray(qd.f32, ndim=1), n: qd.i32):
    for i in range(n):
        a[i] = 1.0

@qd.kernel
def parallel_add(a: qd.types.ndarray(qd.f32, ndim=1), n: qd.i32):
    for i in range(n):
        a[i] += 1.0

@qd.kernel
def total(a: qd.types.ndarray(qd.f32, ndim=1), n: qd.i32) -> qd.f32:
    sum = 0.0
    for i in range(n):
        sum += a[i]
    return sum

@qd.kernel
def store_one(a: qd.types.ndarray(qd.f32, ndim=1), at: qd.i32):
    a[at] = 1.0

small = np.zeros(4, np.float32)
def heap_end():
    return next(int(line.split("-")[1].split()[0], 16) for line in open("/proc/self/maps") if "[heap]" in line)
"""


# Behind the heap there may be a hole, or pages of a file behind its end. If another thread is the first to use the corrupted heap, its own
# fault ends the process, with or without a message, or the C library does.
ENDS = -signal.SIGSEGV, -signal.SIGBUS, -signal.SIGABRT


@pytest.mark.parametrize("kernel", ["store", "add"])
def test_a_heap_overrun_ends_the_process_with_a_message(run_script, kernel):
    alone = f"{kernel}(small, 4)\nqd._native.core().settle()\n"  # usually no other thread is running
    for _ in range(10):
        done = run_script(OVERRUNS + alone + f"{kernel}(small, 40_000_000)")
        assert done.returncode in ENDS, done.stderr
        if done.stderr.count("past the end of an array") == 1:
            return
    pytest.fail(f"no word of it: {done.stderr}")


@pytest.mark.parametrize("kernel", ["parallel_store", "parallel_add"])
def test_a_heap_overrun_of_many_threads_ends_the_process(run_script, kernel):
    """It is an exception instead if a thread far behind the heap ends the launch before another reaches the end of the heap."""
    for _ in range(3):
        done = run_script(OVERRUNS + f"{kernel}(small, 4)\n{kernel}(small, 40_000_000)")
        raised = done.returncode == 1 and "QuadrantsRuntimeError" in done.stderr
        assert raised or done.returncode in ENDS, done.stderr


def test_a_heap_overrun_with_faulthandler(run_script):
    done = run_script(OVERRUNS + "import faulthandler; faulthandler.enable()\nstore(small, 40_000_000)")
    assert done.returncode in ENDS
    assert "Fatal Python error: " in done.stderr


def test_reads_past_the_heap_do_not_end_the_process(run_script):
    """A kernel that only reads, or that writes far behind the heap at once, corrupts nothing."""
    done = run_script(
        OVERRUNS
        + """
def behind():
    return (heap_end() - small.ctypes.data) // 4 + 1024
for kernel, n in (total, lambda: 40_000_000), (store_one, behind):
    kernel(small, 0)
    try:
        kernel(small, n())
    except qd.QuadrantsRuntimeError as error:
        print(str(error).split(" memory")[0].strip())
store(small, 4)
print(small.sum())
"""
    )
    assert done.stdout.endswith("kernel total tried to read\nkernel store_one tried to write\n4.0\n"), done.stderr
    assert done.returncode == 0


SCRIPT = """
import os
import numpy as np
import quadrants as qd

@qd.kernel
def put(x: qd.types.ndarray(qd.i32, ndim=1), at: qd.i32):
    for i in range(1 << 20):
        x[at] = i

def launch():
    try:
        put(np.zeros(3, np.int32), -(1 << 31))
    except qd.QuadrantsRuntimeError:
        return
    raise SystemExit("no fault")

qd.init(arch=qd.cpu, offline_cache=False, log_level=qd.ERROR)
"""


@pytest.fixture
def run_script(tmp_path):
    def run(body):
        script = tmp_path / "script.py"
        script.write_text(SCRIPT + textwrap.dedent(body))
        return subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60)

    return run
