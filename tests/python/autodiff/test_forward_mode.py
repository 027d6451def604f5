"""qd.ad.FwdMode: tangents next to values."""

import math

import numpy as np
import pytest
import quadrants as qd


@pytest.fixture(autouse=True)
def doubles(arch):
    qd.init(arch=arch, default_fp=qd.f64, offline_cache=False, print_full_traceback=True)


def scalars(*names, dtype=qd.f64, shape=()):
    return [qd.field(dtype, shape=shape, name=name, needs_dual=True) for name in names]


def test_one_number():
    x, y = scalars("x", "y")

    @qd.kernel
    def f():
        y[None] = qd.sin(x[None]) * x[None]

    x[None] = 0.7
    with qd.ad.FwdMode(loss=y, param=x):
        f()
    assert y[None] == pytest.approx(math.sin(0.7) * 0.7, rel=1e-14)
    assert y.dual[None] == pytest.approx(math.cos(0.7) * 0.7 + math.sin(0.7), rel=1e-14)
    assert x.dual[None] == 0


def test_columns_of_a_jacobian():
    n = 4
    x, y = scalars("x", "y", shape=n)
    x.from_numpy(np.arange(1.0, n + 1))

    @qd.kernel
    def f():
        for i in y:
            s = 0.0
            for j in range(n):
                s += x[j] ** 2 * (i + 1)
            y[i] = s * x[i]

    columns = []
    for k in range(n):
        with qd.ad.FwdMode(loss=y, param=x, seed=list(np.eye(n)[k])):
            f()
        columns.append(y.dual.to_numpy())
    value = x.to_numpy()
    row = np.arange(1, n + 1)[:, None]
    expected = row * 2 * value[None, :] * value[:, None] + np.diag(row[:, 0] * np.sum(value**2))
    np.testing.assert_allclose(np.array(columns).T, expected, rtol=1e-13)


def test_accumulation_and_control_flow():
    x, loss = scalars("x", "loss", shape=6)[0], scalars("loss")[0]
    x.from_numpy(np.linspace(-1, 1, 6))

    @qd.func
    def bump(v):
        return v * v if v > 0 else 3 * v

    @qd.kernel
    def f(steps: qd.i32):
        for i in x:
            v = x[i]
            k = 0
            while k < steps:
                v = bump(v) + 0.5 * v
                k += 1
            for _ in qd.static(range(2)):
                v += x[i]
            loss[None] += v

    def value(points, steps):
        total = 0
        for p in points:
            v = p
            for _ in range(steps):
                v = (v * v if v > 0 else 3 * v) + 0.5 * v
            total += v + 2 * p
        return total

    seed = np.array([1.0, -2.0, 0.5, 0.25, 3.0, 1.0])
    with qd.ad.FwdMode(loss=loss, param=x, seed=list(seed)):
        f(3)
    step = 1e-6
    points = np.linspace(-1, 1, 6)
    numeric = (value(points + step * seed, 3) - value(points - step * seed, 3)) / (2 * step)
    assert loss[None] == pytest.approx(value(points, 3), rel=1e-13)
    assert loss.dual[None] == pytest.approx(numeric, rel=1e-7)


def test_chains_of_kernels_and_the_last_store():
    x, y, z = scalars("x", "y", "z")
    x[None] = 2.0

    @qd.kernel
    def square():
        y[None] = 5 * x[None]
        y[None] = x[None] ** 2

    @qd.kernel
    def cube():
        z[None] = y[None] * x[None]

    with qd.ad.FwdMode(loss=z, param=x) as mode:
        square()
        cube()
        assert square._primal.autodiff_mode == qd.types.enums.AutodiffMode.FORWARD and not mode.kernels_recovered
    assert y.dual[None] == 4 and z.dual[None] == 12
    assert mode.calls == [square._primal, cube._primal] and mode.kernels_recovered
    assert square._primal.autodiff_mode == qd.types.enums.AutodiffMode.NONE


def test_fields_and_values_without_duals_are_unchanged():
    x = qd.field(qd.f32, shape=3, needs_grad=True, needs_dual=True)
    y = qd.field(qd.f32, shape=3, needs_dual=True)
    count = qd.field(qd.i32, shape=())
    plain = qd.field(qd.f32, shape=3)
    x.grad.fill(7)
    x.from_numpy(np.array([1, 2, 3], np.float32))

    @qd.kernel
    def f(scale: qd.f32, values: qd.types.ndarray(qd.f32, ndim=1)) -> qd.f32:
        for i in x:
            count[None] += 1
            plain[i] = x[i]
            y[i] = x[i] * scale * values[i]
        return scale * 2

    values = qd.ndarray(qd.f32, 3)
    values.from_numpy(np.array([1, 2, 4], np.float32))
    with qd.ad.FwdMode(loss=[y], param=x, seed=[1, 1, 1]):
        assert f(3, values=values) == 6
    assert y.dual.to_numpy().tolist() == [3, 6, 12] and y.to_numpy().tolist() == [3, 12, 36]
    assert count[None] == 3 and plain.to_numpy().tolist() == [1, 2, 3]
    assert x.grad.to_numpy().tolist() == [7, 7, 7] and x.dual.to_numpy().tolist() == [0, 0, 0]


