"""Memory that other libraries export by DLPack: whether kernels may write to it, and how long it is held."""

import ctypes
import dataclasses

import numpy as np
import pytest
import quadrants as qd

READ_ONLY, COPIED = 1, 2


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32 * 2),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("offset", ctypes.c_uint64),
    ]


class Plain(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    ]


Destructor = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
make_capsule = ctypes.pythonapi.PyCapsule_New
make_capsule.restype, make_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, Destructor]


class Exporter:
    """An f32 array of another library. `flags` are those of its DLPack 1.0 capsule; None if it only has older capsules."""

    knows_keyword = True

    def __init__(self, array, flags=None, major=1):
        self.array, self.flags, self.major = array, flags, major
        self.shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        self.asked = []

    def memory(self):
        return self.array

    def released(self, memory):
        pass

    def __dlpack__(self, **keywords):
        self.asked.append(keywords)
        if keywords and not self.knows_keyword:
            raise TypeError("__dlpack__() got an unexpected keyword argument 'max_version'")
        memory = self.memory()
        tensor = Tensor(memory.ctypes.data, (1, 0), memory.ndim, 2, 32, 1, ctypes.addressof(self.shape), None, 0)
        made = Plain(tensor) if self.flags is None else Versioned(self.major, 0, None, None, self.flags, tensor)
        self.made = made, Destructor(lambda capsule: self.released(memory)), memory
        name = b"dltensor" if self.flags is None else b"dltensor_versioned"
        return make_capsule(ctypes.addressof(made), name, self.made[1])

    def __dlpack_device__(self):
        return 1, 0


class Copying(Exporter):
    """Each export is a copy that is freed with its capsule."""

    def memory(self):
        return self.array.copy()

    def released(self, memory):
        memory[:] = np.nan


Array = qd.types.ndarray(qd.f32, ndim=1)


@qd.kernel
def double(a: Array):
    for i in a:
        a[i] *= 2.0


@qd.kernel
def total(a: Array) -> qd.f32:
    s = 0.0
    for i in a:
        s += a[i]
    return s


def ones():
    return np.ones(5, np.float32)


def test_versioned_capsules_are_asked_for():
    array = ones()
    exporter = Exporter(array, flags=0)
    double(exporter)
    double(exporter)
    assert (array == 4).all() and {"max_version": (1, 0)} in exporter.asked


def test_libraries_that_know_no_versions():
    class Old(Exporter):
        knows_keyword = False

    old, new = Old(ones()), Exporter(ones(), flags=0)
    for exporter in (old, old, new, old):
        assert total(exporter) == 5
    assert old.asked.count({}) >= 3 and {} not in new.asked


@pytest.mark.parametrize(
    "flags, words",
    [(READ_ONLY, "the array of argument a is read-only"), (COPIED, "returned a copy"), (None, "does not mark the memory as writable")],
)
def test_memory_that_may_not_be_written(flags, words):
    @dataclasses.dataclass
    class Holder:
        a: Array

    @qd.kernel
    def by_member(h: Holder):
        for i in h.a:
            h.a[i] += 1.0

    @qd.kernel
    def by_tensor(a: qd.Tensor):
        qd.atomic_add(a[0], 1.0)

    array = ones()
    exporter = Exporter(array, flags)
    assert total(exporter) == 5
    for _ in range(2):  # the second call has a plan
        for kernel, arguments in ((double, {"a": exporter}), (by_member, {"h": Holder(exporter)}), (by_tensor, {"a": exporter})):
            with pytest.raises(qd.QuadrantsRuntimeTypeError, match="(?s)read-only, but the kernel writes to it.*`np.array") as caught:
                kernel(**arguments)
            assert isinstance(caught.value, ValueError)
    with pytest.raises(ValueError, match=words):
        double(exporter)
    assert (array == 1).all() and total(exporter) == 5


def test_libraries_whose_older_capsules_are_writeable():
    class Known(Exporter):
        __module__ = "torch.nn"

    class Derived(Known):
        pass

    class Lookalike(Exporter):
        __module__ = "torchlike"

    for kind in (Known, Derived):
        array = ones()
        double(kind(array))
        assert (array == 2).all()
    with pytest.raises(ValueError, match="read-only"):
        double(Lookalike(ones()))


def test_capsules_of_a_later_format():
    with pytest.raises(ValueError, match="a capsule of DLPack 2"):
        total(Exporter(ones(), 0, major=2))


def test_exports_are_held_while_the_kernel_runs():
    @qd.kernel
    def both(a: Array, b: Array) -> qd.f32:
        s = 0.0
        for i in a:
            s += a[i] + b[i]
        return s

    for flags in (None, 0, COPIED):
        one = Copying(ones(), flags)
        for _ in range(2):
            assert total(one) == 5
            assert both(one, b=Copying(ones(), flags)) == 10
        assert np.isnan(one.made[2]).all()  # the copy was released afterwards


def test_errors_of_the_exporter_are_raised():
    class Refusing(Exporter):
        def __dlpack__(self, **keywords):
            raise BufferError("not now")

    for _ in range(2):
        with pytest.raises(BufferError, match="not now"):
            total(Refusing(ones()))


def test_arrays_of_jax():
    jnp = pytest.importorskip("jax.numpy", reason="jax is not installed")
    a = jnp.ones(5, jnp.float32)
    b = a
    assert total(a) == 5
    with pytest.raises(ValueError, match="read-only"):
        double(a)
    assert a.tolist() == b.tolist() == [1.0] * 5


def makers():
    yield qd.field(qd.f32, (2, 3))
    yield qd.Vector.field(3, qd.f32, 2)
    yield qd.ndarray(qd.f32, (2, 3))
    yield qd.Vector.ndarray(3, qd.f32, 2)
    yield qd.tensor(qd.f32, (2, 3))


def test_buffers_and_bytes(memory_in_reach):
    for x in (qd.ndarray(qd.i32, (2, 3)), qd.tensor(qd.f32, (2, 3)), qd.Vector.ndarray(3, qd.i32, 2)):
        x.fill(7)
        assert bytes(x) == x.to_numpy().tobytes() and len(bytes(x)) == 24, x
        with pytest.raises(TypeError, match="bytes-like object"):
            memoryview(x)  # with a buffer, np.asarray(x) would be a view
        memoryview(np.from_dlpack(x))[1, 2] = 8
        assert x.to_numpy()[1, 2] == 8, x


def test_asarray_without_a_copy(memory_in_reach):
    for x in makers():
        view = np.asarray(x, copy=False)
        view[1, 2] = 7
        assert x.to_numpy()[1, 2] == 7, x
        snapshot = np.asarray(x)
        fresh = np.array(x, copy=True)
        view[1, 2] = 8
        assert snapshot[1, 2] == fresh[1, 2] == 7, x
        with pytest.raises(ValueError, match="copy=False"):
            np.asarray(x, np.float64, copy=False)
    sparse = qd.field(qd.f32)
    qd.root.pointer(qd.i, 4).place(sparse)
    for x in (sparse, qd.field(qd.i8, 4), qd.ndarray(qd.u16, 4)):
        with pytest.raises(ValueError, match="Zero-copy not available"):
            np.asarray(x, copy=False)
        assert len(np.asarray(x)) == 4
