"""Vectors and matrices: values, lvalues, methods."""

import numpy as np
import pytest
import quadrants as qd

vec3 = qd.types.vector(3, qd.f64)
mat3 = qd.types.matrix(3, 3, qd.f64)
A = [[4.0, 1.0, 0.5], [2.0, 3.0, 1.0], [0.0, 1.0, 5.0]]


def test_arithmetic_and_broadcast():
    @qd.kernel
    def f(a: vec3, b: vec3) -> vec3:
        return (a + 2 * b) / 4 - -a * b**2

    a, b = np.array([1.0, 2, 3]), np.array([0.5, -1, 2])
    np.testing.assert_allclose(f(qd.Vector(a), qd.Vector(b)).to_numpy(), (a + 2 * b) / 4 + a * b**2)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_inverse_and_determinant(n):
    matrix = qd.types.matrix(n, n, qd.f64)

    @qd.kernel
    def inverse(m: matrix) -> matrix:
        return m.inverse()

    @qd.kernel
    def determinant(m: matrix) -> qd.f64:
        return m.determinant()

    m = np.random.default_rng(n).random((n, n)) + np.eye(n)
    np.testing.assert_allclose(inverse(qd.Matrix(m)).to_numpy(), np.linalg.inv(m))
    assert determinant(qd.Matrix(m)) == pytest.approx(np.linalg.det(m))


def test_products():
    @qd.kernel
    def f(m: mat3, v: vec3) -> mat3:
        return m @ m.transpose() + v.outer_product(m @ v)

    m, v = np.array(A), np.array([1.0, 2, 3])
    np.testing.assert_allclose(f(qd.Matrix(A), qd.Vector(v)).to_numpy(), m @ m.T + np.outer(v, m @ v))


def test_a_vector_on_the_left_is_a_row():
    @qd.kernel
    def f(v: qd.types.vector(2, qd.f64), m: qd.types.matrix(2, 3, qd.f64)) -> qd.types.vector(4, qd.f64):
        w = v @ m
        return qd.Vector([w.x, w.y, w.z, v @ v])

    assert f(qd.Vector([1.0, 2.0]), qd.Matrix([[1.0, 2.0, 5.0], [3.0, 4.0, 6.0]])).to_list() == [7, 10, 17, 5]


def test_comparisons_give_truth_values():
    @qd.kernel
    def f(a: vec3) -> (qd.i32, qd.i32, qd.i32, qd.i32):
        c = a > 1.5
        twice = c + c  # in a one-bit type
        return c[0] * 100 + c[1] * 10 + c[2], twice[2], c.any(), c.all()

    assert f(qd.Vector([1.0, 2.0, 3.0])) == (11, 0, 1, 0)


def test_every_method():
    @qd.kernel
    def f(m: mat3, v: vec3, w: vec3) -> (mat3, vec3, mat3, qd.f64, qd.f64, qd.f64, qd.f64, qd.i32, qd.i32, mat3):
        a = qd.Matrix.zero(qd.f64, 3, 3)
        a.fill(2)
        b = a + qd.Matrix.diag(3, 1.0) + qd.Matrix.one(qd.f64, 3, 3) + qd.Matrix.identity(qd.f64, 3)
        qd.static_assert(m.n == 3 and m.m == 3 and m.get_shape() == (3, 3))
        truth = m.any() * 10 + (m > 0).all()
        c = m.cast(qd.i32)
        whole = c.sum() + c.max() * 100 + c.min() * 10000
        inner = (m * m.transpose()).sum() - m.trace() * 2
        return m.inverse(), v.cross(w), v.outer_product(w), m.determinant(), v.norm_inv(), inner, v.dot(w), truth, whole, b

    m, v, w = np.array([[2.5, 1, 0], [1, 3, 1], [-1, 1, 4]]), np.array([1.0, 2, 3]), np.array([0.5, -1, 2])
    found = f(qd.Matrix(m), qd.Vector(v), qd.Vector(w))
    c = m.astype(np.int32)
    expected = [np.linalg.inv(m), np.cross(v, w), np.outer(v, w), np.linalg.det(m), 1 / np.linalg.norm(v)]
    expected += [(m * m.T).sum() - 2 * np.trace(m), v @ w, 10, c.sum() + c.max() * 100 + c.min() * 10000, 3 + 2 * np.eye(3)]
    for x, y in zip(found, expected):
        np.testing.assert_allclose(x.to_numpy() if hasattr(x, "to_numpy") else x, y, rtol=1e-12)


