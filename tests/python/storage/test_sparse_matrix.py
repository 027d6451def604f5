"""qd.linalg: builders that kernels fill, matrices, factorizations, conjugate gradients; numbers against numpy."""

import re

import numpy as np
import pytest
import quadrants as qd

TYPES = pytest.mark.parametrize("dtype", [qd.f32, qd.f64], ids=str)
NUMPY = {qd.f32: np.float32, qd.f64: np.float64}
EPS = {qd.f32: 1e-5, qd.f64: 1e-12}

Builder = qd.types.sparse_matrix_builder


@qd.kernel
def add_triplets(
    A: Builder(), rows: qd.types.ndarray(qd.i32, 1), cols: qd.types.ndarray(qd.i32, 1), values: qd.types.ndarray(ndim=1, element_dim=0)
):
    for k in values:
        A[rows[k], cols[k]] += values[k]


def random_triplets(shape, count, dtype, seed=0):
    rng = np.random.default_rng(seed)
    rows, cols = (rng.integers(0, n, count).astype(np.int32) for n in shape)
    return rows, cols, rng.normal(size=count).astype(NUMPY[dtype])


def as_dense(shape, rows, cols, values):
    out = np.zeros(shape, np.float64)
    np.add.at(out, (rows, cols), values.astype(np.float64))
    return out


def build(shape, triplets, dtype):
    builder = qd.linalg.SparseMatrixBuilder(*shape, max_num_triplets=len(triplets[0]), dtype=dtype)
    add_triplets(builder, *triplets)
    return builder.build()


def entries(matrix):
    return np.array([[matrix[i, j] for j in range(matrix.shape[1])] for i in range(matrix.shape[0])])


def from_dense(dense, dtype):
    rows, cols = (k.astype(np.int32) for k in np.nonzero(dense))
    return build(dense.shape, (rows, cols, dense[rows, cols].astype(NUMPY[dtype])), dtype)


def spd(n, seed=0):
    """Returns a symmetric positive definite matrix with few entries in each row."""
    rng = np.random.default_rng(seed)
    half = np.where(rng.random((n, n)) < 3 / n, rng.normal(size=(n, n)), 0)
    return half + half.T + np.diag(1 + np.abs(half).sum(0) + np.abs(half).sum(1))


@TYPES
def test_builder(dtype):
    shape, count = (30, 20), 500  # 600 places, so many entries coincide
    triplets = random_triplets(shape, count, dtype)
    matrix = build(shape, triplets, dtype)
    assert matrix.shape == shape and matrix.dtype == dtype
    np.testing.assert_allclose(entries(matrix), as_dense(shape, *triplets), atol=10 * EPS[dtype])


def test_a_matrix_does_not_depend_on_the_order_of_its_entries():
    rows, cols, values = random_triplets((5, 5), 4000, qd.f32)
    turned = np.random.default_rng(1).permutation(4000)
    assert repr(build((5, 5), (rows, cols, values), qd.f32)) == repr(build((5, 5), (rows[turned], cols[turned], values[turned]), qd.f32))


def test_builder_in_serial_code_and_in_funcs():
    @qd.func
    def spring(A: Builder(), i, j, k):
        A[i, i] += k
        A[j, j] += k
        A[i, j] -= k
        A[j, i] -= k

    @qd.kernel
    def fill(A: Builder(), n: qd.i32, k: qd.f64):
        A[0, 0] += 1
        for i in range(n - 1):
            spring(A, i, i + 1, k)

    builder = qd.linalg.SparseMatrixBuilder(4, 4, max_num_triplets=100, dtype=qd.f64)
    fill(builder, 4, 2.5)
    expected = 2.5 * np.array([[1, -1, 0, 0], [-1, 2, -1, 0], [0, -1, 2, -1], [0, 0, -1, 1]])
    expected[0, 0] += 1
    np.testing.assert_array_equal(entries(builder.build()), expected)


def test_two_builders_and_one_twice():
    @qd.kernel
    def fill(A: Builder(), B: Builder()):
        for i in range(8):
            A[i, i] += 1.0
            B[i, 7 - i] += 2.0

    a, b = (qd.linalg.SparseMatrixBuilder(8, max_num_triplets=16) for _ in range(2))
    fill(a, b)
    np.testing.assert_array_equal(entries(a.build()), np.eye(8))
    np.testing.assert_array_equal(entries(b.build()), 2 * np.eye(8)[::-1])
    fill(a, a)
    np.testing.assert_array_equal(entries(a.build()), np.eye(8) + 2 * np.eye(8)[::-1])


