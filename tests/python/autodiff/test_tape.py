"""qd.ad.Tape, functions with gradients of their own, and checks of gradients."""

import re
import threading
import traceback
import warnings

import numpy as np
import pytest
import quadrants as qd

AutodiffMode = qd.types.enums.AutodiffMode


@pytest.fixture(autouse=True)
def doubles(arch):
    qd.init(arch=arch, default_fp=qd.f64, offline_cache=False, print_full_traceback=True)


def reals(*names, dtype=qd.f64, shape=()):
    return [qd.field(dtype, shape=shape, name=name, needs_grad=True) for name in names]


class Program:
    """loss = sum of (2 x)²"""

    def __init__(self, n=3):
        self.x, self.y = reals("x", "y", shape=n)
        self.loss = reals("loss")[0]
        self.x.from_numpy(np.arange(1.0, n + 1))

        x, y, loss = self.x, self.y, self.loss

        @qd.kernel
        def double(factor: qd.f64):
            for i in x:
                y[i] = factor * x[i]

        @qd.kernel
        def add():
            for i in y:
                loss[None] += y[i] ** 2

        self.double, self.add = double, add

    def run(self):
        self.double(factor=2.0)
        self.add()


def test_gradients_when_the_block_ends():
    p = Program()
    p.loss[None] = 100
    p.x.grad.fill(5)
    with qd.ad.Tape(loss=p.loss) as tape:
        assert p.loss[None] == 0 and p.x.grad[0] == 0
        p.run()
        assert not tape.gradient_evaluated
    assert tape.gradient_evaluated and p.loss[None] == 4 * 14
    assert p.x.grad.to_numpy().tolist() == [8, 16, 24] and p.loss.grad[None] == 1
    assert not p.y.grad.to_numpy().any()
    assert tape.calls == [(p.double._primal, (2.0,)), (p.add._primal, ())]
    assert tape.modes == [AutodiffMode.NONE, AutodiffMode.NONE]
    p.run()  # no longer recorded
    assert len(tape.calls) == 2


def test_gradients_that_are_not_cleared():
    p = Program()
    p.x.grad.fill(1)
    with qd.ad.Tape(loss=p.loss, clear_gradients=False):
        p.run()
    assert p.x.grad.to_numpy().tolist() == [9, 17, 25]


def test_the_last_store_of_the_loss_counts():
    x, loss = reals("x", "loss")

    @qd.kernel
    def store(power: qd.template()):
        loss[None] = x[None] ** power

    x[None] = 3
    with qd.ad.Tape(loss):
        store(2)
        store(3)
        store(4)
    assert x.grad[None] == 4 * 27 and loss.grad[None] == 0


def test_training():
    n = 8
    x, target = qd.field(qd.f32, shape=n, needs_grad=True), np.linspace(-1, 1, n, dtype=np.float32)
    loss = qd.field(qd.f32, shape=(), needs_grad=True)
    wanted = qd.field(qd.f32, shape=n)
    wanted.from_numpy(target)

    @qd.kernel
    def distance():
        for i in x:
            loss[None] += (x[i] - wanted[i]) ** 2

    @qd.kernel
    def descend():
        for i in x:
            x[i] -= 0.1 * x.grad[i]

    for _ in range(60):
        with qd.ad.Tape(loss=loss):
            distance()
        descend()
    np.testing.assert_allclose(x.to_numpy(), target, atol=1e-5)
    assert distance.grad._specialisations() == 1


def test_methods_are_recorded_with_their_instance():
    @qd.data_oriented
    class Model:
        def __init__(self):
            self.x, self.loss = reals("x", "loss")

        @qd.kernel
        def run(self, scale: qd.f64, power: qd.template()):
            self.loss[None] += scale * self.x[None] ** power

    model, other = Model(), Model()
    model.x[None], other.x[None] = 2, 3
    with qd.ad.Tape(loss=model.loss) as tape:
        model.run(power=3, scale=10.0)
        other.run(1.0, 2)
    assert model.x.grad[None] == 120 and other.x.grad[None] == 0
    assert tape.calls == [(Model.run._primal, (model, 10.0, 3)), (Model.run._primal, (other, 1.0, 2))]


def test_kernels_made_in_the_block():
    x, loss = reals("x", "loss")
    x[None] = 3
    with qd.ad.Tape(loss):

        @qd.kernel
        def square():
            loss[None] += x[None] ** 2

        square()
    assert x.grad[None] == 6