def test_methods():
    @qd.kernel
    def f(a: vec3, b: vec3) -> qd.f64:
        return a.dot(b) + a.cross(b).sum() + a.norm() + a.norm_sqr() + a.max() + b.min() + a.normalized().norm()

    a, b = np.array([1.0, 2, 3]), np.array([0.5, -1, 2])
    expected = a @ b + np.cross(a, b).sum() + np.linalg.norm(a) + a @ a + 3 - 1 + 1
    assert f(qd.Vector(a), qd.Vector(b)) == pytest.approx(expected)


def test_constructors():
    @qd.kernel
    def f() -> mat3:
        m = qd.Matrix.zero(qd.f64, 3, 3) + qd.Matrix.identity(qd.f64, 3) * 2
        m[0, 1] = qd.Vector.unit(3, 2)[2]
        m += qd.Matrix.rows([qd.Vector([1, 2, 3]), qd.Vector([4, 5, 6]), qd.Vector([7, 8, 9])])
        return m @ qd.Matrix.one(qd.f64, 3, 3)

    m = 2 * np.eye(3) + np.arange(1, 10).reshape(3, 3)
    m[0, 1] += 1
    np.testing.assert_allclose(f().to_numpy(), m @ np.ones((3, 3)))


def test_lists_append_and_repeat():
    @qd.kernel
    def f(x: qd.f64) -> qd.types.vector(7, qd.f64):
        return qd.Vector([x, 2.0] * 2 + 2 * [3.0] + [x * x])

    assert f(5.0).to_list() == [5, 2, 5, 2, 3, 3, 25]


