"""qd.ad.check: its verdicts on right gradients, wrong ones and kinks; it leaves all values unchanged."""

import numpy as np
import pytest
import quadrants as qd


@pytest.fixture(autouse=True)
def doubles(arch):
    qd.init(arch=arch, default_fp=qd.f64, offline_cache=False)


def reals(*names, dtype=qd.f64, shape=()):
    return [qd.field(dtype, shape=shape, name=name, needs_grad=True) for name in names]


def line_of(text):
    with open(__file__) as file:
        return next(k for k, line in enumerate(file, 1) if text in line and "line_of" not in line)


def test_a_right_gradient():
    x, y, loss = *reals("x", "y", shape=20), reals("loss")[0]
    x.from_numpy(np.linspace(0.5, 3, 20))
    x.grad.fill(7)
    counter = qd.field(qd.i32, shape=())

    @qd.kernel
    def f(scale: qd.f64):
        for i in x:
            counter[None] += 1
            y[i] = qd.sin(x[i]) * scale
            loss[None] += y[i] * x[i]

    before = [a.to_numpy().tobytes() for a in (x, y, loss, x.grad, y.grad, loss.grad, counter)]
    result = qd.ad.check(f, 3.0)
    assert result and result.verdict == "agrees" and result.line is None
    assert len(result.forward) == len(result.backward) == len(result.differences) == 6  # of y and of loss by x
    np.testing.assert_allclose(result.backward, result.forward, rtol=1e-10)
    np.testing.assert_allclose(result.differences, result.forward, atol=1e-2)
    assert [a.to_numpy().tobytes() for a in (x, y, loss, x.grad, y.grad, loss.grad, counter)] == before
    assert not x.has_dual() and repr(result).endswith("f: agrees (backward agrees with finite differences of `y`, `loss` by `x`: 3 directions)")
    assert "gradients agree" in result._repr_html_()
    with pytest.raises(qd.QuadrantsRuntimeError, match="Field has no allocation"):
        x.dual[0]
    f(1.0)
    assert counter[None] == 20
    assert len(qd.ad.check(f, 3.0, directions=1).forward) == 2


def test_single_precision_vectors_and_arrays():
    v = qd.Vector.field(3, qd.f32, shape=(4, 5), needs_grad=True)
    a, out = qd.ndarray(qd.f32, (4, 5), needs_grad=True), qd.ndarray(qd.f32, 1, needs_grad=True)
    m = qd.Matrix.ndarray(2, 2, qd.f32, 3, needs_grad=True)
    rng = np.random.default_rng(1)
    v.from_numpy(rng.random((4, 5, 3), dtype=np.float32) + 0.5)
    a.from_numpy(rng.random((4, 5), dtype=np.float32))
    m.from_numpy(rng.random((3, 2, 2), dtype=np.float32))
    weights = np.array([1.0, 2.0], np.float32)

    @qd.kernel
    def f(a: qd.types.ndarray(), m: qd.types.ndarray(), weights: qd.types.ndarray(), out: qd.types.ndarray()):
        for i, j in v:
            out[0] += v[i, j].norm() * a[i, j] * weights[1]
        for i in m:
            out[0] += m[i].determinant()

    before = [x.to_numpy().tobytes() for x in (v, a, m, out, a.grad, out.grad)]
    result = qd.ad.check(f, a, m, weights, out)
    assert result.verdict == "agrees" and result.elements == 60 + 20 + 12 + 1, result
    assert [x.to_numpy().tobytes() for x in (v, a, m, out, a.grad, out.grad)] == before
    assert a.dual is None and weights.tolist() == [1, 2]


def test_components_at_run_time_and_objects():
    @qd.data_oriented
    class Model:
        def __init__(self):
            self.v = qd.Vector.field(3, qd.f64, shape=2, needs_grad=True)
            self.a = qd.ndarray(qd.f64, 2, needs_grad=True)
            self.loss = reals("loss")[0]

        @qd.kernel
        def run(self, scale: qd.f64):
            for i, k in qd.ndrange(2, 3):
                self.loss[None] += self.v[i][k] ** 2 * self.a[i] * scale

    model = Model()
    model.v.from_numpy(np.arange(6.0).reshape(2, 3))
    model.a.fill(2)
    result = qd.ad.check(model.run, 1.5)
    assert result.verdict == "agrees" and result.elements == 9 and "Model.run" in repr(result)


