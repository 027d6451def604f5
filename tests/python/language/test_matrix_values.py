"""Vector and Matrix in Python scope."""

import copy
import math
import pickle

import numpy as np
import pytest
import quadrants as qd


def test_arithmetic():
    a, b = qd.Vector([1, 2, 3]), qd.Vector([4, 5, 6])
    assert (a + b).to_list() == [5, 7, 9]
    assert (2 * a - 1).to_list() == [1, 3, 5]
    assert (b / a).to_list() == [4, 2.5, 2]
    assert (1 - a).to_list() == [0, -1, -2]
    assert (-a).to_list() == [-1, -2, -3]
    assert (b // 2 % 2).to_list() == [0, 0, 1]
    assert (a == qd.Vector([1, 0, 3])).to_list() == [1, 0, 1]
    a += b
    assert a.to_list() == [5, 7, 9]
    with pytest.raises(qd.QuadrantsTypeError):
        a + qd.Vector([1, 2])


def test_matrix_products_and_methods():
    m = qd.Matrix([[1, 2], [3, 4]])
    v = qd.Vector([1, 1])
    assert (m @ v).to_list() == [3, 7]
    assert (m @ m).to_list() == [[7, 10], [15, 22]]
    assert (v @ m).to_list() == [4, 6] and v @ v == 2
    assert m.transpose().to_list() == [[1, 3], [2, 4]]
    assert m.determinant() == -2 and m.trace() == 5
    np.testing.assert_allclose((m @ m.inverse()).to_numpy(), np.eye(2), atol=1e-12)
    assert v.norm() == math.sqrt(2) and v.dot(v) == 2
    assert qd.Vector([1, 0, 0]).cross(qd.Vector([0, 1, 0])).to_list() == [0, 0, 1]
    assert v.outer_product(qd.Vector([2, 3])).to_list() == [[2, 3], [2, 3]]
    assert (m.sum(), m.max(), m.min(), m.any(), m.all()) == (10, 4, 1, True, True)
    with pytest.raises(qd.QuadrantsCompilationError, match="cannot apply to a vector"):
        v.transpose()
    with pytest.raises(qd.QuadrantsCompilationError, match="expected a square matrix, got shape"):
        qd.Matrix([[1, 2]]).determinant()
    with pytest.raises(qd.QuadrantsCompilationError, match="Expected 2 indices, got 1"):
        qd.Matrix([[1, 2], [3, 4]])._at(0)


def test_swizzles():
    v = qd.Vector([1, 2, 3])
    assert v.x == 1 and v.zy.to_list() == [3, 2] and v.rgb.to_list() == [1, 2, 3]
    v.xy = [7, 8]
    v.z = 9
    assert v.to_list() == [7, 8, 9]
    with pytest.raises(qd.QuadrantsSyntaxError) as error:
        qd.Vector([1, 2]).z
    assert "vec2 only has attributes=('x', 'y'), got=('z',)" in str(error.value)
    with pytest.raises(qd.QuadrantsRuntimeError, match="value len does not match the swizzle pattern=xy"):
        v.xy = [1, 2, 3]


def test_types_make_values():
    vec3 = qd.types.vector(3, qd.f32)
    assert vec3(1).to_list() == [1, 1, 1]
    assert vec3(1, qd.Vector([2, 3])).to_list() == [1, 2, 3]
    assert qd.types.vector(2, qd.i32)(1.7, 2).to_list() == [1, 2]
    assert qd.math.vec4(0, 1, 2, 3).to_list() == [0, 1, 2, 3]
    assert qd.types.matrix(2, 2, qd.f32)([[1, 2], [3, 4]]).to_list() == [[1, 2], [3, 4]]
    assert vec3 == qd.math.vec3 and vec3 != qd.math.ivec3
    with pytest.raises(qd.QuadrantsCompilationError, match="takes 3 components"):
        vec3(1, 2)


def test_constructors_and_pickle():
    assert qd.Matrix.identity(qd.i32, 2).to_list() == [[1, 0], [0, 1]]
    assert qd.Vector.zero(qd.f32, 2).to_list() == [0, 0] and qd.Matrix.one(qd.i32, 1, 2).to_list() == [[1, 1]]
    assert qd.Vector.unit(3, 1).to_list() == [0, 1, 0] and qd.Matrix.diag(2, 5).to_list() == [[5, 0], [0, 5]]
    assert qd.Matrix.rows([[1, 2], [3, 4]]).to_list() == qd.Matrix.cols([[1, 3], [2, 4]]).to_list()
    v = pickle.loads(pickle.dumps(qd.Vector([1, 2])))
    assert v.to_list() == [1, 2] and type(v) is qd.Vector
    assert np.asarray(v).tolist() == [1, 2]


def test_python_scope_functions():
    assert qd.sin(0.5) == math.sin(0.5)
    assert qd.max(1, 5, 3) == 5 and qd.min(qd.Vector([1, 4]), 2).to_list() == [1, 2]
    assert qd.math.clamp(5, 0, 3) == 3 and qd.math.mix(0.0, 10.0, 0.25) == 2.5
    assert qd.floor(1.5) == 1.0 and qd.round(2.5) == 3.0 and qd.round(-2.5) == -3.0
    assert qd.cast(3.9, qd.i32) == 3 and qd.select(1, 2, 3) == 2
    assert list(qd.ndrange(2, (1, 3))) == [(0, 1), (0, 2), (1, 1), (1, 2)]
    assert [i.to_list() for i in qd.grouped(qd.ndrange(2, 1))] == [[0, 0], [1, 0]]
    with pytest.raises(qd.QuadrantsSyntaxError, match="only be used in kernels"):
        qd.atomic_add(1, 2)
    with pytest.raises(qd.QuadrantsSyntaxError, match="is not a permutation"):
        qd.ndrange(2, 2, axes=(0, 0))


def test_predicates_of_types():
    t = qd.types
    assert t.is_real(qd.f16) and not t.is_real(qd.i64)
    assert t.is_integral(qd.u8) and t.is_integral(int) and not t.is_integral(float)
    assert t.is_signed(qd.i8) and t.is_signed(qd.f32) and not t.is_signed(qd.u32)
    for number in (2.5, np.float16(2.5), np.float64(2.5)):
        assert t.is_real(number) and not t.is_integral(number) and t.is_signed(number)
    for number in (2, True, np.int8(2), np.uint8(2)):
        assert t.is_integral(number) and not t.is_real(number) and t.is_signed(number) == (number is not True and type(number) is not np.uint8)
    with pytest.raises(qd.QuadrantsTypeError, match="'2.5' is not a scalar type"):
        t.is_real("2.5")
    assert t.is_tensor(t.vector(2, qd.f32)) and not t.is_tensor(qd.f32)


def test_members_of_a_matrix_field_have_one_type():
    with pytest.raises(RuntimeError, match="Member fields of a matrix field must have the same compute type"):
        qd.Matrix.field(2, 2, dtype=[[qd.f32, qd.i32], [qd.i64, qd.f32]], shape=2)
    assert qd.Vector.field(2, dtype=[qd.f32, qd.f32], shape=2).dtype == qd.f32


def test_large_matrices_warn():
    @qd.kernel
    def f() -> qd.f32:
        m = qd.Matrix([[1.0] * 13 for _ in range(13)])
        return m.sum()

    with pytest.warns(UserWarning, match="more than 144 elements"):
        assert f() == 169


def test_values_keep_their_type():
    v = qd.Vector([1, 2], dt=qd.f32)
    m = qd.Matrix([[1, 0.1], [3, 4]], qd.f32)
    assert (v.to_numpy().dtype, m.to_numpy().dtype, qd.Vector([1, 2]).to_numpy().dtype) == (np.float32, np.float32, np.int64)
    assert m[0, 1] == float(np.float32(0.1)) and np.array(m).dtype == np.float32
    assert np.array(v, dtype=np.int16).dtype == np.int16
    same = [v * 2, v + 0.5, -v, 3 - v, v.yx, v + v, m @ v, m.transpose(), v.normalized(), qd.sqrt(v), m[0, :]]
    assert [x.to_numpy().dtype for x in same] == [np.float32] * len(same)
    i = qd.Vector([200, 100], dt=qd.u8)
    assert (i + i).to_list() == [144, 200] and (i + i).to_numpy().dtype == np.uint8
    assert (i / 2).to_numpy().dtype == np.float64 and (i + v).to_numpy().dtype == np.float32
    assert (i + qd.Vector([1, 2], dt=qd.i16)).to_numpy().dtype == np.int16
    assert (v == v).to_numpy().dtype == np.bool_ and i.cast(qd.i32).to_numpy().dtype == np.int32
    v[0] = 0.1
    v += 1
    assert v[0] == float(np.float32(np.float32(0.1) + np.float32(1)))
    assert qd.Vector(np.array([1, 2], np.int16)).to_numpy().dtype == np.int16
    assert pickle.loads(pickle.dumps(m)).to_numpy().dtype == copy.deepcopy(m).to_numpy().dtype == np.float32


def test_elements_and_results_have_the_declared_type():
    half = qd.types.vector(2, qd.f16)
    pair = qd.types.struct(a=qd.i32, b=qd.types.matrix(2, 2, qd.i8))

    @qd.kernel
    def k() -> (qd.types.matrix(1, 2, qd.f64), half):
        return qd.Matrix([[1, 2]]), half(0.5, 1)

    @qd.kernel
    def s() -> pair:
        return pair(a=1, b=qd.Matrix([[1, 2], [3, 4]]))

    f, n = qd.Vector.field(2, qd.f32, shape=2), qd.Matrix.ndarray(2, 2, qd.i64, shape=2)
    a, b = k()
    assert [x.to_numpy().dtype for x in (f[0], n[1], a, b, s().b, half(1, 2), qd.math.vec3(1, 2, 3))] == [
        np.float32, np.int64, np.float64, np.float16, np.int8, np.float16, np.float32,
    ]  # fmt: skip


def test_how_values_and_fields_are_shown():
    assert repr(qd.Vector([1, 2], dt=qd.f32)) == str(qd.Vector([1.0, 2.0])) == "[1. 2.]"
    assert f"{qd.Matrix([[1, 2], [3, 4]])}" == "[[1 2]\n [3 4]]"
    x, v, m = qd.field(qd.i32, 3), qd.Vector.field(2, qd.f32, shape=2), qd.Matrix.field(2, 3, qd.i32, shape=())
    assert (repr(x), str(x)) == ("<qd.field (3,) i32>", "[0 0 0]")
    assert (repr(v), str(v)) == ("<2x1 qd.Matrix.field (2,) f32>", "[[0. 0.]\n [0. 0.]]")
    assert (repr(m), str(m), str(qd.field(qd.f32, ()))) == ("<2x3 qd.Matrix.field () i32>", "[[0 0 0]\n [0 0 0]]", "0.0")
    assert str(qd.field(qd.f32)) == "<Field: Definition of this field is incomplete>"
    s = qd.Struct.field({"a": qd.i32}, shape=2)
    assert str(s) == "{'a': array([0, 0], dtype=int32)}"


def test_types_without_dtype():
    """A vector or matrix type without a dtype only fixes the shape; components keep their types."""
    vec, mat = qd.types.vector(3), qd.types.matrix(2, 2)

    @qd.func
    def mixed(a: vec, b: mat):
        a[0] = 7.5
        return a.sum() + b[0, 1]

    @qd.func
    def first(a: vec) -> vec:
        return a * 0.5

    @qd.kernel
    def run() -> qd.types.vector(4, qd.f32):
        ints = qd.Vector([1, 2, 3])
        floats = vec(1.5, 2, 3)
        m = qd.Matrix([[1, 2.5], [3, 4]])
        return qd.Vector([mixed(ints, m), ints[0], mixed(floats, m), first(ints)[2]])

    assert list(run()) == [7 + 2 + 3 + 2.5, 1, 7.5 + 2 + 3 + 2.5, 1.5]
    assert list(vec(1.5, 2, 3)) == [1.5, 2, 3] and list(vec(2)) == [2, 2, 2]

    @qd.kernel
    def wrong() -> qd.f32:
        return mixed(qd.Vector([1, 2]), qd.Matrix([[1, 2], [3, 4]]))

    with pytest.raises(qd.QuadrantsSyntaxError, match="is expected to be a Matrix with n 3, but got 2"):
        wrong()


def test_types_without_dtype_have_no_memory():
    vec = qd.types.vector(3)
    for make in (
        lambda: vec.field(shape=2),
        lambda: vec.ndarray(shape=2),
        lambda: qd.types.struct(v=vec),
        lambda: qd.tensor(vec, 2),
    ):
        with pytest.raises(qd.QuadrantsTypeError, match="give it a dtype"):
            make()

    with pytest.raises(qd.QuadrantsTypeError, match="give it a dtype"):

        @qd.kernel
        def given(v: vec) -> qd.f32:
            return v[0]

        given(qd.Vector([1, 2, 3]))

    with pytest.raises(qd.QuadrantsTypeError, match="give it a dtype"):

        @qd.kernel
        def result() -> vec:
            return qd.Vector([1, 2, 3])

        result()

    with pytest.raises(qd.QuadrantsTypeError, match="give it a dtype"):

        @qd.real_func
        def real(v: vec) -> qd.f32:
            return v[0]


@pytest.mark.parametrize(
    "value, dtype, expected",
    [
        (lambda: qd.types.vector(3, qd.f32)([0, 1, 2]), np.float32, [0, 1, 2]),
        (lambda: qd.types.matrix(2, 3, qd.i8)(7), np.int8, [[7, 7, 7], [7, 7, 7]]),
        (lambda: qd.Matrix([[1, 2], [3, 4]], qd.u1), np.bool_, [[True, True], [True, True]]),
        (lambda: qd.Vector.field(2, qd.f64, 1)[0], np.float64, [0, 0]),
    ],
)
def test_entries_are_numpy_arrays(value, dtype, expected):
    entries = value().entries
    assert isinstance(entries, np.ndarray) and entries.dtype == dtype and entries.tolist() == expected
    with pytest.raises(ValueError, match="read-only"):
        entries[0] = 1
    assert "entries" not in dir(qd.Matrix)
    with pytest.raises(AttributeError, match="no_such_name"):
        value().no_such_name


def test_vector_fields_take_rows_and_columns():
    f = qd.Vector.field(3, qd.i32, 2)
    for shape in ((2, 3), (2, 3, 1), (2, 1, 3)):
        f.fill(0)
        f.from_numpy(np.arange(6, dtype=np.int32).reshape(shape))
        assert f.to_numpy().tolist() == [[0, 1, 2], [3, 4, 5]]
    for wrong in ((2, 1, 1, 3), (1, 2, 3), (2, 3, 3), (6,)):
        with pytest.raises(ValueError, match="Mismatched shape"):
            f.from_numpy(np.zeros(wrong, np.int32))
    with pytest.raises(ValueError, match="Mismatched shape"):
        qd.Vector.ndarray(3, qd.i32, 2).from_numpy(np.zeros((2, 1, 3), np.int32))


def test_struct_types_show_the_types_of_their_members():
    assert repr(qd.types.struct(radius=float, n=int, on=bool, v=qd.types.vector(2, qd.f32))) == (
        "<qd.StructType radius=f32, n=i32, on=u1, v=<VectorType[2, f32]>>"
    )
