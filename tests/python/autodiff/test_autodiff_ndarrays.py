"""Gradients of ndarrays."""

import numpy as np
import pytest
import quadrants as qd


@pytest.fixture(autouse=True)
def doubles(arch):
    qd.init(arch=arch, default_fp=qd.f64, offline_cache=False, print_full_traceback=True)


def reals(*shapes):
    return [qd.ndarray(qd.f64, shape, needs_grad=True) for shape in shapes]


@qd.kernel
def weighted(x: qd.types.ndarray(), w: qd.types.ndarray(), loss: qd.types.ndarray()):
    for i in x:
        loss[0] += w[i] * x[i] ** 2


def filled(array, values):
    array.from_numpy(np.asarray(values, dtype=np.float64))
    return array


def test_arrays():
    x, w, loss = reals(3, 3, 1)
    filled(x, [1, 2, 3])
    filled(w, [4, 5, 6])
    weighted(x, w, loss)
    loss.grad[0] = 1
    weighted.grad(x, w, loss)
    assert loss[0] == 4 + 20 + 54
    assert x.grad.to_numpy().tolist() == [8, 20, 36] and w.grad.to_numpy().tolist() == [1, 4, 9] and loss.grad[0] == 1
    weighted.grad(loss=loss, x=x, w=w)
    assert x.grad.to_numpy().tolist() == [16, 40, 72]
    x.grad.fill(0)
    assert x.grad[1] == 0


def test_arrays_without_gradients():
    x, w, loss = reals(3, 3, 1)
    filled(x, [1, 2, 3])
    plain = filled(qd.ndarray(qd.f64, 3), [4, 5, 6])
    whole = qd.ndarray(qd.i32, 3)
    whole.from_numpy(np.array([4, 5, 6], np.int32))
    for other in (plain, whole, np.array([4.0, 5, 6])):
        x.grad.fill(0)
        loss.grad[0] = 1
        weighted.grad(x, other, loss)
        assert x.grad.to_numpy().tolist() == [8, 20, 36]
    w.from_numpy(np.array([4.0, 5, 6]))
    loss.grad[0] = 1
    weighted.grad(x, w, loss)  # a different specialisation from that of `plain`, for the same types
    assert w.grad.to_numpy().tolist() == [1, 4, 9]
    loss.grad[0] = 1
    weighted.grad(x, plain, loss)
    assert w.grad.to_numpy().tolist() == [1, 4, 9]


def test_annotations_decide():
    @qd.kernel
    def f(x: qd.types.ndarray(qd.f64, ndim=1, needs_grad=True), c: qd.types.ndarray(qd.f64, ndim=1, needs_grad=False),
          y: qd.types.ndarray(qd.f64, ndim=1)):  # fmt: skip
        for i in x:
            y[i] = x[i] * c[i]

    x, c, y = reals(2, 2, 2)
    filled(x, [1, 2])
    filled(c, [3, 4])
    y.grad.fill(1)
    f.grad(x, c, y)
    assert x.grad.to_numpy().tolist() == [3, 4] and c.grad.to_numpy().tolist() == [0, 0]
    assert y.grad.to_numpy().tolist() == [0, 0]
    with pytest.raises(ValueError, match="required needs_grad=True, but False is provided"):
        f.grad(qd.ndarray(qd.f64, 2), c, y)


def test_tape():
    x, w, loss = reals(3, 3, (1, 1))
    filled(x, [1, 2, 3])
    filled(w, [4, 5, 6])
    loss[0, 0] = 8
    x.grad.fill(1)

    @qd.kernel
    def add(x: qd.types.ndarray(), loss: qd.types.ndarray()):
        for i in x:
            loss[0, 0] += x[i] ** 2

    with qd.ad.Tape(loss=loss):
        add(x, loss)
        add(w, loss=loss)
    assert loss[0, 0] == 14 + 77
    assert x.grad.to_numpy().tolist() == [3, 5, 7]  # gradients of arrays are not cleared
    assert w.grad.to_numpy().tolist() == [8, 10, 12]