def test_filled_fields():
    x, y, loss = reals("x", "y", "loss")

    @qd.kernel
    def copy():
        y[None] = x[None]

    @qd.kernel
    def add():
        loss[None] += y[None]

    x[None] = 2
    with qd.ad.Tape(loss) as tape:
        copy()
        add()
        y.fill(5)
        add()
    assert loss[None] == 7 and x.grad[None] == 1 and y.grad[None] == 0 and len(tape.calls) == 4


def test_copied_fields():
    x, y, z, w, loss = *reals("x", "y", "z", "w", shape=3), reals("loss")[0]
    plain = qd.field(qd.f64, shape=3)
    x.from_numpy(np.array([1.0, 2, 3]))

    @qd.kernel
    def squares(out: qd.template()):
        for i in out:
            loss[None] += out[i] ** 2

    with qd.ad.Tape(loss):
        y.copy_from(x)
        squares(y)
        z.copy_from(y)
        squares(z)
        w.copy_from(x)
        w.copy_from(plain)
        squares(w)
    assert loss[None] == 28 and x.grad.to_numpy().tolist() == [4, 8, 12]
    assert not y.grad.to_numpy().any() and not z.grad.to_numpy().any()


def test_without_a_loss_calls_are_recorded():
    p = Program()
    p.x.grad.fill(3)
    with qd.ad.Tape() as tape:
        p.run()
    assert len(tape.calls) == 2 and not tape.gradient_evaluated
    assert p.x.grad[0] == 3 and p.loss[None] == 56


def test_losses_of_other_kinds():
    v = qd.Vector.field(2, qd.f64, shape=(), needs_grad=True)
    x = reals("x")[0]
    x[None] = 3

    @qd.kernel
    def f(out: qd.template()):
        out[None] = qd.Vector([x[None], x[None] ** 2])

    with qd.ad.Tape(loss=v):
        f(v)
    assert x.grad[None] == 7


def test_checks_of_the_loss():
    vector, integer, plain = reals("v", shape=3)[0], qd.field(qd.i32, shape=()), qd.field(qd.f32, shape=())
    Tape = qd.ad.Tape
    with pytest.raises(RuntimeError, match="The loss of `Tape` must be a 0-D field, i.e. scalar"):
        Tape(loss=vector).__enter__()
    for loss in (integer, plain):
        with pytest.raises(RuntimeError, match="Gradients of loss are not allocated, please use qd.field"):
            Tape(loss=loss).__enter__()
    with pytest.raises(RuntimeError, match="The loss of `Tape` must be an ndarray with only one element"):
        Tape(loss=qd.ndarray(qd.f32, 2, needs_grad=True)).__enter__()
    with pytest.raises(RuntimeError, match="please set needs_grad=True for all ndarrays"):
        Tape(loss=qd.ndarray(qd.f32, 1)).__enter__()
    with pytest.raises(TypeError, match="The loss of `Tape` must be"):
        Tape(loss=3.0).__enter__()
    p = Program()
    with Tape(p.loss):
        p.run()
    assert p.x.grad[0] == 8


def test_gradients_are_evaluated_only_once():
    p = Program()
    tape = qd.ad.Tape(p.loss)
    with pytest.raises(AssertionError, match="Before evaluating gradients tape must be entered."):
        tape.grad()
    with tape:
        p.run()
    with pytest.raises(AssertionError, match="Gradients of grad can be evaluated only once."):
        tape.grad()
    with pytest.raises(AssertionError, match="Tape can be entered only once."):
        tape.__enter__()


def test_errors_in_the_block():
    p = Program()
    with pytest.raises(ZeroDivisionError):
        with qd.ad.Tape(p.loss) as tape:
            p.run()
            1 / 0
    assert tape.gradient_evaluated and p.x.grad[0] == 8

    @qd.kernel
    def bad():
        for i in p.x:
            p.y[i] = qd.random() * p.x[i]

    with pytest.raises(RuntimeError, match="RandStmt not supported"):
        with qd.ad.Tape(p.loss):
            bad()
    p.run()
    with qd.ad.Tape(p.loss):
        p.run()
    assert p.x.grad[0] == 8


def test_stop_in_the_block_ends_the_work():
    p = Program()
    with pytest.raises(KeyboardInterrupt):
        with qd.ad.Tape(p.loss) as tape:
            p.run()
            raise KeyboardInterrupt
    assert not tape.gradient_evaluated and p.x.grad[0] == 0
    with qd.ad.Tape(p.loss):
        p.run()
    assert p.x.grad[0] == 8


def test_a_reset_ends_recording():
    p = Program()
    with qd.ad.Tape() as tape:
        p.run()
        qd.init(arch=qd.cpu, offline_cache=False)
        Program().run()
    assert len(tape.calls) == 2


