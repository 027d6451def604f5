"""Stacks in memory: their capacity, their size and how reports show it, budgets."""

import re

import numpy as np
import pytest
import quadrants as qd
from adstacks import check, gradient, loss, reals, stacks, start, x  # noqa: F401


def recurrence(trips):
    x, loss = reals("x", "loss")
    x[None] = 0.5

    @qd.kernel
    def compute():
        for _ in range(1):
            v = x[None]
            for _ in range(trips):
                v = qd.sin(v)
            loss[None] += v

    return compute, x, loss


@pytest.mark.parametrize("debug", [False, True])
def test_forced_capacity(arch, debug, capfd):
    start(arch, ad_stack_size=64, debug=debug)
    fine, x, loss = recurrence(63)
    assert gradient(fine, x, loss) > 0
    compute, x, loss = recurrence(64)
    for _ in range(2):  # and once more
        with pytest.raises(qd.QuadrantsAssertionError) as error:
            gradient(compute, x, loss)
        text = str(error.value)
        assert text.startswith("Adstack overflow: a reverse-mode autodiff kernel pushed more elements than the adstack")
        assert "Offending task: kernel `compute_reverse_grad_kernel` offload task #0; per-stack allocated max_size = [64]." in text
        assert "Synchronous sizer rerun: required max_size = [65]." in text
        assert "Note: kernel state may be inconsistent post-overflow" in text
        qd.sync()
    assert gradient(fine, x, loss) is not None
    start(arch, ad_stack_size=65, debug=debug)
    compute, x, loss = recurrence(64)
    assert gradient(compute, x, loss) > 0
    assert capfd.readouterr().err == ""


def test_overflow_is_raised_once_by_many_threads(arch):
    start(arch, ad_stack_size=8)
    n = 5000
    x, loss = reals("x", shape=n)[0], reals("loss")[0]
    x.fill(0.5)

    @qd.kernel
    def f():
        for i in x:
            v = x[i]
            for _ in range(10):
                v = v * v
            loss[None] += v

    with pytest.raises(qd.QuadrantsAssertionError, match="[Aa]dstack overflow"):
        f.grad()
    qd.sync()
    f()


def test_values_that_are_not_kept_need_no_capacity(arch):
    start(arch, ad_stack_size=4)
    x, loss = reals("x", "loss")
    x[None] = 2.0

    @qd.kernel
    def f():
        for _ in range(1):
            v = 0.0
            for k in range(100):
                v = 0.5 * v + x[None]
            loss[None] += v

    assert gradient(f, x, loss) == pytest.approx(2.0)


def test_stacks_larger_than_memory_are_an_error(arch):
    """The stack would need terabytes."""
    qd.init(arch=arch, default_fp=qd.f64, offline_cache=False, ad_stack_experimental_enabled=True)
    x, loss = reals("x", "loss")
    x[None] = 1.0

    @qd.kernel
    def f(n: qd.i32):
        for _ in range(1):
            v = qd.Matrix.one(qd.f64, 16, 16)
            v[0, 0] = x[None]
            for k in range(n):
                v[k % 16, 0] = v[k % 16, 0] * v[(k + 1) % 16, 0]
            loss[None] += v[0, 0]

    with pytest.raises(qd.QuadrantsRuntimeError) as error:
        f.grad(2**31 - 1)
    line = f._primal.fn.__code__.co_firstlineno + 5
    text = str(error.value)
    assert "Adstack: not enough memory for the values that a loop of kernel test_stacks_larger_than_memory_are_an_error.<locals>.f_reverse_grad stores for its reverse pass: it requested " in text
    assert f'File "{__file__}", line {line}, in f:\n            for k in range(n):' in text
    qd.sync()
    assert gradient(f, x, loss, 17) == 1


def test_the_extension_and_its_counters():
    assert qd.lang.misc.is_extension_supported(qd.cpu, qd.extension.adstack)
    assert qd.is_extension_enabled(qd.extension.adstack)
    program = qd.lang.impl.get_runtime().prog
    program._reset_max_reducer_dispatch_count()
    assert program._get_max_reducer_dispatch_count() == 0


