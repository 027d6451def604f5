"""Sections of a region on the CPU: in parallel if they are worth a thread, otherwise and where it would be observable one after another."""

import os
import signal
import threading
import time

import numpy as np
import pytest
import quadrants as qd

Line = qd.types.ndarray(qd.i32, ndim=1)
Floats = qd.types.ndarray(qd.f32, ndim=1)
Flag = qd.types.ndarray(qd.i32, ndim=0)
ROUNDS = 20_000_000  # a waiting loop ends eventually


@pytest.fixture(autouse=True)
def arch():
    """Compiled code, on two threads."""
    qd.init(arch=qd.cpu, cpu_max_num_threads=2, offline_cache=False)
    yield "cpu"
    qd.reset()


def line(n=4):
    return qd.ndarray(qd.i32, n)


@qd.func
def meet(here, there, met):
    """Sets its flag in a separate task and waits for the other section's flag."""
    here[0] = 1
    for _ in range(1):
        for _ in range(ROUNDS):
            if qd.atomic_max(there[0], 0) > 0:
                met[0] = 1
                break


@qd.kernel(graph=True)
def two_that_meet(a: Line, b: Line, first: Line, second: Line):
    with qd.graph.parallel_context():
        with qd.graph.parallel():
            meet(a, b, first)
        with qd.graph.parallel():
            meet(b, a, second)


def both_met():
    """Loops that end early have an unknown length, so a long launch has to come first."""
    for _ in range(4):
        given = [line() for _ in range(4)]
        two_that_meet(*given)
        if given[2][0] and given[3][0]:
            return True
    return False


def test_sections_run_at_once():
    assert both_met()


def test_from_the_cache_too(tmp_path):
    for _ in range(2):
        qd.init(arch=qd.cpu, cpu_max_num_threads=2, offline_cache=True, offline_cache_file_path=str(tmp_path))
        assert both_met()


def test_sections_that_turn_out_to_be_heavy():
    """The cost of the loops is known only at run time, so launches are measured."""

    @qd.kernel(graph=True)
    def k(a: Line, b: Line, met: Line, n: qd.i32, m: qd.i32):
        with qd.graph.parallel_context():
            with qd.graph.parallel():
                a[0] = 1
                for _ in range(1):
                    for _ in range(n):
                        for _ in range(m):
                            if qd.atomic_max(b[0], 0) > 0:
                                met[0] = 1
                                break
            with qd.graph.parallel():
                b[0] = 1
                for _ in range(1):
                    for _ in range(n):
                        for _ in range(m):
                            if qd.atomic_max(a[0], 0) > 0:
                                met[1] = 1
                                break

    launches = 0
    for launches in range(64):
        a, b, met = line(), line(), line()
        k(a, b, met, 1, 2_000_000)
        if met[0] and met[1]:
            break
    assert met[0] and met[1], launches


def test_later_code_sees_all_sections_in_each_turn():
    @qd.kernel(graph=True)
    def k(x: Line, y: Line, out: Line, n: Flag):
        while qd.graph.do_while(n):
            with qd.graph.parallel_context():
                with qd.graph.parallel():
                    for _ in range(1):
                        for j in range(100_000):
                            x[0] += j % 3
                    for i in x:
                        x[i] += 1
                with qd.graph.parallel():
                    for i in y:
                        y[i] += i
                    for _ in range(1):
                        for j in range(100_000):
                            y[0] += j % 5
                with qd.graph.parallel():
                    out[1] += 1
            for _ in range(1):
                out[0] += x[0] + y[0]
                x[0] = 0
                y[0] = 0
            n[()] -= 1

    x, y, out, n = line(100_000), line(100_000), line(), qd.ndarray(qd.i32, ())
    n[()] = 20
    k(x, y, out, n)
    once = sum(j % 3 for j in range(100_000)) + 1 + sum(j % 5 for j in range(100_000))
    assert out.to_numpy().tolist() == [20 * once, 20, 0, 0]
    assert (x.to_numpy()[1:] == 20).all() and (y.to_numpy()[1:] == 20 * np.arange(1, 100_000)).all()


def test_sections_that_add_to_one_element():
    @qd.kernel(graph=True)
    def k(x: Line):
        with qd.graph.parallel_context():
            for _ in qd.static(range(4)):
                with qd.graph.parallel():
                    for _ in range(1):
                        for _ in range(200_000):
                            x[0] += 1

    x = line()
    for _ in range(5):
        k(x)
    assert x[0] == 4_000_000