def test_validation_without_debug_warns():
    p = Program()
    with pytest.warns(Warning, match="Debug mode is disabled, autodiff valid check will not work"):
        tape = qd.ad.Tape(loss=p.loss, validation=True)
    with tape:
        p.run()
        assert p.add._primal.autodiff_mode == AutodiffMode.VALIDATION
    assert p.x.grad[0] == 8 and p.add._primal.autodiff_mode == AutodiffMode.NONE


def test_custom_gradients():
    x, loss = reals("x", "loss")
    x[None] = 3
    seen = []

    @qd.kernel
    def compute(scale: qd.f64):
        loss[None] += scale * x[None] ** 2

    @qd.ad.grad_replaced
    def forward(scale, *, label):
        compute(scale)
        return 5

    assert forward.grad is None

    @qd.ad.grad_for(forward)
    def backward(scale, *, label):
        seen.append((scale, label))
        compute.grad(scale * 10)

    assert forward.grad is backward
    with qd.ad.Tape(loss) as tape:
        assert forward(2.0, label="a") is None
    assert x.grad[None] == 120 and seen == [(2.0, "a")] and len(tape.calls) == 1
    with qd.ad.Tape(loss):
        compute(1.0)
    assert x.grad[None] == 6


def test_custom_gradients_of_methods():
    @qd.data_oriented
    class Model:
        def __init__(self):
            self.x, self.loss = reals("x", "loss")
            self.x[None] = 2

        @qd.kernel
        def square(self):
            self.loss[None] += self.x[None] ** 2

        def inner(self):
            self.square()

        @qd.ad.grad_replaced
        def forward(self, times):
            for _ in range(times):
                self.inner()

        @qd.ad.grad_for(forward)
        def backward(self, times):
            for _ in range(times):
                self.square.grad()

        @qd.ad.no_grad
        def more(self):
            self.square()

    model = Model()
    with qd.ad.Tape(model.loss) as tape:
        model.forward(times=3)
        model.more()
    assert model.loss[None] == 16 and model.x.grad[None] == 12
    assert [args for _, args in tape.calls] == [(model, 3), (model,)]
    assert Model.more.grad() is None


def test_custom_gradients_in_forward_mode():
    x, y = [qd.field(qd.f64, shape=(), needs_dual=True) for _ in range(2)]
    x[None] = 3

    @qd.kernel
    def square():
        y[None] = x[None] ** 2

    @qd.ad.no_grad
    def apart():
        square()

    with qd.ad.FwdMode(loss=y, param=x) as mode:
        apart()
        assert y.dual[None] == 0 and mode.calls == []
        square()
    assert y.dual[None] == 6


def test_wrong_custom_gradients():
    x, loss = reals("x", "loss")

    @qd.kernel
    def compute():
        loss[None] += x[None]

    @qd.ad.grad_replaced
    def forward():
        compute()

    def plain():
        pass

    with pytest.raises(TypeError):
        with qd.ad.Tape(loss):
            forward()
    qd.ad.grad_for(forward)(plain)
    for primal in (forward, compute):
        with pytest.raises(RuntimeError, match="Primal function must be a \\*\\*python\\*\\* function instead of a quadrants kernel"):
            qd.ad.grad_for(primal)(plain)
    with pytest.raises(RuntimeError, match="Primal function `plain` must be decorated by qd.ad.grad_replaced"):
        qd.ad.grad_for(plain)(plain)


def test_checked_gradients(capsys):
    x, v, loss = reals("x", shape=(2, 2))[0], qd.Vector.field(2, qd.f64, shape=3, needs_grad=True), reals("loss")[0]
    scale = reals("scale")[0]
    x.from_numpy(np.arange(4.0).reshape(2, 2))
    v.from_numpy(np.arange(6.0).reshape(3, 2) - 2)
    scale[None] = 1.5

    @qd.kernel
    def f():
        for i, j in x:
            loss[None] += qd.sin(x[i, j]) * scale[None]
        for i in v:
            loss[None] += v[i].dot(v[i])

    loss[None] = 7
    with qd.ad.Tape(loss, grad_check=[x, v, scale]):
        f()
    assert capsys.readouterr().out == "".join(f"variable {i} passes grad check\n" for i in range(3))
    assert x.grad[1, 1] == pytest.approx(1.5 * np.cos(3.0)) and scale[None] == 1.5

    @qd.kernel
    def rounded():
        for i in v:
            loss[None] += v[i].x * 2
        for i, j in x:
            loss[None] += qd.floor(x[i, j] * 1e9) / 1e9

    with pytest.raises(AssertionError, match="Grad check failed: Not all variables pass grad check: `x`"):
        with qd.ad.Tape(loss, grad_check=[v, x]):
            rounded()
    out = capsys.readouterr().out
    assert "variable 0 passes grad check" in out and "variable 1 has relative error" in out
    with pytest.raises(AssertionError, match="grad_check should be a list of fields that need to check gradients."):
        qd.ad.Tape(loss, grad_check=x)
    single = qd.field(qd.f32, shape=(), needs_grad=True)
    with pytest.raises(AssertionError, match="Only f64 is supported when checking grad."):
        with qd.ad.Tape(loss, grad_check=[single]):
            f()


