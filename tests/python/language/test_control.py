"""Loops, branches, break and continue, scopes, tasks."""

import os
import signal
import threading

import numpy as np
import pytest
import quadrants as qd


def test_continue_in_a_parallel_loop():
    @qd.kernel
    def f(x: qd.types.ndarray(qd.i32, ndim=1)):
        for i in range(x.shape[0]):
            if i == 1:
                x[i] = -1
                continue
            if i > 3:
                if i == 5:
                    continue
                x[i] = 100
            x[i] += i

    x = np.zeros(7, np.int32)
    f(x)
    assert x.tolist() == [0, -1, 2, 3, 104, 0, 106]


def test_guards_in_a_parallel_loop():
    @qd.kernel
    def f(x: qd.types.ndarray(qd.i32, ndim=1)):
        for i in x:
            if x[i] < 0:
                x[i] = 1
                continue
            x[i] += 10
            if x[i] > 12:
                continue
            x[i] += 100

    x = np.array([-1, 0, 5], np.int32)
    f(x)
    assert x.tolist() == [1, 110, 15]


def test_continue_in_a_serial_loop():
    @qd.kernel
    def f(n: qd.i32) -> qd.i32:
        s = 0
        for i in range(n):
            if i == 3:
                continue
            if i % 2 == 0:
                if i == 4:
                    continue
            s += i
        return s

    assert f(10) == sum(i for i in range(10) if i not in (3, 4))


def test_break_leaves_every_index_of_an_ndrange():
    def python(n):
        s = 0
        for i in range(n):
            for j in range(n):
                if i * j == 6:
                    return s
                s += 1
        return s

    @qd.kernel
    def f(n: qd.i32) -> qd.i32:
        s = 0
        qd.loop_config(serialize=True)
        for i, j in qd.ndrange(n, n):
            if i * j == 6:
                break
            s += 1
        return s

    assert f(5) == python(5)
    assert f(2) == python(2)


def test_while():
    @qd.kernel
    def collatz(n: qd.i32) -> qd.i32:
        count = 0
        k = n
        while k != 1:
            if k % 2 == 0:
                k //= 2
            else:
                k = 3 * k + 1
            count += 1
        return count

    @qd.kernel
    def nested(n: qd.i32) -> qd.i32:
        i = 0
        s = 0
        while True:
            i += 1
            if i > n:
                break
            if i % 2:
                continue
            for j in range(10):
                if j == i:
                    break
                s += 1
        return s

    assert collatz(27) == 111
    assert nested(6) == 2 + 4 + 6


def test_bounds_known_at_run_time_only():
    @qd.kernel
    def f(x: qd.types.ndarray(qd.i32, ndim=1), lo: qd.i32):
        hi = lo + x[0]
        for i in range(lo, hi):
            x[i] = i * 10

    x = np.zeros(8, np.int32)
    x[0] = 3
    f(x, 2)
    assert x.tolist() == [3, 0, 20, 30, 40, 0, 0, 0]


def test_values_pass_from_one_task_to_the_next():
    @qd.kernel
    def f(x: qd.types.ndarray(qd.f32, ndim=1)) -> qd.f32:
        s = 0.0
        for i in x:
            s += x[i]
        mean = s / x.shape[0]
        for i in x:
            x[i] -= mean
        return mean

    x = np.arange(100, dtype=np.float32)
    assert f(x) == pytest.approx(49.5)
    assert x.sum() == pytest.approx(0, abs=1e-3)


@pytest.mark.parametrize("axes", [None, (0, 1), (1, 0)])
def test_ndrange(axes):
    @qd.kernel
    def f(x: qd.types.ndarray(qd.i32, ndim=2)):
        for i, j in qd.ndrange((1, 3), x.shape[1], axes=axes):
            x[i, j] += i * 10 + j

    x = np.zeros((4, 3), np.int32)
    f(x)
    expected = np.add.outer(np.arange(4) * 10, np.arange(3))
    expected[[0, 3]] = 0
    assert (x == expected).all()


