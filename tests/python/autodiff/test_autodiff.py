"""`k.grad(...)`: computes the gradients of a kernel's inputs from those of its outputs."""

import math

import numpy as np
import pytest
import quadrants as qd


@pytest.fixture(autouse=True)
def doubles(arch):
    qd.init(arch=arch, default_fp=qd.f64, offline_cache=False, print_full_traceback=True)

AutodiffMode = qd.types.enums.AutodiffMode


def reals(*names, dtype=qd.f64, shape=()):
    return [qd.field(dtype, shape=shape, name=name, needs_grad=True) for name in names]


OPERATIONS = {
    "neg": (lambda x: -x, lambda x: -1.0, [0.3, -2.0]),
    "abs": (lambda x: abs(x), np.sign, [0.3, -2.0, 0.0]),
    "sin": (qd.sin, np.cos, [0.3, -2.0]),
    "cos": (qd.cos, lambda x: -np.sin(x), [0.3, -2.0]),
    "tan": (qd.tan, lambda x: 1 + np.tan(x) ** 2, [0.3, -1.0]),
    "tanh": (qd.tanh, lambda x: 1 - np.tanh(x) ** 2, [0.3, -2.0]),
    "asin": (qd.asin, lambda x: 1 / np.sqrt(1 - x * x), [0.3, -0.9]),
    "acos": (qd.acos, lambda x: -1 / np.sqrt(1 - x * x), [0.3, -0.9]),
    "exp": (qd.exp, np.exp, [0.3, -2.0]),
    "log": (qd.log, lambda x: 1 / x, [0.3, -0.3]),
    "sqrt": (qd.sqrt, lambda x: 0.5 / np.sqrt(x), [0.3, 4.0]),
    "rsqrt": (qd.rsqrt, lambda x: -0.5 * x**-1.5, [0.3, 4.0]),
    "square": (lambda x: x * x, lambda x: 2 * x, [0.3, -2.0]),
    "quotient": (lambda x: (1 + x) / (2 - x), lambda x: 3 / (2 - x) ** 2, [0.3, -2.0]),
    "power": (lambda x: x**3, lambda x: 3 * x * x, [0.3, -2.0]),
    "exponent": (lambda x: 2.5**x, lambda x: np.log(2.5) * 2.5**x, [0.3, -2.0]),
    "atan2": (lambda x: qd.atan2(x, 2.0), lambda x: 2 / (x * x + 4), [0.3, -2.0]),
    "max": (lambda x: qd.max(x, 0), lambda x: float(x > 0), [0.3, -2.0, 0.0]),
    "min": (lambda x: qd.min(x, 0), lambda x: float(x < 0), [0.3, -2.0, 0.0]),
    "second of equals": (lambda x: qd.max(0 * x, x), lambda x: float(x >= 0), [0.3, -2.0, 0.0]),
    "floor": (lambda x: qd.floor(x) * x, np.floor, [0.3, -2.5]),
    "modulo": (lambda x: (x % 0.7) * x, lambda x: x % 0.7 + x, [0.3, -2.5]),
    "select": (lambda x: qd.select(x > 0, x * x, 3 * x), lambda x: 2 * x if x > 0 else 3, [0.3, -2.0]),
    "cast": (lambda x: qd.cast(x, qd.f32) * 3, lambda x: 3.0, [0.25, -2.0]),
    "integers": (lambda x: qd.cast(x, qd.i32) * x, np.trunc, [3.3, -2.5]),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_operations(name):
    operation, derivative, points = OPERATIONS[name]
    x, y = reals("x", "y", shape=len(points))
    x.from_numpy(np.array(points))

    @qd.kernel
    def f():
        for i in x:
            y[i] = operation(x[i])

    f()
    y.grad.fill(2.0)
    f.grad()
    expected = [2 * derivative(np.float64(p)) for p in points]
    np.testing.assert_allclose(x.grad.to_numpy(), expected, rtol=1e-12, atol=1e-300)
    assert not y.grad.to_numpy().any()


def test_stores_clear_adjoints_and_sums_keep_them():
    x, a, b, loss = reals("x", "a", "b", "loss")
    x[None] = 1.5

    @qd.kernel
    def first():
        a[None] = x[None]

    @qd.kernel
    def second():
        b[None] = 2 * a[None]

    @qd.kernel
    def third():
        loss[None] += b[None] * b[None]

    for k in (first, second, third):
        k()
    loss.grad[None] = 1
    for k in (third, second, first):
        k.grad()
    assert (x.grad[None], a.grad[None], b.grad[None], loss.grad[None]) == (8 * 1.5, 0, 0, 1)
    loss.grad[None] = 1
    for k in (third, second, first):
        k.grad()
    assert x.grad[None] == 16 * 1.5  # gradients add up


def test_parallel_loops_and_branches():
    n = 1000
    x, y, loss = *reals("x", "y", shape=n), reals("loss")[0]
    values = np.linspace(-2, 2, n)
    x.from_numpy(values)

    @qd.func
    def bump(v, k):
        r = v * v
        if v > 1:
            r = qd.sin(v)
        elif v < -1 and k % 2 == 0:
            r *= v
        return r

    @qd.kernel
    def f(scale: qd.f64):
        for i in x:
            y[i] = bump(x[i], i) * scale
        for i in range(n):
            loss[None] += y[i] * x[i]

    f(3.0)
    loss.grad[None] = 1
    f.grad(3.0)
    even = np.arange(n) % 2 == 0
    value = np.where(values > 1, np.sin(values), np.where((values < -1) & even, values**3, values**2))
    slope = np.where(values > 1, np.cos(values), np.where((values < -1) & even, 3 * values**2, 2 * values))
    np.testing.assert_allclose(x.grad.to_numpy(), 3 * (value + slope * values), rtol=1e-12)


def test_a_branch_that_is_not_taken_contributes_nothing():
    x, y, z = reals("x", "y", "z", shape=3)
    x.from_numpy(np.array([4.0, 0.0, -1.0]))

    @qd.kernel
    def f():
        for i in x:
            root = 0.0
            if x[i] > 0:
                root = qd.sqrt(x[i])
            y[i] = root
            z[i] = qd.sqrt(x[i]) if x[i] > 0 else x[i]

    y.grad.fill(1)
    z.grad.fill(1)
    f.grad()
    assert x.grad.to_numpy().tolist() == [0.5, 1, 1]


def test_static_loops_and_vectors():
    x = qd.Vector.field(3, qd.f64, shape=4, needs_grad=True)
    m = qd.Matrix.field(3, 3, qd.f64, shape=(), needs_grad=True)
    loss = reals("loss")[0]
    points, matrix = np.arange(1.0, 13).reshape(4, 3), np.arange(9.0).reshape(3, 3) - 2
    x.from_numpy(points)
    m.from_numpy(matrix)

    @qd.kernel
    def f():
        for i in x:
            p = m[None] @ x[i]
            power = 1.0
            for _ in qd.static(range(2)):
                power *= p.norm()
            loss[None] += power + p.dot(x[i])

    f()
    loss.grad[None] = 1
    f.grad()
    expected = sum(2 * np.outer(matrix @ p, p) + np.outer(p, p) for p in points)
    np.testing.assert_allclose(m.grad.to_numpy(), expected, rtol=1e-12)
    expected = [2 * matrix.T @ matrix @ p + (matrix + matrix.T) @ p for p in points]
    np.testing.assert_allclose(x.grad.to_numpy(), expected, rtol=1e-12)


def test_types_are_kept():
    x, y, loss = reals("x", dtype=qd.f32)[0], reals("y", dtype=qd.f64)[0], reals("loss", dtype=qd.f32)[0]
    x[None], y[None] = 0.1, 1 / 3

    @qd.kernel
    def f():
        loss[None] += x[None] * y[None] * y[None]

    f()
    loss.grad[None] = 1
    f.grad()
    assert y.grad[None] == pytest.approx(2 * np.float64(np.float32(0.1)) / 3, rel=1e-14)
    assert x.grad[None] == np.float32(1 / 9)


def test_kernels_without_gradients_do_nothing():
    x, y = qd.field(qd.i32, shape=4), qd.field(qd.f32, shape=4)
    z = reals("z", shape=4)[0]

    @qd.kernel
    def integers():
        for i in x:
            x[i] += i

    @qd.kernel
    def plain() -> qd.f32:
        for i in y:
            y[i] = 2
        return 3.0

    @qd.kernel
    def nothing():
        for i in z:
            pass

    @qd.kernel
    def any_form() -> qd.i32:
        total = 0
        for i in x:
            for j in range(i):
                x[i] += j
        while total < 5:
            total += 1
        return total

    for k in (integers, plain, nothing, any_form):
        assert k.grad() is None


def test_gradients_use_the_current_values():
    x, y = reals("x", "y")

    @qd.kernel
    def f():
        y[None] = x[None] ** 2

    x[None] = 3
    f()
    x[None] = 5
    y.grad[None] = 1
    f.grad()
    assert x.grad[None] == 10


def test_methods_templates_and_keywords():
    @qd.data_oriented
    class Model:
        def __init__(self, power):
            self.power = power
            self.x, self.y = reals("x", "y")

        @qd.kernel
        def run(self, out: qd.template(), scale: qd.f64):
            out[None] += scale * self.x[None] ** self.power

        def backward(self):
            self.run.grad(out=self.y, scale=2.0)

    one, two = Model(2), Model(3)
    for model, expected in ((one, 2 * 2 * 5), (two, 2 * 3 * 25)):
        model.x[None] = 5
        model.y.grad[None] = 1
        model.backward()
        assert model.x.grad[None] == expected
    one.run.grad(one.y, 1.0)
    assert one.x.grad[None] == 30
    assert Model.run.grad is Model.run._primal.grad is Model.run._adjoint and one.run._primal is Model.run._primal
    assert Model.run.grad._specialisations() == 2 and Model.run._specialisations() == 0


def test_bound_kernels():
    import copy
    import inspect

    @qd.data_oriented
    class Model:
        @qd.kernel
        def add(self, a: qd.i32, b: qd.i32, c: qd.i32) -> qd.i32:
            return a + 10 * b + 100 * c

    model, other = Model(), Model()
    bound = model.add
    assert bound(1, 2, 3) == bound(1, c=3, b=2) == bound(*[1, 2], **{"c": 3}) == list(map(bound, [1], [2], [3]))[0] == 321
    assert bound.__self__ is model and bound.__func__ is Model.add and bound.__name__ == "add"
    assert bound == model.add and hash(bound) == hash(model.add) and bound != other.add
    assert list(inspect.signature(bound).parameters) == ["a", "b", "c"]
    other.kept = other.add
    again = copy.deepcopy(other)
    assert again.kept.__self__ is again and again.kept(1, 0, 0) == 1
    with pytest.raises(AttributeError):
        bound.missing
    with pytest.raises(TypeError):
        bound(1, 2)


def test_modes_of_kernels():
    @qd.kernel
    def f():
        pass

    assert [(mode.name, int(mode)) for mode in AutodiffMode] == [("FORWARD", 0), ("REVERSE", 1), ("NONE", 2), ("VALIDATION", 3)]
    assert f.autodiff_mode == f._primal.autodiff_mode == AutodiffMode.NONE and f._primal.grad is f.grad
    assert f._specialisations() == 0 and f.grad._specialisations() == 0
    f()
    assert (f._specialisations(), f.grad._specialisations()) == (1, 0)


def test_streams_are_refused():
    @qd.kernel
    def f():
        pass

    stream = qd.create_stream()
    f(qd_stream=stream)
    with pytest.raises(qd.QuadrantsRuntimeError, match="qd_stream is not compatible with autodiff kernels"):
        f.grad(qd_stream=stream)
    loss = reals("loss")[0]
    with pytest.raises(qd.QuadrantsRuntimeError, match="qd_stream is not compatible with autograd Tape"):
        with qd.ad.Tape(loss):
            f(qd_stream=stream)


def test_errors_come_when_the_gradient_is_compiled():
    x, y = reals("x", "y", shape=3)

    @qd.kernel
    def mixed():
        a = 2.0
        for i in x:
            y[i] = a * x[i]

    @qd.kernel
    def nested():
        for i in x:
            for j in range(2):
                y[i] += x[i]

    @qd.func
    def inner(i):
        s = 0.0
        for j in range(i):
            s += x[j]
        return s

    @qd.kernel
    def nested_in_func():
        for i in x:
            y[i] = inner(i)

    @qd.real_func
    def real(v: qd.f64) -> qd.f64:
        return v * 2

    @qd.kernel
    def with_real():
        for i in x:
            y[i] = real(x[i])

    for k, error, match in (
        (mixed, RuntimeError, "Mixed usage of for-loops and statements without looping"),
        (nested, qd.QuadrantsCompilationError, "non static range"),
        (nested_in_func, qd.QuadrantsCompilationError, "non static range"),
        (with_real, qd.QuadrantsSyntaxError, "Real function in gradient kernels unsupported."),
    ):
        k()
        with pytest.raises(error, match=match):
            k.grad()
    assert math.isfinite(y[0])


def test_statements_without_effect_are_ignored():
    x, y = reals("x", "y", shape=3)

    @qd.kernel
    def f(on: qd.i32):
        """A text."""
        qd.loop_config(serialize=True)
        for i in x:
            y[i] += x[i]
        qd.block_local(x)
        if on:
            for i in x:
                y[i] += x[i]
        pass

    y.grad.fill(1)
    f.grad(1)
    assert x.grad.to_numpy().tolist() == [2, 2, 2]


def test_iterations_that_share_elements():
    y = reals("y", shape=8)[0]
    grid, z = reals("grid", shape=(4, 4))[0], reals("z", shape=8)[0]

    @qd.kernel
    def next_one():
        for i in range(7):
            y[i + 1] = y[i] * 2

    @qd.kernel
    def transposed():
        for i, j in grid:
            grid[i, j] = grid[j, i] * 2

    @qd.kernel
    def of_array(a: qd.types.ndarray()):
        for i in range(3):
            if i > 0:
                a[2 * i] = a[i]

    @qd.kernel
    def own():
        for i in range(7):
            y[i + 1] = y[i + 1] + z[i]

    @qd.kernel
    def first():
        for i in range(1, 7):
            y[i] = y[0] * z[i]

    @qd.kernel
    def beside():
        for i in range(4):
            grid[i, 0] = grid[i, 1] * 3

    @qd.kernel
    def serial():
        qd.loop_config(serialize=True)
        for i in range(7):
            y[0] = y[0] * 0.5 + z[i]

    @qd.kernel
    def indirect(k: qd.i32):
        for i in range(4):
            grid[k + 1, i] = grid[k, i] * 2

    array = qd.ndarray(qd.f64, 8, needs_grad=True)
    for k, args in ((next_one, ()), (transposed, ()), (of_array, (array,))):
        k(*args)
        with pytest.raises(RuntimeError, match="^\\W*Cross-iteration read-after-write on the `needs_grad` global field"):
            k.grad(*args)
    for k, args in ((own, ()), (first, ()), (beside, ()), (serial, ()), (indirect, (1,))):
        k.grad(*args)


def test_a_serial_recurrence():
    y, x = reals("y")[0], reals("x", shape=5)[0]

    @qd.kernel
    def f():
        qd.loop_config(serialize=True)
        for i in range(5):
            y[None] = y[None] * 0.5 + x[i]

    y.grad[None] = 1
    f.grad()
    assert x.grad.to_numpy().tolist() == [1 / 16, 1 / 8, 1 / 4, 1 / 2, 1] and y.grad[None] == 1 / 32


def test_the_next_step_in_time_may_read_its_neighbours():
    """The row written always differs from the row read, in every iteration."""
    u = reals("u", shape=(4, 6))[0]

    @qd.kernel
    def step(t: qd.i32):
        for i in range(1, 5):
            u[t + 1, i] = u[t, i - 1] * u[t, i + 1]

    @qd.kernel
    def rows():
        for i in range(1, 5):
            u[2, i] = u[1, i - 1] * u[1, i + 1]

    u.from_numpy(np.arange(24.0).reshape(4, 6) / 10)
    for run, back in ((lambda: step(1), lambda: step.grad(1)), (rows, rows.grad)):
        u.grad.fill(0)
        run()
        for i in range(6):
            u.grad[2, i] = i
        back()
        was, of = u.to_numpy()[1], u.grad.to_numpy()
        expected = np.zeros(6)
        for i in range(1, 5):
            expected[i - 1] += i * was[i + 1]
            expected[i + 1] += i * was[i - 1]
        np.testing.assert_allclose(of[1], expected, rtol=1e-12)
        assert of[2].tolist() == [0, 0, 0, 0, 0, 5]


def test_branches_that_guard_their_operations():
    """A branch that is not taken contributes no gradient."""
    x, y = reals("x", "y", shape=2)

    @qd.kernel
    def root():
        for i in x:
            a, o = x[i], 0.0
            if qd.sqrt(a) > 1e-6:
                o = qd.sqrt(a)
            y[i] = o

    @qd.kernel
    def unit():
        for i in x:
            v = qd.Vector([x[i], 0.0])
            y[i] = v.norm() if v.norm() > 1e-6 else 0.0

    for k, expected in ((root, [0, 0.25]), (unit, [0, 1])):
        x[0], x[1] = 0, 4
        x.grad.fill(0)
        y.grad.fill(1)
        k.grad()
        assert x.grad.to_numpy().tolist() == expected