def test_fields_and_arrays_of_several_kinds():
    scale = qd.field(qd.f64, shape=(), needs_grad=True)
    total = qd.field(qd.f64, shape=(), needs_grad=True)
    v = qd.Vector.ndarray(3, qd.f64, (2,), needs_grad=True)
    m = qd.ndarray(qd.f64, (2, 3), needs_grad=True)
    values, matrix = np.arange(6.0).reshape(2, 3) + 1, np.arange(6.0).reshape(2, 3) - 2
    v.from_numpy(values)
    m.from_numpy(matrix)
    scale[None] = 3.0

    @qd.kernel
    def f(v: qd.types.ndarray(), m: qd.types.ndarray(), gain: qd.math.vec2):
        for i in range(v.shape[0]):
            for k in qd.static(range(3)):
                total[None] += scale[None] * v[i][k] * m[i, k] * gain[1]

    total.grad[None] = 1
    f.grad(v, m, qd.math.vec2(1, 2))
    np.testing.assert_allclose(v.grad.to_numpy(), 6 * matrix)
    np.testing.assert_allclose(m.grad.to_numpy(), 6 * values)
    assert scale.grad[None] == 2 * np.sum(values * matrix)


def test_components_known_at_run_time():
    v, w = qd.Vector.ndarray(3, qd.f64, (2,), needs_grad=True), qd.Vector.field(3, qd.f64, shape=2, needs_grad=True)
    loss = qd.field(qd.f64, shape=(), needs_grad=True)
    v.from_numpy(np.arange(6.0).reshape(2, 3))
    w.from_numpy(np.arange(6.0).reshape(2, 3) + 5)

    @qd.kernel
    def f(v: qd.types.ndarray()):
        for i, k in qd.ndrange(2, 3):
            loss[None] += v[i][k] ** 2 * w[i][k]

    loss.grad[None] = 1
    f.grad(v)
    a = np.arange(6.0).reshape(2, 3)
    np.testing.assert_allclose(v.grad.to_numpy(), 2 * a * (a + 5))
    np.testing.assert_allclose(w.grad.to_numpy(), a * a)


def test_gradients_of_gradients_are_refused():
    x, w, loss = reals(3, 3, 1)

    @qd.kernel
    def step(x: qd.types.ndarray(), rate: qd.f64):
        for i in x:
            x[i] -= rate * x.grad[i]

    x.grad.fill(2)
    step(x, 0.5)
    assert x.to_numpy().tolist() == [-1, -1, -1]
    with pytest.raises(RuntimeError, match="Cannot automatically differentiate through a grad tensor"):
        step.grad(x, 0.5)
    weighted.grad(x.grad, w, loss)  # an array like any other


def test_arrays_in_objects():
    import dataclasses

    @dataclasses.dataclass(frozen=True)
    class State:
        x: qd.types.ndarray(qd.f64, ndim=1)
        y: qd.types.ndarray(qd.f64, ndim=1)

    @qd.kernel
    def square(s: State):
        for i in s.x:
            s.y[i] = s.x[i] ** 2

    @qd.data_oriented
    class Model:
        def __init__(self):
            self.x, self.y = reals(2, 2)
            filled(self.x, [1, 2])

        @qd.kernel
        def run(self):
            for i in self.x:
                self.y[i] = self.x[i] ** 3

    state = State(*reals(2, 2))
    filled(state.x, [1, 2])
    square(state)
    for _ in range(2):
        state.y.grad.fill(1)
        square.grad(state)
    assert state.x.grad.to_numpy().tolist() == [4, 8]
    model, other = Model(), Model()
    for one in (model, other, model):
        one.run()
        one.y.grad.fill(1)
        one.run.grad()
    assert model.x.grad.to_numpy().tolist() == [6, 24] and other.x.grad.to_numpy().tolist() == [3, 12]


def test_arrays_that_overlap():
    x, loss = reals(4, 1)
    filled(x, [1, 2, 3, 4])
    loss.grad[0] = 1
    weighted.grad(x, x, loss)  # x³
    assert x.grad.to_numpy().tolist() == [3, 12, 27, 48]


def test_filled_arrays():
    x, y, loss = reals(2, 2, 1)

    @qd.kernel
    def copy(x: qd.types.ndarray(), y: qd.types.ndarray()):
        for i in x:
            y[i] = x[i]

    @qd.kernel
    def add(y: qd.types.ndarray(), loss: qd.types.ndarray()):
        for i in y:
            loss[0] += y[i]

    filled(x, [1, 2])
    with qd.ad.Tape(loss):
        copy(x, y)
        add(y, loss)
        y.fill(3)
        add(y, loss)
    assert loss[0] == 9 and x.grad.to_numpy().tolist() == [1, 1]
    x.grad.fill(0)
    with qd.ad.Tape(loss):
        y.copy_from(x)
        add(y, loss)
    assert loss[0] == 3 and x.grad.to_numpy().tolist() == [1, 1]