def test_a_builder_is_empty_after_build():
    @qd.kernel
    def fill(A: Builder(), v: qd.f32):
        for i in range(3):
            A[i, i] += v

    builder = qd.linalg.SparseMatrixBuilder(3, 3, max_num_triplets=3)
    for v in (1.0, 2.0, 3.0):
        fill(builder, v)
        np.testing.assert_array_equal(entries(builder.build()), v * np.eye(3))
    np.testing.assert_array_equal(entries(builder.build()), np.zeros((3, 3)))


def test_builder_held_by_an_object():
    @qd.data_oriented
    class Model:
        def __init__(self):
            self.builder = qd.linalg.SparseMatrixBuilder(2, 3, max_num_triplets=6)

        @qd.kernel
        def fill(self):
            for i, j in qd.ndrange(2, 3):
                self.builder[i, j] += i + 10 * j

    model = Model()
    model.fill()
    np.testing.assert_array_equal(entries(model.builder.build()), [[0, 10, 20], [1, 11, 21]])


def test_many_entries_from_all_threads():
    n = 100_000

    @qd.kernel
    def fill(A: Builder(), n: qd.i32):
        for i in range(n):
            A[i % 100, i % 37] += i % 5

    builder = qd.linalg.SparseMatrixBuilder(100, 37, max_num_triplets=n, dtype=qd.f64)
    fill(builder, n)
    i = np.arange(n)
    np.testing.assert_array_equal(entries(builder.build()), as_dense((100, 37), i % 100, i % 37, i % 5))


def test_overflow_of_a_builder():
    builder = qd.linalg.SparseMatrixBuilder(100, 100, max_num_triplets=10)
    around = [qd.linalg.SparseMatrixBuilder(100, 100, max_num_triplets=10) for _ in range(4)]
    triplets = random_triplets((100, 100), 1000, qd.f32)
    add_triplets(builder, *triplets)
    with pytest.raises(qd.QuadrantsRuntimeError, match="room for max_num_triplets=10, but 1000 entries were added"):
        builder.build()
    for one in around:  # nothing was written beyond the end
        np.testing.assert_array_equal(entries(one.build()), np.zeros((100, 100)))
    add_triplets(builder, *(part[:10] for part in triplets))  # it can be used again
    np.testing.assert_allclose(entries(builder.build()), as_dense((100, 100), *(part[:10] for part in triplets)))


def test_entries_outside():
    builder = qd.linalg.SparseMatrixBuilder(3, 4, max_num_triplets=10)
    for i, j in ((3, 0), (0, 4), (-1, 0)):
        add_triplets(builder, np.array([i], np.int32), np.array([j], np.int32), np.ones(1, np.float32))
        with pytest.raises(qd.QuadrantsAssertionError, match=re.escape(f"entry ({i}, {j}) is outside the shape (3, 4)")):
            builder.build()
    np.testing.assert_array_equal(entries(builder.build()), np.zeros((3, 4)))


def test_entries_outside_in_debug_mode(arch):
    qd.init(arch=arch, debug=True, offline_cache=False)
    builder = qd.linalg.SparseMatrixBuilder(3, 4, max_num_triplets=10)
    add_triplets(builder, np.array([2], np.int32), np.array([3], np.int32), np.ones(1, np.float32))
    with pytest.raises(qd.QuadrantsAssertionError, match=r"Out of bound access to sparse matrix builder with indices \[0, 4\]"):
        add_triplets(builder, np.array([0], np.int32), np.array([4], np.int32), np.ones(1, np.float32))

    @qd.data_oriented
    class Holder:
        def __init__(self):
            self.builder = builder

        @qd.kernel
        def fill(self, i: qd.i32):
            self.builder[i, 0] += 1.0

    Holder().fill(2)
    with pytest.raises(qd.QuadrantsAssertionError, match=r"Out of bound access to sparse matrix builder with indices \[3, 0\]"):
        Holder().fill(3)


