"""The effect of each option of qd.init: each test fails if the option has no effect."""

import json
import os
import pathlib
import re
import subprocess
import sys
import threading
import time
import traceback
import warnings

import numpy as np
import pytest
from option_programs import begin, small
import quadrants as qd
from quadrants import _native, _runtime
from quadrants.lang.misc import timeline_clear, timeline_save


# The meaning of kernels


def test_default_types(arch):
    def results():
        @qd.kernel
        def third(n: int) -> float:
            return (n + 1) / 3

        @qd.kernel
        def far(n: int) -> int:
            return n * 2

        return third(0), far(1 << 30)

    assert results() == (np.float32(1 / 3), -(1 << 31))
    begin(arch, default_fp=qd.f64, default_ip=qd.i64)
    assert results() == (1 / 3, 1 << 31)


def test_fast_math(arch):
    def times_zero():
        @qd.kernel
        def k(x: qd.f32) -> qd.f32:
            return x * 0.0

        return k(float("inf"))

    begin(arch, fast_math=True)
    assert times_zero() == 0
    begin(arch, fast_math=False)
    assert np.isnan(times_zero())


def test_unrolling_limit(arch):
    def unroll():
        @qd.kernel
        def k() -> qd.i32:
            s = 0
            for i in qd.static(range(10)):
                s += i
            return s

        return k()

    begin(arch, unrolling_limit=9)
    with pytest.warns(SyntaxWarning, match="unrolling more than 9"):
        assert unroll() == 45
    for limit in (10, 0):
        begin(arch, unrolling_limit=limit)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert unroll() == 45