def test_programs_of_several_kernels():
    x, y, loss = *reals("x", "y", shape=5), reals("loss")[0]
    x.from_numpy(np.linspace(1, 2, 5))

    @qd.kernel
    def square():
        for i in x:
            y[i] = x[i] ** 2

    @qd.kernel
    def sum_up():
        for i in y:
            loss[None] += y[i] * x[i]

    def program():
        square()
        sum_up()

    assert qd.ad.check(program).verdict == "agrees"
    assert x.grad.to_numpy().tolist() == [0] * 5


def test_a_wrong_gradient_of_ones_own():
    x, y, loss = *reals("x", "y", shape=4), reals("loss")[0]
    x.from_numpy(np.linspace(1, 2, 4))

    @qd.kernel
    def cube():
        for i in x:
            y[i] = x[i] ** 3

    @qd.kernel
    def cube_backward(factor: qd.f64):
        for i in x:
            x.grad[i] += factor * x[i] ** 2 * y.grad[i]
            y.grad[i] = 0

    @qd.kernel
    def sum_up():
        for i in y:
            loss[None] += y[i]

    @qd.ad.grad_replaced
    def forward(factor):
        cube()

    @qd.ad.grad_for(forward)
    def backward(factor):  # what is to blame
        cube_backward(factor)

    def program(factor):
        forward(factor)
        sum_up()

    assert qd.ad.check(forward, 3.0).verdict == "agrees"
    assert qd.ad.check(program, 3.0).verdict == "agrees"
    for function in (forward, program):
        result = qd.ad.check(function, 2.0)
        assert not result and result.verdict == "wrong"
        assert abs(result.line - line_of("# what is " + "to blame")) <= 1
        assert "the custom gradient of forward differs from that of its kernels" in repr(result)
        assert "gradients are wrong" in result._repr_html_()


def test_a_value_that_was_read_is_overwritten():
    x, loss = reals("x", shape=6)[0], reals("loss")[0]
    x.from_numpy(np.linspace(1, 2, 6))

    @qd.kernel
    def overwrite():
        for i in x:
            x[i] = x[i] ** 2  # breaks the rule

    result = qd.ad.check(overwrite)
    assert result.verdict == "wrong" and result.line == line_of("# breaks " + "the rule")
    assert "the field `x` is overwritten after it was read" in repr(result) and "x[i] = x[i] ** 2" in repr(result)
    assert x[5] == 2 and not x.snode.ptr.has_adjoint_checkbit()

    @qd.kernel
    def add_up():
        for i in x:
            loss[None] += x[i] ** 2

    def program():
        add_up()
        overwrite()

    assert qd.ad.check(program).verdict == "wrong"
    assert qd.ad.check(add_up).verdict == "agrees"


def test_an_array_is_overwritten():
    a = qd.ndarray(qd.f64, 3, needs_grad=True)
    a.fill(3)

    @qd.kernel
    def overwrite_array(a: qd.types.ndarray()):
        for i in a:
            a[i] = a[i] ** 3  # of an array

    result = qd.ad.check(overwrite_array, a)
    assert result.verdict == "wrong" and result.line == line_of("# of " + "an array") and a[0] == 3


def test_an_atomic_that_is_not_a_sum():
    x, y, product = *reals("x", "y", shape=3), reals("product")[0]
    x.from_numpy(np.array([2.0, 3.0, 4.0]))
    product[None] = 1.5

    @qd.func
    def times(value):
        return 2 * value

    @qd.kernel
    def multiply():
        for i in x:
            y[i] = times(x[i])
        for i in x:
            qd.atomic_mul(product[None], x[i])  # no sum

    result = qd.ad.check(multiply)
    assert result.verdict == "wrong" and result.line == line_of("# no " + "sum")
    of, by = result.pair
    assert of == "product[None]" and (by.startswith("x[") or by == "product[None]")


@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_kinks(dtype):
    x, y = reals("x", "y", dtype=getattr(qd, dtype), shape=3)

    @qd.kernel
    def kink():
        for i in x:
            y[i] = abs(x[i]) + qd.max(x[i], 0.0)

    assert qd.ad.check(kink).verdict == "cannot say"
    x.from_numpy(np.array([1, -2, 3], dtype=np.float32 if dtype == "f32" else np.float64))
    assert qd.ad.check(kink).verdict == "agrees"

    @qd.kernel
    def root():
        for i in x:
            y[i] = qd.sqrt(x[i] - x[i])

    x.fill(1)

    @qd.kernel
    def even():
        for i in x:
            y[i] = abs(x[i] - 1)  # the slope in the middle is 0 from both sides together

    assert qd.ad.check(even).verdict == "cannot say"
    result = qd.ad.check(root)
    assert result.verdict == "cannot say" and "slopes are infinite or nan there" in repr(result)


