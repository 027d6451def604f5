"""Ctrl-C soon ends an endless kernel or a compilation, and the program continues."""

import ctypes
import functools
import inspect
import io
import os
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest
import quadrants as qd


@qd.kernel
def endless(n: qd.i32) -> qd.i32:
    a = 0
    while n > 0:
        a += 1
    return a


@qd.kernel
def endless_everywhere(x: qd.types.ndarray(qd.i32, ndim=1)):
    for i in x:
        while x[i] < 1:
            x[i] += 0


@qd.kernel
def announced(n: qd.i32):
    print("started")
    a = 0
    while n > 0:
        a += 1


@qd.kernel
def hours(x: qd.types.ndarray(qd.f32, ndim=1), rows: qd.i32, n: qd.i32):
    print("started")
    for j in range(rows):
        s = 0.0
        for i in range(n):
            s += qd.sin(i * 0.001)
        x[j % 8] = s


@qd.kernel
def hours_of_updates(x: qd.types.ndarray(qd.f32, ndim=1), rows: qd.i32, n: qd.i32):
    print("started")
    for j in range(rows):
        for i in range(n):
            qd.atomic_add(x[(i + j) % 8], 1.0)


@qd.kernel
def hours_of_searching(x: qd.types.ndarray(qd.f32, ndim=1), rows: qd.i32, n: qd.i32):
    print("started")
    for j in range(rows):
        s = 0
        for i in range(n):
            if x[(i + s) % 8] > 1e9:
                break
            s += 1
        x[j % 8] = s % 3


@qd.kernel
def hours_of_short_loops(x: qd.types.ndarray(qd.f32, ndim=1), serial: qd.template()):
    print("started")
    qd.loop_config(serialize=serial)
    for j in range(4):
        for _ in range(4096):
            for _ in range(4096):
                for i in range(4096):
                    x[j] = qd.sin(x[j] + i)


@qd.kernel
def counts_up(x: qd.types.ndarray(qd.i32, ndim=1)):
    for i in x:
        x[i] += 1


STOPPED = r'kernel \w+ was stopped at File ".*test_interrupt.py", line \d+.* \(Ctrl-C or Stop\)'


def interrupt_soon():
    """Call it where KeyboardInterrupt is expected, since the interrupt may come at once."""
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()


@pytest.fixture(autouse=True)
def launches_end_in_their_call(arch):
    if arch == "far":
        pytest.skip("launches return at once; test_far.py has Ctrl-C while somebody waits for them")


@pytest.mark.parametrize("parallel", [False, True])
def test_interrupt(parallel):
    assert endless(0) == 0
    with pytest.raises(KeyboardInterrupt):
        interrupt_soon()
        if parallel:
            endless_everywhere(qd.ndarray(qd.i32, 1000))
        else:
            endless(1)
    assert endless(0) == 0


@pytest.mark.parametrize("serial", [False, True])
def test_interrupt_in_a_nest_of_short_loops(serial):
    """No single loop is long."""
    x = qd.ndarray(qd.f32, 4)
    with pytest.raises(KeyboardInterrupt):
        interrupt_soon()
        hours_of_short_loops(x, serial)


@pytest.mark.parametrize("kernel", [hours, hours_of_updates, hours_of_searching], ids=lambda k: k.__name__)
@pytest.mark.parametrize("rows, n", [(4, 2_000_000_000), (4096, 500_000_000), (2_000_000_000, 50_000)])
@pytest.mark.parametrize("counts", [False, True])
def test_interrupt_in_a_loop_inside_of_a_parallel_one(arch, monkeypatch, kernel, rows, n, counts):
    if counts:
        monkeypatch.setenv("QD_KERNEL_COVERAGE", "1")
        qd.init(arch=arch, offline_cache=False)
    written = io.StringIO()
    monkeypatch.setattr(sys, "stdout", written)
    x = qd.ndarray(qd.f32, 8)
    kernel(x, 4, 3)

    def press():
        while written.getvalue().count("started") < 2:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        kernel(x, rows, n)
    thread.join()
    kernel(x, 4, 3)


