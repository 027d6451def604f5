"""qd.svd and its relatives against NumPy, on random and on degenerate matrices."""

import numpy as np
import pytest
import quadrants as qd

EPS = {qd.f32: 2.0**-23, qd.f64: 2.0**-52}
TYPES = [qd.f32, qd.f64]


def orthogonal(rng, n):
    return np.linalg.qr(rng.normal(size=(n, n)))[0]


def matrices(n, dt, symmetric=False):
    """Returns random matrices, then graded and deficient ones, some with equal singular values or eigenvalues, zero, huge and tiny ones."""
    rng = np.random.default_rng(n)
    found = [rng.normal(size=(n, n)) for _ in range(20)]
    for kind in range(24):
        s = 10.0 ** rng.uniform(-9, 2, size=n)
        if kind % 4 == 1:
            s[1] = s[0]
        if kind % 4 == 2:
            s[-1] = 0
        if kind % 4 == 3:
            s[:] = s[0]
        left = orthogonal(rng, n)
        signs = np.diag(s * rng.choice([-1, 1], size=n))
        found.append(left @ signs @ (left.T if symmetric else orthogonal(rng, n)))
    one = np.zeros((n, n))
    one[0, -1] = one[-1, 0] = 1
    found += [np.zeros((n, n)), np.eye(n), -np.eye(n), np.ones((n, n)), np.eye(n)[::-1], one, np.diag(-np.arange(n) * 1.0)]
    found += [1e15 * np.ones((n, n)), 1e-15 * rng.normal(size=(n, n))]
    found = np.array(found)
    if symmetric:
        found = (found + found.transpose(0, 2, 1)) / 2
    return found.astype(np.float32 if dt == qd.f32 else np.float64)


def run(dt, A, function, shapes):
    """Returns the results of `function` for every matrix of A."""
    n = A.shape[1]
    a = qd.Matrix.ndarray(n, n, dt, len(A))
    a.from_numpy(A)
    outs = [qd.Vector.ndarray(s[0], dt, len(A)) if len(s) == 1 else qd.Matrix.ndarray(*s, dt, len(A)) for s in shapes]
    if len(outs) == 1:

        @qd.kernel
        def one(a: qd.types.ndarray(), x: qd.types.ndarray()):
            for i in a:
                x[i] = function(a[i])

        one(a, *outs)
    elif len(outs) == 2:

        @qd.kernel
        def two(a: qd.types.ndarray(), x: qd.types.ndarray(), y: qd.types.ndarray()):
            for i in a:
                x[i], y[i] = function(a[i])

        two(a, *outs)
    else:

        @qd.kernel
        def three(a: qd.types.ndarray(), x: qd.types.ndarray(), y: qd.types.ndarray(), z: qd.types.ndarray()):
            for i in a:
                x[i], y[i], z[i] = function(a[i])

        three(a, *outs)
    return [o.to_numpy().astype(np.float64) for o in outs]


def close(a, b, scale, dt, times=30):
    assert np.all(np.abs(a - b) <= times * EPS[dt] * scale.reshape(-1, *[1] * (a.ndim - 1)))


def size(A):
    return np.abs(A).max((1, 2)).astype(np.float64)


def turned(A):
    return A.transpose(0, 2, 1)


ones = np.ones(1)


@pytest.mark.parametrize("dt", TYPES)
@pytest.mark.parametrize("n", [2, 3])
def test_svd(n, dt):
    A = matrices(n, dt)
    U, S, V = run(dt, A, qd.svd, [(n, n)] * 3)
    close(U @ S @ turned(V), A.astype(np.float64), size(A), dt)
    close(U @ turned(U), np.eye(n)[None], ones, dt)
    close(V @ turned(V), np.eye(n)[None], ones, dt)
    sigma = np.diagonal(S, axis1=1, axis2=2)
    assert not (S * (1 - np.eye(n))).any()
    close(np.abs(sigma), np.linalg.svd(A.astype(np.float64))[1], size(A), dt)
    assert np.all(sigma[:, :-1] >= 0)
    assert np.all(np.diff(np.abs(sigma)) <= 8 * EPS[dt] * size(A)[:, None])
    assert np.allclose(np.linalg.det(V), 1, atol=1e-5)
    if n == 3:  # the smallest singular value has the sign of the determinant
        assert np.allclose(np.linalg.det(U), 1, atol=1e-5)
    else:
        assert np.all(sigma >= 0)


@pytest.mark.parametrize("dt", TYPES)
@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
def test_sym_eig(n, dt):
    A = matrices(n, dt, symmetric=True)
    L, V = run(dt, A, qd.sym_eig, [(n,), (n, n)])
    close(V @ (L[:, :, None] * turned(V)), A.astype(np.float64), size(A), dt)
    close(V @ turned(V), np.eye(n)[None], ones, dt)
    close(L, np.linalg.eigvalsh(A.astype(np.float64)), size(A), dt)
    assert np.all(np.diff(L) >= 0)


@pytest.mark.parametrize("dt", TYPES)
@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
def test_make_spd(n, dt):
    A = matrices(n, dt, symmetric=True)
    (P,) = run(dt, A, qd.make_spd, [(n, n)])
    w, q = np.linalg.eigh(A.astype(np.float64))
    close(P, q @ (np.maximum(w, 0)[:, :, None] * turned(q)), size(A), dt, times=60)