def test_grouped():
    @qd.kernel
    def f(x: qd.types.ndarray(qd.i32, ndim=2)):
        for I in qd.grouped(x):
            x[I] = I[0] * 10 + I[1]
        for I in qd.grouped(qd.ndrange(2, 2)):
            x[I + 1] += 100 * I.sum()

    x = np.zeros((3, 3), np.int32)
    f(x)
    expected = np.add.outer(np.arange(3) * 10, np.arange(3))
    expected[1:, 1:] += np.array([[0, 100], [100, 200]])
    assert (x == expected).all()


def test_loop_variables_can_be_changed_in_the_body():
    @qd.kernel
    def f(x: qd.types.ndarray(qd.i32, ndim=1)):
        for i in range(x.shape[0]):
            k = i
            i = i * 2
            x[k] = i

    x = np.zeros(3, np.int32)
    f(x)
    assert x.tolist() == [0, 2, 4]


def test_stencil():
    @qd.kernel
    def f(a: qd.types.ndarray(qd.f32, ndim=2), b: qd.types.ndarray(qd.f32, ndim=2)):
        for i, j in qd.ndrange((1, a.shape[0] - 1), (1, a.shape[1] - 1)):
            b[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])

    a = np.random.default_rng(1).random((17, 23), dtype=np.float32)
    b = np.zeros_like(a)
    f(a, b)
    expected = np.zeros_like(a)
    expected[1:-1, 1:-1] = 0.25 * (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:])
    np.testing.assert_allclose(b, expected, rtol=1e-6)


@pytest.mark.parametrize("inside_parallel", [False, True])
def test_stop_ends_long_serial_loops(arch, inside_parallel):
    if arch != "cpu":
        pytest.skip("the interpreter polls on its own")

    @qd.kernel
    def g(x: qd.types.ndarray(qd.f32, ndim=1), n: qd.i32):
        if n > 0:
            for i in range(n):
                x[0] = qd.sin(x[0] + i)

    @qd.kernel
    def h(x: qd.types.ndarray(qd.f32, ndim=1), n: qd.i32):
        for k in x:
            for i in range(n):
                for j in range(1000):
                    x[k] = qd.sin(x[k] + j)

    kernel = h if inside_parallel else g
    x = np.zeros(2, np.float32)
    kernel(x, 3)  # compiled before the clock runs
    with pytest.raises(KeyboardInterrupt):
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        kernel(x, 2_000_000_000)  # would take hours without Stop


def test_names_of_a_body_are_gone_after_it():
    @qd.kernel
    def f(c: qd.i32) -> qd.i32:
        if c > 0:
            a = 1
        return a

    with pytest.raises(qd.QuadrantsNameError, match='Name "a" is not defined'):
        f(1)


def test_globals_are_read_when_the_kernel_is_compiled():
    n = 3

    @qd.kernel
    def f() -> qd.i32:
        s = 0
        for i in range(n):
            s += N
        return s

    assert f() == 3 * N


N = 16


@pytest.mark.parametrize("python", [False, True])
def test_loops_over_objects_without_dimensions(python):
    if python:
        qd.init(arch=qd.python)
    shaped, vector, grid = qd.field(qd.i32, ()), qd.Vector.field(2, qd.i32, ()), qd.field(qd.i32, (2, 3))
    placed = qd.field(qd.i32)
    qd.root.place(placed)

    @qd.kernel
    def count(x: qd.template()) -> qd.i32:
        n = 0
        for I in qd.grouped(qd.ndrange(*x.shape)):
            x[I] += 1
            n += 1
        for I in qd.static(qd.grouped(qd.ndrange(*x.shape))):
            x[I] += 10
            n += 100
        for I in qd.grouped(x):
            x[I] += 100
        if n:
            for I in qd.grouped(x):
                x[I] += 1000
        return n

    assert count(shaped) == 101 and shaped[None] == 1111
    assert count(placed) == 101 and placed[None] == 1111
    assert count(vector) == 101 and list(vector[None]) == [1111, 1111]
    assert count(grid) == 606 and grid[1, 2] == 1111

    @qd.kernel
    def of_array(a: qd.types.ndarray(ndim=0)):
        for I in qd.grouped(a):
            a[I] += 5

    a = qd.ndarray(qd.i32, ())
    of_array(a)
    assert a[()] == 5