def test_debug_lines(arch, tmp_path):
    import os
    import subprocess
    import sys

    program = tmp_path / "program.py"
    program.write_text(
        f"""
import quadrants as qd

qd.init(arch=qd._arch.Arch.{arch if arch != 'cpu' else 'x64'}, offline_cache=False, ad_stack_experimental_enabled=True)
x = qd.field(qd.f32, (), needs_grad=True)

@qd.kernel
def f(n: qd.i32):
    for _ in range(1):
        v = x[None]
        for _ in range(n):
            v = qd.sin(v)
        x[None] += v

f.grad(5)
"""
    )
    environment = {**os.environ, "QD_DEBUG_ADSTACK": "1"}
    done = subprocess.run([sys.executable, program], env=environment, capture_output=True, text=True, check=True)
    assert "[adstack_heap] " in done.stderr and "required_bytes=24 (0.00 MB)" in done.stderr
    assert "[adstack_sizer] kernel='f_reverse_grad' task=0 allocas=1\n" in done.stderr
    assert "type=f32 entry_bytes=4 max_size=5" in done.stderr


def test_memory_report(x, loss):
    assert qd.ad.memory_report() == []

    @qd.kernel
    def f(n: qd.i32):
        for i in x:
            v = x[i]
            w = 0.0
            for k in range(n):
                flag = v > 1
                for _ in range(k):
                    v = v * v * 0.5
                if flag:
                    w += v
            loss[None] += v * w

    gradient(f, x, loss, 0)
    gradient(f, x, loss, 5)
    (kernel,) = qd.ad.memory_report()
    (task,) = kernel.tasks
    outer, inner = task.loops
    assert (outer.trips, inner.trips) == (5, 4)
    assert (outer.depth, inner.depth) == (0, 1)
    assert inner.line == outer.line + 2
    assert [(v.name, v.type, v.bytes) for v in inner.variables] == [("v", "f64", 8)]
    assert inner.slot_bytes == 8 and inner.choice == "keep"
    assert ("v", "f64", 8) in [(v.name, v.type, v.bytes) for v in outer.variables]
    assert task.predicted == task.measured == 5 * outer.slot_bytes + 4 * 8
    assert task.total >= task.measured
    assert "loop of line" in str(qd.ad.memory_report())
    assert outer.variables[0].file == __file__


def test_bytes_are_those_of_the_primal_alone(arch):
    """1,024 iterations over 10 variables: a quarter of two numbers for each of 10 variables, twice over."""
    start(arch, default_fp=qd.f32)
    x, loss = reals("x", shape=10, dtype=qd.f32)[0], reals("loss", dtype=qd.f32)[0]
    x.fill(0.5)

    @qd.kernel
    def f():
        for _ in range(1):
            v = qd.Vector([x[k] for k in qd.static(range(10))])
            for _ in range(1024):
                for k in qd.static(range(10)):
                    v[k] = qd.sin(v[k] + 0.1 * v[(k + 1) % 10])
            loss[None] += v.sum()

    gradient(f, x, loss)
    (task,) = qd.ad.memory_report()[0].tasks
    assert task.measured == task.predicted == 1024 * 10 * 4  # the reference: 2 * 4 bytes an entry