def test_interrupt_ends_a_launch_that_waits_for_another(arch):
    """One Stop ends both; the second launch would be endless too."""
    if arch == "far":
        pytest.skip("launches return at once")
    x, y = (qd.ndarray(qd.i32, 4) for _ in range(2))
    met = []

    def run():
        try:
            endless_everywhere(x)
        except qd.QuadrantsInterruptedError as error:
            met.append(str(error))

    other = threading.Thread(target=run)
    other.start()
    keys = subprocess.Popen(["sh", "-c", f"sleep 0.6; kill -INT {os.getpid()}; sleep 20; kill -INT {os.getpid()}"])
    time.sleep(0.3)
    with pytest.raises(KeyboardInterrupt):
        endless_everywhere(y)
    assert keys.poll() is None, "the second Stop was needed"
    keys.kill()
    other.join()
    assert len(met) == 1 and re.fullmatch(STOPPED, met[0]), met


def endless_threads(n, met, then=lambda: None):
    """Starts threads and returns once they are in their endless kernels. The exceptions that end the kernels go to `met`, then the threads
    continue."""

    def run(k):
        try:
            endless(1) if k % 2 else endless_everywhere(qd.ndarray(qd.i32, 4))
        except BaseException as error:
            met.append((type(error), str(error)))
        then()

    assert endless(0) == 0
    ones = qd.ndarray(qd.i32, 4)
    ones.fill(1)
    endless_everywhere(ones)
    threads = [threading.Thread(target=run, args=(k,)) for k in range(n)]
    for thread in threads:
        thread.start()
    while qd._native.core().launches_now() < n:
        time.sleep(0.001)
    return threads


@pytest.mark.parametrize("n", [1, 2, 5])
def test_interrupt_ends_launches_of_other_threads(n):
    """The main thread runs Python, and its handler is called as usual. Later launches are not affected."""
    met, sums = [], []

    def go_on():
        for _ in range(200):
            x = qd.ndarray(qd.i32, 100)
            counts_up(x)
            sums.append(x.to_numpy().sum())

    counts_up(qd.ndarray(qd.i32, 100))
    threads = endless_threads(n, met, go_on)
    with pytest.raises(KeyboardInterrupt):
        interrupt_soon()
        time.sleep(60)
    go_on()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    assert len(met) == n and all(kind is qd.QuadrantsInterruptedError and re.fullmatch(STOPPED, text) for kind, text in met), met
    assert sums == [100] * (200 * (n + 1))
    assert endless(0) == 0


def test_interrupt_with_a_handler_that_raises_nothing(monkeypatch):
    seen, met = [], []
    old = signal.signal(signal.SIGINT, lambda *args: seen.append(1))
    try:
        threads = endless_threads(2, met)
        interrupt_soon()
        for thread in threads:
            thread.join(60)
        assert seen == [1] and [kind for kind, _ in met] == [qd.QuadrantsInterruptedError] * 2
        assert endless(0) == 0
    finally:
        signal.signal(signal.SIGINT, old)


def test_interrupt_of_init_that_waits_for_another_thread(arch):
    met = []
    threads = endless_threads(1, met)
    with pytest.raises(KeyboardInterrupt):
        interrupt_soon()
        qd.init(arch=arch)
    threads[0].join(60)
    assert len(met) == 1 and met[0][0] is qd.QuadrantsInterruptedError and re.fullmatch(STOPPED, met[0][1]), met
    qd.init(arch=arch)
    assert endless(0) == 0


def test_a_future_has_the_exception_that_ended_its_kernel():
    """An event loop does not pass on a KeyboardInterrupt, and does not continue after one."""
    import asyncio

    async def main():
        task = asyncio.create_task(asyncio.to_thread(endless, 1))
        while not qd._native.core().launches_now():
            await asyncio.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)
        with pytest.raises(qd.QuadrantsInterruptedError):
            await task
        return "goes on"

    old = signal.signal(signal.SIGINT, lambda *args: None)
    try:
        assert endless(0) == 0
        assert asyncio.run(main()) == "goes on"
    finally:
        signal.signal(signal.SIGINT, old)


