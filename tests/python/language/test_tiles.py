"""Tiles of qd.simt against NumPy, on architectures with subgroups."""

import numpy as np
import pytest
import quadrants as qd

Array = qd.types.ndarray
CASES = [(16, 16), (16, 32), (16, 64), (32, 32), (32, 64)]  # rows of a tile, lanes of a subgroup


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0]} rows, {case[1]} lanes")
def tile(request, arch, monkeypatch):
    size, lanes = request.param
    if not qd.simt.subgroup.group_size():
        pytest.skip("the architecture has no subgroups")
    monkeypatch.setenv("QD_LANES", str(lanes))
    qd.init(arch=arch, offline_cache=False, print_full_traceback=True)
    return getattr(qd.simt, f"Tile{size}x{size}")


def spd(n, dtype, seed=0):
    b = np.random.default_rng(seed).normal(size=(n, n))
    return (b @ b.T + n * np.eye(n)).astype(dtype)


@pytest.mark.parametrize("dtype", [qd.f32, qd.f64])
@pytest.mark.parametrize("block", ["rows", "subgroup"])
def test_load_and_store(tile, dtype, block):
    """Parts of any size; the rest of the tile and of the array stays. Lanes beyond the rows do nothing."""
    n, size = 40, tile.SIZE
    block_dim = size if block == "rows" else qd.simt.subgroup.group_size()

    @qd.kernel
    def k(a: Array(), out: Array(), r0: qd.i32, r1: qd.i32, c0: qd.i32, c1: qd.i32):
        qd.loop_config(block_dim=block_dim)
        for i in range(block_dim):
            t = tile.eye(dtype=dtype)
            t[:] = a[r0:r1, c0:c1]
            out[0:size, 0:size] = t

    kind = np.float32 if dtype == qd.f32 else np.float64
    a = np.random.default_rng(1).random((n, n)).astype(kind)
    for r0, r1, c0, c1 in ((0, size, 0, size), (3, 3 + size, 5, 9), (n - 7, n + size, n - 2, n + size), (2, 5, 0, 40), (4, 4, 0, 3)):
        out = np.full((n, n), -1, kind)
        k(a, out, r0, r1, c0, c1)
        expected = np.eye(size, dtype=kind)
        part = a[r0 : min(r1, r0 + size), c0 : min(c1, c0 + size)]
        expected[: part.shape[0], : part.shape[1]] = part
        assert (out[:size, :size] == expected).all()
        assert (out[size:] == -1).all() and (out[:, size:] == -1).all()


