"""Ndarrays: storage, gradients, layouts, views, other libraries' arrays."""

import copy
import pickle

import numpy as np
import pytest
import quadrants as qd
from quadrants._storage import ndarray as _ndarray


def numbered(shape, dtype=qd.f32, **keywords):
    a = qd.ndarray(dtype, shape, **keywords)
    a.from_numpy(np.arange(np.prod(shape)).reshape(shape).astype(np.int32 if dtype is qd.i32 else np.float32))
    return a


def test_shapes():
    a = qd.ndarray(qd.i32, ())
    a[None] = 4
    assert a.shape == () and a[None] == 4
    assert qd.ndarray(qd.i32, 3).shape == (3,)
    for bad in ((0,), (-1,), (3, 0), 1.5, "a"):
        with pytest.raises(qd.QuadrantsRuntimeError, match="is not a valid shape for ndarray"):
            qd.ndarray(qd.i32, bad)


def test_arrays_without_indices_are_valid_in_the_ir(arch, monkeypatch):
    monkeypatch.setenv("QD_VERIFY", "1")
    qd.init(arch=arch, offline_cache=False)
    a, v = qd.ndarray(qd.i32, ()), qd.Vector.ndarray(3, qd.f32, ())

    @qd.kernel
    def k(a: qd.types.ndarray(qd.i32, ndim=0), v: qd.types.ndarray(qd.types.vector(3, qd.f32), ndim=0)):
        for i in range(5):
            a[None] += i
        v[None][1] = a[None]

    k(a, v)
    assert a[None] == 10 and v.to_numpy().tolist() == [0, 10, 0]


def test_every_key_of_an_annotation():
    t = qd.types

    def accepts(annotation, array):
        @qd.kernel
        def k(x: annotation):
            pass

        try:
            k(array)
        except (ValueError, TypeError):
            return False
        return True

    plain, deep = np.zeros(3, np.float32), np.zeros((3, 2), np.float32)
    vectors, matrices = qd.Vector.ndarray(2, qd.f32, 3), qd.Matrix.ndarray(2, 3, qd.f32, 3)
    for annotation, good, bad in (
        (t.NDArray[qd.f32, 1], plain, deep),
        (t.NDArray[qd.f32, 1], plain, plain.astype(np.int32)),
        (t.ndarray(dtype=qd.f32), deep, deep.astype(np.float64)),
        (t.ndarray(ndim=2), deep, plain),
        (t.ndarray(dtype=qd.f32, element_dim=1, element_shape=(2,)), vectors, matrices),
        (t.ndarray(dtype=qd.f32, element_shape=(2, 3)), matrices, vectors),
        (t.ndarray(dtype=t.vector(2, qd.f32)), vectors, matrices),
    ):
        assert accepts(annotation, good) and not accepts(annotation, bad), annotation


def test_annotations():
    with pytest.raises(ValueError, match="already deprecated"):
        qd.types.ndarray(field_dim=1)
    with pytest.raises(ValueError, match="boundary"):
        qd.types.ndarray(boundary="wrap")
    with pytest.raises(ValueError, match="Both element_shape and element_dim are specified"):
        qd.types.ndarray(qd.f32, element_dim=1, element_shape=(2, 2))
    assert qd.types.BufferViewType(qd.f32).dtype is qd.f32 and qd.BufferView[qd.i32].dtype is qd.i32


def test_annotations_that_ask_for_a_gradient(arch):
    for arch_of_test in (arch, qd.python):
        qd.init(arch=arch_of_test, print_full_traceback=True)

        @qd.kernel
        def k(x: qd.types.ndarray(qd.f32, ndim=1, needs_grad=True)):
            x[0] = 1

        plain, with_gradient = qd.ndarray(qd.f32, 3), qd.ndarray(qd.f32, 3, needs_grad=True)
        for _ in range(2):
            k(with_gradient)
            with pytest.raises(ValueError, match="Invalid value for argument x - required needs_grad=True, but False is provided"):
                k(plain)
        assert with_gradient[0] == 1 and plain[0] == 0
        array = np.zeros(3, np.float32)
        k(array)
        assert array[0] == 1


