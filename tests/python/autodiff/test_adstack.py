"""Reverse mode with stacks: serial loops whose loop-carried values the backward pass needs."""

import numpy as np
import pytest
import quadrants as qd
from adstacks import check, gradient, loss, reals, stacks, start, x  # noqa: F401
from cached_programs import CachedPrograms


def test_carried_values_are_refused_without_stacks(arch, x, loss):
    qd.init(arch=arch, default_fp=qd.f64, offline_cache=False)
    x, loss = reals("x", shape=4)[0], reals("loss")[0]

    @qd.kernel
    def f(n: qd.i32):
        for i in x:
            v = x[i]
            for _ in range(n):
                v = v * v
            loss[None] += v

    with pytest.raises(qd.QuadrantsCompilationError, match="non static range"):
        f.grad(3)


@pytest.mark.parametrize("n", [0, 1, 2, 7, -3])
def test_trip_counts(x, loss, n):
    @qd.kernel
    def f(n: qd.i32):
        for i in x:
            v = x[i]
            for _ in range(n):
                v = qd.sin(v) + v * v * 0.25
            loss[None] += v

    check(f, x, loss, n)


@pytest.mark.parametrize("step", ["square", "sine", "factor", "linear", "sum", "quotient"])
def test_carried_in_many_ways(x, loss, step):
    @qd.kernel
    def f(n: qd.i32):
        for i in x:
            v = x[i] + 0.1
            for k in range(n):
                if qd.static(step == "square"):
                    v = v * v
                elif qd.static(step == "sine"):
                    v = qd.sin(v) + 0.1 * k
                elif qd.static(step == "factor"):
                    v = v * x[i]
                elif qd.static(step == "linear"):
                    v = 0.5 * v + k
                elif qd.static(step == "sum"):
                    v += x[i]
                else:
                    v = (1 + v) / (2 + v * x[i])
            loss[None] += v

    check(f, x, loss, 4)


@pytest.mark.parametrize("dtype, tolerance", [(qd.f16, 2e-2), (qd.f32, 1e-5), (qd.f64, 1e-12)])
def test_types_of_reals(dtype, tolerance):
    x, loss = reals("x", "loss", dtype=dtype)
    x[None] = 1.25

    @qd.kernel
    def f(n: qd.i32):
        for _ in range(1):
            v = x[None]
            for _ in range(n):
                v = v * v
            loss[None] += v

    assert gradient(f, x, loss, 2) == pytest.approx(4 * 1.25**3, rel=tolerance)


@pytest.mark.parametrize("dtype", [qd.i8, qd.i16, qd.i32, qd.i64, qd.u8, qd.u16, qd.u32, qd.u64])
def test_types_of_control(x, loss, dtype):
    @qd.kernel
    def f(n: qd.i32):
        for i in x:
            v = x[i]
            turn = qd.cast(i, dtype)
            flag = i > 1
            for _ in range(n):
                if turn % 3 == 1:
                    v = v * v
                elif flag:
                    v = qd.sin(v)
                turn = qd.cast(turn + 1, dtype)
                flag = not flag
            loss[None] += v

    check(f, x, loss, 5)


def test_several_carried_in_different_order(x, loss):
    @qd.kernel
    def f(n: qd.i32):
        for i in x:
            a, b, c = x[i], 0.5 * x[i], 1.0
            for k in range(n):
                a = a * b + 0.1
                c = c * a
                b, a = qd.sin(a), b + c * 0.1
            loss[None] += a * b + c

    check(f, x, loss, 4)


def test_vectors_and_matrices(x, loss):
    @qd.kernel
    def f(n: qd.i32):
        for i in x:
            v = qd.Vector([x[i], 1.0, 0.5])
            m = qd.Matrix([[x[i], 0.2, 0.0], [0.1, 0.9, x[i]], [0.0, 0.3, 0.7]])
            for k in range(n):
                v = (m @ v).normalized() + 0.1
                m[1, 0] = m[0, 1] * v[2]
                m = m + 0.1 * v.outer_product(v)
            loss[None] += v.dot(qd.Vector([1.0, 2.0, 3.0])) + v.norm() + m.determinant()

    check(f, x, loss, 3)


