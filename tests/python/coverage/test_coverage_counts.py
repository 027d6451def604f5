"""qd.coverage.snapshot(): exact counts per line."""

import itertools
import os
import signal
import threading
import time

import numpy as np
import pytest
import quadrants as qd
from quadrants import _settings
from quadrants._coverage import counts as _coverage


@qd.func
def clipped(v, limit):
    result = v
    if v > limit:
        result = limit
    return result


@qd.kernel
def limit_all(x: qd.types.ndarray(qd.f32, ndim=1), limit: qd.f32):
    for i in x:
        if x[i] > 0.0:
            x[i] = clipped(x[i], limit)
        else:
            x[i] = 0.0


@qd.kernel
def halve_all(x: qd.types.ndarray(qd.i32, ndim=1)):
    for i in x:
        v = x[i]
        steps = 0
        while v > 1:
            v = v // 2
            if v == 3:
                steps = steps + 10
            steps += 1
        x[i] = steps


@pytest.fixture
def counting(arch, monkeypatch):
    monkeypatch.setenv("QD_KERNEL_COVERAGE", "1")
    qd.init(arch=arch, offline_cache=False)
    qd.coverage.clear()
    yield
    qd.coverage.clear()


def counts_of(text):
    """The count of the line of this file that contains `text` and the marker that makes it unique."""
    lines = open(__file__).read().splitlines()
    number = next(i for i, line in enumerate(lines, 1) if line.strip() == text)
    return qd.coverage.snapshot()[__file__].get(number, 0)


def test_counts(counting):
    x = np.array([-1, 1, 2, 3, 4, -5, 0, 0.5], np.float32)
    limit_all(x, 2.0)
    assert x.tolist() == [0, 1, 2, 2, 2, 0, 0, 0.5]
    assert counts_of("if x[i] > 0.0:") == 8
    assert counts_of("x[i] = clipped(x[i], limit)") == 5
    assert counts_of("x[i] = 0.0") == 3
    assert counts_of("result = v") == 5
    assert counts_of("result = limit") == 2
    limit_all(x, 2.0)
    assert counts_of("if x[i] > 0.0:") == 16


def test_counts_of_single_launches(counting, arch):
    limit_all(np.ones(10, np.float32), 2.0)
    line = open(__file__).read().splitlines().index("        if x[i] > 0.0:") + 1
    with qd.coverage.record() as counts:
        limit_all(np.array([1, 3, -1], np.float32), 2.0)
    assert counts[__file__][line] == 3
    assert counts[__file__].branches[line] == {"taken": 2, "not_taken": 1}
    assert counts[__file__].arcs[line, line + 1] == 2
    with qd.coverage.record() as outer:
        with qd.coverage.record() as inner:
            pass
        qd.init(arch=arch, offline_cache=False)
        limit_all(np.ones(4, np.float32), 2.0)
    assert set(inner[__file__].values()) == {0} and outer[__file__][line] == 4
    with qd.coverage.record() as counts:
        limit_all(np.ones(4, np.float32), 2.0)
        qd.coverage.clear()
        limit_all(np.ones(5, np.float32), 2.0)
    assert counts[__file__][line] == 5
    assert counts_of("if x[i] > 0.0:") == 5


def test_counts_outlive_the_program(counting, arch):
    limit_all(np.ones(10, np.float32), 2.0)
    qd.init(arch=arch, offline_cache=False)
    assert counts_of("if x[i] > 0.0:") == 10
    limit_all(np.ones(10, np.float32), 2.0)
    assert counts_of("if x[i] > 0.0:") == 20


def test_off_by_default():
    qd.coverage.clear()
    limit_all(np.ones(10, np.float32), 2.0)
    assert qd.coverage.snapshot() == {}


def test_lanes_that_leave_a_loop_one_by_one(counting, arch):
    x = np.arange(37, dtype=np.int32)
    halve_all(x)
    halvings = [max(int(v).bit_length() - 1, 0) for v in range(37)]
    through_three = [v for v in range(4, 37) if bin(v).startswith("0b11") and v.bit_length() > 2]
    assert x.tolist() == [n + 10 * (v in through_three) for v, n in enumerate(halvings)]
    assert counts_of("steps = 0") == 37
    assert counts_of("v = v // 2") == sum(halvings)
    assert counts_of("steps = steps + 10") == len(through_three)
    assert counts_of("x[i] = steps") == 37