def test_extents_beyond_int32():
    with pytest.raises(qd.QuadrantsRuntimeError, match=r"\(2147483648,\) is not a valid shape for ndarray"):
        qd.ndarray(qd.u8, 1 << 31)
    with pytest.raises(qd.QuadrantsRuntimeError, match=r"\(2, 2147483648\) is not a valid shape for ndarray"):
        qd.Vector.ndarray(3, qd.u8, (2, 1 << 31))
    with pytest.warns(UserWarning, match="out of int32 boundary but int64 indexing is not supported yet"):
        assert _ndarray._check_shape((1 << 16, 1 << 15)) == (1 << 16, 1 << 15)

    @qd.kernel
    def k(x: qd.types.ndarray(qd.u8, ndim=1)) -> qd.u8:
        return x[0]

    huge = np.broadcast_to(np.uint8(1), (1 << 31,))
    with pytest.raises(ValueError, match="Non contiguous"):
        k(huge)
    empty = np.empty((0, 1 << 31), np.uint8)

    @qd.kernel
    def k2(x: qd.types.ndarray(qd.u8, ndim=2)) -> qd.i32:
        return x.shape[0]

    with pytest.raises(qd.QuadrantsRuntimeError, match="out of int32 boundary"):
        k2(empty)


def test_gradient_storage():
    a = qd.ndarray(qd.f32, 3, needs_grad=True)
    assert a.has_grad() and not a.has_dual() and a.grad.shape == (3,) and not a.grad.has_grad()
    assert qd.ndarray(qd.f32, 3).grad is None
    v = qd.Vector.ndarray(2, qd.f64, 3, needs_grad=True)
    assert v.grad.element_shape == (2,)
    with pytest.raises(qd.QuadrantsRuntimeError, match="i32 is not supported for ndarray"):
        qd.ndarray(qd.i32, 3, needs_grad=True)


def test_gradient_in_a_kernel():
    @qd.kernel
    def k(x: qd.types.ndarray()):
        for i in x:
            x.grad[i] = x[i] * 2

    a = numbered(4, needs_grad=True)
    k(a)
    k(a)
    assert a.grad.to_numpy().tolist() == [0, 2, 4, 6]
    b = numbered(2, needs_grad=True)
    k(b)
    assert b.grad.to_numpy().tolist() == [0, 2]
    assert k._specialisations() == 1
    with pytest.raises(qd.QuadrantsCompilationError, match="no gradient"):
        k(numbered(2))


def test_pickle_and_deepcopy():
    a = numbered((2, 3), needs_grad=True)
    a.grad.fill(5)
    for b in (copy.deepcopy(a), pickle.loads(pickle.dumps(a))):
        assert (b.to_numpy() == a.to_numpy()).all() and b.grad.to_numpy().tolist() == [[5] * 3] * 2
        b[0, 0] = 100
        assert a[0, 0] == 0
    v = qd.Vector.ndarray(3, qd.i32, 2)
    v.fill([1, 2, 3])
    assert (pickle.loads(pickle.dumps(v)).to_numpy() == [[1, 2, 3]] * 2).all()


def test_numpy_reads_arrays_and_fields():
    a = qd.ndarray(qd.f32, (2, 3))
    a.fill(2)
    v = qd.Vector.ndarray(2, qd.i32, (2, 2))
    f = qd.field(qd.f64, (2, 2))
    f.fill(0.5)
    assert np.array(a).shape == (2, 3) and np.sum(a) == 12 and not np.allclose(a, 999)
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(a, 7.0)
    assert np.asarray(v).shape == (2, 2, 2) and np.asarray(v).dtype == np.int32
    assert np.mean(f) == 0.5 and np.asarray(f, dtype=np.float32).dtype == np.float32
    with pytest.raises(TypeError, match="a 2d ndarray cannot be iterated over"):
        list(a)
    b = qd.ndarray(qd.i32, 3)
    b[1] = 5
    assert list(b) == [0, 5, 0] and sum(b) == 5


@pytest.mark.usefixtures("memory_in_reach")
def test_views_of_memory():
    a = numbered(4)
    view = a.to_numpy(copy=False)
    view[2] = 50
    assert a[2] == 50
    assert a.to_numpy(copy=None).base is not None
    assert a.to_numpy(dtype=np.float64).dtype == np.float64
    with pytest.raises(ValueError, match="Zero-copy not available for dtype=i8.*copy=False"):
        qd.ndarray(qd.i8, 3).to_numpy(copy=False)
    with pytest.raises(ValueError, match="Zero-copy not available.*copy=False"):
        a.to_numpy(dtype=np.float64, copy=False)
    assert qd.ndarray(qd.i8, 3).to_numpy(copy=None).tolist() == [0, 0, 0]