def test_checked_gradients_of_fields_without_memory_yet(capsys):
    x, loss = reals("x", shape=(2, 2))[0], reals("loss")[0]
    x.from_numpy(np.array([[1.0, 2], [3, 4]]))

    @qd.kernel
    def cosines():
        for i, j in x:
            loss[None] += qd.cos(x[i, j])

    with qd.ad.Tape(loss, grad_check=[x]):  # the loss gets its memory in the block
        cosines()
    assert capsys.readouterr().out == "variable 0 passes grad check\n"
    np.testing.assert_allclose(x.grad.to_numpy(), -np.sin(x.to_numpy()))
    with pytest.raises(AssertionError, match="Not all variables pass grad check"):
        with qd.ad.Tape(loss, clear_gradients=False, grad_check=[x]):  # adds to the gradients of before
            cosines()
    assert re.match(r"variable 0 has relative error 0\.5\d* \(`x`\)\n$", capsys.readouterr().out)


def test_gradients_that_cannot_be_checked(capsys):
    x, y, loss = *reals("x", "y", shape=3), reals("loss")[0]
    x.from_numpy(np.array([1.0, 2, 0]))

    @qd.kernel
    def ramp():
        for i in x:
            loss[None] += qd.max(x[i], 0.0) + y[i] * x[i]

    with qd.ad.Tape(loss, grad_check=[x]):
        ramp()
    assert "variable 0 cannot be checked: a kink or a jump" in capsys.readouterr().out
    with qd.ad.Tape(loss, grad_check=[x]) as tape:
        ramp()
        y[0] = 2.0
        ramp()
    assert tape.unrecorded and "variable 0 cannot be checked: Python writes" in capsys.readouterr().out
    with qd.ad.Tape(loss, grad_check=[x]) as tape:
        x[2] = 1.0  # a value written before the first kernel is an input
        ramp()
    assert not tape.unrecorded and capsys.readouterr().out == "variable 0 passes grad check\n"


def test_no_warnings_without_validation():
    p = Program()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with qd.ad.Tape(p.loss):
            p.run()


def test_only_fields_with_gradients_can_be_checked():
    x, loss = reals("x", "loss")
    bare = qd.field(qd.f64, shape=(), name="bare")
    for wrong in ([3], [x, None], [bare], (x,)):
        with pytest.raises(AssertionError, match="grad_check should be a list of fields that need to check gradients."):
            qd.ad.Tape(loss, grad_check=wrong)
    with pytest.raises(AssertionError, match="bare has no gradient"):
        qd.ad.Tape(loss, grad_check=[bare])


def test_objects_are_recorded_as_they_are():
    @qd.data_oriented(template_primitives=False)
    class Model:
        def __init__(self):
            self.t, self.scale = 0, 1.0
            self.x = reals("x", shape=5)[0]
            self.now, self.next = [qd.ndarray(qd.f64, 1, needs_grad=True) for _ in range(2)]
            self.pair = [self.now, self.next]
            self.loss = reals("loss")[0]

        @qd.kernel
        def step(self):
            self.x[self.t + 1] = self.x[self.t] * self.scale

        @qd.kernel
        def advance(self):
            self.next[0] = self.now[0] * 3

        @qd.kernel
        def advance_pair(self):
            self.pair[1][0] = self.pair[0][0] * 3

        @qd.kernel
        def end(self):
            self.loss[None] += self.x[4]

        @qd.kernel
        def end_of_arrays(self):
            self.loss[None] += self.now[0]

    model = Model()
    model.x[0] = 1.0
    with qd.ad.Tape(model.loss):
        for k in range(4):
            model.t, model.scale = k, k + 2.0
            model.step()
        model.end()
        model.t = 9
    assert model.x.grad[0] == 2 * 3 * 4 * 5 and model.t == 9 and model.loss[None] == 120
    first = model.now
    first[0] = 2.0
    with qd.ad.Tape(model.loss):
        for _ in range(3):
            model.advance()
            model.now, model.next = model.next, qd.ndarray(qd.f64, 1, needs_grad=True)
        model.end_of_arrays()
    assert model.loss[None] == 54 and first.grad[0] == 27 and model.now is not first
    a, b, c = [qd.ndarray(qd.f64, 1, needs_grad=True) for _ in range(3)]
    a[0] = 1.0
    model.pair = [a, b]
    with qd.ad.Tape() as tape:
        model.advance_pair()
        model.pair[0], model.pair[1] = b, c
        model.advance_pair()
    c.grad[0] = 1
    tape.loss = c
    tape.grad()
    assert c[0] == 9 and a.grad[0] == 9 and model.pair == [b, c]