def test_swizzles_and_slices():
    @qd.kernel
    def f() -> vec3:
        v = qd.math.vec3(1.0, 2.0, 3.0)
        v.xy = v.yx
        v.z += 10
        w = v.zyx
        m = qd.Matrix([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
        m[1, 0:2] = qd.Vector([7.0, 8.0])
        w += m[1, :] + qd.math.vec3(m[:, 0], 1)
        return w

    np.testing.assert_allclose(f().to_numpy(), [13 + 7 + 1, 1 + 8 + 7, 2 + 6 + 1])


def test_indices_known_at_run_time_only():
    @qd.kernel
    def f(n: qd.i32) -> qd.i32:
        v = qd.Vector([5, 6, 7, 8])
        s = 0
        for i in range(n):
            v[i] += i
            s = s * 10 + v[n - 1 - i]
        return s + v[0]

    v, s = [5, 6, 7, 8], 0
    for i in range(4):
        v[i] += i
        s = s * 10 + v[3 - i]
    assert f(4) == s + v[0]


def test_run_time_indices_of_a_matrix_and_of_a_value():
    @qd.kernel
    def f(i: qd.i32, j: qd.i32) -> qd.f64:
        m = qd.Matrix([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], dt=qd.f64)
        m[i, 1] *= 10
        return m[i, j] + (m @ qd.Vector([1.0, 0.0, 1.0]))[i]

    assert f(1, 1) == 50 + 10


def test_elements_of_arrays():
    @qd.kernel
    def f(m: qd.types.ndarray(qd.math.mat2, ndim=1), o: qd.types.ndarray(qd.math.vec2, ndim=1)):
        for i in range(m.shape[0]):
            for k in range(2):
                o[i][k] = m[i][k, 0] + m[i][k, 1] * 10
            o[i].xy = o[i].yx
            v = m[i] @ o[i]
            v.x += 1
            w = v
            w[1] = 0
            o[i] += v + w

    m = np.random.default_rng(2).random((3, 2, 2)).astype(np.float32)
    o = np.zeros((3, 2), np.float32)
    f(m, o)
    r = (m[:, :, 0] + 10 * m[:, :, 1])[:, ::-1]
    v = np.einsum("nij,nj->ni", m, r)
    v[:, 0] += 1
    w = v.copy()
    w[:, 1] = 0
    np.testing.assert_allclose(o, r + v + w, rtol=1e-5)


def test_choosing_and_comparing():
    @qd.kernel
    def f() -> qd.f32:
        a = qd.math.vec3(1.0, 2.0, 3.0)
        b = qd.select(a > 1.5, a, 0.0)
        c = qd.math.clamp(qd.math.mix(a, b, 0.5), 0.0, 2.5)
        return c.sum() + any(a > 2) + all(a > 2) + qd.math.fract(1.25) + qd.math.sign(-3.0)

    assert f() == pytest.approx(0.5 + 2 + 2.5 + 1 + 0 + 0.25 - 1)


def test_unpacking():
    @qd.kernel
    def f() -> qd.f64:
        a, b = qd.Vector([1.5, 2.5])
        (c, d), e = qd.Vector([1.0, 2.0]), 3
        return a * 1000 + b * 100 + c * 10 + d + e

    assert f() == 1500 + 250 + 10 + 2 + 3


def test_host_values_are_constants():
    offset = qd.Vector([1.0, 2.0, 3.0])

    @qd.kernel
    def f(k: qd.i32) -> qd.f64:
        return (offset * 2).sum() + offset[k] + offset.norm_sqr()

    assert f(1) == 12 + 2 + 14


def test_tables_of_constants_in_loops():
    w = qd.Vector([4.0, 1.0, 0.5])
    e = qd.Matrix([[1, 2], [3, 4], [5, 6]])
    steps = [10, 20, 30]

    @qd.kernel
    def f(x: qd.types.ndarray(qd.f32, ndim=1), v: vec3) -> qd.f64:
        for i in x:
            for k in range(3):
                x[i] += w[k] * e[k, i % 2] + steps[k] * v[2 - k]
        s = 0.0
        for k in range(3):
            s += w[k] * v[k]
        return s

    x = np.zeros(5, np.float32)
    v = np.array([1.0, 2, 3])
    assert f(x, qd.Vector(v)) == 4 + 2 + 1.5
    expected = [sum(w[k] * e[k, i % 2] + steps[k] * v[2 - k] for k in range(3)) for i in range(5)]
    np.testing.assert_allclose(x, expected)


def test_rows_and_columns_with_run_time_index():
    x = qd.Matrix.field(3, 3, qd.f64, shape=2)

    @qd.kernel
    def f(i: qd.i32, start: mat3) -> mat3:
        m = start
        m[i, :] = vec3(0, 0, 7)
        m[:, i] += 1
        m[i, 0:2] *= 10
        v = m[i, :]
        m[i, 2] = v[i] + start[:, i][0]
        x[i] = start
        x[i][i, :] = m[:, i]
        return m

    a = np.array(A)
    m = a.copy()
    m[1, :] = [0, 0, 7]
    m[:, 1] += 1
    m[1, :2] *= 10
    m[1, 2] = m[1, 1] + a[0, 1]
    np.testing.assert_allclose(f(1, qd.Matrix(A)).to_numpy(), m)
    expected = a.copy()
    expected[1, :] = m[:, 1]
    np.testing.assert_allclose(x.to_numpy()[1], expected)


def test_keywords_of_constructors():
    @qd.kernel
    def f() -> mat3:
        m = qd.Matrix.zero(dt=qd.f64, n=3, m=3) + qd.Matrix.diag(dim=3, val=2.0) + qd.Matrix.identity(qd.f64, n=3)
        m[0, 1] = qd.Vector.zero(n=2, dt=qd.f64)[0] + qd.Vector.unit(n=3, i=1)[1] + qd.Vector([1, 2], dt=qd.f64)[1]
        m[1, 0] = qd.math.clamp(7.0, xmin=0.0, xmax=5.0) + qd.cast(2.7, dtype=qd.i32)
        return m

    m = 3 * np.eye(3)
    m[0, 1], m[1, 0] = 3, 7
    np.testing.assert_allclose(f().to_numpy(), m)


def test_numpy_arrays_are_values():
    weights = np.array([1.0, 2.0, 3.0])
    table = np.arange(9.0).reshape(3, 3)

    @qd.kernel
    def f(i: qd.i32) -> vec3:
        return qd.Vector(weights) * 2 + qd.Matrix(table)[i, :]

    np.testing.assert_allclose(f(2).to_numpy(), weights * 2 + table[2])


def test_half_precision():
    half = qd.types.vector(2, qd.f16)
    x = qd.Vector.field(2, qd.f16, shape=2)

    @qd.kernel
    def f(v: half) -> half:
        w = v * qd.f16(0.5) + v.yx
        x[0] = w
        x[1] += qd.Vector([1.0, 2.0], dt=qd.f16)
        return w @ qd.Matrix([[1.0, 2.0], [0.0, 1.0]], dt=qd.f16)

    v = np.array([0.1, 3000.0], np.float16)
    w = v * np.float16(0.5) + v[::-1]
    expected = w @ np.array([[1, 2], [0, 1]], np.float16)
    np.testing.assert_allclose(f(qd.Vector(v)).to_numpy(), expected, rtol=1e-3)
    np.testing.assert_allclose(x.to_numpy(), [w, [1, 2]], rtol=1e-3)


def test_truth_values():
    x = qd.Vector.field(2, qd.u1, shape=())

    @qd.kernel
    def f(v: vec3) -> qd.types.vector(4, qd.i32):
        inside = v > 0
        x[None] = qd.Vector([inside.any(), inside.all()])
        both = inside & (v < 2)
        return qd.Vector([inside[0], both.any(), (not both).any(), qd.select(both, 1, 10).sum()])

    assert f(qd.Vector([1.0, -1.0, 3.0])).to_list() == [1, 1, 1, 21]
    assert x.to_numpy().tolist() == [True, False]


METHODS = {
    "all": (), "any": (), "cast": ("qd.i32",), "cross": ("w",), "determinant": (), "dot": ("w",), "frobenius_inner": ("w",),
    "get_shape": (), "inverse": (), "max": (), "min": (), "norm": ("0.5",), "norm_inv": ("0.5",), "norm_sqr": (),
    "normalized": ("0.5",), "outer_product": ("w",), "sum": (), "to_list": (), "trace": (), "transpose": (),
}  # fmt: skip


@pytest.mark.parametrize("python", [False, True])
@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("of", ["qd.Vector", "qd.Matrix"])
def test_methods_through_the_class(python, name, of, capfd):
    """qd.Vector.dot(v, w) is v.dot(w), of variables, elements, constants and lists."""
    from quadrants._test_tools.load_kernel_string import load_kernel_from_string

    if python:
        qd.init(arch=qd.python)
    first = "M" if name in ("determinant", "inverse", "trace", "transpose") else "v"
    arguments = ", ".join(METHODS[name])
    through = f"{of}.{name}({first}{', ' if arguments else ''}{arguments})"
    text = f"""
import quadrants as qd
@qd.kernel
def k():
    v, w = qd.Vector([1.0, 2.0, 3.0]), qd.Vector([0.5, 0.25, 1.0])
    M = qd.Matrix([[2.0, 0.5], [0.5, 3.0]])
    print({first}.{name}({arguments}))
    print({through})
"""
    with load_kernel_from_string(text, "k") as k:
        k()
        qd.sync()
    lines = [line for line in capfd.readouterr().out.splitlines() if not line.startswith("[Quadrants]")]
    assert len(lines) == 2 and lines[0] == lines[1]


@pytest.mark.parametrize("python", [False, True])
def test_methods_through_the_class_change_and_read_lvalues(python):
    if python:
        qd.init(arch=qd.python)
    f = qd.Vector.field(2, qd.f32, 3)

    @qd.func
    def fills(v):
        qd.Vector.fill(v, 9.0)
        return v.sum()

    @qd.kernel
    def k() -> qd.f32:
        v = qd.Vector([1.0, 2.0])
        qd.Vector.fill(v, 3.0)
        qd.Vector.fill(f[1], val=4.0)
        kept = qd.Vector([1.0, 1.0])
        g = fills(kept)
        return 100 * v.sum() + qd.Vector.dot(f[1], other=v) + qd.Vector.norm([3.0, 4.0]) + 1000 * kept.sum() + 10000 * g

    assert k() == 600 + 24 + 5 + 2000 + 180000
    assert f[1][0] == 4 and f[0][0] == 0


def test_mistakes_with_methods_through_the_class():
    @qd.kernel
    def nothing():
        x = qd.Vector.norm()  # noqa: F841

    @qd.kernel
    def number(a: qd.f32):
        x = qd.Vector.norm(a)  # noqa: F841

    with pytest.raises(qd.QuadrantsSyntaxError, match="`norm` of the class takes the vector or matrix first"):
        nothing()
    with pytest.raises(qd.QuadrantsTypeError, match="A vector or matrix is needed here"):
        number(1.0)


def test_slices_of_rows_on_the_host():
    m = qd.Matrix([[1, 2], [3, 4], [5, 6]])
    rows = m[0:2]
    assert type(rows) is qd.Matrix and (rows.ndim, rows.n, rows.m) == (2, 2, 2)
    assert rows.to_list() == [[1, 2], [3, 4]] and m[::2].to_list() == [[1, 2], [5, 6]]
    assert m[1].to_list() == [3, 4] and m[1].ndim == 1

    @qd.kernel
    def k() -> qd.i32:
        return rows[1, 0]

    assert k() == 3