def test_checks(arch):
    def run():
        @qd.kernel
        def reads(x: qd.types.ndarray(qd.i32, ndim=1), i: qd.i32) -> qd.i32:
            return x[i % 4 + 4 * (i // 4)]

        @qd.kernel
        def asserts(n: qd.i32):
            assert n > 0

        found = []
        for call in (lambda: reads(qd.ndarray(qd.i32, 4), 4), lambda: asserts(-1)):
            try:
                call()
                found.append("")
            except AssertionError as error:
                found.append("bounds" if "Out of bound" in str(error) else "assert")
        return found

    assert run()[1] == ""
    begin(arch, check_out_of_bound=True)
    assert run() == ["bounds", ""]
    begin(arch, debug=True)
    assert qd.cfg.check_out_of_bound and run() == ["bounds", "assert"]


# The place and the way kernels run


def slow_loop(n):
    """Returns the thread of each of `n` iterations, which are long enough for every thread to take part."""
    threads = qd.ndarray(qd.i32, n)

    @qd.kernel
    def k(threads: qd.types.ndarray(qd.i32, ndim=1)):
        for i in range(n):
            x = qd.cast(i, qd.f32)
            for _ in range(100_000):
                x = qd.sin(x) + 1.0
            threads[i] = qd.global_thread_idx() if x < 1e30 else -1

    k(threads)
    return threads.to_numpy()


def test_number_of_threads():
    for number in (1, 2, 3):
        begin(qd.cpu, cpu_max_num_threads=number)
        assert qd.cfg.cpu_max_num_threads == number
        used = set(slow_loop(60))
        assert used <= set(range(number)) and (len(used) > 1 or number == 1)


def test_short_loops_are_shared_if_asked(monkeypatch):
    def threads_of_short_loops():
        begin(qd.cpu, cpu_max_num_threads=2)
        threads = qd.ndarray(qd.i32, 64)

        @qd.kernel
        def k(threads: qd.types.ndarray(qd.i32, ndim=1)):
            for i in range(64):
                threads[i] = qd.global_thread_idx()

        seen = set()
        for _ in range(2000):
            k(threads)
            seen |= set(threads.to_numpy())
        return seen

    assert threads_of_short_loops() == {0}
    monkeypatch.setenv("QD_SHARE_LITTLE", "1")
    assert threads_of_short_loops() == {0, 1}


def test_iterations_that_a_thread_takes_at_once():
    """The thread changes only after a multiple of the block size."""

    def changes(rounds=96, **options):
        begin(qd.cpu, cpu_max_num_threads=2, **options)
        for _ in range(20):
            threads = slow_loop(rounds)
            if len(set(threads)) > 1:
                return np.flatnonzero(np.diff(threads)) + 1
        raise AssertionError("one thread did everything, twenty times")

    assert (changes(default_cpu_block_dim=24) % 24 == 0).all()
    assert (changes(cpu_block_dim_adaptive=False) % 32 == 0).all()
    assert (changes(rounds=82) % 24 != 0).any()  # without the options, blocks are smaller: half of the iterations is 41


def test_random_seed(arch):
    def numbers(**options):
        begin(arch, **options)

        @qd.kernel
        def k() -> qd.f64:
            return qd.random(qd.f64)

        return k(), k()

    assert numbers(random_seed=7) == numbers(random_seed=7) != numbers(random_seed=8)


# The compilation of kernels


def six_loops():
    @qd.kernel
    def k(x: qd.types.ndarray(qd.f32, ndim=1)):
        for i in x:
            x[i] = qd.sin(x[i]) * qd.cos(x[i])
        for i in x:
            x[i] = qd.sin(x[i]) + qd.tan(x[i])
        for i in x:
            x[i] = qd.exp(x[i]) + qd.tan(x[i])
        for i in x:
            x[i] = qd.exp(x[i]) - qd.log(x[i] + 3.0)
        for i in x:
            x[i] = qd.exp(x[i]) - qd.tanh(x[i] + 3.0)
        for i in x:
            x[i] = qd.pow(x[i], 1.5) - qd.tanh(x[i] + 3.0)

    k(qd.ndarray(qd.f32, 4))


def events(path):
    timeline_save(str(path / "timeline.json"))
    return [e for e in json.loads((path / "timeline.json").read_text()) if e["ph"] == "X"]


def test_num_compile_threads(tmp_path):
    def threads(number):
        timeline_clear()
        begin(qd.cpu, timeline=True, num_compile_threads=number, cpu_max_num_threads=1, compile_tiers=False)
        six_loops()
        phases = [e for e in events(tmp_path) if e["name"] == "vectorize"]
        assert len(phases) == 6
        return len({e["tid"] for e in phases})

    assert threads(1) == 1
    if qd._options.usable_cores() > 1:
        assert any(threads(4) > 1 for _ in range(20))  # on a busy machine one thread may finish before the others start
    timeline_clear()


def test_compile_tiers(tmp_path):
    """Large tasks start with code that compiles fast; optimised code is made in the background."""

    def optimised(tiers):
        timeline_clear()
        begin(qd.cpu, timeline=True, compile_tiers=tiers)

        @qd.kernel
        def k(x: qd.types.ndarray(qd.f32, ndim=1)):
            for i in x:
                for j in qd.static(range(30)):
                    x[i] = qd.sin(x[i]) * (j + 1) + qd.sqrt(x[i] + j) + qd.select(x[i] > j, x[i], float(j))

        k(qd.ndarray(qd.f32, 4))
        _native.core().settle()
        return [e["name"] for e in events(tmp_path)].count("optimise")

    assert optimised(True) == 1 and optimised(False) == 0
    timeline_clear()


# Options for tools


def run_program(folder, text, **variables):
    """Returns stdout and stderr of a program in a process of its own."""
    program = folder / "program.py"
    program.write_text(text)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("QD_")}
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, env={**environment, **variables}, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


COLLECTED = """
import gc
import quadrants as qd
qd.init(arch=qd.cpu, offline_cache=False, log_level="warn")

@qd.kernel
def k(n: qd.i32) -> qd.i32:
    return qd.max(n, 3) + qd.min(n, 5) + qd.abs(n)

qd.init(arch=qd.cpu, offline_cache=False, log_level="warn")
runs = []
gc.callbacks.append(lambda phase, info: runs.append(phase))
k(4)
print(len(runs))
"""


def test_collect(tmp_path):
    """With QD_COLLECT=1 garbage is collected at every step of the frontend."""
    usual, collected = (int(run_program(tmp_path, COLLECTED, **v)[0].split()[-1]) for v in ({}, {"QD_COLLECT": "1"}))
    assert collected > usual + 10


DISPATCHED = """
import quadrants as qd
qd.init(arch=qd.cpu, offline_cache=False, log_level="warn")

@qd.perf_dispatch(get_geometry_hash=lambda x: x.shape)
def fill(x: qd.types.ndarray(qd.i32, ndim=1)): ...

@fill.register
@qd.kernel
def one(x: qd.types.ndarray(qd.i32, ndim=1)):
    for i in x:
        x[i] = 1

@fill.register
@qd.kernel
def two(x: qd.types.ndarray(qd.i32, ndim=1)):
    for i in x:
        x[i] = 2

x = qd.ndarray(qd.i32, 3)
seen = set()
for _ in range(4):
    fill(x)
    seen.add(x[0])
print(sorted(seen))
"""


def test_perf_dispatch_by_the_environment(tmp_path):
    assert run_program(tmp_path, DISPATCHED)[0].split("\n")[-2] == "[1, 2]"  # each is tried
    assert run_program(tmp_path, DISPATCHED, QD_PERFDISPATCH_FORCE="fill:two")[0].split("\n")[-2] == "[2]"
    quiet, told = (sum(map(len, run_program(tmp_path, DISPATCHED, QD_PERFDISPATCH_PRINT_DEBUG=v))) for v in "01")
    assert told > quiet


def test_kernel_coverage(arch, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)

    def counted():
        qd.coverage.clear()
        begin(arch)

        @qd.kernel
        def k() -> qd.i32:
            return 7

        k()
        return len(_native.core().coverage())

    assert counted() == 0
    monkeypatch.setenv("QD_KERNEL_COVERAGE", "1")
    assert counted() > 0


def test_stacks_of_reverse_mode(arch):
    def gradient(**options):
        begin(arch, **options)
        x = qd.field(qd.f32, (), needs_grad=True)
        loss = qd.field(qd.f32, (), needs_grad=True)

        @qd.kernel
        def f(n: qd.i32):
            for _ in range(1):
                v = x[None]
                for _ in range(n):
                    v = v * v
                loss[None] += v

        x[None] = 0.5
        with qd.ad.Tape(loss):
            f(2)
        return x.grad[None]

    with pytest.raises(qd.QuadrantsCompilationError):
        gradient()
    assert gradient(ad_stack_experimental_enabled=True) == pytest.approx(4 * 0.5**3)


# Passing changes to the core


def test_changed_options_reach_the_core_before_the_next_compilation(arch, tmp_path, monkeypatch, capfd):
    def compiled():
        @qd.kernel
        def k() -> qd.i32:
            return 1

        assert k() == 1

    small(arch, debug_dump_path=str(tmp_path))
    compiled()
    told = _native.core().options()["fast_math"]
    qd.cfg.fast_math = not told
    compiled()
    assert _native.core().options()["fast_math"] is not told
    qd.cfg.fast_math = told
    compiled()
    assert _native.core().options()["fast_math"] is told
    assert not list(tmp_path.iterdir())
    monkeypatch.setenv("QD_DUMP_IR", "1")
    compiled()
    shown = len(list(tmp_path.iterdir()))
    assert shown
    monkeypatch.delenv("QD_DUMP_IR")
    compiled()
    assert len(list(tmp_path.iterdir())) == shown
    os.putenv("QD_DUMP_IR", "1")  # as C code does it: os.environ does not change
    compiled()
    monkeypatch.setenv("QD_DUMP_IR", "1")
    compiled()
    assert len(list(tmp_path.iterdir())) > shown


def test_options_may_be_compared_by_code_that_lets_other_threads_run(arch):
    class Path(str):
        __hash__ = str.__hash__

        def __eq__(self, other):
            time.sleep(1e-4)
            return str.__eq__(self, other)

    small(arch)

    def tell(number):
        for i in range(60):
            vars(qd.cfg).update(debug_dump_path=Path("/tmp/x"), cpu_max_num_threads=1 + (i + number) % 2)
            _runtime.pass_options()

    threads = [threading.Thread(target=tell, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    vars(qd.cfg).update(debug_dump_path="y")
    _runtime.pass_options()
    assert _native.core().options()["debug_dump_path"] == "y"


def test_options_are_passed_again_after_a_refusal(arch):
    small(arch)
    _runtime.pass_options()
    before = _native.core().options()
    vars(qd.cfg)["random_seed"] = "seven"
    vars(qd.cfg)["opt_level"] = 1 - before["opt_level"]
    with pytest.raises(ValueError, match="random_seed"):
        _runtime.pass_options()
    vars(qd.cfg).update(random_seed=before["random_seed"], opt_level=before["opt_level"])
    _runtime.pass_options()
    assert _native.core().options() == before


# Measurements


def test_kernel_profiler_lives_in_cfg(arch):
    k, _ = small(arch)
    k(1)
    qd.cfg.kernel_profiler = True
    _runtime.pass_options()
    k(1)
    k(1)
    assert qd.profiler.query_kernel_profiler_info("k").counter == 2
    qd.cfg.kernel_profiler = False
    _runtime.pass_options()
    k(1)
    qd.cfg.kernel_profiler = True
    assert qd.profiler.query_kernel_profiler_info("k").counter == 2


def test_timeline_for_perfetto(tmp_path):
    """Phases lie in compilations and tasks in launches, each thread has a name, and no two intervals overlap partially."""
    timeline_clear()
    begin(qd.cpu, timeline=True)
    x = qd.field(qd.f32, 10)

    @qd.kernel
    def work():
        qd.loop_config(name="fill")
        for i in x:
            x[i] = i
        for i in x:
            x[i] *= 2.0

    work()
    work()
    timeline_save(str(tmp_path / "t.json"))
    rows = json.loads((tmp_path / "t.json").read_text())
    named = {(row["name"], row["tid"]): row["args"] for row in rows if row["ph"] == "M"}
    spans = [row for row in rows if row["ph"] == "X"]
    assert all(("thread_name", row["tid"]) in named and row["pid"] == os.getpid() for row in spans)
    assert named["process_name", os.getpid()] == {"name": "Quadrants"}
    assert [row["ts"] for row in spans] == sorted(row["ts"] for row in spans)
    mine = [row for row in spans if row["cat"] in ("compile", "launch") and "work" in row["name"]]
    assert [row["cat"] for row in mine] == ["compile", "launch", "launch"]
    inside = lambda row, outer: outer["ts"] <= row["ts"] and row["ts"] + row["dur"] <= outer["ts"] + outer["dur"]  # noqa: E731
    tasks = [row for row in spans if row["cat"] == "task"]
    assert len(tasks) == 4 and sum("fill" in row["name"] for row in tasks) == 2
    assert all(any(inside(row, launch) for launch in mine[1:]) and "work" in row["args"]["of"] for row in tasks)
    phases = [row for row in spans if row["cat"] == "phase" and row["tid"] == mine[0]["tid"] and row["name"] != "optimise"]
    assert {"frontend", "fold", "offload", "codegen", "load"} <= {row["name"] for row in spans if row["cat"] == "phase"}
    assert all(inside(row, mine[0]) for row in phases)
    for thread in {row["tid"] for row in spans}:
        ends = []
        for row in (row for row in spans if row["tid"] == thread):
            while ends and ends[-1] <= row["ts"]:
                ends.pop()
            assert not ends or row["ts"] + row["dur"] <= ends[-1], row
            ends.append(row["ts"] + row["dur"])
    timeline_clear()
    timeline_save(str(tmp_path / "t.json"))
    assert [row["ph"] for row in json.loads((tmp_path / "t.json").read_text())] == ["M"]


# The environment, and unsupported values


def test_overridden_variables_are_logged(arch, monkeypatch, capfd):
    """It is a line of the log, so programs that turn warnings into errors continue."""
    monkeypatch.setenv("QD_FAST_MATH", "0")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        begin(arch, fast_math=True)
        assert "Environment variable QD_FAST_MATH=0 overridden by qd.init argument fast_math=True" in capfd.readouterr().err
        assert qd.cfg.fast_math is True
        begin(arch, fast_math=True, log_level="error")
        assert capfd.readouterr().err == ""


def test_a_plain_start_warns_of_nothing():
    program = "import quadrants as qd; qd.init(); qd.reset(); qd.init(arch=qd.cpu, debug=True); print('done')"
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True,
                          env={k: v for k, v in os.environ.items() if not k.startswith("QD_")})  # fmt: skip
    assert done.stdout.endswith("done\n") and done.stderr == ""


def test_a_refused_init_does_not_affect_the_next_one(arch, tmp_path):
    place = {"offline_cache": True, "offline_cache_file_path": str(tmp_path)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="DUMP_IR_CACHE_MISMATCH"):
            begin(arch, print_ir=True, **place)
        begin(arch, **place)
    k, x = small(arch)
    k(2)
    assert x[1] == 6


def test_empty_variables_count_as_none(arch, monkeypatch):
    monkeypatch.setenv("QD_DEBUG", "")
    monkeypatch.setenv("QD_DEFAULT_FP", "")
    monkeypatch.setenv("QD_ARCH", "")
    begin(arch)
    assert qd.cfg.debug is False and qd.cfg.default_fp == qd.f32


def test_variables_that_nothing_reads(arch, monkeypatch):
    """Covers the variables that the page of options names."""
    page = (pathlib.Path(__file__).resolve().parents[3] / "docs" / "reference" / "options.md").read_text()
    names = re.findall(r"`(QD_\w+)`", page.partition("## Variables that nothing reads")[2])
    assert len(names) > 10
    for name in names:
        monkeypatch.setenv(name, "0")
    k, x = small(arch)
    k(2)
    assert x[1] == 6


def test_lists_of_architectures(arch):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        begin([qd.metal, arch])
        assert qd.cfg.arch.name == ("x64" if arch == "cpu" else arch) or qd.cfg.arch == qd.cpu
    with pytest.warns(UserWarning, match=r"Arch=\[.*metal.*vulkan.*\] is not supported, falling back to CPU"):
        begin([qd.metal, qd.vulkan])
    assert qd.cfg.arch == qd.cpu
    with pytest.raises(RuntimeError, match=r"Arch=\[.*metal.*\] is not supported"):
        begin(qd.metal, enable_fallback=False)


def test_the_start_without_a_program(arch):
    qd.reset()
    given = qd.init(arch=arch, _test_mode=True, log_level="error", gdb_trigger=True, unrolling_limit=5)
    assert (given.log_level, given.gdb_trigger, given.unrolling_limit, given.short_circuit_operators) == ("error", True, 5, True)
    assert qd.cfg is None and not _native.core().initialised()
    qd.set_logging_level("info")


def test_required_versions(arch):
    major, minor, patch = qd.__version__
    begin(arch, require_version=f"{major}.{minor}.{patch}")
    for wrong in (f"{major + 1}.0.0", f"{major}.{minor + 1}.0", f"{major}.{minor}.{patch + 1}"):
        with pytest.raises(Exception, match="requires version"):
            begin(arch, require_version=wrong)
    with pytest.raises(Exception, match="must look like 1.2.3"):
        begin(arch, require_version="1.2")


def test_queues_of_metal(arch):
    assert qd.interop.get_mps_command_queue() == 0
    begin(arch, external_metal_command_queue=0, external_metal_command_queue_is_torch_queue=True)
    assert qd.cfg.external_metal_command_queue_is_torch_queue is True
    with pytest.raises(ValueError, match="external_metal_command_queue needs arch=qd.metal"):
        begin(arch, external_metal_command_queue=12345)
    begin(arch)


def test_log_level(arch, capfd):
    for level, lines in (("trace", 3), ("info", 2), ("warn", 1), ("off", 0)):
        begin(arch, log_level=level)
        capfd.readouterr()
        for say in (qd._logging.trace, qd._logging.info, qd._logging.warn):
            say("a line")
        assert capfd.readouterr().err.count("a line") == lines
    qd.set_logging_level("info")


def test_print_full_traceback(arch):
    def message():
        @qd.kernel
        def k() -> qd.i32:
            return no_such_name  # noqa: F821

        with pytest.raises(qd.QuadrantsCompilationError) as error:
            k()
        return str(error.value)

    begin(arch, print_full_traceback=True)
    bare = message()
    begin(arch, print_full_traceback=False)
    assert len(message()) > len(bare) and "return no_such_name" in message()
    assert pathlib.Path(__file__).name in message()

    def told():
        @qd.kernel
        def misspelt() -> qd.f32:
            return qd.sqr(2.0)

        with pytest.raises(qd.QuadrantsCompilationError) as error:
            misspelt()
        return str(error.value), "".join(traceback.format_exception(error.value))

    text, whole = told()
    assert "did you mean `sqrt`" in text and whole.count("did you mean `sqrt`") == 1
    begin(arch, print_full_traceback=True)
    text, whole = told()
    assert text == "module 'quadrants' has no attribute 'sqr'" and whole.rstrip().endswith("did you mean `sqrt`?")


def test_an_assertion_without_a_message_in_a_full_traceback(arch):
    begin(arch, print_full_traceback=True)

    @qd.kernel
    def k():
        qd.static_assert(1 == 2, "")

    with pytest.raises(qd.lang.exception.QuadrantsCompilationError) as error:
        k()
    assert str(error.value) == ""