def test_arguments_that_are_not_builders():
    with pytest.raises(qd.QuadrantsRuntimeTypeError, match="cannot be converted into required type"):
        add_triplets(3, *random_triplets((3, 3), 3, qd.f32))


def test_declarations_that_are_refused():
    make = qd.linalg.SparseMatrixBuilder
    for wrong, message in (
        (lambda: make(3, 3, 10, qd.i32), "holds f32 or f64, not i32"),
        (lambda: make(3, 3, 10, storage_format="coo"), "choose 'col_major' or 'row_major'"),
        (lambda: make(0, 3, 10), "num_rows=0"),
        (lambda: make(), "num_rows is required"),
        (lambda: make(3, 3, -1), "max_num_triplets=-1"),
        (lambda: qd.linalg.SparseMatrix(3, 3, dtype=qd.f16), "holds f32 or f64, not f16"),
        (lambda: qd.linalg.SparseSolver(solver_type="QR"), "The solver type QR with AMD is not supported"),
        (lambda: qd.linalg.SparseSolver(ordering="NONE"), "The solver type LLT with NONE is not supported"),
    ):
        with pytest.raises(qd.QuadrantsRuntimeError, match=message):
            wrong()


def test_print_triplets(capsys):
    builder = qd.linalg.SparseMatrixBuilder(3, 4, max_num_triplets=10)
    add_triplets(builder, np.array([1], np.int32), np.array([2], np.int32), np.array([0.5], np.float32))
    builder.print_triplets()
    out = capsys.readouterr().out
    assert "n=3, m=4, num_triplets=1 (max=10)" in out and "[1, 2] = 0.5" in out


@TYPES
def test_arithmetic(dtype):
    shape = (12, 9)
    ta, tb = random_triplets(shape, 40, dtype, 1), random_triplets(shape, 40, dtype, 2)
    tc = random_triplets((9, 7), 30, dtype, 3)
    a, b, c = build(shape, ta, dtype), build(shape, tb, dtype), build((9, 7), tc, dtype)
    A, B, C = as_dense(shape, *ta), as_dense(shape, *tb), as_dense((9, 7), *tc)
    for ours, theirs in (
        (a + b, A + B), (a - b, A - B), (a * b, A * B), (a * 2.5, 2.5 * A), (3 * a, 3 * A), (-a, -A),
        (a @ c, A @ C), (a.transpose(), A.T), (a.transpose() @ b, A.T @ B),
    ):  # fmt: skip
        assert ours.dtype == dtype and ours.shape == theirs.shape
        np.testing.assert_allclose(entries(ours), theirs, atol=10 * EPS[dtype])
    kept = a
    a += b
    np.testing.assert_allclose(entries(a), A + B, atol=10 * EPS[dtype])
    a -= b
    assert a is kept
    np.testing.assert_allclose(entries(a), A, atol=10 * EPS[dtype])


@TYPES
def test_products_with_vectors(dtype):
    shape = (12, 9)
    triplets = random_triplets(shape, 40, dtype)
    a, A = build(shape, triplets, dtype), as_dense(shape, *triplets)
    x = np.random.default_rng(5).normal(size=9).astype(NUMPY[dtype])
    close = dict(atol=10 * EPS[dtype])
    assert (a @ x).dtype == NUMPY[dtype]
    np.testing.assert_allclose(a @ x, A @ x, **close)
    field, array = qd.field(dtype, 9), qd.ndarray(dtype, 9)
    field.from_numpy(x)
    array.from_numpy(x)
    np.testing.assert_allclose(a @ field, A @ x, **close)
    product = a @ array
    assert isinstance(product, qd.ScalarNdarray) and product.dtype == dtype
    np.testing.assert_allclose(product.to_numpy(), A @ x, **close)
    many = np.random.default_rng(6).normal(size=(9, 4)).astype(NUMPY[dtype])
    np.testing.assert_allclose(a @ many, A @ many, **close)
    np.testing.assert_allclose(a @ many[:, ::2], A @ many[:, ::2], **close)