def test_intermediate_fields_without_a_gradient():
    x, loss = reals("x", shape=4)[0], reals("loss")[0]
    between = qd.Vector.field(2, qd.f64, shape=4, name="between")
    aside = qd.field(qd.f64, shape=4, name="aside")
    x.from_numpy(np.linspace(0.5, 3, 4))
    x.grad.fill(7)

    @qd.kernel
    def first():
        for i in x:
            aside[i] = x[i] * 3
            between[i] = [x[i] * 2, 1.0]

    @qd.kernel
    def second():
        for i in x:
            loss[None] += between[i][0] + x[i]

    def program():
        first()
        second()

    before = [a.to_numpy().tobytes() for a in (x, between, aside, x.grad)]
    result = qd.ad.check(program)
    assert result.verdict == "wrong" and "no gradient flows back through `between`:" in result.reason
    assert "between[i] = [x[i] * 2, 1.0]" in repr(result)
    assert [a.to_numpy().tobytes() for a in (x, between, aside, x.grad)] == before
    with pytest.raises(qd.QuadrantsRuntimeError, match="Field has no allocation"):
        between.dual[0]

    @qd.kernel
    def kink():
        for i in x:
            aside[i] = x[i]
            loss[None] += qd.abs(x[i] - 0.5)

    result = qd.ad.check(first)
    assert result.verdict == "cannot say" and "nothing that has a gradient changes" in result.reason
    assert qd.ad.check(kink).verdict == "cannot say"


def test_fields_that_are_not_checked():
    x, y = reals("x", "y", shape=1000)
    plain = qd.field(qd.f64, shape=3)
    sparse = qd.field(qd.f64)
    qd.root.pointer(qd.i, 8).place(sparse, sparse.grad)
    sparse[3] = 1

    @qd.kernel
    def copy():
        for i in x:
            y[i] = x[i]

    @qd.kernel
    def fill_plain():
        for i in plain:
            plain[i] = 1

    @qd.kernel
    def fill_sparse():
        for i in sparse:
            sparse[i] = 2.0

    result = qd.ad.check(copy, elements=100)
    assert result.verdict == "cannot say" and "more than 100 elements" in repr(result)
    assert "takes too long" in repr(qd.ad.check(copy, seconds=1e-9))
    assert "none of its inputs has a gradient" in repr(qd.ad.check(fill_plain))
    assert "sparse fields would get new cells" in repr(qd.ad.check(fill_sparse))
    assert plain[0] == 0 and sparse[3] == 1 and qd.ad.check(copy)

    def outside():
        copy()
        x.from_numpy(np.ones(1000))

    x[0] = 5
    assert "loads external data as it runs" in repr(qd.ad.check(outside)) and x[0] == 5


def test_each_kernel_is_right_and_the_program_is_not():
    x, loss = reals("x", shape=4)[0], reals("loss")[0]
    x.from_numpy(np.linspace(1, 2, 4))

    @qd.kernel
    def add_up():
        for i in x:
            loss[None] += x[i] ** 2

    @qd.kernel
    def reset():
        for i in x:
            x[i] = 3.0  # too early

    def program():
        add_up()
        reset()

    assert qd.ad.check(add_up) and qd.ad.check(reset)
    result = qd.ad.check(program)
    assert result.verdict == "wrong" and result.line == line_of("# too " + "early") and "the field `x`" in result.reason


def test_fields_that_are_filled_and_copied():
    x, y, z, loss = *reals("x", "y", "z", shape=4), reals("loss")[0]
    a, b = [qd.ndarray(qd.f64, 4, needs_grad=True) for _ in range(2)]
    x.from_numpy(np.linspace(1, 2, 4))

    @qd.kernel
    def double():
        for i in x:
            y[i] = 2 * x[i]

    @qd.kernel
    def move(a: qd.types.ndarray()):
        for i in x:
            a[i] = z[i] * 3

    @qd.kernel
    def add_up(b: qd.types.ndarray()):
        for i in x:
            loss[None] += x[i] * b[i] + y[i] ** 2

    def program():
        double()
        z.copy_from(y)
        y.fill(5)
        move(a)
        b.copy_from(a)
        a.fill(1)
        add_up(b)

    before = [f.to_numpy().tobytes() for f in (x, y, z, loss, a, b)]
    result = qd.ad.check(program)
    assert result.verdict == "agrees" and not result.reason, result
    assert result.elements == 4 * 3 + 1 + 8
    assert [f.to_numpy().tobytes() for f in (x, y, z, loss, a, b)] == before