@qd.kernel
def collatz_all(x: qd.types.ndarray(qd.i32, ndim=1), most: qd.i32):
    for i in x:
        n = x[i]
        steps = 0
        while n != 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            steps += 1
            if steps >= most:
                break
            if n == 13:
                n = 26 // 2
        x[i] = steps + 1000 * n


def test_branches_in_a_loop_that_lanes_leave(counting, arch):
    expected, halved, tripled, stopped, thirteen, done = [], 0, 0, 0, 0, 0
    for n in range(1, 78):
        steps = 0
        while n != 1:
            halved += n % 2 == 0
            tripled += n % 2
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
            if steps >= 20:
                stopped += 1
                break
            thirteen += n == 13
        done += steps
        expected.append(steps + 1000 * n)
    x = np.arange(1, 78, dtype=np.int32)
    collatz_all(x, 20)
    assert x.tolist() == expected
    assert stopped and thirteen
    assert counts_of("n = n // 2") == halved
    assert counts_of("n = 3 * n + 1") == tripled
    assert counts_of("if steps >= most:") == counts_of("if n % 2 == 0:") == done
    assert counts_of("break") == stopped
    assert counts_of("if n == 13:") == done - stopped
    assert counts_of("n = 26 // 2") == thirteen
    assert counts_of("x[i] = steps + 1000 * n") == 77


def test_reading_from_another_thread_while_programs_end(counting, arch, monkeypatch):
    """No count is lost or added twice while it moves from an ending program to the saved counts."""

    @qd.kernel
    def once(x: qd.types.ndarray(qd.i32, ndim=1)):
        x[0] += 1

    place = once.fn.__code__.co_filename, once.fn.__code__.co_firstlineno + 2
    seen, errors, done = [], [], threading.Event()

    def total():
        return sum(count for key, count in _coverage.counters().items() if key[0] == "line" and (key[1], key[3]) == place)

    def read():
        try:
            while not done.is_set():
                seen.append(total())
                qd.coverage.specialisations()
        except Exception as error:
            errors.append(error)

    def wait_for_two_readings():
        wanted = len(seen) + 2
        while len(seen) < wanted and reader.is_alive():
            time.sleep(0)

    reader = threading.Thread(target=read)
    monkeypatch.setattr(_settings, "before_reset", [*_settings.before_reset, wait_for_two_readings])  # after the counts were saved
    reader.start()
    for _ in range(20):
        qd.init(arch=arch, offline_cache=False)
        once(qd.ndarray(qd.i32, 1))
    done.set()
    reader.join()
    monkeypatch.undo()
    assert not errors
    assert not [(before, after) for before, after in itertools.pairwise(seen) if before > after]
    assert seen[-1] <= 20
    qd.reset()
    assert total() == 20


@qd.kernel
def count_up(n: qd.i32) -> qd.i32:
    rounds = 0
    while n > 0:
        rounds += 1
    return rounds


def test_a_serial_loop_publishes_counts_while_it_runs(counting, arch):
    if arch == "far":
        pytest.skip("counts come from the device when a launch has ended")
    seen = [0]

    def watch():
        until = time.monotonic() + 300
        while time.monotonic() < until:
            now = qd.coverage.snapshot().get(__file__, {}).get(line, 0)
            if now > seen[-1]:
                seen.append(now)
            if len(seen) > 3:
                break
        os.kill(os.getpid(), signal.SIGINT)

    assert count_up(0) == 0
    line = count_up.fn.__code__.co_firstlineno + 4
    watcher = threading.Thread(target=watch)
    with pytest.raises(KeyboardInterrupt):
        watcher.start()
        count_up(1)
    watcher.join()
    assert len(seen) > 3
    assert counts_of("rounds += 1") >= seen[-1]


