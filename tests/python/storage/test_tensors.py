"""qd.tensor: one interface for fields and ndarrays, with an order of storage that is independent of the order of indices."""

import copy
import dataclasses
import pickle

import numpy as np
import pytest
import quadrants as qd

BACKENDS = list(qd.Backend)


@pytest.mark.usefixtures("memory_in_reach")
@pytest.mark.parametrize("backend", BACKENDS)
def test_surface(backend):
    x = qd.tensor(qd.f32, (3, 4), backend=backend)
    assert isinstance(x, qd.Tensor) and x.shape == (3, 4) and x.dtype == qd.f32 and x.layout is None and x.grad is None
    assert x._unwrap() is x._impl
    x.fill(2)
    x[1, 2] = 5
    assert x[1, 2] == 5 and x.to_numpy().sum() == 2 * 11 + 5
    y = qd.tensor(qd.f32, (3, 4), backend=qd.Backend.NDARRAY)
    y.copy_from(x)
    assert y[1, 2] == 5
    x.from_numpy(np.zeros((3, 4), np.float32))
    assert x[1, 2] == 0 and not x.has_grad() and not x.has_dual()
    assert np.from_dlpack(x).shape == (3, 4) and "dltensor" in repr(x.to_dlpack())
    assert repr(x) == f"Tensor(shape=(3, 4), dtype=f32, backend={backend.name})"


def test_compound():
    assert type(qd.Vector.tensor(3, qd.f32, (4,))) is qd.VectorTensor
    assert type(qd.Matrix.tensor(3, 2, qd.f32, (4,), backend=qd.Backend.FIELD)) is qd.MatrixTensor
    assert type(qd.tensor(qd.types.vector(3, qd.f32), 4)) is qd.VectorTensor
    assert qd.Matrix.tensor(3, 2, qd.f32, (4,)).element_shape == (3, 2)
    assert type(qd.wrap(qd.Vector.field(2, qd.i32, 3))) is qd.VectorTensor


def test_wrong_use():
    with pytest.raises(ValueError, match="backend=3 is not a valid qd.Backend"):
        qd.tensor(qd.f32, 3, backend=3)
    with pytest.raises(TypeError, match=r"unexpected keyword argument\(s\) \['foo'\]"):
        qd.tensor(qd.f32, 3, foo=1)
    with pytest.raises(TypeError, match=r"does not accept order=; pass layout=\(...\) instead"):
        qd.tensor(qd.f32, (3, 4), order="ji")
    with pytest.raises(ValueError, match="layout has 1 entries but shape has 2 dimensions"):
        qd.tensor(qd.f32, (3, 4), layout=(0,))
    with pytest.raises(ValueError, match=r"layout=\(0, 0\) is not a permutation of range\(2\)"):
        qd.tensor(qd.f32, (3, 4), layout=(0, 0))
    with pytest.raises(TypeError, match="layout= is not supported with compound dtypes"):
        qd.tensor(qd.types.vector(3, qd.f32), (3, 4), layout=(1, 0))
    with pytest.raises(TypeError, match=r"got unexpected keyword argument\(s\) \['layout'\]"):
        qd.Vector.tensor(3, qd.f32, (3, 4), layout=(1, 0))
    for make in (lambda **k: qd.Vector.tensor(3, qd.f32, 4, **k), lambda **k: qd.Matrix.tensor(3, 2, qd.f32, 4, **k)):
        with pytest.raises(TypeError, match="does not accept order=.*layout=") as caught:
            make(order="ji")
        assert "pass layout=(...) instead" not in str(caught.value)
    with pytest.raises(TypeError, match="unexpected keyword"):
        qd.Vector.tensor(3, qd.f32, (3, 4), foo=1)
    with pytest.raises(TypeError, match=r"Tensor\(impl\) requires an Ndarray or Field; got int"):
        qd.wrap(3)
    with pytest.raises(TypeError, match="Tensor.*requires"):
        qd.Tensor(qd.tensor(qd.f32, 3))
    with pytest.raises(qd.QuadrantsRuntimeError, match="no allocation"):
        qd.wrap(qd.field(qd.f32)).shape
    with pytest.raises(qd.QuadrantsRuntimeError, match="needs_grad"):
        qd.tensor(qd.i32, 3, needs_grad=True)
    with pytest.raises(ValueError, match="copy=False"):
        qd.tensor(qd.i8, 3).to_numpy(copy=False)


@qd.kernel
def number(x: qd.Tensor):
    for i, j in x:
        x[i, j] = 10 * i + j


@qd.kernel
def grouped(x: qd.Tensor):
    for I in qd.grouped(x):
        x[I] += 100 * I[0] + I[1] + x.shape[1]


GRID = [[10 * i + j for j in range(4)] for i in range(3)]