def test_components_that_are_known_at_run_time(x, loss):
    @qd.kernel
    def f(n: qd.i32):
        for i in x:
            v = qd.Vector([x[i], 1.0, 0.5])
            for k in range(n):
                for c in range(3):
                    v[c] = v[c] * v[(c + 1) % 3] + 0.3
            loss[None] += v[n % 3] * v[0]

    check(f, x, loss, 4)


def test_an_outer_local_is_changed_after_the_loop(x, loss):
    @qd.kernel
    def f(n: qd.i32):
        for i in x:
            table = qd.Vector([0.5, x[i], 2.0])
            v = 1.0
            for k in range(n):
                v = v * table[k % 3]
            table[n % 3] = 7.0
            loss[None] += v * table[0]

    check(f, x, loss, 5)


def test_loop_carried_values_control_branches_and_indices(x, loss):
    y = qd.field(qd.f64, 8)
    y.from_numpy(np.linspace(0.5, 1.5, 8))

    @qd.kernel
    def f(n: qd.i32):
        for i in x:
            v, at, inner = x[i], i, 1
            for k in range(n):
                v = v * y[at % 8]
                at = at * 3 + k
                for _ in range(inner):
                    v = v * x[i]
                if v > 1:
                    v = v * 0.5
                elif v < 0.2:
                    v = qd.sqrt(v + 1)
                else:
                    v = v * v + 0.3
                inner = (inner + 1) % 3
            loss[None] += v

    check(f, x, loss, 5)


def test_overwritten_before_in_and_after(x, loss):
    @qd.kernel
    def f(n: qd.i32):
        for i in x:
            v = 5.0
            v = x[i] * x[i]
            for k in range(n):
                w = v * x[i]
                v = qd.cos(w)
                v = v * w
            v = v * v
            loss[None] += v

    check(f, x, loss, 3)


def test_sibling_loops(x, loss):
    @qd.kernel
    def f(n: qd.i32, m: qd.i32):
        for i in x:
            v = x[i]
            for _ in range(n):
                v = v * v + 0.1
            for k in range(m):
                v = qd.sin(v) * x[i]
            for k in range(n):
                for _ in range(k):
                    v = v * x[i]
                for _ in range(m):
                    v = v + v * v * 0.1
            loss[None] += v

    check(f, x, loss, 3, 2)


def test_four_nested_loops(x, loss):
    @qd.kernel
    def f(n: qd.i32):
        for i in x:
            v = x[i]
            for a in range(n):
                v = v * 0.9
                for b in range(a, n):
                    v = qd.sin(v) + 0.1
                    for c in range(n - 1):
                        v = v * x[i]
                        for d in range(c + 1):
                            v = v + v * v * 0.1
            loss[None] += v

    check(f, x, loss, 3)


def test_in_funcs_branches_and_static_loops(x, loss):
    @qd.func
    def power(v, n):
        r = 1.0
        for _ in range(n):
            r = r * v
        return r

    @qd.kernel
    def f(n: qd.i32):
        for i in x:
            v = x[i]
            if i % 2 == 0:
                for k in range(n):
                    v = v * power(x[i], k)
            else:
                for k in qd.static(range(2)):
                    for _ in range(n + k):
                        v = qd.tanh(v) + 0.2 * v
            loss[None] += power(v, 2)

    check(f, x, loss, 3)