@pytest.mark.usefixtures("memory_in_reach")
def test_views_of_fields():
    f = qd.field(qd.f32, (2, 3))
    f[1, 2] = 4
    view = f.to_numpy(copy=False)
    assert view[1, 2] == 4
    view[0, 1] = 7
    assert f[0, 1] == 7
    v = qd.Vector.field(3, qd.f32, 2)
    v[1] = [1, 2, 3]
    assert v.to_numpy(copy=False).tolist() == [[0, 0, 0], [1, 2, 3]]
    s = qd.Struct.field({"a": qd.f32, "b": qd.f32}, shape=2)
    s.b[1] = 3
    assert s.b.to_numpy(copy=None).tolist() == [0, 3]
    with pytest.raises(ValueError, match="Zero-copy not available"):
        qd.field(qd.f32, ()).to_numpy(copy=False)


@pytest.mark.usefixtures("memory_in_reach")
def test_views_outlive_the_program(arch):
    a = numbered(4)
    view = a.to_numpy(copy=False)
    qd.reset()
    assert view.tolist() == [0, 1, 2, 3]
    qd.init(arch=arch, offline_cache=False, print_full_traceback=True)


@pytest.mark.usefixtures("memory_in_reach")
def test_dlpack_out():
    a = numbered((2, 3))
    seen = np.from_dlpack(a)
    assert seen.tolist() == [[0, 1, 2], [3, 4, 5]]
    a[1, 1] = 40
    assert seen[1, 1] == 40
    assert "dltensor" in repr(a.to_dlpack()) and "dltensor_versioned" in repr(a.to_dlpack(versioned=True))
    f = qd.field(qd.i32, 4)
    f[3] = 5
    assert np.from_dlpack(f).tolist() == [0, 0, 0, 5]
    assert np.from_dlpack(qd.Vector.field(2, qd.f32, 3)).shape == (3, 2)


