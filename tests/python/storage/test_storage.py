"""Ndarrays, fields and their trees, seen from Python and from kernels."""

import copy
import pickle
import traceback

import numpy as np
import pytest
import quadrants as qd

KINDS = ["u1", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "f32", "f64"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("make", [qd.ndarray, qd.field])
def test_elements_of_every_type(kind, make):
    x = make(getattr(qd, kind), (2, 3))
    assert x[1, 2] == 0
    x[1, 2] = 1
    assert x[1, 2] == 1 and type(x[1, 2]) in (int, float, bool)
    a = x.to_numpy()
    assert a.dtype == np.dtype({"u1": "bool"}.get(kind, a.dtype)) and a[1, 2] == 1
    x.from_numpy(np.ones((2, 3), a.dtype))
    assert (x.to_numpy() == 1).all()
    x.fill(0)
    assert (x.to_numpy() == 0).all()


def test_a_field_that_is_made_before_init():
    qd.reset()
    f = qd.field(qd.i32, 3)
    with pytest.raises(qd.QuadrantsRuntimeError, match="call qd.init"):
        f[0] = 1
    qd.init(arch=qd.cpu)
    f[0] = 1
    assert f.to_numpy().tolist() == [1, 0, 0]


def test_elements_outside_of_a_field():
    f, v = qd.field(qd.i32, 55), qd.Vector.field(2, qd.f32, 55)  # 64 elements would fill whole lines of the cache
    for x in (f, v):
        for read in (lambda: x[55], lambda: x[60], lambda: x[1 << 40], lambda: x[-56]):
            with pytest.raises(AssertionError, match="Accessing field"):
                read()
        with pytest.raises(AssertionError, match="Accessing field"):
            x[60] = 1
        x[54] = 1


def test_ndarray_shapes_and_bounds():
    x = qd.ndarray(qd.i32, (3, 4))
    assert x.shape == (3, 4) and x.element_shape == () and x.dtype == qd.i32
    with pytest.raises(qd.QuadrantsIndexError if hasattr(qd, "QuadrantsIndexError") else IndexError, match="2d ndarray indexed with 1d"):
        x[1]
    with pytest.raises(AssertionError, match="Out of bound access"):
        x[3, 0]
    with pytest.raises(RuntimeError, match="is not a valid shape for ndarray"):
        qd.ndarray(qd.i32, (3, -1))
    with pytest.raises(MemoryError):
        qd.ndarray(qd.f64, (2**30, 2**30, 2**30))
    with pytest.raises(ValueError):
        x.from_numpy(np.zeros((4, 3), np.int32))


def test_vector_elements_write_through():
    v = qd.Vector.ndarray(3, qd.f32, 4)
    v[1] = [1, 2, 3]
    v[1].y = 7
    v[1][2] += 10
    assert v[1].to_list() == [1, 7, 13]
    f = qd.Vector.field(2, qd.i32, shape=(2, 2))
    f[0, 1] = [5, 6]
    f[0, 1].x = 9
    assert f[0, 1].to_list() == [9, 6]
    m = qd.Matrix.field(2, 2, qd.f32, shape=3)
    m[2] = [[1, 2], [3, 4]]
    assert m[2][1, 0] == 3 and m.to_numpy()[2].tolist() == [[1, 2], [3, 4]]


def test_copies_and_pickles():
    x = qd.ndarray(qd.f64, 5)
    x.from_numpy(np.arange(5.0))
    y = copy.deepcopy(x)
    z = pickle.loads(pickle.dumps(x))
    x.fill(0)
    assert y.to_numpy().tolist() == z.to_numpy().tolist() == [0, 1, 2, 3, 4]
    x.copy_from(y)
    assert x.to_numpy().tolist() == y.to_numpy().tolist()
    with pytest.raises(AssertionError, match="copy_from shape mismatch"):
        x.copy_from(qd.ndarray(qd.f64, 6))


@pytest.mark.parametrize("layout", [qd.Layout.AOS, qd.Layout.SOA])
def test_layouts(layout):
    v = qd.Vector.field(3, qd.f32, shape=(4, 5), layout=layout)

    @qd.kernel
    def k():
        for i, j in v:
            v[i, j] = [i, j, i + j]

    k()
    i, j = np.mgrid[0:4, 0:5]
    assert (v.to_numpy() == np.stack([i, j, i + j], -1)).all()
    v.from_numpy(v.to_numpy() + 1)
    assert v[2, 3].to_list() == [3, 4, 6]


@pytest.mark.parametrize("order", ["ij", "ji"])
def test_order_of_axes(order):
    x = qd.field(qd.i32, (3, 5), order=order)

    @qd.kernel
    def k():
        for i, j in x:
            x[i, j] = 10 * i + j

    k()
    i, j = np.mgrid[0:3, 0:5]
    assert (x.to_numpy() == 10 * i + j).all()
    x.from_numpy((i * j).astype(np.int32))
    assert x[2, 4] == 8


def test_offset():
    x = qd.field(qd.i32, (4, 4), offset=(-2, 3))

    @qd.kernel
    def k():
        for i, j in x:
            x[i, j] = 10 * i + j

    k()
    assert x[-2, 3] == -17 and x[1, 6] == 16
    with pytest.raises(AssertionError):
        x[2, 3]
    assert x.to_numpy()[0, 0] == -17


def test_trees_by_hand():
    x, y = qd.field(qd.f32), qd.field(qd.i32)
    v = qd.Vector.field(2, qd.f64)
    block = qd.root.dense(qd.ij, (4, 3))
    block.dense(qd.ij, (2, 4)).place(x, v)
    qd.root.dense(qd.i, 7).place(y)

    @qd.kernel
    def k():
        for i, j in x:
            x[i, j] = 100 * i + j
            v[i, j] = [i, j]
        for i in y:
            y[i] = -i

    assert x.shape == (8, 12) and y.shape == (7,)
    k()
    i, j = np.mgrid[0:8, 0:12]
    assert (x.to_numpy() == 100 * i + j).all()
    assert (v.to_numpy() == np.stack([i, j], -1)).all()
    assert y[6] == -6
    x.from_numpy((i - j).astype(np.float32))
    assert x[7, 0] == 7


def test_scalar_fields_and_several_trees():
    total = qd.field(qd.i64, ())

    @qd.kernel
    def k():
        for i in range(100):
            total[None] += i

    k()
    assert total[None] == 4950
    late = qd.field(qd.i32, 3)

    @qd.kernel
    def m():
        for i in late:
            late[i] = i + 1

    m()
    assert late.to_numpy().tolist() == [1, 2, 3]


def test_fields_builder():
    x = qd.field(qd.i32)
    builder = qd.FieldsBuilder()
    builder.dense(qd.i, 5).place(x)
    tree = builder.finalize()
    x[3] = 4
    assert x[3] == 4
    tree.destroy()
    with pytest.raises(RuntimeError, match="destroyed"):
        x[3]


def test_axes_that_are_kept_and_types_of_numpy_arrays():
    v = qd.Vector.field(3, qd.f32, shape=2)
    m = qd.Matrix.field(2, 2, qd.f32, shape=2)
    assert v.to_numpy(keep_dims=True).shape == (2, 3, 1) and m.to_numpy(keep_dims=True).shape == (2, 2, 2)
    assert v.to_numpy(dtype=np.float64).dtype == v.to_numpy(dtype=qd.f64).dtype == np.float64
    s = qd.Struct.field({"a": qd.i32, "b": qd.f32}, shape=2)
    s.to_numpy(copy=True)["a"][0] = 5
    assert s.a[0] == 0
    for field in (v, s):
        with pytest.raises(TypeError, match="Cannot copy from a non-field object"):
            field.copy_from(np.zeros(2))
    with pytest.raises(qd.QuadrantsRuntimeError, match="is not a valid shape for ndarray"):
        qd.ndarray(qd.f32, (1.5, 3))


def test_field_mistakes():
    with pytest.raises(RuntimeError, match="Field has no allocation"):
        qd.field(qd.i32)[0]
    with pytest.raises(RuntimeError, match="should be positive"):
        qd.field(qd.i32, (3, 0))
    with pytest.raises(qd.QuadrantsCompilationError, match="shape cannot be None when offset is set"):
        qd.field(qd.i32, offset=3)
    with pytest.raises(qd.QuadrantsCompilationError, match="The dimensionality of shape and order must be the same"):
        qd.field(qd.i32, (3, 4), order="ijk")
    with pytest.raises(qd.QuadrantsCompilationError, match="The axes in order must be different"):
        qd.field(qd.i32, (3, 4), order="ii")
    x = qd.field(qd.i32, 3)
    with pytest.raises(AssertionError, match="Slicing is not supported on qd.field"):
        x[0:2]
    with pytest.raises(NotImplementedError, match="Struct for is only available in Quadrants scope"):
        iter(x)
    with pytest.raises(AssertionError):
        x[3]


def test_large_rank():
    x = qd.field(qd.i32, (2, 3, 2, 2, 3))

    @qd.kernel
    def k():
        for I in qd.grouped(x):
            x[I] = I[0] + 10 * I[1] + 100 * I[2] + 1000 * I[3] + 10000 * I[4]

    k()
    index = np.indices(x.shape)
    assert (x.to_numpy() == sum(10**a * index[a] for a in range(5))).all()


def test_struct_fields():
    Particle = qd.types.struct(pos=qd.types.vector(2, qd.f32), mass=qd.f64)
    p = Particle.field(shape=4)
    p[1] = Particle(pos=[1, 2], mass=3)
    assert p[1].mass == 3 and p.pos[1].to_list() == [1, 2]

    @qd.kernel
    def k():
        for i in p.mass:
            p.mass[i] = i * 2
            p.pos[i] = [i, -i]

    k()
    assert p.to_numpy()["mass"].tolist() == [0, 2, 4, 6]
    assert p.pos.to_numpy().tolist() == [[i, -i] for i in range(4)]


def test_no_memory():
    with pytest.raises(MemoryError) as error:
        qd.ndarray(qd.f64, (2**22, 2**22))
    assert isinstance(error.value, qd.QuadrantsRuntimeError) or "address space" in str(error.value)
    x = qd.ndarray(qd.i32, 3)
    x.fill(2)
    assert x[1] == 2


class Index:
    def __init__(self, number):
        self.number = number

    def __index__(self):
        return self.number


@pytest.mark.parametrize("number", [2**63, 2**64 - 1, 2**64, 2**70, -(2**63) - 1, -(2**70), np.uint64(2**64 - 1)])
def test_indices_of_more_than_64_bits(number):
    flat = [make(kind, shape=3) for make in (qd.field, qd.ndarray) for kind in (qd.i32, qd.types.vector(2, qd.i32))]
    square = [qd.field(qd.i32, (3, 3)), qd.ndarray(qd.i32, (3, 3))]
    keys = [(x, 0, key) for x in flat for key in (number, (number,), [number], Index(int(number)))]
    keys += [(x, axis, key) for x in square for axis, key in enumerate([(number, 0), (0, number)])]
    for x, axis, key in keys:
        message = f"^index {int(number)} is out of bounds for axis {axis} of a qd.(field|ndarray)$"
        with pytest.raises(IndexError, match=message):
            x[key]
        with pytest.raises(IndexError, match=message):
            x[key] = 7
        assert not x.to_numpy().any()
    for x in (*flat, *square):
        with pytest.raises(IndexError, match="^index <int> is out of bounds|^index -?1000"):
            x[10**5000]
    assert flat[0][Index(1)] == 0 and flat[0][np.True_] == 0


@pytest.mark.parametrize("dtype", [qd.i32, qd.u64, qd.u1, qd.f64])
def test_elements_of_more_than_64_bits(dtype):
    """They wrap, as the calls of types do."""
    pair = qd.types.vector(2, dtype)
    numbers = [make(dtype, shape=3) for make in (qd.field, qd.ndarray)]
    vectors = [make(pair, shape=3) for make in (qd.field, qd.ndarray)]
    for value in (2**64, 2**64 - 1, 2**70 + 5, -(2**70) + 7, -(2**63) - 1):
        for x in (*numbers, *vectors):
            element = value if x in numbers else [1, value]
            for change in (lambda: x.__setitem__(0, element), lambda: x.fill(element)):
                x.fill(0)
                change()
                assert (x[0] if x in numbers else x[0][1]) == dtype(value)


def test_sizes_of_types_are_checked():
    for n in (-1, 2**31, 2**70, -(2**70)):
        with pytest.raises(qd.QuadrantsTypeError, match=r"components along an axis, not \(" + str(n)):
            qd.types.vector(n, qd.i32)
        with pytest.raises(qd.QuadrantsTypeError, match=r"components along an axis, not \(2, " + str(n)):
            qd.types.matrix(2, n, qd.i32)
    for ndim in (-1, 13, 2**70):
        with pytest.raises(ValueError, match=f"^ndim={ndim}: an array has 0 to 12 axes$"):
            qd.types.ndarray(qd.i32, ndim=ndim)
    assert qd.types.ndarray(ndim=12).ndim == 12 and qd.types.ndarray().ndim is None


def test_indices_of_64_bits_and_an_offset():
    x = qd.field(qd.i32, shape=3, offset=1)
    for index in (-(2**63), -(2**63) + 1, 2**63 - 1, 0, 4):
        with pytest.raises(IndexError, match="^Accessing field"):
            x[index]
    assert x[1] == x[3] == 0


def test_messages_of_fields():
    from quadrants._lib import core

    x, y = qd.field(qd.i32, (2, 2)), qd.field(qd.f32, 3)
    sliced = "Please be aware that slicing a qd.field is not supported so far."
    of_integers = "Indices of a qd.field are integers."
    for key, cause in (((0, slice(None)), sliced), ((0, "a"), of_integers), ((0, 1.0), of_integers), ("a", of_integers)):
        with pytest.raises(TypeError, match=f"Detected illegal element of type: .*?. {cause}$"):
            x[key]
        with pytest.raises(TypeError, match="Detected illegal element of type"):
            x[key] = 1
    for key in (0, slice(0, 1)):
        with pytest.raises(AssertionError, match="^Slicing is not supported on qd.field"):
            x[key]
    with pytest.raises(IndexError, match="^Field with dim 2 accessed with indices of dim 3$") as caught:
        x[0, 0, 0]
    assert isinstance(caught.value, qd.QuadrantsAssertionError)
    assert traceback.format_exception_only(caught.value)[0].startswith("quadrants.QuadrantsAssertionError: Field")
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is type(caught.value) and again.args == caught.value.args
    with pytest.raises(core.QuadrantsRuntimeError, match="Every dimension of a Quadrants field should be positive"):
        qd.field(qd.i32, (2, 0))
    with pytest.raises(RuntimeError, match=".* is not supported for field with `needs_grad=True` or `needs_dual=True`."):
        qd.field(qd.i32, 2, needs_grad=True)
    with pytest.raises(NotImplementedError, match="Struct for is only available in Quadrants scope"):
        for _ in y:
            pass

    @qd.kernel
    def product():
        x * y

    with pytest.raises(qd.QuadrantsTypeError, match="unsupported operand type"):
        product()


def test_shapes_are_integers_or_sequences_of_them():
    two = np.array([2, 3])
    assert qd.field(qd.f32, two).shape == qd.ndarray(qd.f32, two).shape == qd.tensor(qd.f32, two).shape == (2, 3)
    assert qd.field(qd.f32, np.int64(3)).shape == qd.ndarray(qd.f32, [np.int32(3)]).shape == (3,)
    placed, numbers = qd.field(qd.f32), qd.field(qd.types.quant.int(4))
    assert qd.root.dense(qd.ij, two).place(placed).shape == (2, 3)
    qd.root.quant_array(qd.i, np.int64(8), max_num_bits=32).place(numbers)
    assert numbers.shape == (8,)
    for shape in (2.0, (2.0, 3), "a", (2, None)):
        for make in (lambda: qd.field(qd.f32, shape), lambda: qd.root.dense(qd.ij, shape)):
            with pytest.raises(TypeError, match="a shape must be an integer or a sequence of integers"):
                make()
    with pytest.raises(qd.QuadrantsTypeError, match="at least one component"):
        qd.Vector.field(0, qd.f32, 3)


def test_vectors_are_columns_in_numpy_arrays():
    vectors, columns = qd.Vector.field(2, qd.f32, 3), qd.Matrix.field(2, 1, qd.f32, 3)
    numbers = np.arange(6, dtype=np.float32).reshape(3, 2)
    vectors.from_numpy(numbers[..., None])
    columns.from_numpy(numbers)
    assert (vectors.to_numpy() == numbers).all() and (columns.to_numpy()[..., 0] == numbers).all()
    for wrong in (numbers.T, numbers[:, :1], numbers[None]):
        with pytest.raises(ValueError, match="Mismatched shape"):
            vectors.from_numpy(wrong)