def test_shapes_and_types_that_do_not_fit():
    make = qd.linalg.SparseMatrix
    a, b, f = make(3, 4), make(4, 3), make(3, 4, dtype=qd.f64)
    for wrong in (lambda: a + b, lambda: a - b, lambda: a * b, lambda: a @ a, lambda: a @ np.ones(3, np.float32)):
        with pytest.raises(AssertionError, match="Dimension mismatch between sparse matri"):
            wrong()
    with pytest.raises(qd.QuadrantsRuntimeError, match="Dimension mismatch"):
        a @ qd.ndarray(qd.f32, 3)
    with pytest.raises(qd.QuadrantsRuntimeError, match="different types, f32 and f64"):
        a + f
    with pytest.raises(qd.QuadrantsRuntimeError, match="does not support .*list"):
        a @ [1, 2, 3, 4]
    with pytest.raises(TypeError):
        a * "2"
    with pytest.raises(TypeError):
        a + 1


@TYPES
def test_elements(dtype):
    a = qd.linalg.SparseMatrix(3, 4, dtype=dtype)
    a[1, 2] = 5.5
    a[0, 0] = 1
    a[1, 2] += 1
    same = qd.linalg.SparseMatrix(sm=a)
    doubled = a * 2.0
    a[2, 3] = -1.0
    np.testing.assert_array_equal(entries(a), [[1, 0, 0, 0], [0, 0, 6.5, 0], [0, 0, 0, -1]])
    np.testing.assert_array_equal(entries(doubled), [[2, 0, 0, 0], [0, 0, 13, 0], [0, 0, 0, 0]])
    assert same[2, 3] == 0 and a[-1, -1] == -1 and same.dtype == dtype
    assert str(a) == "[  1,   0,   0,   0]\n[  0,   0, 6.5,   0]\n[  0,   0,   0,  -1]"
    assert str(qd.linalg.SparseMatrix(10**6, dtype=dtype)) == f"<qd.linalg.SparseMatrix of shape (1000000, 1000000) with 0 entries of {dtype}>"
    for place in ((3, 0), (0, 4), (-4, 0)):
        with pytest.raises(IndexError, match="Out of bound access to sparse matrix"):
            a[place]
    with pytest.raises(IndexError, match="two integers"):
        a[1]


def test_build_from_ndarray():
    n = 5
    triplets = qd.Vector.ndarray(n=3, dtype=qd.f32, shape=n)

    @qd.kernel
    def fill(triplets: qd.types.ndarray()):
        for i in range(n):
            triplets[i] = qd.Vector([i, (i + 1) % n, i + 1], dt=qd.f32)

    fill(triplets)
    a = qd.linalg.SparseMatrix(n=n, m=n, dtype=qd.f32)
    a.build_from_ndarray(triplets)
    np.testing.assert_array_equal(entries(a), np.roll(np.diag(np.arange(1, n + 1)), 1, axis=1))
    flat = qd.ndarray(qd.f32, 6)
    flat.from_numpy(np.array([0, 0, 1, 4, 4, 2], np.float32))
    a.build_from_ndarray(flat)
    assert a[0, 0] == 1 and a[4, 4] == 2 and a[0, 1] == 0
    with pytest.raises(qd.QuadrantsRuntimeError, match="divisible by 3"):
        a.build_from_ndarray(qd.ndarray(qd.f32, 4))
    with pytest.raises(qd.QuadrantsRuntimeError, match="only supports building from"):
        a.build_from_ndarray(np.zeros(3))
    flat.from_numpy(np.array([0, 5, 1, 4, 4, 2], np.float32))
    with pytest.raises(qd.QuadrantsAssertionError, match=r"the entry \(0, 5\) is outside the shape \(5, 5\)"):
        a.build_from_ndarray(flat)


def test_mmwrite(tmp_path):
    a = qd.linalg.SparseMatrix(3, 4, dtype=qd.f64)
    a[0, 1], a[2, 0], a[2, 3] = 0.1, -2.0, 1e-30
    a.mmwrite(str(tmp_path / "a.mtx"))
    head, size, *lines = (tmp_path / "a.mtx").read_text().splitlines()
    assert head.split() == ["%%MatrixMarket", "matrix", "coordinate", "real", "general"] and size.split() == ["3", "4", "3"]
    assert sorted(tuple(map(float, line.split())) for line in lines) == [(1, 2, 0.1), (3, 1, -2.0), (3, 4, 1e-30)]
    with pytest.raises(OSError):
        a.mmwrite(str(tmp_path / "missing" / "a.mtx"))