def test_numbers_from_outside():
    x, y, loss = *reals("x", "y", shape=2), reals("loss")[0]
    a = qd.ndarray(qd.f64, 2, needs_grad=True)

    @qd.kernel
    def double(out: qd.template()):
        for i in x:
            out[i] = 2 * x[i]

    @qd.kernel
    def double_array(out: qd.types.ndarray()):
        for i in x:
            out[i] = 2 * x[i]

    @qd.kernel
    def add(one: qd.template()):
        for i in one:
            loss[None] += one[i] * 3

    @qd.kernel
    def add_array(one: qd.types.ndarray()):
        for i in one:
            loss[None] += one[i] * 3

    for calculate, sum_up, y_or_a in ((double, add, y), (double_array, add_array, a)):
        with qd.ad.Tape(loss):
            x.from_numpy(np.array([1.0, 3.0]))  # the input
            calculate(y_or_a)
            sum_up(y_or_a)
            y_or_a.from_numpy(np.array([5.0, 6.0]))  # does not depend on x
            sum_up(y_or_a)
        assert loss[None] == 24 + 33 and x.grad.to_numpy().tolist() == [6, 6]
        assert not y_or_a.grad.to_numpy().any()
    with qd.ad.Tape(loss, grad_check=[x]):
        double(y)
        add(y)
        y.from_numpy(np.array([5.0, 6.0]))
        add(y)
    assert y.to_numpy().tolist() == [5, 6]


def test_each_thread_has_a_tape_of_its_own():
    """This also holds while one of the threads compiles the kernel."""

    @qd.kernel
    def cubes(a: qd.types.ndarray(), out: qd.types.ndarray()):
        for i in a:
            out[0] += a[i] ** 3

    wrong = []

    def work(value):
        a, out = qd.ndarray(qd.f64, 10, needs_grad=True), qd.ndarray(qd.f64, 1, needs_grad=True)
        a.fill(value)
        for _ in range(10):
            a.grad.fill(0)
            with qd.ad.Tape(loss=out) as tape:
                cubes(a, out)
            if len(tape.calls) != 1 or abs(a.grad.to_numpy() - 3 * value**2).max() > 1e-9:
                wrong.append((value, len(tape.calls), a.grad.to_numpy()))

    threads = [threading.Thread(target=work, args=(value,)) for value in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_errors_show_no_frames_of_the_package(arch):
    """Covers errors of the loss, of a recorded kernel, of a gradient compiled at the end of the block, and of functions with custom
    gradients."""
    qd.init(arch=arch, default_fp=qd.f64, offline_cache=False)  # print_full_traceback would show them
    x, loss = reals("x", shape=3)[0], reals("loss")[0]
    bare = qd.field(qd.f64, shape=())

    @qd.kernel
    def halves():
        for i in x:
            v = x[i]
            while v > 0.1:
                v *= 0.5
            loss[None] += v

    @qd.kernel
    def misspelt():
        for i in x:
            loss[None] += unknown  # noqa: F821

    @qd.ad.grad_replaced
    def fails():
        raise ZeroDivisionError

    def taped(what, of=loss):
        with qd.ad.Tape(of):
            what()

    def forward():
        with qd.ad.FwdMode(loss, x):
            pass

    for program in (lambda: taped(print, bare), lambda: taped(halves), lambda: taped(misspelt), lambda: taped(fails), forward):
        with pytest.raises((RuntimeError, NameError, ZeroDivisionError)) as error:
            program()
        frames = [frame.filename for frame in traceback.extract_tb(error.value.__traceback__)]
        shown = [name for name in frames if name != __file__]
        assert not shown or shown == [qd._gradients.custom.__file__], frames  # the latter calls `fails`