def test_tensors():
    for backend in (qd.Backend.FIELD, qd.Backend.NDARRAY):
        x = qd.tensor(qd.f64, shape=(3,), backend=backend, needs_grad=True)
        loss = qd.tensor(qd.f64, shape=() if backend == qd.Backend.FIELD else (1,), backend=backend, needs_grad=True)
        x.from_numpy(np.array([1.0, 2, 3]))
        at = None if backend == qd.Backend.FIELD else 0

        @qd.kernel
        def f(x: qd.Tensor, loss: qd.Tensor):
            for i in range(3):
                loss[at] += x[i] ** 2

        with qd.ad.Tape(loss=loss):
            f(x, loss)
        assert x.grad.to_numpy().tolist() == [2, 4, 6]


class Tensor:
    """A tensor of another library with derivatives, such as torch, with the attributes that kernels use."""

    def __init__(self, values, requires_grad=False, is_leaf=True):
        self.values = np.asarray(values)
        self.requires_grad, self.is_leaf, self.grad = requires_grad, is_leaf, None

    shape = property(lambda self: self.values.shape)

    def detach(self):
        return Tensor(self.values)

    def new_zeros(self, shape):
        return Tensor(np.zeros(shape, self.values.dtype))

    def new_ones(self, shape):
        return Tensor(np.ones(shape, self.values.dtype))

    def fill_(self, value):
        self.values[...] = value

    def __dlpack__(self, **keywords):
        if self.requires_grad:
            raise BufferError("a tensor that requires a gradient is not exported: detach it")
        return self.values.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


@pytest.fixture(params=["stand-in", "torch"])
def tensor(request):
    if request.param == "stand-in":
        return Tensor
    torch = pytest.importorskip("torch")
    return lambda values, requires_grad=False: torch.tensor(np.asarray(values), requires_grad=requires_grad)


def numbers(tensor):
    return (tensor.values if isinstance(tensor, Tensor) else tensor.detach()).tolist()


def test_tensors_of_other_libraries(tensor):
    x, w, loss = tensor([1.0, 2, 3], True), tensor([4.0, 5, 6]), tensor([0.0], True)
    weighted(x, w, loss)
    assert numbers(loss.detach()) == [78] and numbers(x.grad) == [0, 0, 0] and w.grad is None
    loss.grad.fill_(1)
    weighted.grad(x, w, loss)
    assert numbers(x.grad) == [8, 20, 36] and w.grad is None
    w = tensor([4.0, 5, 6], True)
    x.grad = None
    weighted.grad(x, w, loss)
    assert numbers(x.grad) == [8, 20, 36] and numbers(w.grad) == [1, 4, 9]
    weighted.grad(x, np.array([1.0, 1, 1]), loss)
    assert numbers(x.grad) == [10, 24, 42]
    assert weighted.grad._specialisations() == 2
    array = filled(qd.ndarray(qd.f64, 3, needs_grad=True), [1, 2, 3])
    weighted.grad(array, w, loss)
    assert array.grad.to_numpy().tolist() == [8, 20, 36] and numbers(w.grad) == [2, 8, 18]
    weighted.grad(tensor([1.0, 2, 3]), w, loss)
    assert numbers(w.grad) == [3, 12, 27]


def test_tape_with_a_tensor_as_the_loss(tensor):
    x, w, loss = tensor([1.0, 2, 3], True), tensor([4.0, 5, 6]), tensor([7.0], True)
    field = qd.field(qd.f64, shape=(), needs_grad=True)
    field.grad[None] = 3

    @qd.kernel
    def add(x: qd.types.ndarray(), loss: qd.types.ndarray()):
        for i in x:
            loss[0] += x[i]

    for total in ([9, 21, 37], [18, 42, 74]):
        with qd.ad.Tape(loss=loss) as tape:
            weighted(x, w, loss)
            add(x, loss)
        assert numbers(loss.detach()) == [84] and numbers(loss.grad) == [1] and numbers(x.grad) == total
    assert len(tape.calls) == 2 and field.grad[None] == 3
    with pytest.raises(RuntimeError, match="The loss of `Tape` must be a tensor only contains one element"):
        qd.ad.Tape(loss=x).__enter__()
    with pytest.raises(RuntimeError, match="please set requires_grad=True for all tensors"):
        qd.ad.Tape(loss=tensor([1.0])).__enter__()


