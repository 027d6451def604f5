"""Counts of loops inside parallel loops, and of SIMD loops, while they run."""

import os
import signal
import threading
import time

import numpy as np
import pytest
import quadrants as qd

LONG = 2**31 - 1


@qd.func
def summed(n: qd.i32, j: qd.i32):
    s = 0.0
    for i in range(n):
        s += qd.sin(i * 0.001 + j)  # func
    return s


@qd.kernel
def inner(x: qd.types.ndarray(qd.f32, ndim=1), n: qd.i32):
    for j in x:
        s = 0.0
        for i in range(n):
            s += qd.sin(i * 0.001)  # inner
        x[j] = s


@qd.kernel
def branches(x: qd.types.ndarray(qd.f32, ndim=1), n: qd.i32):
    for j in x:
        s = 0
        for i in range(n):
            if (i + j) % 3 == 0:
                s += i  # branches
            elif s % 7 == 1:
                s -= 2
            else:
                s ^= j
        x[j] = s


@qd.kernel
def lanes(x: qd.types.ndarray(qd.f32, ndim=1), n: qd.i32):
    for j in x:
        s = 0.0
        if j % 3 != 1:
            for i in range(n):
                if s < 2.0 * j:  # lanes
                    s += 0.5
                else:
                    s -= qd.sqrt(s)
        x[j] = s


@qd.kernel
def middle(x: qd.types.ndarray(qd.f32, ndim=1), n: qd.i32):
    for j in x:
        s = 0
        for i in range(n):
            for k in range(3):
                s += i ^ k  # middle
            if s % 5 == 0:
                s += 1
        x[j] = s


@qd.kernel
def halving(x: qd.types.ndarray(qd.f32, ndim=1), n: qd.i32):
    for j in x:
        v = n
        s = 0
        while v > 0:
            s += v % 3  # halving
            if s % 2 == 0:
                v -= 1
            else:
                v -= 2
            if n == 2147483647 and v < 10:
                v = n
        x[j] = s


@qd.kernel
def leaving(x: qd.types.ndarray(qd.f32, ndim=1), n: qd.i32):
    for j in x:
        s = 0
        for i in range(n):
            if s == 4 * j + 1 and n < 1000:
                break
            s += i & 1  # leaving
        x[j] = s


@qd.kernel
def serial(x: qd.types.ndarray(qd.f32, ndim=1), n: qd.i32):
    for k in range(x.shape[0]):
        s = 0
        qd.loop_config(serialize=True)
        for i in range(n):
            s += (i * 7) ^ k  # serial
        x[k] = s


@qd.kernel
def alone(x: qd.types.ndarray(qd.f32, ndim=1), n: qd.i32):
    s = 0
    qd.loop_config(serialize=True)
    for i in range(n):
        if i % 3 == 0:
            s += i ^ 5  # alone
        else:
            s += 1
    x[0] = s


@qd.kernel
def called(x: qd.types.ndarray(qd.f32, ndim=1), n: qd.i32):
    for j in x:
        x[j] = summed(n, j)


@qd.kernel
def nested(x: qd.types.ndarray(qd.f32, ndim=1), n: qd.i32):
    for j in x:
        s = 0
        for a in range(n):
            if a % 2 == 0:
                for b in range(n):
                    s += a ^ b  # nested
            else:
                s += 3
            if s % 3 == 0:
                s -= 1
        x[j] = s


KERNELS = {
    "inner": inner,
    "branches": branches,
    "lanes": lanes,
    "middle": middle,
    "halving": halving,
    "leaving": leaving,
    "serial": serial,
    "alone": alone,
    "func": called,
    "nested": nested,
}


@pytest.fixture
def counting(arch, monkeypatch):
    if arch == "far":
        pytest.skip("counts come from the device when a launch has ended")
    monkeypatch.setenv("QD_KERNEL_COVERAGE", "1")
    qd.init(arch=arch, offline_cache=False, cpu_max_num_threads=2)
    qd.coverage.clear()
    yield
    qd.coverage.clear()


def line_of(name):
    return next(i for i, text in enumerate(open(__file__), 1) if text.endswith(f"  # {name}\n"))


@pytest.mark.parametrize("name", KERNELS)
def test_a_loop_publishes_counts_while_it_runs(counting, name):
    kernel, line, seen = KERNELS[name], line_of(name), [0]
    x = np.zeros(40, np.float32)
    kernel(x, 0)

    def watch():
        until = time.monotonic() + 60
        while time.monotonic() < until and len(seen) < 4:
            now = qd.coverage.snapshot().get(__file__, {}).get(line, 0)
            if now > seen[-1]:
                seen.append(now)
        os.kill(os.getpid(), signal.SIGINT)

    watcher = threading.Thread(target=watch)
    with pytest.raises(KeyboardInterrupt):
        watcher.start()
        kernel(x, LONG)
    watcher.join()
    assert len(seen) == 4
    assert qd.coverage.snapshot()[__file__][line] >= seen[-1]


@pytest.mark.parametrize("name", KERNELS)
def test_counts_stay_exact(counting, arch, name):
    """However often counts are read, none exceeds its final value or decreases."""
    kernel, n = KERNELS[name], 50 if name == "nested" else 900 if arch == "interp" else 200_000
    rounds = 3 if arch == "interp" else 20
    if name == "nested" and arch != "interp":
        n = 1000

    def run():
        x = np.zeros(40, np.float32)
        kernel(x, n)
        return x.tolist()

    result = run()
    once = dict(qd.coverage.snapshot()[__file__])
    done, seen = threading.Event(), []

    def read():
        while not done.is_set():
            seen.append(dict(qd.coverage.snapshot()[__file__]))

    reader = threading.Thread(target=read)
    reader.start()
    try:
        for _ in range(rounds):
            assert run() == result
    finally:
        done.set()
        reader.join()
    end = dict(qd.coverage.snapshot()[__file__])
    assert end == {line: (rounds + 1) * count for line, count in once.items()}
    for before, after in zip(seen, [*seen[1:], end], strict=True):
        assert before.keys() == once.keys()
        assert all(before[line] <= after[line] for line in once)
