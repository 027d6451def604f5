"""The sums that iterations added to one element are kept if the loop is left by Stop or by a failed assertion."""

import inspect
import os
import signal
import threading

import numpy as np
import pytest
import quadrants as qd

N = 2000
LONG = 2**31 - 1
STOPPED_AT = N // 2 + 17  # the iteration that never ends, or fails

Marks = qd.types.ndarray(qd.i32, ndim=1)
Plane = qd.types.ndarray(qd.i32, ndim=2)
Array = qd.types.ndarray(qd.f32, ndim=1)
Sums = qd.types.ndarray(qd.i64, ndim=1)
Reals = qd.types.ndarray(qd.f64, ndim=1)


@pytest.fixture(autouse=True)
def launches_end_in_their_call(arch):
    if arch == "far":
        pytest.skip("launches return at once; test_far.py has Ctrl-C while somebody waits for them")


def stop(launch, done, *sums):
    """Presses Ctrl-C in a launch that starts with zeros, late enough for some iterations to have run."""
    for seconds in (0.3, 2, 10):
        for array in (done, *sums):
            array.fill(0)
        with pytest.raises(KeyboardInterrupt):
            threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT)).start()
            launch()
        if done.to_numpy().any():
            return


@qd.func
def wait(i: qd.i32, n: qd.i32):
    s = 0.0
    for k in range(n):
        s += qd.sin(k * 0.001 + i)
    return s


@qd.func
def add(i: qd.i32, sums: Sums, reals: Reals):
    sums[0] += 1
    reals[0] += 0.5
    qd.atomic_max(sums[1], i)
    qd.atomic_or(sums[2], i)
    if i % 2 == 0:
        sums[3] += i


@qd.func
def finite(s: qd.f32) -> qd.i32:
    return qd.select(qd.abs(s) < 1e30, 1, 0)


@qd.kernel
def counted(done: Marks, sums: Sums, reals: Reals, long: qd.i32):
    for i in done:
        n = 3
        if i % STOPPED_AT == STOPPED_AT - 1:
            n = long
        s = wait(i, n)
        done[i] += finite(s)
        add(i, sums, reals)


@qd.kernel
def repeated(done: Marks, sums: Sums, reals: Reals, long: qd.i32):
    for i in done:
        n = 3
        if i % STOPPED_AT == STOPPED_AT - 1:
            n = long
        k = 0
        while k < n:
            k += 1
        done[i] += k // n
        add(i, sums, reals)


@qd.kernel
def lanes(done: Marks, sums: Sums, reals: Reals, long: qd.i32):
    for i in done:
        s = 0
        n = 5
        if i >= STOPPED_AT - 1:
            n = long
        for k in range(n):
            s = s * 1664525 + k
        done[i] = 1 + (s == 1)
        sums[0] += 1
        reals[0] += 0.5


@qd.kernel
def rows(done: Plane, sums: Sums, reals: Reals, long: qd.i32):
    for i, j in done:
        n = 3
        if (i * done.shape[1] + j) % STOPPED_AT == STOPPED_AT - 1:
            n = long
        s = wait(j, n)
        done[i, j] += finite(s)
        add(i * done.shape[1] + j, sums, reals)


def times_added(kernel):
    """Returns how often the line that adds to sums[0] ran, according to coverage."""
    lines, first = inspect.getsourcelines(inspect.unwrap(kernel if kernel is lanes else add))
    at = next(first + i for i, line in enumerate(lines) if line.strip() == "sums[0] += 1")
    return qd.coverage.snapshot()[__file__][at]


def check(done, sums, reals):
    marks = done.to_numpy().reshape(-1)
    came = np.flatnonzero(marks)
    sums = sums.to_numpy()
    assert len(came) > 0 and set(marks) <= {0, 1}
    assert sums[0] == len(came)
    assert reals.to_numpy()[0] == 0.5 * len(came)
    return came, sums


def others(came):
    """Returns the values that add() leaves in sums[1], sums[2] and sums[3]."""
    return [came.max(), np.bitwise_or.reduce(came), came[came % 2 == 0].sum()]