@pytest.mark.parametrize("dt", TYPES)
@pytest.mark.parametrize("n", [2, 3])
def test_polar_decompose(n, dt):
    A = matrices(n, dt)
    U, P = run(dt, A, qd.polar_decompose, [(n, n)] * 2)
    close(U @ P, A.astype(np.float64), size(A), dt)
    close(U @ turned(U), np.eye(n)[None], ones, dt)
    close(P, turned(P), size(A), dt)
    if n == 3:
        assert np.allclose(np.linalg.det(U), 1, atol=1e-5)
    else:
        assert np.all(np.linalg.eigvalsh(P).min(1) >= -8 * EPS[dt] * size(A))


@pytest.mark.parametrize("dt", TYPES)
def test_eig(dt):
    A = np.concatenate([matrices(2, dt), [[[1, 1], [0, 1]], [[1, 0], [1, 1]], [[0, -1], [1, 0]], [[3, 0], [0, 3]]]])
    A = A.astype(np.float32 if dt == qd.f32 else np.float64)
    L, V = run(dt, A, qd.eig, [(2, 2), (4, 2)])
    l = L[:, :, 0] + 1j * L[:, :, 1]
    v = V[:, 0::2] + 1j * V[:, 1::2]  # columns
    assert np.all(np.abs(A @ v - v * l[:, None, :]) <= 30 * EPS[dt] * size(A)[:, None, None])
    assert np.allclose(np.linalg.norm(v, axis=1), 1, atol=1e-5)
    expected = np.linalg.eigvals(A[:20].astype(np.float64))  # random ones: well conditioned
    assert np.allclose(np.sort_complex(l[:20]), np.sort_complex(expected), atol=1e-4)
    assert np.all((L[:, 0, 0] >= L[:, 1, 0]) & (L[:, 0, 1] >= L[:, 1, 1]))
    known = {tuple(a.ravel()): x for a, x in zip(A, v)}
    assert np.linalg.matrix_rank(known[(3, 0, 0, 3)]) == 2


@pytest.mark.parametrize("dt", TYPES)
@pytest.mark.parametrize("n", [2, 3])
def test_solve(n, dt):
    rng = np.random.default_rng(0)
    A = np.concatenate([rng.normal(size=(20, n, n)), [np.eye(n)[::-1]]])
    A = A.astype(np.float32 if dt == qd.f32 else np.float64)
    b = rng.normal(size=n)
    right = qd.Vector(b)

    @qd.func
    def solved(m):
        return qd.solve(m, right)

    (x,) = run(dt, A, solved, [(n,)])
    error = np.abs(np.einsum("kij,kj->ki", A.astype(np.float64), x) - b).max(1)
    assert np.all(error <= 30 * EPS[qd.f32] * np.linalg.cond(A.astype(np.float64)))


def test_solve_singular():
    qd.init(arch=qd.cfg.arch, debug=True)

    @qd.kernel
    def f() -> qd.math.vec2:
        return qd.solve(qd.Matrix([[1.0, 2.0], [2.0, 4.0]]), qd.Vector([1.0, 1.0]))

    with pytest.raises(AssertionError, match=r"Matrix is singular in linear solve\."):
        f()


@pytest.mark.parametrize("n", [5, 8, 12])
def test_inverse_of_large_matrices(n):
    A = np.random.default_rng(n).normal(size=(4, n, n))
    A[0] = np.eye(n)[::-1]

    @qd.func
    def inverse(m):
        return m.inverse()

    (R,) = run(qd.f64, A, inverse, [(n, n)])
    assert np.allclose(R @ A, np.eye(n), atol=1e-9)


def test_types():
    """Integers are computed in default_fp, half precision in single precision; `dt` overrides it."""

    @qd.kernel
    def f() -> (qd.f32, qd.f16, qd.f64):
        _, a, _ = qd.svd(qd.Matrix([[3, 0], [0, 4]]))
        values, _ = qd.sym_eig(qd.cast(qd.Matrix([[2.0, 1.0], [1.0, 2.0]]), qd.f16))
        b, vectors = qd.sym_eig(qd.Matrix([[2.0, 1.0], [1.0, 2.0]]), qd.f64)
        return a[0, 0], values[1], b[0]

    assert f() == (4, 3, 1)


def test_top_level_of_a_kernel():
    """The inner loops are not separate tasks."""
    A = np.array([[2.0, 1, 0], [1, 2, 1], [0, 1, 2]])

    @qd.kernel
    def f(a: qd.types.matrix(3, 3, qd.f64)) -> qd.types.vector(3, qd.f64):
        values, vectors = qd.sym_eig(a)
        return values

    assert np.allclose(f(qd.Matrix(A)).to_numpy(), np.linalg.eigvalsh(A))


def test_normal_numbers():
    n = 40000
    x = qd.field(qd.f32, n)

    @qd.kernel
    def f():
        for i in range(n):
            x[i] = qd.randn()

    if qd.cfg.arch == qd.cpu:
        f()
        v = x.to_numpy()
        assert abs(v.mean()) < 0.03 and abs(v.std() - 1) < 0.03
        assert abs((v**3).mean()) < 0.1 and abs((v**4).mean() - 3) < 0.3
