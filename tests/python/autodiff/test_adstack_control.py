"""Serial loops in the backward pass: iterations that end early, memory that outer loops change, loops next to parallel ones."""

import numpy as np
import pytest
import quadrants as qd
from adstacks import check, gradient, loss, reals, stacks, start, x  # noqa: F401


def test_continue(x, loss):
    @qd.kernel
    def f(n: qd.i32):
        for i in x:
            v = x[i]
            total = 0.0
            for k in range(n):
                if k % 3 == 1:
                    continue
                v = qd.sin(v) * x[i] + 0.1 * k
                if (k + i) % 3 == 0:
                    total += v * v
                    continue
                total -= v
            loss[None] += total * v

    check(f, x, loss, 7)
    assert gradient(f, x, loss, 0).tolist() == [0, 0, 0, 0]


def test_continue_deep_in_branches(x, loss):
    @qd.kernel
    def f(n: qd.i32):
        for i in x:
            v = x[i]
            w = 1.0
            for k in range(n):
                u = 0.5
                if k % 2 == 0:
                    u = v * 0.5
                    if k % 4 == 0:
                        w = w * v
                        continue
                    u += w
                else:
                    if x[i] > 1.0:
                        if k > 3:
                            continue
                        v = v * 0.7
                    else:
                        u = u * v
                v = qd.sin(v + u) * w
            loss[None] += v + w

    check(f, x, loss, 9)


def test_continue_of_inner_and_outer_loops(x, loss):
    """`continue` of the inner loop and of the outer one, with vectors and in funcs."""

    @qd.func
    def damped(v, k):
        r = qd.cos(v)
        if k % 2 == 0:
            r = v * 0.5
        return r

    @qd.kernel
    def f(n: qd.i32):
        for i in x:
            v = qd.Vector([x[i], x[i] * 0.5])
            for k in range(n):
                for j in range(k):
                    if j == 1:
                        continue
                    v[0] = qd.sin(v[0] + v[1])
                if k == 2:
                    continue
                v = v * damped(v[0], k)
            loss[None] += v.sum()

    check(f, x, loss, 5)


def test_break_and_while_stay_refused(x, loss):
    @qd.kernel
    def broken(n: qd.i32):
        for i in x:
            v = x[i]
            for k in range(n):
                if k == 1:
                    continue
                if v > 3:
                    break
                v = v * v
            loss[None] += v

    with pytest.raises(RuntimeError, match="WhileStmt is not supported in AutoDiff."):
        broken.grad(3)

    @qd.kernel
    def endless():
        for i in x:
            v = x[i]
            while v < 3:
                v = v * 2
                if v == 1:
                    continue
            loss[None] += v

    with pytest.raises(RuntimeError, match="WhileStmt is not supported in AutoDiff."):
        endless.grad()


def test_an_inner_loop_reads_what_the_outer_one_changes(x, loss):
    """The values read are kept for each iteration of the inner loop, whatever the trip count is."""
    table = qd.field(qd.f64, 8)

    @qd.kernel
    def f(n: qd.i32):
        for i in x:
            for k in range(2):
                table[2 * i + k] = 0.4 + 0.1 * k
            v = x[i]
            for j in range(n):
                for k in range(j % 3):
                    v = v * (table[2 * i + k % 2] + 0.8)
                table[2 * i + j % 2] = table[2 * i + j % 2] * 0.5 + 0.3 * j
                v = qd.sin(v)
            loss[None] += v

    check(f, x, loss, 6)
    assert gradient(f, x, loss, 0).tolist() == [1, 1, 1, 1]


def test_memory_changes_at_every_level(x, loss):
    state = qd.field(qd.f64, 4)
    count = qd.field(qd.i32, ())

    @qd.kernel
    def f(n: qd.i32):
        for i in x:
            state[i] = 0.3
            v = x[i]
            for a in range(n):
                for b in range(a):
                    for c in range(b + 1):
                        if c % 2 == 0:
                            s = state[i]
                            state[i] = s * 0.9 + 0.05 * c
                            v = qd.sin(v * (1.0 + s))
                    state[i] = state[i] + 0.01
                    qd.atomic_add(count[None], 1)
                v = v * (1.1 + state[i])
            loss[None] += v

    check(f, x, loss, 4)
    before = count[None]
    f.grad(4)
    assert count[None] == before + 4 * 6


def test_numbers_that_an_atomic_of_an_inner_loop_gives(x, loss):
    ticket = qd.field(qd.i32, 4)

    @qd.kernel
    def f(n: qd.i32):
        for i in x:
            ticket[i] = 0
            v = x[i]
            for a in range(n):
                for b in range(2):
                    old = qd.atomic_add(ticket[i], b + 1)
                    v = v * (0.5 + 0.25 * (old % 3))
                v = qd.sin(v) + x[i]
            loss[None] += v

    check(f, x, loss, 3)


def test_stacks_of_inner_loops_are_freed(arch):
    start(arch)
    x, loss = reals("x", shape=64)[0], reals("loss")[0]
    x.fill(0.7)
    state = qd.field(qd.f64, 64)

    @qd.kernel
    def f(n: qd.i32):
        for i in x:
            state[i] = 0.3
            v = x[i]
            for a in range(n):
                for b in range(4):
                    v = qd.sin(v * (1.0 + state[i]))
                state[i] = state[i] * 0.9
            loss[None] += v

    gradient(f, x, loss, 3)
    (task,) = qd.ad.memory_report()[0].tasks
    assert 0 < task.measured <= task.predicted <= 16 * 1000


def test_a_serial_loop_next_to_parallel_loops(x, loss):
    @qd.kernel
    def f(n: qd.i32):
        for i in x:
            loss[None] += x[i] * x[i]
        if n > 1:
            v = x[0]
            for k in range(n):
                v = qd.sin(v * x[k % 4]) + 0.2
            loss[None] += v
        for i in x:
            v = x[i]
            for _ in range(n):
                v = v * x[i]
            loss[None] += v

    check(f, x, loss, 5)
    check(f, x, loss, 1)


@pytest.mark.parametrize("width", [1, 2, 3, 16, 17, 40])
def test_many_chains_in_adjacent_lanes(arch, width):
    """All lanes allocate their stacks together, including the inactive lanes of the last iteration."""
    start(arch, default_fp=qd.f32)
    x, loss = reals("x", shape=width, dtype=qd.f32)[0], reals("loss", dtype=qd.f32)[0]
    values = np.linspace(0.2, 0.9, width).astype(np.float32)
    x.from_numpy(values)
    flags = qd.field(qd.i32, width)

    @qd.kernel
    def f(n: qd.i32):
        for i in range(width):
            v = x[i]
            w = 1.0
            turns = 0
            for k in range(n):
                for _ in range(k % 3):
                    w = w * v
                if v > 0.5:
                    turns += 1
                    v = qd.sin(v) * (0.5 + 0.25 * turns)
                else:
                    v = v * v + 0.5
            flags[i] = turns
            loss[None] += v * w

    def derivative(v, n):
        dv, w, dw, turns = 1.0, 1.0, 0.0, 0
        for k in range(n):
            for _ in range(k % 3):
                w, dw = w * v, dw * v + w * dv
            if v > 0.5:
                turns += 1
                v, dv = np.sin(v) * (0.5 + 0.25 * turns), np.cos(v) * dv * (0.5 + 0.25 * turns)
            else:
                v, dv = v * v + 0.5, 2 * v * dv
        return v * dw + dv * w

    expected = [derivative(float(v), 8) for v in values]
    np.testing.assert_allclose(gradient(f, x, loss, 8), expected, rtol=2e-5)
