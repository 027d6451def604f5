"""Orders of storage: tags of ndarrays, `order=` of fields, and how they are shown."""

import copy
import dataclasses
import itertools
import pickle

import numpy as np
import pytest
import quadrants as qd
from quadrants._tensor import _with_layout


def numbers(shape):
    return np.arange(np.prod(shape), dtype=np.int32).reshape(shape)


@pytest.mark.usefixtures("memory_in_reach")
@pytest.mark.parametrize("rank", range(1, 6))
def test_every_permutation(rank):
    physical = (2, 3, 4, 2, 3)[:rank]
    data = numbers(physical)
    for layout in itertools.permutations(range(rank)):
        x = qd.tensor(qd.i32, physical)
        x.from_numpy(data)
        assert _with_layout(x, layout) is x
        assert all(x.shape[layout[k]] == physical[k] for k in range(rank))
        assert x._impl._qd_layout == layout and x._impl._physical_shape == physical
        assert x.layout == (None if layout == tuple(range(rank)) else layout)
        seen = x.to_numpy()
        assert (seen == data.transpose(np.argsort(layout))).all()
        index = tuple(n - 1 for n in x.shape)
        assert x[index] == seen[index]
        x.from_numpy(seen + 1)
        assert x[index] == seen[index] + 1
        assert (np.from_dlpack(x) == seen + 1).all()


def test_more_orders_than_a_byte_counts():
    x = qd.ndarray(qd.i32, (2, 1, 1, 1, 1, 3))
    for layout in itertools.permutations(range(6)):
        _with_layout(x, layout)
        assert x.shape[layout[0]] == 2 and x.shape[layout[5]] == 3
    x[1, 0, 0, 0, 0, 0] = 7
    assert x.to_numpy().sum() == 7


@qd.kernel
def number(x: qd.types.ndarray(qd.i32, ndim=2)) -> qd.i32:
    for i, j in x:
        x[i, j] = 10 * i + j
    for i, j in qd.ndrange(x.shape[0], x.shape[1]):
        x[i, j] += 100 * x.shape[0]
    return x.shape[1]


def test_kernels_see_the_indices_of_the_user():
    x = qd.ndarray(qd.i32, (4, 3))
    assert number(x) == 3
    _with_layout(x, (1, 0))
    assert number(x) == 4
    assert x.to_numpy().tolist() == [[300 + 10 * i + j for j in range(4)] for i in range(3)]
    assert x[2, 3] == 323
    x._qd_layout = None
    assert x.shape == (4, 3) and x[3, 2] == 323
    assert number._primal.launch_observations.found_kernel_in_materialize_cache is False
    assert number(x) == 3
    x._qd_layout = [1, 0]
    assert x._qd_layout == (1, 0) and qd.Tensor(x).layout == (1, 0) and x.shape == (3, 4)


def test_features_of_specialisations():
    @qd.kernel
    def k(x: qd.types.ndarray(), n: qd.i32, y: qd.types.ndarray(boundary="clamp")):
        for i, j in x:
            x[i, j] = n

    x, y = qd.ndarray(qd.f32, (2, 2), needs_grad=True), qd.Vector.ndarray(3, qd.i32, 2)
    k(x, 1, y)
    _with_layout(x, (0, 1))
    assert x.shape == (2, 2) and x.grad._qd_layout == (0, 1) and x.layout is None
    k(x, 1, y)
    _with_layout(x, (1, 0))
    k(x, 1, y)
    k(x, 2, y)
    keys = list(k._primal.mapper.mapping)
    assert all(len(key) == 3 for key in keys)
    assert [key[0] for key in keys] == [(qd.f32, 2, True, "unsafe", layout) for layout in (None, (0, 1), (1, 0))]
    assert {key[2] for key in keys} == {(qd.types.vector(3, qd.i32), 1, False, "clamp", None)}


def test_gradients_and_copies_have_the_tag():
    x = qd.tensor(qd.f32, (4, 3), needs_grad=True)
    _with_layout(x, (1, 0))
    x.grad[2, 3] = 5
    for other in (x, copy.deepcopy(x), pickle.loads(pickle.dumps(x)), qd.wrap(copy.deepcopy(x._impl))):
        assert other.shape == other.grad.shape == (3, 4) and other.layout == other.grad.layout == (1, 0)
        assert other.grad[2, 3] == 5

    @qd.kernel
    def k(x: qd.Tensor):
        for i, j in x:
            x.grad[i, j] += 10 * i + j

    k(x)
    assert x.grad[2, 3] == 28 and x.grad[1, 2] == 12


@dataclasses.dataclass(frozen=True)
class Holder:
    x: qd.types.NDArray[qd.i32, 2]