def test_handler_of_the_program_is_called(monkeypatch):
    written = io.StringIO()
    monkeypatch.setattr(sys, "stdout", written)
    announced(0)
    seen = []

    def press():
        while written.getvalue().count("started") < 2:  # before that, the handler would let the program continue
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press)
    old = signal.signal(signal.SIGINT, lambda *args: seen.append(1))
    try:
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            announced(1)
        thread.join()
        assert seen == [1]
    finally:
        signal.signal(signal.SIGINT, old)


@qd.kernel
def endless_at_zero(n: qd.i32):
    a = n
    while a == 0:
        a *= 2


def test_interrupt_between_python_and_the_tasks():
    """No Python code runs from the signal to the first task."""

    class Presses:
        __index__ = functools.partial(getattr(ctypes.CDLL(None), "raise"), signal.SIGINT)  # returns 0

    for handler in signal.getsignal(signal.SIGINT), signal.default_int_handler:
        endless_at_zero(1)
        with pytest.raises(KeyboardInterrupt):
            signal.signal(signal.SIGINT, handler)  # as ipykernel does for each cell: no launch has used this handler yet
            endless_at_zero(Presses())
        endless_at_zero(1)


# --- while a kernel is compiled --------------------------------------------------------------------------------------

TERMS = 20000  # takes LLVM seconds, and the passes long
STEPS = 3000  # to the power of three: takes the frontend an hour
ELEMENTS = 100_000  # takes the passes and LLVM about as long
stages = []


def press_soon():
    """The signal comes from another process, which does not need the GIL that the frontend holds."""
    stages.append("frontend")
    subprocess.Popen(["sh", "-c", f"sleep 0.1; kill -INT {os.getpid()}"])


@qd.kernel
def unrolled(x: qd.types.ndarray(qd.f32, ndim=1)):
    qd.static(press_soon())
    for i in qd.static(range(STEPS)):
        for j in qd.static(range(STEPS)):
            for k in qd.static(range(STEPS)):
                pass
    qd.static(stages.append("passes"))


@qd.kernel
def giant(x: qd.types.ndarray(qd.f32, ndim=1)):
    for i in x:
        a = x[i]
        for k in qd.static(range(TERMS)):
            a = a * 0.5 + x[(i + k) % 7] * (a - k)
        x[i] = a
    qd.static(stages.append("passes"))


@qd.kernel
def small(x: qd.types.ndarray(qd.f32, ndim=1)):
    for i in x:
        x[i] += 1


def threads_of_the_compiler():
    """Returns the names of the native threads of this process that begin with qd-."""
    names = []
    for thread in os.listdir("/proc/self/task"):
        try:
            names.append(open(f"/proc/self/task/{thread}/comm").read().strip())
        except OSError:  # the thread has just ended
            pass
    return [name for name in names if name.startswith("qd-")]


def when(stage):
    """Presses Ctrl-C once the compiler has reached `stage`."""

    def press():
        while "passes" not in stages:
            time.sleep(0.001)
        while stage == "codegen" and "qd-compile" not in threads_of_the_compiler():
            time.sleep(0.001)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    return thread


@pytest.mark.filterwarnings("ignore:You are unrolling")
def test_interrupt_in_the_frontend():
    stages.clear()
    with pytest.raises(KeyboardInterrupt):
        unrolled(qd.ndarray(qd.f32, 10))
    assert stages == ["frontend"]  # the frontend was interrupted
    assert unrolled._specialisations() == 0
    x = qd.ndarray(qd.f32, 10)
    small(x)
    assert x[9] == 1