@TYPES
@pytest.mark.parametrize("ordering", ["AMD", "COLAMD"])
@pytest.mark.parametrize("solver_type", ["LLT", "LDLT", "LU"])
def test_solver(dtype, solver_type, ordering):
    n = 40
    A = spd(n)
    if solver_type == "LU":
        A = np.roll(A, 1, axis=0) + np.triu(A, 2)  # not symmetric, no diagonal to rely on
    b = np.random.default_rng(3).normal(size=n)
    expected = np.linalg.solve(A, b)
    matrix = from_dense(A, dtype)
    solver = qd.linalg.SparseSolver(dtype, solver_type, ordering)
    assert solver.info() is False
    solver.analyze_pattern(matrix)
    solver.factorize(matrix)
    assert solver.info() is True
    close = dict(rtol=0, atol=200 * EPS[dtype] * np.abs(expected).max())
    given = b.astype(NUMPY[dtype])
    np.testing.assert_allclose(solver.solve(given), expected, **close)
    field, array = qd.field(dtype, n), qd.ndarray(dtype, n)
    field.from_numpy(given)
    array.from_numpy(given)
    np.testing.assert_allclose(solver.solve(field), expected, **close)
    solved = solver.solve(array)
    assert isinstance(solved, qd.ScalarNdarray)
    np.testing.assert_allclose(solved.to_numpy(), expected, **close)
    many = np.stack([given, 2 * given, -given], axis=1)
    np.testing.assert_allclose(solver.solve(many), np.stack([expected, 2 * expected, -expected], axis=1), rtol=0, atol=3 * close["atol"])
    solver.factorize(matrix * 2.0)
    np.testing.assert_allclose(solver.solve(given), expected / 2, **close)
    solver.compute(from_dense(np.diag(np.arange(1.0, 4.0)), dtype))
    np.testing.assert_allclose(solver.solve(np.ones(3, NUMPY[dtype])), [1, 1 / 2, 1 / 3], rtol=1e-6)


def test_solver_with_a_vector_field():
    A = spd(12)
    solver = qd.linalg.SparseSolver(qd.f64, "LDLT")
    solver.compute(from_dense(A, qd.f64))
    b = qd.Vector.field(2, qd.f64, 6)
    values = np.random.default_rng(0).normal(size=(6, 2))
    b.from_numpy(values)
    np.testing.assert_allclose(solver.solve(b), np.linalg.solve(A, values.reshape(-1)).reshape(6, 2))


def test_a_factorization_that_fails():
    indefinite, singular = np.diag([1.0, -1.0, 1.0]), np.diag([1.0, 0.0, 1.0])
    singular[0, 1] = 1
    for solver_type, A in (("LLT", indefinite), ("LU", singular)):
        solver = qd.linalg.SparseSolver(qd.f64, solver_type)
        solver.compute(from_dense(A, qd.f64))
        assert solver.info() is False
        assert np.isnan(solver.solve(np.ones(3))).all()
        solver.compute(from_dense(np.eye(3), qd.f64))
        assert solver.info() is True
        np.testing.assert_array_equal(solver.solve(np.ones(3)), np.ones(3))


def test_solver_is_used_wrongly():
    solver, a = qd.linalg.SparseSolver(qd.f32), from_dense(spd(5), qd.f32)
    refused = lambda match: pytest.raises(qd.QuadrantsRuntimeError, match=match)  # noqa: E731
    with refused(r"Please call compute\(\) before calling solve\(\)"):
        solver.solve(np.ones(5))
    with refused("dtype f32 is not consistent with the SparseMatrix's dtype f64"):
        solver.compute(from_dense(spd(5), qd.f64))
    with refused("is not supported in linear solvers"):
        solver.compute(np.eye(3))
    with refused(r"needs a square matrix, not one of shape \(3, 4\)"):
        solver.compute(qd.linalg.SparseMatrix(3, 4))
    with refused(r"Please call analyze_pattern\(\) or compute\(\) before calling factorize\(\)"):
        solver.factorize(a)
    solver.analyze_pattern(a)
    with refused(r"different sparsity pattern than the one that analyze_pattern\(\) got"):
        solver.factorize(from_dense(np.eye(5), qd.f32))
    solver.compute(a)
    with refused("Dimension mismatch"):
        solver.solve(np.ones(6))
    with refused("is not supported in linear solvers"):
        solver.solve([1.0] * 5)