def test_gradients_of_tensors_that_are_not_contiguous(tensor):
    x, y = tensor(np.ones((4, 3)), True), tensor(np.ones((4, 3)), True)

    @qd.kernel
    def double(x: qd.types.ndarray(), y: qd.types.ndarray()):
        for i, j in x:
            y[i, j] = 2 * x[i, j]

    double(x, y)
    good = x.grad
    transposed = tensor(np.ones((3, 4)))
    x.grad = transposed.t() if hasattr(transposed, "t") else Tensor(transposed.values.T)
    for _ in range(2):
        with pytest.raises(ValueError, match="Non contiguous gradient tensors are not supported"):
            double.grad(x, y)
    x.grad = good
    y.grad.fill_(1)
    double.grad(x, y)
    assert numbers(x.grad) == [[2] * 3] * 4


def test_tensors_with_vectors_and_in_objects(tensor):
    import dataclasses

    @dataclasses.dataclass
    class Holder:
        v: qd.types.ndarray(qd.math.vec3, ndim=1)
        loss: qd.types.ndarray(qd.f64, ndim=1)

    @qd.kernel
    def squares(s: Holder):
        for i in s.v:
            s.loss[0] += s.v[i].dot(s.v[i])

    @qd.kernel
    def read_gradient(x: qd.types.ndarray(), out: qd.types.ndarray()):
        for i in x:
            out[i] = x.grad[i] * 2

    holder = Holder(tensor(np.arange(6.0).reshape(2, 3), True), tensor([0.0], True))
    squares(holder)
    holder.loss.grad.fill_(1)
    squares.grad(holder)
    assert numbers(holder.v.grad) == (2 * np.arange(6.0).reshape(2, 3)).tolist()
    x, out = tensor([1.0, 2.0], True), np.zeros(2)
    read_gradient(x, out)
    x.grad.fill_(4)
    read_gradient(x, out)
    assert out.tolist() == [8, 8]


def test_a_kernel_as_a_function_of_torch():
    torch = pytest.importorskip("torch")

    @qd.kernel
    def powers(x: qd.types.ndarray(), y: qd.types.ndarray()):
        for i in x:
            y[i] = x[i] ** 3

    class Powers(torch.autograd.Function):
        @staticmethod
        def forward(context, x):
            y = torch.zeros_like(x)
            powers(x.detach(), y)
            context.save_for_backward(x, y)
            return y

        @staticmethod
        def backward(context, grad):
            x, y = (one.detach().clone().requires_grad_(True) for one in context.saved_tensors)
            y.grad = grad.contiguous()
            powers.grad(x, y)
            return x.grad

    x = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64, requires_grad=True)
    (Powers.apply(2 * x) * torch.tensor([1.0, 10.0, 100.0])).sum().backward()
    assert numbers(x.grad) == [6 * 4, 60 * 16, 600 * 36]
    assert torch.autograd.gradcheck(Powers.apply, (x,))


def test_computed_tensors_get_no_gradient_by_default():
    x, y = Tensor([1.0, 2.0], True), Tensor([0.0, 0.0], True, is_leaf=False)

    @qd.kernel
    def double(x: qd.types.ndarray(), y: qd.types.ndarray()):
        for i in x:
            y[i] = 2 * x[i]

    double(x, y)
    assert y.grad is None and numbers(x.grad) == [0, 0]
    y.grad = Tensor(np.array([1.0, 3.0]))
    double.grad(x, y)
    assert numbers(x.grad) == [2, 6] and numbers(y.grad) == [0, 0]


def test_a_gradient_has_the_type_and_shape_of_its_array():
    a, v = qd.ndarray(qd.f64, 5, needs_grad=True), qd.Vector.ndarray(2, qd.f64, 3, needs_grad=True)
    before = a.grad
    others = [qd.ndarray(qd.f64, 2), qd.ndarray(qd.f64, (5, 1)), qd.ndarray(qd.f32, 5), np.zeros(5), 3, v.grad]
    for array, wrong in [(a, other) for other in others] + [(v, qd.ndarray(qd.f64, (3, 2))), (v, qd.Vector.ndarray(3, qd.f64, 3))]:
        with pytest.raises(ValueError, match="the gradient of an ndarray is an ndarray of the same type and shape, or None"):
            array.grad = wrong
    assert a.grad is before

    @qd.kernel
    def f(a: qd.types.ndarray()):
        for i in a:
            a[i] *= 1

    a.grad = None
    assert not a.has_grad()
    a.grad = other = qd.ndarray(qd.f64, 5)
    other.fill(2)
    f.grad(a)
    assert a.has_grad() and other.to_numpy().tolist() == [2] * 5