class Foreign:
    """An array of another library that supports only DLPack."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **keywords):
        return self.array.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return (1, 0)


def test_dlpack_in():
    @qd.kernel
    def double(x: qd.types.ndarray(qd.f32, ndim=2)):
        for i, j in x:
            x[i, j] *= 2

    array = np.ones((2, 3), np.float32)
    for _ in range(2):
        double(Foreign(array))
    assert (array == 4).all()
    with pytest.raises(ValueError, match="Non contiguous tensors are not supported"):
        double(Foreign(np.ones((2, 6), np.float32)[:, ::2]))
    with pytest.raises(ValueError, match="Invalid value for argument x - required array has dtype=f32"):
        double(Foreign(np.ones((2, 6))))
    with pytest.raises(ValueError, match="required array has ndim=2, array with 1 dimensions is provided"):
        double(Foreign(np.ones(2, np.float32)))


def test_torch():
    torch = pytest.importorskip("torch", reason="torch is not installed")

    @qd.kernel
    def double(x: qd.types.ndarray(qd.f32, ndim=1)):
        for i in x:
            x[i] *= 2

    t = torch.ones(4)
    double(t)
    assert t.tolist() == [2] * 4
    a = numbered(4)
    assert a.to_torch().tolist() == [0, 1, 2, 3]
    a.to_torch(copy=False)[0] = 9
    assert a[0] == 9
    a.from_torch(torch.full((4,), 3.0))
    assert a.to_numpy().tolist() == [3] * 4
    with pytest.raises(ValueError, match="Non contiguous tensors are not supported"):
        double(torch.ones(8)[::2])


class TorchLike:
    """Just enough of torch to observe how it is called."""

    class Device:
        def __init__(self, name):
            self.type = name

    device = Device

    class Tensor:
        def __init__(self, array):
            self.array = array

        def to(self, device):
            self.moved = device
            return self

        def detach(self):
            return self

        cpu = contiguous = detach

        def numpy(self):
            return self.array

    @classmethod
    def from_numpy(cls, array):
        return cls.Tensor(array)


@pytest.mark.usefixtures("memory_in_reach")
def test_torch_conversions(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "torch", TorchLike)
    a = numbered(4)
    copied, viewed = a.to_torch(), a.to_torch(copy=False)
    a[0] = 9
    assert copied.array[0] == 0 and viewed.array[0] == 9
    assert a.to_torch(device="cuda").moved == "cuda"
    with pytest.raises(ValueError, match="copy=False is incompatible with device transfer"):
        a.to_torch(device="cuda", copy=False)
    with pytest.raises(ValueError, match="Zero-copy not available"):
        qd.ndarray(qd.i8, 3).to_torch(copy=False)
    a.from_torch(TorchLike.Tensor(np.full(4, 3.0, np.float32)))
    assert a.to_numpy().tolist() == [3] * 4
    f = qd.field(qd.f32, 4)
    f.from_torch(TorchLike.Tensor(np.full(4, 5.0, np.float32)))
    assert f.to_torch().array.tolist() == [5] * 4
    s = qd.Struct.field({"a": qd.f32, "b": qd.f32}, shape=2)
    s.from_torch({name: TorchLike.Tensor(np.full(2, 4.0, np.float32)) for name in "ab"})
    assert {name: t.array.tolist() for name, t in s.to_torch().items()} == {"a": [4, 4], "b": [4, 4]}


def test_without_torch(monkeypatch):
    monkeypatch.setenv("QD_ENABLE_TORCH", "0")
    with pytest.raises(ModuleNotFoundError, match="torch"):
        numbered(3).to_torch()


View = qd.BufferView


def test_the_range_of_a_buffer_view_is_checked_at_a_launch():
    @qd.kernel
    def first(v: qd.BufferView[qd.i32]) -> qd.i32:
        return v[0]

    for offset, size in ((1, 2**63 - 1), (2**63 - 1, 1), (-1, 2), (0, -1), (4, 0), (2, 2)):
        view = qd.BufferView(numbered(3, qd.i32), 0, 1)
        view.offset, view.size = offset, size
        with pytest.raises(ValueError, match="BufferView out of range"):
            first(view)


def test_buffer_view_on_the_host():
    a = numbered(10, qd.i32)
    v = qd.BufferView(a, 2, 5)
    assert (v.offset, v.size, v.shape) == (2, 5, (5,)) and v.get_ndarray() is a
    assert (a[2:7].offset, a[2:7].size) == (2, 5) and a[-3:].offset == 7
    assert (v[1:3].offset, v[1:3].size) == (3, 2)
    with pytest.raises(ValueError, match="step=1"):
        a[2:7:2]
    with pytest.raises(ValueError, match="BufferView out of range: offset=8, size=5, ndarray length=10"):
        qd.BufferView(a, 8, 5)
    with pytest.raises(ValueError, match="subview out of range"):
        v.subview(3, 4)
    with pytest.raises(TypeError, match="1D"):
        qd.BufferView(qd.ndarray(qd.i32, (3, 3)), 0, 2)
    with pytest.raises(TypeError, match="1D"):
        qd.ndarray(qd.i32, (3, 3))[0:2]
    with pytest.raises(TypeError, match="slice"):
        v[0]
    with pytest.raises(TypeError, match="gradients"):
        qd.BufferView(qd.ndarray(qd.f32, 4, needs_grad=True), 0, 2)


@qd.func
def read(v: qd.BufferView[qd.i32], i: qd.i32) -> qd.i32:
    return v[i]


def test_buffer_view_in_kernels():
    @qd.kernel
    def total(v: qd.BufferView[qd.i32]) -> qd.i32:
        s = 0
        for i in range(v.shape[0]):
            s += v[i]
        return s * 10000 + v.size * 100 + v.offset

    @qd.kernel
    def add(v: qd.BufferView[qd.i32], n: qd.i32):
        for i in v:
            v[i] += n

    @qd.kernel
    def inner(v: qd.BufferView[qd.i32], a: qd.i32, b: qd.i32) -> qd.i32:
        w = v[a:b]
        x = w[1:]
        return read(w, 0) * 1000 + read(x, 0) * 100 + x.offset * 10 + x.size

    @qd.kernel
    def made(a: qd.types.ndarray(qd.i32, ndim=1), at: qd.i32) -> qd.i32:
        w = qd.BufferView(a, at, 3)
        return w[1] * 10 + w.size

    @qd.kernel
    def named(v: qd.BufferView[qd.i32]) -> qd.i32:
        w = v.subview(1, 3)
        x = w.subview(size=1, offset=2)
        w[0] = 40
        return w[0] * 1000 + x[0] * 100 + x.offset * 10 + x.size

    a = numbered(10, qd.i32)
    assert named(a[2:7]) == 40 * 1000 + 5 * 100 + 5 * 10 + 1 and a[3] == 40
    a[3] = 3
    assert total(a[2:7]) == 20 * 10000 + 502
    assert total(a[0:1]) == 100
    assert total._specialisations() == 1
    assert inner(a[2:7], 1, 4) == 3 * 1000 + 4 * 100 + 4 * 10 + 2
    assert made(a, 4) == 53
    add(a[8:], 100)
    assert a.to_numpy().tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 108, 109]
    with pytest.raises(qd.QuadrantsRuntimeTypeError, match="Argument v expects a BufferView, got"):
        total(a)
    with pytest.raises(TypeError, match="Expect element type i32 for argument v, but get f32"):
        total(numbered(4)[0:2])


def test_buffer_view_steps():
    @qd.kernel
    def k(v: qd.BufferView[qd.i32]) -> qd.i32:
        return v[1:3:2][0]

    with pytest.raises(qd.QuadrantsSyntaxError, match="BufferView slice does not support an explicit step in kernels"):
        k(numbered(4, qd.i32)[0:4])


def test_buffer_view_bounds(arch):
    qd.init(arch=arch, offline_cache=False, debug=True, print_full_traceback=True)

    @qd.kernel
    def at(v: qd.BufferView[qd.i32], i: qd.i32) -> qd.i32:
        return read(v, i)

    @qd.kernel
    def sub(v: qd.BufferView[qd.i32], i: qd.i32) -> qd.i32:
        return v[1:i][0]

    @qd.kernel
    def named(v: qd.BufferView[qd.i32], i: qd.i32) -> qd.i32:
        return v.subview(i, 2)[0]

    @qd.kernel
    def made(a: qd.types.ndarray(qd.i32, ndim=1), i: qd.i32) -> qd.i32:
        return qd.BufferView(a, i, 3)[0]

    a = numbered(10, qd.i32)
    assert at(a[2:7], 1) == 3 and sub(a[2:7], 3) == 3 and made(a, 7) == 7
    with pytest.raises(qd.QuadrantsAssertionError, match=r"BufferView Out Of Range: kernel\[.*at\] tid=\d+, got index 7 \(offset=2, size=5\)\."):
        at(a[2:7], 7)
    with pytest.raises(qd.QuadrantsAssertionError, match="BufferView subview Out Of Range"):
        sub(a[2:7], 6)
    with pytest.raises(qd.QuadrantsAssertionError, match="BufferView subview Out Of Range"):
        named(a[2:7], 4)
    with pytest.raises(qd.QuadrantsAssertionError, match="BufferView construction out of range"):
        made(a, 8)


def test_elements_of_any_extents(arch):
    for arch_of_test in (arch, qd.python):
        qd.init(arch=arch_of_test, print_full_traceback=True)

        @qd.kernel
        def total(v: qd.types.ndarray(element_dim=1), m: qd.types.ndarray(dtype=qd.f32, ndim=1, element_dim=2)) -> qd.f32:
            found = 0.0
            for i in range(v.shape[0]):
                found += v[i].sum() + (m[i] @ m[i].transpose())[0, 0]
            return found

        for n in (2, 3):
            v = np.arange(2 * n, dtype=np.float32).reshape(2, n)
            m = np.arange(2 * 2 * n, dtype=np.float32).reshape(2, 2, n)
            expected = v.sum() + sum((part @ part.T)[0, 0] for part in m)
            assert total(v, m) == expected
            vectors, matrices = qd.Vector.ndarray(n, qd.f32, 2), qd.Matrix.ndarray(2, n, qd.f32, 2)
            vectors.from_numpy(v)
            matrices.from_numpy(m)
            assert total(vectors, matrices) == expected
        with pytest.raises(ValueError, match=r"required element type: VectorType\[any, f32\], but f32 is provided"):
            total(qd.ndarray(qd.f32, 2), matrices)
        with pytest.raises(ValueError, match="required array has ndim=1 element_dim=2, array with 2 dimensions"):
            total(v, v)
        with pytest.raises(ValueError, match=r"element shape \(0,\) is not that of a vector or matrix"):
            total(np.zeros((2, 0), np.float32), m)