@TYPES
def test_conjugate_gradients(dtype):
    n = 50
    A = spd(n)
    b = np.random.default_rng(3).normal(size=n)
    expected = np.linalg.solve(A, b)
    a, tolerance = from_dense(A, dtype), 1e-6 if dtype == qd.f32 else 1e-12
    array = qd.ndarray(dtype, n)
    array.from_numpy(b.astype(NUMPY[dtype]))
    for right in (b.astype(NUMPY[dtype]), array):
        x, reached = qd.linalg.SparseCG(a, right, max_iter=200, atol=tolerance).solve()
        assert reached is True and x.dtype == NUMPY[dtype]
        np.testing.assert_allclose(x, expected, atol=100 * EPS[dtype])
    x, reached = qd.linalg.SparseCG(a, b, max_iter=1, atol=tolerance).solve()
    assert reached is False
    start = array
    start.from_numpy(expected.astype(NUMPY[dtype]))
    x, reached = qd.linalg.SparseCG(a, b, start, max_iter=1, atol=1e-5).solve()
    assert reached is True
    for wrong, match in ((np.ones(3), "Dimension mismatch"), ([1.0], "Unsupported CG RHS type")):
        with pytest.raises(qd.QuadrantsRuntimeError, match=match):
            qd.linalg.SparseCG(a, wrong)


def test_on_the_python_backend():
    qd.init(arch=qd.python)
    triplets = qd.ndarray(qd.f64, 9)
    triplets.from_numpy(np.array([0, 0, 2, 1, 1, 4, 0, 1, 1], np.float64))
    a = qd.linalg.SparseMatrix(2, dtype=qd.f64)
    a.build_from_ndarray(triplets)
    solver = qd.linalg.SparseSolver(qd.f64, "LU")
    solver.compute(a)
    np.testing.assert_allclose(solver.solve(np.array([3.0, 4.0])), [1, 1])


def poisson(shape, dtype, shift=0.0):
    """Returns -div grad x + shift dx/di with zero boundary, as an operator and as a dense matrix."""
    x = qd.field(dtype, shape)

    @qd.kernel
    def product(v: qd.template(), out: qd.template()):
        for I in qd.grouped(v):
            total = (2.0 * qd.static(len(shape)) + 0.125) * v[I]
            for d in qd.static(range(len(shape))):
                e = qd.Vector.unit(len(shape), d, qd.i32)
                if I[d] > 0:
                    total -= (1 + shift) * v[I - e]
                if I[d] < shape[d] - 1:
                    total -= (1 - shift) * v[I + e]
            out[I] = total

    n = int(np.prod(shape))
    dense = np.zeros((n, n))
    numbers = np.arange(n).reshape(shape)
    np.fill_diagonal(dense, 2 * len(shape) + 0.125)
    for d in range(len(shape)):
        low, high = (np.delete(numbers, k, d).ravel() for k in (-1, 0))
        dense[high, low] -= 1 + shift
        dense[low, high] -= 1 - shift
    return qd.linalg.LinearOperator(product), dense, x


@TYPES
@pytest.mark.parametrize("shape", [(17,), (6, 7), (3, 4, 5)], ids=len)
@pytest.mark.parametrize("method, shift", [("MatrixFreeCG", 0.0), ("MatrixFreeBICGSTAB", 0.0), ("MatrixFreeBICGSTAB", 0.25)])
def test_solvers_without_a_matrix(dtype, shape, method, shift):
    operator, dense, x = poisson(shape, dtype, shift)
    b = qd.field(dtype, shape)
    solve = getattr(qd.linalg, method)
    for seed in (0, 1):
        right = np.random.default_rng(seed).normal(size=shape)
        b.from_numpy(right.astype(NUMPY[dtype]))
        assert solve(operator, b, x, maxiter=200, tol=1e-4 if dtype == qd.f32 else 1e-10, quiet=True)
        expected = np.linalg.solve(dense, right.ravel()).reshape(shape)
        np.testing.assert_allclose(x.to_numpy(), expected, atol=1e-3 if dtype == qd.f32 else 1e-9)
    assert solve(operator, b, x, tol=1e-3)  # x is already the solution
    np.testing.assert_allclose(x.to_numpy(), expected, atol=1e-3 if dtype == qd.f32 else 1e-9)