@pytest.mark.filterwarnings("ignore:You are unrolling")
@pytest.mark.parametrize("stage", ["passes", "codegen"])
def test_interrupt_while_compiling(arch, stage):
    if arch != "cpu" and stage == "codegen":
        pytest.skip("the interpreter generates no code")
    from quadrants._native import core

    x = qd.ndarray(qd.f32, 10)
    stages.clear()
    core().take_reports()
    giant._forget()
    thread = when(stage)
    with pytest.raises(KeyboardInterrupt):
        giant(x)
    assert [r["kernel"] for r in core().take_reports() if "giant" in r["kernel"]] == []
    assert giant._specialisations() == 0
    if stage == "codegen":
        assert "qd-compile" in threads_of_the_compiler()  # Stop did not wait for it
    thread.join()
    x.fill(1)
    small(x)
    assert x[9] == 2
    while "qd-compile" in threads_of_the_compiler():  # other tests measure memory
        time.sleep(0.01)


def test_a_handler_that_launches():
    """A handler may launch, except while another kernel is being compiled."""
    x, met = qd.ndarray(qd.i32, 3), []

    @qd.kernel
    def add(x: qd.types.ndarray(qd.i32, ndim=1)):
        for i in x:
            x[i] += 1

    def handler(*args):
        try:
            add(x)
        except BaseException as error:
            met.append(error)

    def press():
        os.kill(os.getpid(), signal.SIGINT)
        sum(range(100))  # Python calls the handler here
        return 0

    @qd.kernel
    def pressed_while_read() -> qd.i32:
        return qd.static(press())

    old = signal.signal(signal.SIGINT, handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            pressed_while_read()
        assert [type(error) for error in met] == [qd.QuadrantsRuntimeError] and x[0] == 0
        assert "A SIGINT handler cannot launch a kernel while another one is being compiled" in str(met[0])
        press()  # between kernels
        assert x[0] == 1
        interrupt_soon()
        with pytest.raises(KeyboardInterrupt):
            endless(1)
        assert x[0] == 2 and len(met) == 1
        add(x)
        assert x[0] == 3
    finally:
        signal.signal(signal.SIGINT, old)


@qd.kernel
def large_vector(x: qd.types.ndarray(qd.f32, ndim=1)):
    v = qd.Vector([0.0] * ELEMENTS)
    for i in range(ELEMENTS):
        v[i] += i
    x[0] = v[ELEMENTS - 1]
    qd.static(stages.append("passes"))


@pytest.mark.parametrize("debug", [False, True])
@pytest.mark.parametrize("stage", ["passes", "codegen"])
def test_interrupt_while_a_large_vector_is_compiled(arch, stage, debug):
    if arch != "cpu" and stage == "codegen":
        pytest.skip("the interpreter generates no code")
    from quadrants._native import core

    qd.init(arch=arch, offline_cache=False, debug=debug)
    x = qd.ndarray(qd.f32, 10)
    stages.clear()
    core().take_reports()
    large_vector._forget()
    thread = when(stage)
    with pytest.raises(KeyboardInterrupt):
        large_vector(x)
    thread.join()
    assert [r["kernel"] for r in core().take_reports() if "large_vector" in r["kernel"]] == []
    assert large_vector._specialisations() == 0
    x.fill(1)
    small(x)
    assert x[9] == 2
    while "qd-compile" in threads_of_the_compiler():
        time.sleep(0.01)


@qd.kernel
def shown(x: qd.types.ndarray(qd.f32, ndim=1)):
    for i in x:
        a = x[i]
        for k in qd.static(range(TERMS // 20)):
            a = a * 0.5 + x[(i + k) % 7] * (a - k)
        x[i] = a
    qd.static(stages.append("passes"))


@pytest.mark.filterwarnings("ignore:You are unrolling")
def test_interrupt_while_code_is_shown(arch):
    if arch != "cpu":
        pytest.skip("the interpreter generates no code")
    x = qd.ndarray(qd.f32, 10)
    shown(x)
    while "qd-compile" in threads_of_the_compiler():
        time.sleep(0.01)
    thread = when("codegen")
    with pytest.raises(KeyboardInterrupt):
        shown._show("asm")
    assert "qd-compile" in threads_of_the_compiler()  # Stop did not wait for it
    thread.join()
    x.fill(1)
    small(x)
    assert x[9] == 2
    while "qd-compile" in threads_of_the_compiler():
        time.sleep(0.01)


@pytest.mark.filterwarnings("ignore:You are unrolling")
@pytest.mark.parametrize("stage", ["passes", "codegen"])
def test_interrupt_while_another_thread_compiles(arch, stage):
    if arch != "cpu" and stage == "codegen":
        pytest.skip("the interpreter generates no code")
    x, met = qd.ndarray(qd.f32, 10), []
    stages.clear()
    giant._forget()

    def run():
        try:
            giant(x)
        except BaseException as error:
            met.append(type(error))

    thread = threading.Thread(target=run)
    with pytest.raises(KeyboardInterrupt):  # the interrupt may come at once: the frontend does not let other threads run
        thread.start()
        when(stage)
        time.sleep(60)
    thread.join(60)
    assert met == [qd.QuadrantsInterruptedError]
    assert giant._specialisations() == 0
    x.fill(1)
    small(x)
    assert x[9] == 2
    while "qd-compile" in threads_of_the_compiler():
        time.sleep(0.01)


def run_script(tmp_path, body):
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(f"""
        import os, signal, threading, time
        import quadrants as qd
        import warnings; warnings.simplefilter("ignore")

        @qd.kernel
        def giant(x: qd.types.ndarray(qd.f32, ndim=1)):
            for i in x:
                a = x[i]
                for k in qd.static(range({TERMS})):
                    a = a * 0.5 + x[(i + k) % 7] * (a - k)
                x[i] = a

        qd.init(arch=qd.cpu, offline_cache=True, offline_cache_file_path={str(tmp_path / "cache")!r})
        x = qd.ndarray(qd.f32, 10)
    """) + inspect.getsource(threads_of_the_compiler) + textwrap.dedent(body))
    return subprocess.run([sys.executable, script], capture_output=True, text=True)


def test_exit_does_not_wait_for_optimisation(arch, tmp_path):
    if arch != "cpu":
        pytest.skip("the script chooses its own arch")
    done = run_script(tmp_path, """
        giant(x)
        until = time.monotonic() + 100  # a thread has its name once it runs
        while "qd-background" not in threads_of_the_compiler() and time.monotonic() < until:
            time.sleep(0.001)
        print("optimising:", "qd-background" in threads_of_the_compiler())
    """)
    assert done.returncode == 0, done.stderr
    assert "optimising: True" in done.stdout
    assert list((tmp_path / "cache").glob("**/*.o*")) == []  # otherwise the compilation was waited for


def test_exit_does_not_wait_for_an_abandoned_compilation(arch, tmp_path):
    if arch != "cpu":
        pytest.skip("the script chooses its own arch")
    done = run_script(tmp_path, """
        def press():
            while "qd-compile" not in threads_of_the_compiler():
                time.sleep(0.001)
            os.kill(os.getpid(), signal.SIGINT)

        threading.Thread(target=press).start()
        try:
            giant(x)
        except KeyboardInterrupt:
            print("stopped, compiling:", "qd-compile" in threads_of_the_compiler())
    """)
    assert done.returncode == 0, done.stderr
    assert "stopped, compiling: True" in done.stdout


@pytest.mark.parametrize("loop", ["once", "a graph"])
def test_exit_does_not_wait_for_a_daemon_thread(arch, tmp_path, loop):
    script = tmp_path / "script.py"
    script.write_text(f"""
import threading, time
import quadrants as qd
qd.init(offline_cache=False)
n = qd.ndarray(qd.i32, ())
n.fill(1)
Flag = qd.types.ndarray(qd.i32, ndim=0)

@qd.kernel
def endless(n: Flag):
    for _ in range(1):
        while n[()] == 1:
            pass

@qd.kernel(graph=True)
def graph(n: Flag):
    while qd.graph.do_while(n):
        for i in range(10):
            n[()] = 1

def run():
    ({"graph" if loop == "a graph" else "endless"})(n)

for _ in range(3):
    threading.Thread(target=run, daemon=True).start()
time.sleep(1)
print("main ends", flush=True)
""")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60, env={**os.environ, "QD_ARCH": str(arch)})
    assert done.returncode == 0 and "main ends" in done.stdout, done.stderr
    assert "Traceback" not in done.stderr