@pytest.mark.parametrize("counts", [False, True])
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kernel", [counted, repeated, lanes, rows], ids=lambda k: k.__name__)
def test_stop(arch, monkeypatch, kernel, threads, counts):
    if counts:
        monkeypatch.setenv("QD_KERNEL_COVERAGE", "1")
    qd.init(arch=arch, offline_cache=False, cpu_max_num_threads=threads)
    qd.coverage.clear()
    done = qd.ndarray(qd.i32, (40, N // 40) if kernel is rows else N)
    sums, reals = qd.ndarray(qd.i64, 4), qd.ndarray(qd.f64, 1)
    kernel(done, sums, reals, 3)
    came, _ = check(done, sums, reals)
    assert len(came) == N
    assert not counts or times_added(kernel) == N
    stop(lambda: kernel(done, sums, reals, LONG), done, sums, reals)
    came, found = check(done, sums, reals)
    assert len(came) < N
    assert not counts or times_added(kernel) - N <= len(came)  # iterations since the last safepoint of an interrupted chunk are not counted
    if kernel is not lanes:
        assert found[1:4].tolist() == others(came)


@qd.kernel
def to_each(x: Array, out: Array, done: Marks, long: qd.i32):
    for i in done:
        for j in range(out.shape[0]):
            out[j] += x[i]
        n = 1
        if i == STOPPED_AT:
            n = long
        s = wait(i, n)
        done[i] += finite(s)


def test_stop_where_threads_add_to_copies(arch):
    """A thread may add to a privatised copy of the array: its sums are then in the array, including those of the interrupted iteration."""
    qd.init(arch=arch, offline_cache=False, cpu_max_num_threads=1)
    x, out, done = qd.ndarray(qd.f32, N), qd.ndarray(qd.f32, 40), qd.ndarray(qd.i32, N)
    x.fill(1)
    stop(lambda: to_each(x, out, done, LONG), done, out)
    came = np.count_nonzero(done.to_numpy())
    assert 0 < came < N
    assert (out.to_numpy() == came + 1).all()


@qd.kernel
def checked(x: Marks, seen: Marks, sums: Sums, reals: Reals):
    for i in x:
        seen[i] += 1
        add(i, sums, reals)
        assert x[i] != 0
        sums[4] += 1


@qd.kernel
def divided(x: Marks, seen: Marks, sums: Sums, reals: Reals):
    for i in x:
        seen[i] += 1
        add(i, sums, reals)
        sums[4] += 5 // x[i]


@qd.kernel
def checked_inside(x: Marks, seen: Marks, sums: Sums, reals: Reals):
    for i in range(20):
        for j in range(100):
            k = i * 100 + j
            seen[k] += 1
            add(k, sums, reals)
            assert x[k] != 0
            sums[4] += 1


TREES = {
    "bitmasked": lambda root: root.bitmasked(qd.i, N),
    "pointer, bitmasked": lambda root: root.pointer(qd.i, N // 100).bitmasked(qd.i, 100),
    "pointer, dense": lambda root: root.pointer(qd.i, N // 100).dense(qd.i, 100),
    "dynamic": lambda root: root.dynamic(qd.i, N, 64),
}


@pytest.mark.parametrize("fails", [False, True])
@pytest.mark.parametrize("tree", TREES)
def test_loops_over_cells(arch, tree, fails):
    """The loop over the parts of containers is left, and so are the loops over their cells."""
    qd.init(arch=arch, offline_cache=False, cpu_max_num_threads=1)
    x, sums, done = qd.field(qd.i32), qd.ndarray(qd.i64, 2), qd.ndarray(qd.i32, N)
    TREES[tree](qd.root).place(x)

    @qd.kernel
    def activate():
        qd.loop_config(serialize=True)
        for i in range(N):
            if qd.static(tree == "dynamic"):
                qd.append(x.parent(), [], 1)
            elif i % 3 != 1:
                x[i] = 1

    @qd.kernel
    def work(sums: Sums, done: Marks, long: qd.i32, zero_at: qd.i32):
        for i in x:
            n = 3
            if i == STOPPED_AT:
                n = long
            s = wait(i, n)
            done[i] += finite(s)
            sums[0] += 1
            sums[1] += 5 // (i - zero_at)

    activate()
    work(sums, done, 3, -1)
    assert sums.to_numpy()[0] == done.to_numpy().sum() == N - ("bitmasked" in tree) * ((N + 1) // 3)
    if not fails:
        stop(lambda: work(sums, done, LONG, -1), done, sums)
    else:
        sums.fill(0)
        done.fill(0)
        with pytest.raises(qd.QuadrantsAssertionError):
            work(sums, done, 3, STOPPED_AT)
    came = np.flatnonzero(done.to_numpy())
    assert 0 < len(came) < N // 2 + 40 and sums.to_numpy()[0] == len(came)


@pytest.mark.parametrize("debug", [False, True])
@pytest.mark.parametrize("counts", [False, True])
@pytest.mark.parametrize("kernel", [checked, divided, checked_inside], ids=lambda k: k.__name__)
def test_a_check_that_fails(arch, monkeypatch, kernel, counts, debug):
    """Everything before the check has run, also in the iteration in which the check fails."""
    if counts:
        monkeypatch.setenv("QD_KERNEL_COVERAGE", "1")
    if kernel is not divided and not debug:
        pytest.skip("assertions are checked with debug=True")
    qd.init(arch=arch, offline_cache=False, debug=debug, cpu_max_num_threads=1)
    x, seen = qd.ndarray(qd.i32, N), qd.ndarray(qd.i32, N)
    sums, reals = qd.ndarray(qd.i64, 5), qd.ndarray(qd.f64, 1)
    values = np.full(N, 5, np.int32)
    values[STOPPED_AT] = 0
    x.from_numpy(values)
    with pytest.raises(qd.QuadrantsAssertionError):
        kernel(x, seen, sums, reals)
    came = np.flatnonzero(seen.to_numpy())
    found = sums.to_numpy()
    assert STOPPED_AT in came
    assert found.tolist() == [len(came), *others(came), len(came) - 1]
    assert reals.to_numpy()[0] == 0.5 * len(came)


@qd.kernel
def divided_for_each(x: Marks, out: Sums):
    for i in x:
        for j in range(out.shape[0]):
            out[j] += 5 // x[i]


def test_a_check_that_fails_where_threads_might_add_to_copies(arch):
    qd.init(arch=arch, offline_cache=False, cpu_max_num_threads=1)
    x, out = qd.ndarray(qd.i32, N), qd.ndarray(qd.i64, 40)
    values = np.full(N, 5, np.int32)
    values[STOPPED_AT] = 0
    x.from_numpy(values)
    with pytest.raises(qd.QuadrantsAssertionError):
        divided_for_each(x, out)
    assert (out.to_numpy() == STOPPED_AT).all()
