"""qd.simt.warp on architectures with subgroups of threads, against Python."""

import numpy as np
import pytest
import quadrants as qd

simt = qd.simt


def begin(arch, monkeypatch, lanes):
    if not simt.subgroup.group_size():
        pytest.skip("the architecture has no subgroups")
    monkeypatch.setenv("QD_LANES", str(lanes))
    qd.init(arch=arch, offline_cache=False, print_full_traceback=True)


@pytest.fixture
def has_warps(arch, monkeypatch):
    begin(arch, monkeypatch, 32)


def warped(op, n=64, dtype=np.int64):
    """Returns op(i) of each thread i."""
    out = np.zeros(n, dtype)

    @qd.kernel
    def k(out: qd.types.ndarray()):
        qd.loop_config(block_dim=32)
        for i in range(n):
            out[i] = qd.cast(op(i), qd.i64)

    k(out)
    return out


def of_warps(op):
    """Returns what a func op(i, lane) should give for two warps."""
    return np.array([op(i, i % 32) for i in range(64)])


@pytest.mark.parametrize("kind", ["i32", "f32"])
def test_shuffles_of_warps(kind, has_warps):
    up, down, sync = (getattr(simt.warp, f"shfl_{way}_{kind}") for way in ("up", "down", "sync"))

    @qd.func
    def raised(i):
        return up(qd.u32(0xFFFFFFFF), i + 100, 3)

    @qd.func
    def lowered(i):
        return down(qd.u32(0xFFFFFFFF), i + 100, 3)

    @qd.func
    def turned(i):
        return sync(qd.u32(0xFFFFFFFF), i + 100, 31 - i % 32)

    assert (warped(raised) == of_warps(lambda i, lane: i + 100 - (3 if lane >= 3 else 0))).all()
    assert (warped(lowered) == of_warps(lambda i, lane: i + 100 + (3 if lane < 29 else 0))).all()
    assert (warped(turned) == of_warps(lambda i, lane: i - lane + 31 - lane + 100)).all()


def test_exchange_in_warps(has_warps):
    @qd.func
    def crossed(i):
        return simt.warp.shfl_xor_i32(qd.u32(0xFFFFFFFF), i, 9)

    assert (warped(crossed) == np.arange(64) ^ 9).all()


@pytest.mark.parametrize("mask", [0xFFFFFFFF, 0x0F0F00F1])
@pytest.mark.parametrize("threshold", [0, 5, 100])
def test_votes_of_warps(mask, threshold, has_warps):
    inside = [lane for lane in range(32) if mask >> lane & 1]

    @qd.func
    def all_nonzero(i):
        return simt.warp.all_nonzero(qd.u32(mask), i < threshold)

    @qd.func
    def any_nonzero(i):
        return simt.warp.any_nonzero(qd.u32(mask), i < threshold)

    @qd.func
    def unique(i):
        return simt.warp.unique(qd.u32(mask), (i < threshold) * (i + 1))

    def of_mask(test):
        return of_warps(lambda i, lane: int(test([i - lane + k < threshold for k in inside])))

    assert (warped(all_nonzero) == of_mask(all)).all()
    assert (warped(any_nonzero) == of_mask(any)).all()
    assert (warped(unique) == of_mask(lambda votes: all(votes) or not any(votes))).all()


def test_masks_of_warps(has_warps):
    """The second warp has 8 threads only."""

    @qd.func
    def odd(i):
        return simt.warp.ballot(i % 2)

    @qd.func
    def active(i):
        return simt.warp.active_mask()

    assert (warped(odd, 40) == np.where(np.arange(40) < 32, 0xAAAAAAAA, 0xAA)).all()
    assert (warped(active, 40) == np.where(np.arange(40) < 32, 0xFFFFFFFF, 0xFF)).all()


@pytest.mark.parametrize("dtype", [qd.i32, qd.f32, qd.i64])
def test_matches_in_warps(dtype, has_warps):
    mask = 0xFFFF00FF

    @qd.func
    def any_match(i):
        return simt.warp.match_any(qd.u32(mask), qd.cast(i % 5, dtype))

    @qd.func
    def all_match(i):
        return simt.warp.match_all(qd.u32(mask), qd.cast(i // 32 * (i % 2), dtype))

    def same(i, lane):
        return sum(1 << k for k in range(32) if (i - lane + k) % 5 == i % 5 and mask >> k & 1)

    assert (warped(any_match) == of_warps(same)).all()
    assert (warped(all_match) == of_warps(lambda i, lane: 0 if i >= 32 else mask)).all()


def test_barrier_of_a_warp(has_warps):
    @qd.kernel
    def k(out: qd.types.ndarray()):
        qd.loop_config(block_dim=64)
        for i in range(64):
            t = simt.block.thread_idx()
            pad = simt.block.SharedArray(64, qd.i32)
            pad[t] = i
            simt.warp.sync(qd.u32(0xFFFFFFFF))
            out[i] = pad[t ^ 31]

    out = np.zeros(64, np.int32)
    k(out)
    assert (out == np.arange(64) ^ 31).all()


@pytest.mark.parametrize("lanes", [8, 32, 64])
def test_warps_have_32_threads(lanes, arch, monkeypatch):
    begin(arch, monkeypatch, lanes)

    @qd.kernel
    def k():
        for _ in range(64):
            simt.warp.ballot(1)

    if lanes == 32:
        return k()
    with pytest.raises(qd.QuadrantsSyntaxError, match=f"a warp has 32 threads, but the subgroups here have {lanes}; use qd.simt.subgroup"):
        k()