def test_an_ndrange_without_dimensions_has_no_index():
    @qd.kernel
    def run_time():
        for i in qd.ndrange():
            pass

    @qd.kernel
    def static():
        for i in qd.static(qd.ndrange()):
            pass

    for kernel in (run_time, static):
        with pytest.raises(qd.QuadrantsSyntaxError, match="Ndrange for loop with number of the loop variables not equal"):
            kernel()


FLAG, LIMIT, NOTHING = True, 3, None


def test_a_plain_if_is_run_time_control_flow():
    """A loop inside an `if` is serial, whatever the condition."""
    n = 1000
    x = qd.field(qd.i32, n)

    @qd.kernel
    def under_a_global():
        if FLAG:
            for i in range(1, n):
                x[i] = x[i - 1] + 1
                if i == 900:
                    break

    @qd.kernel
    def under_a_template(flag: qd.template()):
        if flag:
            for i in range(1, n):
                x[i] = x[i - 1] + 2
        else:
            for i in range(1, n):
                x[i] = x[i - 1] + 3

    @qd.kernel
    def under_a_text(word: qd.template()):
        if word:
            for i in range(1, n):
                x[i] = x[i - 1] + 4

    under_a_global()
    assert x[900] == 900 and x[901] == 0
    under_a_template(True)
    assert x[n - 1] == 2 * (n - 1)
    under_a_template(0)
    assert x[n - 1] == 3 * (n - 1)
    under_a_text("yes")
    assert x[n - 1] == 4 * (n - 1)


def test_names_of_a_plain_if_are_gone_after_it():
    @qd.kernel
    def f() -> qd.i32:
        if FLAG:
            a = 1
        return a

    @qd.kernel
    def g() -> qd.i32:
        s = 0
        if NOTHING:
            s += 1
        if not FLAG:
            s = unknown_name
        return s

    with pytest.raises(qd.QuadrantsNameError, match='"a" is not defined'):
        f()
    with pytest.raises(qd.QuadrantsNameError, match='"unknown_name" is not defined'):
        g()


def test_a_plain_if_holds_no_return():
    @qd.kernel
    def f() -> qd.i32:
        if LIMIT > 2:
            return 1
        return 2

    @qd.func
    def inner(x):
        if FLAG:
            return x
        return x + 1

    @qd.kernel
    def g() -> qd.i32:
        return inner(1)

    for kernel in (f, g):
        with pytest.raises(qd.QuadrantsSyntaxError, match="Return inside non-static if/for"):
            kernel()


def test_a_known_condition_that_is_not_an_integer():
    half = 0.5

    @qd.kernel
    def f():
        if half:
            pass

    with pytest.raises(qd.QuadrantsTypeError, match="conditions must be an integer; found f32"):
        f()


def test_known_guards_of_a_parallel_loop():
    @qd.kernel
    def f(x: qd.types.ndarray(qd.i32, ndim=1), flag: qd.template(), word: qd.template()):
        for i in x:
            if flag:
                x[i] = 10
                continue
            x[i] += 1
            if word:
                continue
            x[i] += 1
            if qd.static(flag):
                continue
            x[i] += 1

    for flag, word, last in [(1, None, 10), (0, "w", 1), (0, None, 3)]:
        x = np.zeros(3, np.int32)
        f(x, flag, word)
        assert x.tolist() == [last] * 3


def test_leaving_an_unrolled_loop_under_a_plain_if():
    @qd.kernel
    def f() -> qd.i32:
        s = 0
        for i in qd.static(range(4)):
            if i == LIMIT:
                break
            s += i
        return s

    with pytest.raises(qd.QuadrantsSyntaxError, match="inside a non-static `if`"):
        f()