@pytest.mark.parametrize("budget", [1, 200, 600, 3000, 1 << 30])
@pytest.mark.parametrize("where", ["program", "kernel"])
def test_budget(arch, budget, where, recwarn):
    """With smaller budgets, n entries of 8 bytes become 2 * sqrt(n), then 3 * cbrt(n)."""
    start(arch, **({"ad_stack_budget_bytes": budget} if where == "program" else {}))
    x, loss = reals("x", shape=2)[0], reals("loss")[0]
    x.from_numpy(np.array([0.7, 1.2]))
    n = 343

    def f(trips: qd.i32):
        for i in x:
            v = x[i]
            for k in range(3, trips + 3):
                v = qd.sin(v) * 0.9 + 0.01 * k * x[i]
            loss[None] += v

    f = qd.kernel(f) if where == "program" else qd.kernel(ad_stack_budget_bytes=budget)(f)
    check(f, x, loss, 3)
    values = x.to_numpy()
    slope = np.ones(2)
    v = values.copy()
    for k in range(3, n + 3):
        v, slope = np.sin(v) * 0.9 + 0.01 * k * values, 0.9 * np.cos(v) * slope + 0.01 * k
    np.testing.assert_allclose(gradient(f, x, loss, n), slope, rtol=1e-9)
    (task,) = qd.ad.memory_report()[0].tasks
    assert task.measured <= task.predicted
    assert bool(task.excess) == (task.of_one > budget) == bool([w for w in recwarn if "over the budget" in str(w.message)])
    assert 3 * 7 * 8 <= task.least <= min(task.of_one, 3 * 8 * 8)
    if budget >= 8 * n:
        assert task.measured == 8 * n
    elif budget >= 2 * 19 * 8:
        assert task.measured == (19 + 19) * 8 and any(loop.choice == "every 19-th" for loop in task.loops)
    else:
        assert 3 * 7 * 8 <= task.measured <= 3 * 8 * 8


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 7, 12])
def test_a_budget_never_needs_more_memory(arch, n):
    """Splitting so few iterations into blocks would need more memory."""
    start(arch, ad_stack_budget_bytes=8)
    x, loss = reals("x", shape=2)[0], reals("loss")[0]
    x.from_numpy(np.array([0.7, 1.2]))

    @qd.kernel
    def f(n: qd.i32):
        for i in x:
            v = x[i]
            for _ in range(n):
                v = qd.sin(v)
            loss[None] += v

    check(f, x, loss, n)
    (task,) = qd.ad.memory_report()[0].tasks
    assert task.measured <= 8 * n
    assert [loop.reason for loop in task.loops if loop.bytes] == ["with so few iterations, blocks would not save memory"] or n in (1, 6, 7, 12)


def test_budget_of_nested_loops(arch):
    start(arch, ad_stack_budget_bytes=64)
    x, loss = reals("x", shape=3)[0], reals("loss")[0]
    x.from_numpy(np.array([0.5, 0.9, 1.1]))

    @qd.kernel
    def f(n: qd.i32):
        for i in x:
            v = x[i]
            table = qd.Vector([0.5, 1.0, 0.9])
            for a in range(n):
                for b in range(a, n):
                    table[b % 3] = table[a % 3] * v
                    v = qd.sin(v * table[(a + b) % 3]) + 0.1 * b
                v = v * x[i]
            loss[None] += v

    check(f, x, loss, 12)


def told(recwarn):
    found = [str(w.message) for w in recwarn if "over the budget" in str(w.message)]
    recwarn.clear()
    return found


def test_an_exceeded_budget_is_explained(arch, recwarn):
    """The report and a warning name the loop, the reason, the bytes that it takes and the bytes that it needs."""
    start(arch, ad_stack_budget_bytes=200)
    x, loss = reals("x", "loss")
    x[None] = 0.7

    @qd.kernel
    def once(n: qd.i32):
        for i in range(1):
            v = x[None]
            for k in range(n):
                v = qd.sin(v)
            loss[None] += v

    once(8)
    once.grad(8)  # 64 bytes
    assert not told(recwarn) and not qd.ad.memory_report()[0].tasks[0].excess
    once.grad(1000)  # 3 * 10 entries of 8 bytes
    line = once._primal.fn.__code__.co_firstlineno + 4
    (text,) = told(recwarn)
    assert text.startswith("The gradient of 'test_an_exceeded_budget_is_explained.once' is over the budget of 200 bytes: an iteration keeps 240, and about 240 in the smallest blocks that are tried.")
    assert f"loop of line {line}, 240 bytes: in blocks of blocks already, the smallest that are tried" in text
    report = qd.ad.memory_report()
    assert "  over the budget of 200 bytes: an iteration keeps 240, and about 240 in the smallest blocks that are tried" in str(report).splitlines()
    assert str(report).count("in blocks of blocks already, the smallest that are tried") == 3
    once.grad(1000)
    assert not told(recwarn)  # once
    once.grad(8)
    assert not qd.ad.memory_report()[0].tasks[0].excess