def test_random_numbers_are_those_of_one_after_another():
    @qd.kernel(graph=True)
    def k(x: Floats, y: Floats):
        with qd.graph.parallel_context():
            with qd.graph.parallel():
                for _ in range(1):
                    for i in range(50_000):
                        x[i] = qd.random()
            with qd.graph.parallel():
                for _ in range(1):
                    for i in range(50_000):
                        y[i] = qd.random()

    drawn = []
    for _ in range(2):
        qd.init(arch=qd.cpu, cpu_max_num_threads=2, random_seed=7)
        x, y = qd.ndarray(qd.f32, 50_000), qd.ndarray(qd.f32, 50_000)
        for _ in range(3):
            k(x, y)
        drawn.append((x.to_numpy(), y.to_numpy()))
    assert (drawn[0][0] == drawn[1][0]).all() and (drawn[0][1] == drawn[1][1]).all()


def test_prints_come_in_order(capfd):
    @qd.kernel(graph=True)
    def k(x: Line):
        with qd.graph.parallel_context():
            for part in qd.static(range(3)):
                with qd.graph.parallel():
                    for _ in range(1):
                        for j in range(100_000):
                            x[part] += j % 3
                        print("section", part)
                    print("after", part)

    k(line())
    said = [row for row in capfd.readouterr().out.splitlines() if row.startswith(("section", "after"))]
    assert said == [f"{word} {part}" for part in range(3) for word in ("section", "after")]


def test_a_variable_that_a_section_changes():
    @qd.kernel(graph=True)
    def k(x: Line) -> qd.i32:
        total = 1
        with qd.graph.parallel_context():
            with qd.graph.parallel():
                for _ in range(1):
                    for j in range(100_000):
                        x[0] += j % 3
                total += 10
            with qd.graph.parallel():
                for _ in range(1):
                    for j in range(100_000):
                        x[1] += j % 3
                total *= 2
        return total

    assert k(line()) == 22


def test_counted_lines(monkeypatch):
    monkeypatch.setenv("QD_KERNEL_COVERAGE", "1")
    qd.init(arch=qd.cpu, cpu_max_num_threads=2, offline_cache=False)
    qd.coverage.clear()

    @qd.kernel(graph=True)
    def k(x: Line, y: Line):
        with qd.graph.parallel_context():
            with qd.graph.parallel():
                for _ in range(1):
                    for j in range(100_000):
                        if j % 10 == 0:
                            x[0] += 1
            with qd.graph.parallel():
                for _ in range(1):
                    for j in range(100_000):
                        if j % 4 == 0:
                            y[0] += 1
                for i in range(200_000):
                    qd.atomic_add(y[1], i % 2)

    x, y = line(), line()
    for _ in range(3):
        k(x, y)
    counts = qd.coverage.snapshot()[__file__]
    first = k._primal.fn.__code__.co_firstlineno + 2
    assert [counts.get(first + i, 0) for i in (5, 10, 12)] == [3 * 10_000, 3 * 25_000, 3 * 200_000]
    assert (x[0], y[0], y[1]) == (30_000, 75_000, 300_000)
    qd.coverage.clear()


def test_a_fault_names_the_line():
    @qd.kernel(graph=True)
    def k(x: Line, y: Line):
        with qd.graph.parallel_context():
            with qd.graph.parallel():
                for _ in range(1):
                    for j in range(100_000):
                        x[0] += j % 3
            with qd.graph.parallel():
                for _ in range(1):
                    for j in range(100_000):
                        y[1] += j % (y[0] - j)

    with pytest.raises(qd.QuadrantsRuntimeError, match=r"y\[1\] \+= j % \(y\[0\] - j\)"):
        k(line(), line())
    assert both_met()  # the program continues


def test_stop_in_sections_without_end():
    @qd.kernel(graph=True)
    def k(x: Line, y: Line, go: Line):
        with qd.graph.parallel_context():
            with qd.graph.parallel():
                for _ in range(1):
                    while go[0] > 0:
                        x[0] += 1
            with qd.graph.parallel():
                for _ in range(1):
                    while go[0] > 0:
                        y[0] += 1
                for i in y:
                    y[i] = -1

    x, y, go = line(), line(100_000), line()
    for _ in range(20):
        k(x, y, go)
    go[0] = 1
    took = []
    for _ in range(3):
        pressed = []

        def press():
            time.sleep(0.2)
            pressed.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

        thread = threading.Thread(target=press)
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            k(x, y, go)
        took.append(time.monotonic() - pressed[0])
        thread.join()
    assert min(took) < 0.1


def test_threads_that_launch_at_once():
    @qd.kernel(graph=True)
    def k(x: Line):
        with qd.graph.parallel_context():
            for part in qd.static(range(3)):
                with qd.graph.parallel():
                    for _ in range(1):
                        for j in range(50_000):
                            x[part] += j % 3
                    for _ in range(1):
                        x[3] += 1

    lines = [line() for _ in range(4)]

    def launch(x):
        for _ in range(20):
            k(x)

    threads = [threading.Thread(target=launch, args=(x,)) for x in lines]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    once = sum(j % 3 for j in range(50_000))
    assert all(x.to_numpy().tolist() == [20 * once] * 3 + [60] for x in lines)