@pytest.mark.filterwarnings("ignore:Casting range_for")
def test_spans(x, loss):
    begin, end = qd.field(qd.i32, 4), qd.ndarray(qd.i32, (4,))
    begin.from_numpy(np.array([0, 2, 5, 3], np.int32))
    end.from_numpy(np.array([3, 2, 1, 7], np.int32))
    table = qd.field(qd.i64, (4, 2))
    table.fill(2)
    counts = np.array([[1, 2], [3, 0], [1, 1], [2, 2]], np.int32)

    @qd.kernel
    def f(end: qd.types.ndarray(qd.i32, 1), counts: qd.types.ndarray(qd.i32, 2), n: qd.i32):
        for i in x:
            v = x[i]
            for k in range(begin[i], end[i]):
                v = qd.sin(v * v + 0.1 * k)
            for k in range(begin[i], end[3 - i]):
                v = qd.sin(v)
            for k in range(table[i, i % 2]):
                v = v * x[i]
            for k in range(counts[i, counts[0, 0]]):
                v = v * 0.5 + 0.5 * v * v
            for k in range(end[i // 2] - 1):
                v = v * x[i]
            for k in range(counts.shape[1] + i):
                v = qd.cos(v)
            for k in range(min(n, end[i]) * 2 >> 1):
                v = v * v
            kept = qd.cast(begin[i], qd.i64)
            for k in range(max(kept - 3, 1)):
                v = qd.sin(v + v * x[i])
            for k in range(qd.cast(qd.sqrt(5.0 + n), qd.i32)):
                v = v * x[i]
            loss[None] += v

    check(f, x, loss, end, counts, 1)


def test_spans_change_between_calls(x, loss):
    n = qd.field(qd.i32, ())

    @qd.kernel
    def f():
        for i in x:
            v = x[i]
            for _ in range(n[None]):
                v = v * x[i]
            loss[None] += v

    for trips in (1, 20, 50, 3, 0):
        n[None] = trips
        values = x.to_numpy()
        np.testing.assert_allclose(gradient(f, x, loss), (trips + 1) * values**trips, rtol=1e-12)


@pytest.mark.filterwarnings("ignore:Casting range_for")
def test_wide_indices(arch):
    start(arch, default_ip=qd.i64)
    x, loss = reals("x", shape=3)[0], reals("loss")[0]
    x.from_numpy(np.array([0.5, 0.9, 1.1]))

    @qd.kernel
    def f(n: qd.i64):
        for i in range(3):
            v = x[i]
            for k in range(n):
                v = v * v + 0.1 * k
            loss[None] += v

    check(f, x, loss, 3)


def test_several_tasks(x):
    y, loss = reals("y", shape=4)[0], reals("loss")[0]

    @qd.kernel
    def f(n: qd.i32):
        for i in x:
            v = x[i]
            for _ in range(n):
                v = v * v
            y[i] = v
        for i in x:
            v = y[i]
            for _ in range(n + 1):
                v = qd.sin(v) * v
            loss[None] += v

    with qd.ad.Tape(loss):
        f(2)
    values = x.to_numpy()
    found = x.grad.to_numpy()

    def forward(v):
        v = v**4
        for _ in range(3):
            v = np.sin(v) * v
        return v

    np.testing.assert_allclose(found, (forward(values + 1e-6) - forward(values - 1e-6)) / 2e-6, rtol=1e-6)


def test_memory_without_a_gradient_that_changes(x, loss):
    state = qd.field(qd.f64, 4)
    steps = qd.field(qd.i32, ())

    @qd.kernel
    def f(n: qd.i32):
        for i in x:
            state[i] = 1.0
            v = x[i]
            for k in range(n):
                s = state[i]
                state[i] = s * 0.5 + k
                v = v * s + x[i]
                qd.atomic_add(steps[None], 1)
            loss[None] += v

    check(f, x, loss, 4)
    before = steps[None]
    f.grad(4)
    assert steps[None] == before + 16


def test_fields_in_order(loss):
    """An inner loop carries values from one iteration to the next through memory."""
    n = 5
    y = reals("y", shape=n + 1)[0]

    @qd.kernel
    def f(c: qd.f64):
        for _ in range(1):
            for i in range(n):
                y[i + 1] = y[i] * c

    y[0] = 3.0
    f(2.0)
    y.grad[n] = 1
    f.grad(2.0)
    assert y.grad[0] == 32


def test_a_local_is_reset_in_every_iteration():
    a, loss = reals("a", shape=3)[0], reals("loss")[0]
    a.from_numpy(np.array([1.1, 0.9, 1.3]))

    @qd.kernel
    def f():
        for i in range(1):
            s = 0.5
            for j in range(3):
                gain = a[j]
                for k in range(2):
                    s = s * gain
            loss[None] += s

    with qd.ad.Tape(loss):
        f()
    np.testing.assert_allclose(a.grad.to_numpy(), [1.506, 1.841, 1.274], rtol=1e-3)


def test_vector_locals_of_each_step():
    n, steps, neighbours = 5, 3, 3
    x = qd.Vector.field(2, qd.f64, shape=(steps + 1, n), needs_grad=True)
    loss = reals("loss")[0]
    neighbour = qd.field(qd.i32, (n, neighbours))
    rng = np.random.default_rng(1)
    neighbour.from_numpy(np.array([rng.permutation([j for j in range(n) if j != i])[:neighbours] for i in range(n)], np.int32))
    begin = rng.normal(size=(n, 2))

    @qd.kernel
    def step(t: qd.i32):
        for i in range(n):
            force = qd.Vector([0.0, 0.0])
            for k in range(neighbours):
                r = x[t, neighbour[i, k]] - x[t, i]
                force += r * (r.norm() - 1.0)
            x[t + 1, i] = x[t, i] + 0.05 * force

    @qd.kernel
    def total():
        for i in range(n):
            loss[None] += x[steps, i].dot(x[steps, i])

    def forward(values):
        all_x = np.zeros((steps + 1, n, 2))
        all_x[0] = values
        x.from_numpy(all_x)
        loss[None] = 0
        for t in range(steps):
            step(t)
        total()
        return loss[None]

    forward(begin)
    x.grad.fill(0)
    loss.grad[None] = 1
    total.grad()
    for t in reversed(range(steps)):
        step.grad(t)
    found = x.grad.to_numpy()[0]
    expected = np.zeros_like(begin)
    for index in np.ndindex(begin.shape):
        up, down = begin.copy(), begin.copy()
        up[index] += 1e-6
        down[index] -= 1e-6
        expected[index] = (forward(up) - forward(down)) / 2e-6
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


@qd.func
def gate(name: qd.template(), s: qd.template(), i):
    open = s[i] > 0
    if qd.static(name == "equal"):
        open = s[i] == 1
    elif qd.static(name == "swapped"):
        open = 0.5 < s[i]
    elif qd.static(name == "remainder"):
        open = s[i % 3] > 0
    elif qd.static(name == "constant"):
        open = s[0] > 0
    return open


@pytest.mark.parametrize("name", ["field", "equal", "swapped", "remainder", "constant"])
@pytest.mark.parametrize("share", [0, 5, 50, 100])
@pytest.mark.parametrize("threshold", [0, 100 << 20])
def test_gates(arch, name, share, threshold):
    start(arch, ad_stack_sparse_threshold_bytes=threshold, debug=share == 50)
    n = 40
    x, loss = reals("x", shape=n)[0], reals("loss")[0]
    selected = qd.field(qd.f64, n)
    chosen = (np.arange(n) * 100 // n < share).astype(np.float64)
    x.from_numpy(np.linspace(0.5, 1.5, n))
    selected.from_numpy(chosen)
    @qd.kernel
    def f(trips: qd.i32):
        for i in x:
            if gate(name, selected, i):
                v = x[i]
                for _ in range(trips):
                    v = v * v
                loss[None] += v

    where = {"remainder": chosen[np.arange(n) % 3], "constant": np.full(n, chosen[0])}.get(name, chosen)
    np.testing.assert_allclose(gradient(f, x, loss, 2), where * 4 * x.to_numpy() ** 3, rtol=1e-12)


def test_ndarrays_and_tapes(arch):
    n = 6
    a = qd.ndarray(qd.f64, (n,), needs_grad=True)
    loss = qd.ndarray(qd.f64, (1,), needs_grad=True)
    a.from_numpy(np.linspace(0.5, 1.5, n))

    @qd.kernel
    def f(a: qd.types.ndarray(), loss: qd.types.ndarray(), n: qd.i32):
        for i in range(a.shape[0]):
            v = a[i]
            for k in range(n):
                v = v * a[k % a.shape[0]]
            loss[0] += v

    with qd.ad.Tape(loss=loss):
        f(a, loss, 3)
    values = a.to_numpy()
    head = values[0] * values[1] * values[2]
    expected = np.full(n, head)
    expected[:3] += head * values.sum() / values[:3]
    np.testing.assert_allclose(a.grad.to_numpy(), expected, rtol=1e-12)


def test_spans_change_between_tapes(x, loss):
    n = qd.field(qd.i32, 4)

    @qd.kernel
    def f():
        for i in x:
            v = x[i]
            for _ in range(n[i]):
                v = v * v
            loss[None] += v

    for counts in ([1, 2, 0, 1], [4, 3, 2, 1], [0, 0, 1, 5]):
        n.from_numpy(np.array(counts, np.int32))
        with qd.ad.Tape(loss):
            f()
        power = 2.0 ** np.array(counts)
        np.testing.assert_allclose(x.grad.to_numpy(), power * x.to_numpy() ** (power - 1), rtol=1e-12)


RECORDED = """
def go():
    x = qd.field(qd.f64, (), needs_grad=True)
    y = qd.field(qd.f64, (), needs_grad=True)

    @qd.kernel
    def f(n: qd.i32):
        for _ in range(1):
            v = x[None]
            for _ in range(n):
                v = v * v
            y[None] += v

    x[None] = 2
    y.grad[None] = 1
    f.grad(3)
    (task,) = qd.ad.memory_report()[0].tasks
    return x.grad[None], task.measured // task.loops[0].lanes, task.loops[0].trips, task.loops[0].variables[0].line
"""


def test_cache_entries_have_stacks(arch, tmp_path):
    """Options that change the stacks are part of the cache key."""
    cached = CachedPrograms(arch, tmp_path)
    options = {"ad_stack_experimental_enabled": True}
    first, how = cached.run(RECORDED, **options)
    assert first[:3] == (8 * 2.0**7, 24, 3) and how == "made"
    assert cached.run(RECORDED, **options) == (first, "loaded")
    assert cached.run(RECORDED, **options, ad_stack_budget_bytes=8)[1] == "made"
    assert cached.run(RECORDED, **options, ad_stack_size=4) == (first, "made")
    with pytest.raises(qd.QuadrantsAssertionError, match="Adstack overflow"):
        cached.run(RECORDED, **options, ad_stack_size=3)
    qd.reset()


def test_n_body_forces(arch):
    """The sums of an inner loop into one element after another use privatised copies."""
    n = 60
    start(arch, fast_math=False)
    rng = np.random.default_rng(3)
    x = [qd.field(qd.f64, n, needs_grad=True) for _ in range(2)]
    force = [qd.field(qd.f64, n, needs_grad=True) for _ in range(2)]
    place, weight = rng.normal(size=(2, n)), rng.normal(size=(2, n))
    for a, values in zip(x, place):
        a.from_numpy(values)
    x0, x1, f0, f1 = *x, *force

    @qd.kernel
    def attract(m: qd.i32):
        for i in x0:
            a, b = 0.0, 0.0
            for j in range(m):
                dx, dy = x0[j] - x0[i], x1[j] - x1[i]
                w = (dx * dx + dy * dy + 0.01) ** -1.5
                a += dx * w
                b += dy * w
            f0[i], f1[i] = a, b

    for m in (n, 7, 0):
        for a, values in zip(force, weight):
            a.grad.from_numpy(values)
        for a in x:
            a.grad.fill(0)
        attract.grad(m)
        d = place[:, None, :m] - place[:, :, None]
        r2 = (d**2).sum(0) + 0.01
        slopes = weight[:, :, None] * r2**-1.5 - 3 * r2**-2.5 * (weight[:, :, None] * d).sum(0) * d
        expected = -slopes.sum(2)
        expected[:, :m] += slopes.sum(1)
        np.testing.assert_allclose([a.grad.to_numpy() for a in x], expected, rtol=1e-10, atol=1e-10)