def test_loops_that_cannot_be_split_are_reported(arch, recwarn):
    start(arch, ad_stack_budget_bytes=64)
    x, loss = reals("x", "loss")
    scratch = qd.field(qd.f64, shape=())
    x[None] = 0.7

    @qd.kernel
    def f(n: qd.i32):
        for i in range(1):
            v = x[None]
            for k in range(n):
                scratch[None] = scratch[None] * 0.5 + 1.0
                v += x[None] * scratch[None]
            loss[None] += v

    f(100)
    f.grad(100)
    (text,) = told(recwarn)
    assert "over the budget of 64 bytes: an iteration keeps 800, and about 800 in the smallest blocks that are tried" in text
    assert "800 bytes: its iterations load values from memory that changes later; these cannot be recomputed" in text


def test_loops_within_their_share_and_others(arch, recwarn):
    start(arch, ad_stack_budget_bytes=400)
    x, loss = reals("x", "loss")
    x[None] = 0.7

    @qd.kernel
    def f(n: qd.i32, m: qd.i32):
        for i in range(1):
            v = x[None]
            for k in range(n):
                v = qd.sin(v)
            for k in range(m):
                v = qd.cos(v)
            loss[None] += v

    f(20, 1000)
    f.grad(20, 1000)
    (task,) = qd.ad.memory_report()[0].tasks
    reasons = {loop.reason for loop in task.loops if loop.reason}
    assert task.of_one == 400 and not task.excess and not reasons
    f.grad(25, 3375)  # 200 bytes, and 3 * 15 entries
    (task,) = qd.ad.memory_report()[0].tasks
    reasons = {loop.reason for loop in task.loops if loop.reason}
    assert task.of_one == 560 and task.least == 3 * 3 * 8 + 3 * 15 * 8
    assert reasons == {"this fits in its share of the budget, which is divided among the loops that keep something",
                       "in blocks of blocks already, the smallest that are tried"}  # fmt: skip
    assert len(told(recwarn)) == 1


def test_a_capacity_overrides_the_budget(arch, recwarn):
    start(arch, ad_stack_budget_bytes=64, ad_stack_size=5000)
    f, x, loss = recurrence(100)
    gradient(f, x, loss)
    (text,) = told(recwarn)
    assert "ad_stack_size is set, which disables recomputation" in text


def test_stacks_of_whole_pages_are_a_cache_line_apart():
    """The stacks are written in turn, so without it all would map to one set of the L1 cache."""
    start(qd.cpu)
    x, loss = reals("x", "loss", shape=64)

    @qd.kernel
    def compute():
        for i in x:
            a, b = x[i], x[i] * 0.5
            for _ in range(1024):
                a = a * b
                b = b * a
            loss[i] += a + b

    compute.grad()
    steps = re.findall(r"getelementptr i8, ptr %\d+, i64 (\d{4,})\b", compute.grad._show("llvm"))
    assert len(steps) >= 2 and all(int(step) % 4096 == 64 for step in steps), steps


@pytest.mark.parametrize("budget, error", [(-1, ValueError), (2**70, ValueError), (1.5, TypeError), ("a", TypeError), ([1], TypeError)])
def test_budgets_of_a_kernel_are_checked_as_those_of_a_program(budget, error):
    start(qd.cpu)
    with pytest.raises(error, match="the option ad_stack_budget_bytes must be an integer from 0 to"):

        @qd.kernel(ad_stack_budget_bytes=budget)
        def compute():
            pass