def test_arrays_in_frozen_dataclasses():
    @qd.kernel
    def k(h: Holder):
        for i, j in h.x:
            h.x[i, j] = 10 * i + j

    h = Holder(qd.ndarray(qd.i32, (4, 3)))
    for _ in range(3):
        k(h)
    _with_layout(h.x, (1, 0))
    for _ in range(3):
        k(h)
    assert h.x.to_numpy().tolist() == [[10 * i + j for j in range(4)] for i in range(3)]


def test_arrays_in_objects():
    @qd.data_oriented
    class Sim:
        def __init__(self):
            self.x = qd.ndarray(qd.i32, (4, 3))

        @qd.kernel
        def run(self):
            for i, j in self.x:
                self.x[i, j] = 10 * i + j

    sim = Sim()
    sim.run()
    _with_layout(sim.x, (1, 0))
    sim.run()
    assert sim.x[2, 3] == 23


def test_vector_elements_and_views():
    x = qd.Vector.ndarray(2, qd.i32, (4, 3))
    _with_layout(x, (1, 0))
    x[2, 3] = [5, 6]
    assert x.shape == (3, 4) and x.to_numpy()[2, 3].tolist() == [5, 6] and x[2, 3][1] == 6

    @qd.kernel
    def k(x: qd.types.ndarray()):
        for i, j in x:
            x[i, j][1] += 10 * i + j

    k(x)
    assert x[2, 3][1] == 29

    @qd.kernel
    def second(v: qd.BufferView[qd.i32]) -> qd.i32:
        return v[1]

    flat = qd.ndarray(qd.i32, 4)
    flat[2] = 3
    assert second(flat[1:]) == 3
    _with_layout(flat, (0,))
    assert second(flat[1:]) == 3


def test_on_the_python_backend():
    qd.init(arch=qd.python)
    x = qd.ndarray(qd.i32, (4, 3))
    _with_layout(x, (1, 0))
    assert number(x) == 4
    assert x.to_numpy().tolist() == [[300 + 10 * i + j for j in range(4)] for i in range(3)]


def test_wrong_tags():
    x = qd.ndarray(qd.i32, (4, 3))
    for tag in (lambda layout: _with_layout(x, layout), lambda layout: setattr(x, "_qd_layout", layout)):
        with pytest.raises(ValueError, match="layout has 1 entries but shape has 2 dimensions"):
            tag((0,))
        with pytest.raises(ValueError, match=r"layout=\(1, 1\) is not a permutation of range\(2\)"):
            tag((1, 1))
    assert x._qd_layout is None
    f = qd.field(qd.i32, (4, 3), order="ji")
    assert _with_layout(f, (1, 0)) is f and _with_layout(qd.wrap(f), (1, 0))._impl is f
    with pytest.raises(qd.QuadrantsRuntimeError, match=r"the field has layout \(1, 0\), not None"):
        _with_layout(f, (0, 1))
    qd.reset()
    with pytest.raises(RuntimeError, match="belongs to a runtime that"):
        _with_layout(x, (1, 0))


POINT = qd.types.struct(a=qd.f32, v=qd.types.vector(2, qd.f32))


@pytest.mark.parametrize(
    "make",
    [
        lambda **k: qd.field(qd.f32, (2, 3, 4), needs_grad=True, **k),
        lambda **k: qd.Vector.field(2, qd.f32, (2, 3, 4), needs_grad=True, **k),
        lambda **k: qd.Matrix.field(2, 2, qd.f32, (2, 3, 4), needs_grad=True, layout=qd.Layout.SOA, **k),
        lambda **k: POINT.field((2, 3, 4), needs_grad=True, **k).v,
        lambda **k: POINT.field((2, 3, 4), qd.Layout.SOA, needs_grad=True, **k).a,
    ],
)
def test_fields_know_their_order(make):
    for order, layout in (("kij", (2, 0, 1)), ("ijk", None), (None, None)):
        f = make(order=order)
        for one in (f, f.grad):
            assert one._qd_layout == one.layout == qd.Tensor(one).layout == layout
            assert one.shape == (2, 3, 4) and one._physical_shape == ((4, 2, 3) if layout else (2, 3, 4))
            assert [node._kind for node in one.snode._path_from_root()] == ["root", "dense", "place"]


def test_tensors_of_such_fields_are_copied():
    f = qd.Vector.field(2, qd.f32, (3, 4), order="ji")
    f[2, 3] = [5, 6]
    again = pickle.loads(pickle.dumps(qd.wrap(f)))
    assert again.layout == (1, 0) and again[2, 3][1] == 6