def test_older_duals_stay_if_asked():
    x, y = scalars("x", "y")
    x[None] = 3.0
    y.dual[None] = 10

    @qd.kernel
    def add():
        y[None] += x[None]

    with qd.ad.FwdMode(loss=y, param=x, clear_gradients=False):
        add()
    assert y.dual[None] == 11
    with qd.ad.FwdMode(loss=y, param=x):
        add()
    assert y.dual[None] == 1


def test_fill_ends_dependence():
    x, y = scalars("x", "y")
    x[None] = 3.0

    @qd.kernel
    def store():
        y[None] = x[None]

    with qd.ad.FwdMode(loss=y, param=x):
        store()
        y.fill(2.0)
    assert y[None] == 2 and y.dual[None] == 0
    z = scalars("z")[0]
    with qd.ad.FwdMode(loss=z, param=x):
        store()
        z.copy_from(y)
        y.copy_from(qd.field(qd.f64, shape=()))
    assert z[None] == 3 and z.dual[None] == 1 and y.dual[None] == 0


def test_vectors_and_parameters_with_two_indices():
    x = qd.field(qd.f64, shape=(2, 3), needs_dual=True)
    v = qd.Vector.field(2, qd.f64, shape=3, needs_dual=True)
    loss = qd.field(qd.f64, shape=(), needs_dual=True)
    x.from_numpy(np.arange(1.0, 7).reshape(2, 3))

    @qd.kernel
    def f():
        for j in v:
            v[j] = qd.Vector([x[0, j], x[1, j]])
        for j in v:
            loss[None] += v[j].norm()

    with qd.ad.FwdMode(loss=loss, param=x, seed=[1, 0, 0, 0, 0, 2]):
        f()
    a = np.arange(1.0, 7).reshape(2, 3)
    assert loss.dual[None] == pytest.approx(a[0, 0] / np.hypot(*a[:, 0]) + 2 * a[1, 2] / np.hypot(*a[:, 2]), rel=1e-13)
    assert v.dual.to_numpy().tolist() == [[1, 0], [0, 0], [0, 2]]


def test_components_known_at_run_time():
    v = qd.Vector.field(3, qd.f64, shape=2, needs_dual=True)
    x, loss = qd.field(qd.f64, shape=2, needs_dual=True), qd.field(qd.f64, shape=(), needs_dual=True)
    x.from_numpy(np.array([2.0, 3.0]))

    @qd.kernel
    def f():
        for i in v:
            for k in range(3):
                v[i][k] = x[i] ** k
        for i in v:
            for k in range(3):
                loss[None] += v[i][k]

    with qd.ad.FwdMode(loss=loss, param=x, seed=[1, 10]):
        f()
    assert v.dual.to_numpy().tolist() == [[0, 1, 4], [0, 10, 60]] and loss.dual[None] == 75


def test_methods_and_templates():
    @qd.data_oriented
    class Model:
        def __init__(self, power):
            self.power = power
            self.x, self.y = scalars("x", "y")

        @qd.kernel
        def run(self, out: qd.template(), scale: qd.f64):
            out[None] = scale * self.x[None] ** self.power

    one, two = Model(2), Model(3)
    for model, expected in ((one, 2 * 5 * 4), (two, 3 * 25 * 4)):
        model.x[None] = 5.0
        with qd.ad.FwdMode(loss=model.y, param=model.x):
            model.run(model.y, scale=4.0)
        assert model.y.dual[None] == pytest.approx(expected)
    one.run(one.y, 1.0)
    assert one.y[None] == pytest.approx(25.0)


def test_derivatives_are_compiled_on_demand():
    x, y = scalars("x", "y")

    @qd.kernel
    def f():
        y[None] = x[None]

    f()
    assert qd.lang.misc.get_num_compiled_functions() == 1 if hasattr(qd.lang.misc, "get_num_compiled_functions") else True
    assert f._primal.derivatives == {}
    for _ in range(2):
        with qd.ad.FwdMode(loss=y, param=x):
            f()
    assert [k._specialisations() for k in f._primal.compiled()] == [1, 1]


