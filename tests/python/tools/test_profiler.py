"""qd.profiler. Times are not compared with limits: the tests check that they exist, are consistent, and belong to the right kernels."""

import re

import pytest
import quadrants as qd


@pytest.fixture
def profiled(arch):
    qd.init(arch=arch, offline_cache=False, kernel_profiler=True, print_full_traceback=True)


def make(x):
    @qd.kernel
    def work(n: qd.i32):
        for i in range(n):
            x[i] += 1
        x[0] = 5
        for i in range(n):
            x[i] *= 2

    @qd.kernel
    def rest():
        qd.loop_config(name="second")
        for i in x:
            x[i] = 0

    return work, rest


def test_query(profiled):
    work, rest = make(qd.field(qd.i32, 100))
    for _ in range(3):
        work(100)
    rest()
    found = qd.profiler.query_kernel_profiler_info(work.__name__)
    assert found.counter == 3
    assert 0 < found.min <= found.avg <= found.max
    tasks = [qd.profiler.query_kernel_profiler_info(f"work.{i}") for i in range(3)]
    assert [t.counter for t in tasks] == [3, 3, 3]
    assert sum(t.avg for t in tasks) == pytest.approx(found.avg)
    assert qd.profiler.query_kernel_profiler_info("rest").counter == 1
    assert qd.profiler.query_kernel_profiler_info("rest.second").counter == 1
    nothing = qd.profiler.query_kernel_profiler_info("nothing")
    assert (nothing.counter, nothing.min, nothing.max, nothing.avg) == (0, 0, 0, 0)
    total = qd.profiler.get_kernel_profiler_total_time()
    assert total == pytest.approx((3 * found.avg + qd.profiler.query_kernel_profiler_info("rest").avg) / 1e3)
    qd.profiler.clear_kernel_profiler_info()
    assert qd.profiler.get_kernel_profiler_total_time() == 0
    assert qd.profiler.query_kernel_profiler_info("work").counter == 0
    work(10)
    assert qd.profiler.query_kernel_profiler_info("work").counter == 1


def numbers_out(text):
    return re.sub(r"\d+\.\d+", "0.0", re.sub(r" +", " ", text))


def test_print(profiled, capsys):
    work, rest = make(qd.field(qd.i32, 100))
    work(100)
    work(100)
    rest()
    capsys.readouterr()
    qd.profiler.print_kernel_profiler_info()
    text = capsys.readouterr().out
    lines = text.splitlines()
    assert len({len(line) for line in lines if set(line) <= set("=-")}) == 1
    assert "Kernel profile (count)" in lines[1]
    assert sorted(line.split()[-1] for line in lines[5:9]) == ["rest.second", "work.0", "work.1", "work.2"]
    assert [line.split()[2] for line in sorted(lines[5:9], key=lambda line: line.split()[-1])] == ["1", "2", "2", "2"]
    assert len({line.rindex("  ") for line in [lines[3], *lines[5:9]]}) == 1  # the names are aligned
    assert "in 7 runs of 4 tasks" in text
    qd.profiler.print_kernel_profiler_info("trace")
    trace = capsys.readouterr().out
    runs = [line.split()[-1] for line in trace.splitlines()[5:12]]
    assert runs == ["work.0", "work.1", "work.2", "work.0", "work.1", "work.2", "rest.second"]
    with pytest.raises(ValueError, match="'count' or 'trace'"):
        qd.profiler.print_kernel_profiler_info("all")


def test_off():
    x = qd.field(qd.i32, 4)
    work, _ = make(x)
    work(4)
    for use in (
        qd.profiler.print_kernel_profiler_info,
        qd.profiler.clear_kernel_profiler_info,
        qd.profiler.get_kernel_profiler_total_time,
        lambda: qd.profiler.query_kernel_profiler_info("work"),
    ):
        with pytest.warns(UserWarning, match=r"use 'qd.init\(kernel_profiler = True\)' to turn on KernelProfiler"):
            use()
    assert qd._native.core().task_times() == []


def test_results_are_the_same(profiled):
    x = qd.field(qd.i32, 1000)
    work, _ = make(x)
    work(1000)
    assert x.to_numpy().tolist() == [10] + [2] * 999

    @qd.kernel
    def failing():
        for i in range(10):
            assert i < 5

    qd.cfg.debug = True
    with pytest.raises(AssertionError):
        failing()


def test_hardware_counters():
    profiler = qd.profiler
    assert profiler.set_kernel_profiler_toolkit("default") is True
    with pytest.warns(UserWarning, match="CUPTI measures CUDA devices"):
        assert profiler.set_kernel_profiler_toolkit("cupti") is False
    with pytest.warns(UserWarning, match="no hardware counters"):
        assert profiler.get_predefined_cupti_metrics("global_access") == []
    metric = profiler.CuptiMetric(name="sm__cycles", header="cycles", scale=2.0)
    assert (metric.name, metric.header, metric.scale) == ("sm__cycles", "cycles", 2.0)
    with pytest.warns(UserWarning, match="no hardware counters"):
        profiler.set_kernel_profiler_metrics([metric])
    with pytest.warns(UserWarning, match="no hardware counters"):
        with profiler.collect_kernel_profiler_metrics([metric]):
            pass


def test_scopes_of_the_compiler(capsys):
    work, rest = make(qd.field(qd.i32, 4))
    qd.profiler.clear_scoped_profiler_info()
    work(4)
    rest()
    capsys.readouterr()
    qd.profiler.print_scoped_profiler_info()
    text = capsys.readouterr().out
    rows = {line.split(maxsplit=4)[4].strip(): line.split() for line in text.splitlines()[5:] if "%" in line}
    assert rows["kernels: from the call to code that is ready to run"][2] == "2"
    assert rows["tasks, which are compiled side by side"][2] == "4"
    assert {"frontend", "offload"} <= set(rows)
    whole = float(rows["kernels: from the call to code that is ready to run"][0])
    assert 0 < float(rows["frontend"][0]) <= whole
    qd.profiler.clear_scoped_profiler_info()
    qd.profiler.print_scoped_profiler_info()
    assert "frontend" not in capsys.readouterr().out


def test_memory(capsys):
    x = qd.field(qd.f32, (16, 16), name="x")
    y = qd.field(qd.i32, name="y")
    qd.root.pointer(qd.i, 4).dense(qd.i, 8).place(y)
    a = [qd.ndarray(qd.f64, 1000), qd.Vector.ndarray(3, qd.i32, 10)]
    x[0, 0] = 1
    y[3] = 2
    capsys.readouterr()
    qd.profiler.print_memory_profiler_info()
    text = numbers_out(capsys.readouterr().out)
    assert " 1 field tree 0" in text and "256 dense [16, 16]" in text and " 4 B x" in text
    assert "1 made pointer [4]" in text and "8 dense [8]" in text
    count, size = qd._native.core().ndarray_memory()
    assert (count, size) == (2, 8000 + 120)
    del a[0]
    assert qd._native.core().ndarray_memory() == (1, 120)
    held = qd._native.core().allocated_bytes()
    assert held >= 1024 + 120
    qd.reset()
    with pytest.raises(qd.QuadrantsRuntimeError):
        qd.profiler.print_memory_profiler_info()