def test_objects_that_change_as_the_program_runs():
    @qd.data_oriented(template_primitives=False)
    class Model:
        def __init__(self):
            self.t = 0
            self.x = reals("x", shape=5)[0]
            self.now, self.next = [qd.ndarray(qd.f64, 1, needs_grad=True) for _ in range(2)]

        @qd.kernel
        def step(self):
            self.x[self.t + 1] = self.x[self.t] ** 2 * 1.5

        @qd.kernel
        def swap(self):
            self.next[0] = self.now[0] * self.x[0]

    model = Model()
    model.x[0], model.now[0] = 1.25, 2.0

    def program():
        for t in range(4):
            model.t = t
            model.step()
        model.swap()
        model.now, model.next = model.next, model.now

    result = qd.ad.check(program)
    assert result.verdict == "agrees", result
    assert model.x.to_numpy().tolist() == [1.25, 0, 0, 0, 0] and model.now[0] == 2


def test_numbers_of_other_sizes():
    x, y = reals("x", "y", shape=3)
    x.fill(1e-9)
    y.fill(1e12)

    @qd.kernel
    def far_apart():
        for i in x:
            y[i] = qd.sin(x[i] * 1e9) * y[i] + x[i]

    result = qd.ad.check(far_apart)
    assert result.verdict == "wrong" and "the field `y` is overwritten" in result.reason

    @qd.kernel
    def apart(out: qd.types.ndarray()):
        for i in x:
            out[i] = qd.sin(x[i] * 1e9) * y[i] + x[i]

    assert qd.ad.check(apart, qd.ndarray(qd.f64, 3, needs_grad=True)).verdict == "agrees"


def test_errors_leave_everything_as_it_was():
    x, y = reals("x", "y", shape=3)

    @qd.kernel
    def f():
        for i in x:
            y[i] = x[i] * 2

    def fails():
        f()
        raise ZeroDivisionError

    x.fill(4)
    with pytest.raises(ZeroDivisionError):
        qd.ad.check(fails)
    assert y[0] == 0 and not x.has_dual()
    with qd.ad.Tape() as tape:
        f()
        assert qd.ad.check(f).verdict == "agrees"
    assert len(tape.calls) == 1


def test_serial_loops_with_stacks(arch):
    qd.init(arch=arch, default_fp=qd.f64, offline_cache=False, ad_stack_experimental_enabled=True)
    x, loss = reals("x", shape=4)[0], reals("loss")[0]
    x.from_numpy(np.linspace(0.3, 0.9, 4))

    @qd.kernel
    def logistic(n: qd.i32):
        for i in x:
            v = x[i]
            for _ in range(n):
                v = 3.2 * v * (1 - v)
            loss[None] += v

    assert qd.ad.check(logistic, 20).verdict == "agrees"


@pytest.mark.parametrize("layout", [qd.Layout.AOS, qd.Layout.SOA])
def test_members_of_struct_fields(arch, layout):
    qd.init(arch=arch, default_fp=qd.f64, debug=True)
    loss = qd.field(qd.f64, shape=(), needs_grad=True)
    ball = qd.types.struct(at=qd.types.vector(2, qd.f64), inner=qd.types.struct(mass=qd.f64, charge=qd.f64))
    balls = ball.field(shape=4, needs_grad=True, layout=layout)
    balls.at.fill(0.7)
    balls.inner.mass.fill(0.3)

    @qd.kernel
    def energy():
        for i in balls:
            loss[None] += balls[i].at[0] * balls[i].inner.mass ** 2 + balls[i].at[1] * balls[i].inner.charge

    assert "agrees" in str(qd.ad.check(energy))
    with qd.ad.Tape(loss, validation=True):
        energy()
    assert balls.grad.inner.mass.to_numpy() == pytest.approx(2 * 0.7 * 0.3)
    with qd.ad.Tape(loss, grad_check=[balls.inner.mass, balls.at]):
        energy()


def test_a_member_of_a_struct_field_is_named():
    loss = qd.field(qd.f64, shape=(), needs_grad=True)
    balls = qd.types.struct(inner=qd.types.struct(mass=qd.f64)).field(shape=2, needs_grad=True)
    balls.inner.mass.fill(0.3)

    @qd.kernel
    def energy():
        for i in balls:
            loss[None] += balls[i].inner.mass ** 2
            balls[i].inner.mass = 0.0

    assert "the field `inner.mass` is overwritten" in str(qd.ad.check(energy))