def test_stopped_gradients():
    x, y, loss = scalars("x", "y", "loss")
    x[None], y[None] = 2.0, 3.0

    @qd.kernel
    def f():
        for i in range(1):
            loss[None] += x[None] * y[None]
            qd.stop_grad(x)
            loss[None] += x[None] * y[None]
        for i in range(1):
            loss[None] += x[None] * y[None]

    f()
    assert loss[None] == 18
    for param, expected in ((x, 3), (y, 6)):
        with qd.ad.FwdMode(loss=loss, param=param):
            f()
        assert loss.dual[None] == expected


def test_sparse_fields():
    x, y = qd.field(qd.f64), qd.field(qd.f64)
    loss = scalars("loss")[0]
    qd.root.pointer(qd.i, 4).dense(qd.i, 4).place(x, y)
    qd.root.lazy_dual()
    x[5], x[6] = 2.0, 3.0

    @qd.kernel
    def f():
        for i in x:
            y[i] = x[i] ** 2
        for i in y:
            loss[None] += y[i]

    seed = [0.0] * 16
    seed[5], seed[6] = 1, 10
    with qd.ad.FwdMode(loss=loss, param=x, seed=seed):
        f()
    assert loss.dual[None] == 64 and y.dual[5] == 4 and y.dual[6] == 60


def test_wrong_use():
    x, y = scalars("x", "y", shape=3)
    vector = qd.Vector.field(2, qd.f64, shape=(), needs_dual=True)
    plain = qd.field(qd.f64, shape=())
    with pytest.raises(RuntimeError, match="`seed` is not set for non 0-D field"):
        qd.ad.FwdMode(loss=y, param=x).__enter__()
    with pytest.raises(AssertionError):
        qd.ad.FwdMode(loss=y, param=x, seed=[1, 0]).__enter__()
    with pytest.raises(AssertionError):
        qd.ad.FwdMode(loss=y, param=vector).__enter__()
    with pytest.raises(AssertionError):
        qd.ad.FwdMode(loss=[vector], param=x, seed=[1, 0, 0]).__enter__()
    with pytest.raises(qd.QuadrantsRuntimeError, match="Field has no allocation"):
        qd.ad.FwdMode(loss=y, param=plain).__enter__()
    mode = qd.ad.FwdMode(loss=y, param=x, seed=[1, 0, 0])
    with mode:
        pass
    with pytest.raises(AssertionError, match="Forward mode manager can be entered only once."):
        mode.__enter__()
    with qd.ad.FwdMode(loss=y, param=x, seed=[0, 0, 1]):
        pass


def test_errors_leave_the_program_as_it_was():
    x, y = scalars("x", "y")

    @qd.kernel
    def f():
        y[None] = x[None] * 2

    with pytest.raises(ZeroDivisionError):
        with qd.ad.FwdMode(loss=y, param=x):
            f()
            1 / 0
    assert x.dual[None] == 0 and y.dual[None] == 2
    y.dual[None] = 0
    f()
    assert y.dual[None] == 0


def test_no_derivatives_in_python():
    qd.init(arch=qd.python)
    x, y = scalars("x", "y")

    @qd.kernel
    def f():
        y[None] = x[None]

    with pytest.raises(qd.QuadrantsRuntimeError, match="Derivatives of kernels need an architecture that compiles them"):
        with qd.ad.FwdMode(loss=y, param=x):
            f()
    f()


def test_arrays_that_would_lose_a_tangent_are_refused():
    x, y = scalars("x", "y")
    x[None] = 3.0

    @qd.kernel
    def write(out: qd.types.ndarray()):
        out[0] = 2 * x[None]

    @qd.kernel
    def add(out: qd.types.ndarray()):
        for i in range(2):
            out[0] += x[None]

    @qd.kernel
    def read(a: qd.types.ndarray(), count: qd.types.ndarray()):
        count[0] = 7
        a[1] = 5.0
        y[None] = x[None] * a[0]

    a, count = qd.ndarray(qd.f64, 2), qd.ndarray(qd.i32, 1)
    for kernel in (write, add):
        for out in (a, np.zeros(2)):
            with pytest.raises(RuntimeError, match="FwdMode cannot differentiate writes to an array: arrays have no dual"):
                with qd.ad.FwdMode(loss=y, param=x):
                    kernel(out)
        kernel(a)
    a[0] = 4.0
    with qd.ad.FwdMode(loss=y, param=x):
        read(a, count)
    assert y.dual[None] == 4 and a[1] == 5 and count[0] == 7


def test_numbers_from_outside():
    x, y, z = scalars("x", "y", "z")

    @qd.kernel
    def square():
        y[None] = x[None] ** 2

    @qd.kernel
    def add():
        z[None] = x[None] + y[None]

    with qd.ad.FwdMode(loss=z, param=x):
        x.from_numpy(np.array(3.0))  # x is still the parameter that varies
        square()
        assert y.dual[None] == 6
        y.from_numpy(np.array(1.0))
        add()
    assert z[None] == 4 and z.dual[None] == 1