def test_solvers_without_a_matrix_that_do_not_converge(capsys):
    operator, _, x = poisson((40,), qd.f64)
    b = qd.field(qd.f64, 40)
    b.fill(1.0)
    for solve in (qd.linalg.MatrixFreeCG, qd.linalg.MatrixFreeBICGSTAB):
        x.fill(0.0)
        assert not solve(operator, b, x, maxiter=2, tol=1e-8, quiet=False)
        assert "failed to converge in 2 iterations" in capsys.readouterr().out


def test_solvers_without_a_matrix_check_their_arguments():
    operator, _, x = poisson((4,), qd.f32)
    cases = (
        (qd.field(qd.f64, 4), TypeError, r"Dtype mismatch b.dtype\(f64\) != x.dtype\(f32\)"),
        (qd.field(qd.f32, 5), RuntimeError, r"Dimension mismatch b.shape\(5,\) != x.shape\(4,\)"),
    )
    for solve in (qd.linalg.MatrixFreeCG, qd.linalg.MatrixFreeBICGSTAB):
        for b, kind, match in cases:
            with pytest.raises(kind, match=match):
                solve(operator, b, x)
        whole, deep = qd.field(qd.i32, 4), qd.field(qd.f32, (1, 1, 1, 1))
        with pytest.raises(TypeError, match="Not supported dtype: i32"):
            solve(operator, whole, whole)
        with pytest.raises(RuntimeError, match="only support 1D, 2D, 3D inputs; your inputs is 4-D"):
            solve(operator, deep, deep)
    with pytest.raises(RuntimeError, match="Dimension mismatch x.shape"):
        operator.matvec(x, qd.field(qd.f32, 5))


def test_after_reset(arch):
    a = from_dense(spd(5), qd.f32)
    builder = qd.linalg.SparseMatrixBuilder(3, 3, max_num_triplets=9)
    solver, gradients = qd.linalg.SparseSolver(), qd.linalg.SparseCG(a, np.ones(5, np.float32))
    solver.compute(a)
    qd.init(arch=arch, offline_cache=False)
    ones = np.ones(5, np.float32)
    uses = (
        lambda: a + a, lambda: a @ ones, lambda: a[0, 0], lambda: str(a), lambda: a * 2.0, lambda: a.transpose(),
        lambda: solver.solve(ones), lambda: solver.info(), lambda: gradients.solve(), lambda: builder.build(),
        lambda: add_triplets(builder, *random_triplets((3, 3), 3, qd.f32)),
    )  # fmt: skip
    for use in uses:
        with pytest.raises(qd.QuadrantsRuntimeError, match=r"belongs to a runtime that qd.reset\(\) .* has ended"):
            use()
    assert a.matrix is None and solver.solver is None and gradients.x is None  # the memory is free
    assert "ended" in repr(a)
    qd.reset()
    with pytest.raises(qd.QuadrantsRuntimeError, match=r"call qd.init\(\) first"):
        qd.linalg.SparseMatrixBuilder(3, 3)


def test_builders_on_the_python_backend():
    qd.init(arch=qd.python)
    test_builder_in_serial_code_and_in_funcs()
    test_two_builders_and_one_twice()

    @qd.kernel
    def outside(A: Builder(), i: qd.i32):
        A[i, 0] += 1.0

    @qd.kernel
    def read(A: Builder()) -> qd.f32:
        return A[0, 0]

    @qd.kernel
    def product(A: Builder()):
        A[0, 0] *= 2.0

    builder = qd.linalg.SparseMatrixBuilder(2, 2, max_num_triplets=2)
    for _ in range(3):
        outside(builder, 1)
    with pytest.raises(qd.QuadrantsRuntimeError, match="has room for max_num_triplets=2, but 3 entries were added"):
        builder.build()
    for kernel, text in ((read, "can only be added to"), (product, r"takes `\+=` and `-=`, not `\*=`")):
        with pytest.raises(qd.QuadrantsTypeError, match=text):
            kernel(builder)
    with pytest.raises(qd.QuadrantsRuntimeTypeError, match="cannot be converted into required type .*SparseMatrixBuilder"):
        outside(3, 0)