@qd.kernel
def serial_loops(x: qd.types.ndarray(qd.i32, ndim=1), n: qd.i32):
    qd.loop_config(serialize=True)
    for i in range(n):
        for j in range(n):
            v = (7 * x[i] + j) % 5
            if v > 2:
                x[j] = v
            while v > 0:
                v -= 1
                if v == i:
                    break
        for j in range(n):
            x[j] += 1


def test_counts_read_during_a_launch_are_exact(counting):
    done = threading.Event()

    def read():
        while not done.is_set():
            qd.coverage.snapshot()

    def run():
        x = np.zeros(40, np.int32)
        serial_loops(x, 40)
        return x.tolist()

    result = run()
    once = dict(qd.coverage.snapshot()[__file__])
    assert sum(once.values()) > 5000
    reader = threading.Thread(target=read)
    reader.start()
    try:
        for _ in range(30):
            assert run() == result
    finally:
        done.set()
        reader.join()
    assert dict(qd.coverage.snapshot()[__file__]) == {line: 31 * count for line, count in once.items()}


def test_gradients_are_counted_apart(counting):
    x, loss = qd.field(qd.f32, shape=6, needs_grad=True), qd.field(qd.f32, shape=(), needs_grad=True)
    x.from_numpy(np.array([-1, 1, 2, 3, 4, 5], np.float32))

    @qd.func
    def weight(v):
        result = v * v  # in a func
        if v > 2.5:
            result = v  # of three
        return result

    @qd.kernel
    def collect():
        for i in x:
            total = 0.0
            for k in qd.static(range(2)):
                total += weight(x[i]) * k  # unrolled
            for j, k in qd.ndrange(2, 3):
                total += x[i] * k  # of a nest
            loss[None] += total

    def backward():
        counts = qd.coverage.snapshot()[__file__]
        lines = open(__file__).read().splitlines()
        wanted = ("# in a func", "# of three", "# unrolled", "# of a nest")
        numbers = [next(i for i, line in enumerate(lines, 1) if line.endswith(text)) for text in wanted]
        return [counts.get(n, 0) for n in numbers], [counts.backward.get(n, 0) for n in numbers]

    collect()
    assert backward() == ([12, 6, 12, 36], [0] * 4)
    arcs, forward = qd.coverage.snapshot()[__file__].arcs, qd.coverage.counters()
    collect.grad()
    assert backward() == ([12, 6, 12, 36], [12, 6, 12, 36])
    with qd.ad.Tape(loss):
        collect()
    assert backward() == ([24, 12, 24, 72], [24, 12, 24, 72])
    assert {key[0] for key in qd.coverage.counters()} == {key[0] for key in forward} and arcs
    with qd.coverage.record() as counts:
        collect.grad()
    assert not any(counts[__file__].values()) and sum(counts[__file__].backward.values()) > 0
    qd.init(arch=qd.cpu, offline_cache=False)
    assert backward()[1] == [36, 18, 36, 108]
    qd.coverage.clear()
    assert __file__ not in qd.coverage.snapshot()


def test_validation_is_counted(arch, monkeypatch):
    monkeypatch.setenv("QD_KERNEL_COVERAGE", "1")
    qd.init(arch=arch, debug=True, offline_cache=False)
    qd.coverage.clear()
    x, loss = qd.field(qd.f32, shape=3, needs_grad=True), qd.field(qd.f32, shape=(), needs_grad=True)

    @qd.kernel
    def validated():
        for i in x:
            loss[None] += x[i]  # under validation

    with qd.ad.Tape(loss, validation=True):
        validated()
    lines = open(__file__).read().splitlines()
    number = next(i for i, line in enumerate(lines, 1) if line.endswith("# under validation"))
    counts = qd.coverage.snapshot()[__file__]
    assert counts[number] == counts.backward[number] == 3
    qd.coverage.clear()


def test_titles_of_objects_that_refuse_attributes(counting):
    """A title describes the constants of a specialisation; objects of users may raise anything for a name that they do not know."""

    class Options:
        def __getattr__(self, name):
            return {"a": 3}[name]

    @qd.kernel
    def k(t: qd.template()) -> qd.i32:
        return t.a

    assert k(Options()) == 3
    assert "t=Options" in [one.title for one in qd.coverage.specialisations()]