@pytest.mark.parametrize("make", [qd.field, qd.ndarray], ids=["field", "ndarray"])
def test_arrays_of_three_axes(tile, make):
    size = tile.SIZE
    a, out = make(qd.f32, (3, size, size)), make(qd.f32, (3, size, size))

    @qd.kernel
    def k(a: qd.Tensor, out: qd.Tensor):
        qd.loop_config(block_dim=size)
        for i in range(3 * size):
            t = tile.zeros()
            t[:] = a[i // size, 0:size, 0:size]
            out[2 - i // size, 0:size, 0:size] = t

    values = np.random.default_rng(2).random((3, size, size)).astype(np.float32)
    a.from_numpy(values)
    k(a, out)
    assert (out.to_numpy() == values[::-1]).all()


def test_shared_arrays(tile):
    size = tile.SIZE

    @qd.kernel
    def k(a: Array(), out: Array(), column: Array()):
        qd.loop_config(block_dim=size)
        for i in range(size):
            shared = qd.simt.block.SharedArray((size, size + 1), qd.f32)
            t = tile.zeros(dtype=qd.f32)
            t[:] = a[0:size, 0:size]
            shared[0:size, 1 : size + 1] = t
            qd.simt.block.sync()
            u = tile.zeros(dtype=qd.f32)
            u[:] = shared[0:size, 1 : size + 5]
            v = shared[2:size, 3]
            u -= qd.outer(v, 1.0)
            out[0:size, 0:size] = u

    a = np.random.default_rng(3).random((size, size)).astype(np.float32)
    out = np.zeros_like(a)
    k(a, out, a)
    v = np.append(a[2:, 2], [0, 0]).astype(np.float32)
    assert (out == a - v[:, None]).all()


@pytest.mark.parametrize("dtype", [qd.f32, qd.f64])
def test_outer_products(tile, dtype):
    """Columns of arrays, of two and three axes and shorter than the tile, and numbers of each thread."""
    size = tile.SIZE

    @qd.kernel
    def k(a: Array(), b: Array(), out: Array()):
        qd.loop_config(block_dim=size)
        for i in range(size):
            t = tile.eye(dtype=dtype)
            v = a[1 : size + 1, 2]
            t -= qd.outer(v, v)
            t -= qd.outer(v, b[1, 0 : size - 3, 1])
            t -= qd.outer(qd.cast(i, dtype), v)
            t.eye_()
            t -= qd.outer(v, b[1, 0 : size - 3, 1])
            t -= qd.outer(qd.cast(i, dtype), v)
            out[0:size, 0:size] = t

    kind = np.float32 if dtype == qd.f32 else np.float64
    rng = np.random.default_rng(4)
    a, b = rng.integers(-5, 5, (size + 1, 3)).astype(kind), rng.integers(-5, 5, (2, size, 2)).astype(kind)
    out = np.zeros((size, size), kind)
    k(a, b, out)
    v, w = a[1:, 2], b[1, :, 1].copy()
    w[size - 3 :] = 0
    assert (out == np.eye(size) - np.outer(v, w) - np.outer(np.arange(size), v)).all()


@pytest.mark.parametrize("n", [1, 7, 16, 30])
@pytest.mark.parametrize("dtype", [qd.f32, qd.f64])
def test_cholesky(tile, dtype, n):
    size = tile.SIZE
    kind = np.float32 if dtype == qd.f32 else np.float64

    @qd.kernel
    def k(a: Array()):
        qd.loop_config(block_dim=size)
        for i in range(size):
            t = tile.eye(dtype=dtype)
            t[:] = a[0:size, 0:size]
            t.cholesky_(1e-9)
            a[0:size, 0:size] = t

    n = min(n, size)
    a = spd(n, kind)
    expected = np.linalg.cholesky(a.astype(np.float64))
    k(a)
    np.testing.assert_allclose(a, expected, rtol=1e-4 if dtype == qd.f32 else 1e-10, atol=1e-5 if dtype == qd.f32 else 1e-12)


def test_cholesky_of_small_diagonals(tile):
    size = tile.SIZE

    @qd.kernel
    def k(a: Array()):
        qd.loop_config(block_dim=size)
        for i in range(size):
            t = tile.zeros(dtype=qd.f64)
            t[:] = a[0:size, 0:size]
            t.cholesky_(0.25)
            a[0:size, 0:size] = t

    a = np.zeros((size, size))
    k(a)
    assert (a == 0.5 * np.eye(size)).all()


def test_triangular_solve(tile):
    size = tile.SIZE

    @qd.kernel
    def k(a: Array(), b: Array()):
        qd.loop_config(block_dim=size)
        for i in range(size):
            factor = tile.zeros(dtype=qd.f64)
            factor[:] = a[0:size, 0:size]
            x = tile.zeros(dtype=qd.f64)
            x[:] = b[0:size, 0:size]
            factor.solve_triangular_(x)
            b[0:size, 0:size] = x

    factor = np.linalg.cholesky(spd(size, np.float64))
    b = np.random.default_rng(5).normal(size=(size, size))
    x = b.copy()
    k(factor, x)
    np.testing.assert_allclose(x @ factor.T, b, atol=1e-12)


def test_blocked_cholesky(arch):
    """A matrix of 3 x 3 tiles of which the last ones are not full, in a func for one block of threads."""
    if not qd.simt.subgroup.group_size():
        pytest.skip("the architecture has no subgroups")
    tile, n = qd.simt.Tile16x16, 41
    size = tile.SIZE

    @qd.func
    def factorise(a):
        for k in range((n + size - 1) // size):
            k0, k1 = k * size, qd.min((k + 1) * size, n)
            diagonal = tile.eye(dtype=qd.f64)
            diagonal[:] = a[k0:k1, k0:k1]
            for c in range(k0):
                v = a[k0:k1, c]
                diagonal -= qd.outer(v, v)
            diagonal.cholesky_(1e-12)
            for r in range(k + 1, (n + size - 1) // size):
                r0, r1 = r * size, qd.min((r + 1) * size, n)
                below = tile.zeros(dtype=qd.f64)
                below[:] = a[r0:r1, k0:k1]
                for c in range(k0):
                    below -= qd.outer(a[r0:r1, c], a[k0:k1, c])
                diagonal.solve_triangular_(below)
                a[r0:r1, k0:k1] = below
            a[k0:k1, k0:k1] = diagonal
            qd.simt.block.sync()

    @qd.kernel
    def k(a: Array()):
        qd.loop_config(block_dim=size)
        for i in range(size):
            factorise(a)

    a = spd(n, np.float64, 6)
    expected = np.linalg.cholesky(a)
    k(a)
    np.testing.assert_allclose(np.tril(a), expected, atol=1e-11)


def test_tiles_need_a_thread_for_each_row(arch, monkeypatch):
    if not qd.simt.subgroup.group_size():
        pytest.skip("the architecture has no subgroups")
    monkeypatch.setenv("QD_LANES", "16")
    qd.init(arch=arch, offline_cache=False)

    @qd.kernel
    def k(tile: qd.template()):
        for i in range(32):
            t = tile.zeros(dtype=qd.f32)

    k(qd.simt.Tile16x16)
    with pytest.raises(qd.QuadrantsSyntaxError, match="Tile32x32 needs subgroups of at least 32 threads, but they have 16 here"):
        k(qd.simt.Tile32x32)
    with pytest.raises(ValueError, match="qd.simt.Tile16x16.zeros can be called in kernels and funcs only"):
        qd.simt.Tile16x16.zeros()


def test_tiles_of_one_type(arch):
    if not qd.simt.subgroup.group_size():
        pytest.skip("the architecture has no subgroups")
    from quadrants.lang.simt._tile import _make_tile

    tile = _make_tile(16, qd.f64)

    @qd.kernel
    def k(a: Array()):
        for i in range(16):
            t = tile.eye()
            t -= qd.outer(qd.f64(1e-12), qd.f64(1.0))
            a[0:16, 0:16] = t

    a = np.zeros((16, 16))
    k(a)
    assert (a == np.eye(16) - 1e-12).all()