@pytest.mark.usefixtures("memory_in_reach")
@pytest.mark.parametrize("layout", [None, (0, 1), (1, 0)])
@pytest.mark.parametrize("backend", BACKENDS)
def test_layouts(backend, layout):
    x = qd.tensor(qd.i32, (3, 4), backend=backend, layout=layout)
    permuted = layout == (1, 0)
    assert x.layout == ((1, 0) if permuted else None) and x.shape == (3, 4)
    number(x)
    assert x.to_numpy().tolist() == GRID
    grouped(x)
    assert x.to_numpy().tolist() == [[110 * i + 2 * j + 4 for j in range(4)] for i in range(3)]
    x.from_numpy(np.array(GRID, np.int32))
    assert x[2, 1] == 21
    x[2, 1] = 77
    assert x.to_numpy()[2, 1] == 77
    view = x.to_numpy(copy=False)
    assert view.strides == ((4, 12) if permuted else (16, 4)) and view[2, 1] == 77
    again = pickle.loads(pickle.dumps(x))
    assert again.layout == x.layout and again[2, 1] == 77
    assert copy.deepcopy(x).to_numpy()[2, 1] == 77


def test_physical_shape_of_a_permuted_ndarray():
    x = qd.tensor(qd.i32, (2, 3, 4), layout=(2, 0, 1))
    assert x._impl._physical_shape == (4, 2, 3) and x._impl._qd_layout == (2, 0, 1) and x._impl.shape == (2, 3, 4)

    @qd.kernel
    def k(x: qd.types.ndarray()):
        for i, j, l in qd.ndrange(2, 3, 4):
            x[i, j, l] = 100 * i + 10 * j + l

    k(x)
    i, j, l = np.mgrid[0:2, 0:3, 0:4]
    assert (x.to_numpy() == 100 * i + 10 * j + l).all()
    k(qd.ndarray(qd.i32, (2, 3, 4)))
    assert k._specialisations() == 2


def test_gradients_share_the_layout():
    x = qd.tensor(qd.f32, (3, 4), layout=(1, 0), needs_grad=True)

    @qd.kernel
    def k(x: qd.Tensor):
        for i, j in x:
            x.grad[i, j] = 10 * i + j

    k(x)
    assert x.grad.layout == (1, 0) and x.grad.to_numpy().tolist() == GRID
    assert x.grad is x.grad
    assert copy.deepcopy(x).grad.to_numpy().tolist() == GRID


@qd.kernel
def first(x: qd.Tensor) -> qd.i32:
    r = -1
    if qd.static(x is not None):
        r = x[0]
    return r


def test_polymorphic_parameters():
    a, f = qd.ndarray(qd.i32, 3), qd.field(qd.i32, 3)
    a[0], f[0] = 5, 6
    wrapped = qd.tensor(qd.i32, 2)
    wrapped[0] = 7
    assert [first(x) for x in (None, a, f, wrapped, qd.wrap(f), np.array([8], np.int32), None)] == [-1, 5, 6, 7, 6, 8, -1]
    assert first._specialisations() == 3
    with pytest.raises(qd.QuadrantsRuntimeTypeError, match="Invalid type for argument x, got 3"):
        first(3)


def test_wrappers_are_accepted_by_every_annotation():
    @qd.kernel
    def array(x: qd.types.ndarray(qd.i32, ndim=1)) -> qd.i32:
        return x[0]

    @qd.kernel
    def template(x: qd.template()) -> qd.i32:
        return x[0]

    a, f = qd.tensor(qd.i32, 3), qd.tensor(qd.i32, 3, backend=qd.Backend.FIELD)
    a[0], f[0] = 5, 6
    for _ in range(2):
        assert array(a) == 5 and template(f) == 6

    @qd.kernel
    def closure() -> qd.i32:
        return f[0]

    assert closure() == 6


def test_optional_parameters():
    @qd.kernel
    def k(a: qd.types.NDArray[qd.i32, 1] | None, b: qd.types.Template | None, c: qd.Tensor | None) -> qd.i32:
        r = 0
        if qd.static(a is not None):
            r += a[0]
        if qd.static(b is not None):
            r += b[0] * 10
        if qd.static(c is None):
            r += 100
        return r

    a, f = qd.ndarray(qd.i32, 1), qd.field(qd.i32, 1)
    a[0], f[0] = 1, 2
    for _ in range(2):
        assert k(a, f, None) == 121
        assert k(None, f, a) == 20
        assert k(a, None, f) == 1
        assert k(None, None, None) == 100
    assert k._specialisations() == 4


def test_optional_members():
    @dataclasses.dataclass(frozen=True)
    class State:
        x: qd.Tensor
        y: qd.Tensor

    @qd.func
    def value(t: qd.Tensor):
        r = 1
        if qd.static(t is not None):
            r = t[0]
        return r

    @qd.kernel
    def k(s: State) -> qd.i32:
        return value(s.x) * 100 + value(s.y)

    a, f = qd.tensor(qd.i32, 1), qd.tensor(qd.i32, 1, backend=qd.Backend.FIELD)
    a[0], f[0] = 5, 6
    for _ in range(2):
        for s, expected in ((State(a, None), 501), (State(None, f), 106), (State(f, a), 605), (State(None, None), 101)):
            assert k(s) == expected
    a[0] = 7
    assert k(State(f, a)) == 607
    assert k._specialisations() == 4


def test_tensors_in_data_oriented_objects():
    @qd.data_oriented
    class Sim:
        def __init__(self, backend):
            self.x = qd.tensor(qd.i32, (3, 4), backend=backend, layout=(1, 0))

        @qd.kernel
        def run(self):
            for i, j in self.x:
                self.x[i, j] = 10 * i + j

    for backend in BACKENDS:
        sim = Sim(backend)
        sim.run()
        assert sim.x.to_numpy().tolist() == GRID
