"""qd.simt on architectures with blocks and subgroups of threads, against NumPy, with subgroups of several sizes."""

import warnings

import numpy as np
import pytest
import quadrants as qd

simt = qd.simt
TYPES = [qd.i32, qd.u32, qd.i64, qd.u64, qd.f32, qd.f64]
OPS = {
    "add": np.add, "mul": np.multiply, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and, "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}  # fmt: skip
BLOCK = 64


@pytest.fixture(autouse=True, params=[8, 32, 64], ids="{} lanes".format)
def lanes(request, arch, monkeypatch):
    if not simt.subgroup.group_size():
        pytest.skip("the architecture has no subgroups")
    monkeypatch.setenv("QD_LANES", str(request.param))
    qd.init(arch=arch, offline_cache=False, print_full_traceback=True)
    return request.param


def fits(log2, lanes):
    if log2 is not None and 1 << log2 > lanes:
        pytest.skip("the tiles are larger than the subgroups")


def numbers(n, dtype, seed=0):
    """Small numbers, so that sums of floats are exact."""
    values = np.random.default_rng(seed).integers(0 if dtype in (qd.u32, qd.u64) else -9, 10, n)
    return values.astype(_numpy(dtype))


def _numpy(dtype):
    return {qd.i32: np.int32, qd.u32: np.uint32, qd.i64: np.int64, qd.u64: np.uint64, qd.f32: np.float32, qd.f64: np.float64}[dtype]


def run(op, x, block_dim=BLOCK, out=None):
    """Returns op(x[i]) for each i, from a kernel with one thread per element."""
    out = np.zeros_like(x) if out is None else out

    @qd.kernel
    def k(x: qd.types.ndarray(), out: qd.types.ndarray()):
        qd.loop_config(block_dim=block_dim)
        for i in range(x.shape[0]):
            out[i] = op(x[i])

    k(x, out)
    return out


def groups(x, size):
    return [x[i : i + size] for i in range(0, len(x), size)]


def per_group(x, size, f):
    return np.concatenate([f(g) for g in groups(x, size)])


# Positions


def test_positions():
    n, size = 200, simt.subgroup.group_size()

    @qd.kernel
    def k(thread: qd.types.ndarray(), lane: qd.types.ndarray(), first: qd.types.ndarray()):
        qd.loop_config(block_dim=BLOCK)
        for i in range(n):
            thread[i] = simt.block.thread_idx()
            lane[i] = simt.subgroup.invocation_id()
            if simt.subgroup.elect():
                first[i] = 1

    thread, lane, first = (np.zeros(n, np.int32) for _ in range(3))
    k(thread, lane, first)
    assert (thread == np.arange(n) % BLOCK).all()
    assert (lane == np.arange(n) % BLOCK % size).all()
    assert (first == (np.arange(n) % BLOCK % size == 0)).all()


@pytest.mark.parametrize("n", [1, 200])
def test_index_in_the_grid(n):
    """With other operations of blocks in the loop, and without; in serial code there is one thread."""

    @qd.kernel
    def k(x: qd.types.ndarray(), y: qd.types.ndarray(), z: qd.types.ndarray()):
        z[0] = simt.block.global_thread_idx()
        qd.loop_config(block_dim=BLOCK)
        for i in range(5, n + 5):
            x[i - 5] = simt.block.global_thread_idx()
        qd.loop_config(block_dim=32)
        for i in range(n):
            y[i] = simt.block.global_thread_idx() - simt.block.thread_idx()

    x, y, z = (np.full(n, 77, np.int32) for _ in range(3))
    k(x, y, z)
    assert (x == np.arange(n)).all() and (y == np.arange(n) // 32 * 32).all() and z[0] == 0


def test_sizes_are_python_numbers():
    size = simt.subgroup.group_size()
    assert isinstance(size, int)

    @qd.kernel
    def k() -> qd.i32:
        total = 0
        for _ in qd.static(range(simt.subgroup.group_size())):
            total += 1
        return total * 1000 + simt.subgroup.log2_group_size()

    assert k() == size * 1000 + size.bit_length() - 1


def test_former_names():
    @qd.kernel
    def k(x: qd.types.ndarray(), out: qd.types.ndarray()):
        qd.loop_config(block_dim=BLOCK)
        for i in range(x.shape[0]):
            simt.block.mem_sync()
            simt.grid.memfence()
            simt.subgroup.memory_barrier()
            simt.subgroup.barrier()
            out[i] = simt.subgroup.ballot_full_subgroup(x[i])

    x, out = np.ones(BLOCK, np.int32), np.zeros(BLOCK, np.uint64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        k(x, out)
    assert (out == (1 << simt.subgroup.group_size()) - 1).all()


# Blocks


@pytest.mark.parametrize("dtype", TYPES)
def test_shared_array(dtype):
    """Each block reverses its elements, twice in one kernel with the same memory."""

    @qd.kernel
    def k(x: qd.types.ndarray()):
        qd.loop_config(block_dim=BLOCK)
        for i in range(x.shape[0]):
            t = simt.block.thread_idx()
            pad = simt.block.SharedArray(BLOCK, dtype)
            for _ in range(3):
                pad[t] = x[i]
                simt.block.sync()
                x[i] = pad[BLOCK - 1 - t]
                simt.block.sync()

    x = numbers(4 * BLOCK, dtype)
    expected = per_group(x, BLOCK, lambda g: g[::-1])
    k(x)
    assert (x == expected).all()


def test_shared_array_of_two_dimensions():
    """Blocks of 8x8 threads transpose tiles."""
    n = 24

    @qd.kernel
    def k(x: qd.types.ndarray(), y: qd.types.ndarray()):
        qd.loop_config(block_dim=64)
        for b in range(n * n):
            t = simt.block.thread_idx()
            tile = b // 64
            pad = simt.block.SharedArray((8, 8), qd.f32)
            row, column = t // 8, t % 8
            pad[row, column] = x[tile // 3 * 8 + row, tile % 3 * 8 + column]
            simt.block.sync()
            y[tile % 3 * 8 + row, tile // 3 * 8 + column] = pad[column, row]

    x = np.random.default_rng(1).random((n, n), np.float32)
    y = np.zeros_like(x)
    k(x, y)
    assert (y == x.T).all()


def test_atomics_on_a_shared_array():
    @qd.kernel
    def k(x: qd.types.ndarray(), out: qd.types.ndarray()):
        qd.loop_config(block_dim=BLOCK)
        for i in range(x.shape[0]):
            t = simt.block.thread_idx()
            counts = simt.block.SharedArray(10, qd.i32)
            if t < 10:
                counts[t] = 0
            simt.block.sync()
            counts[x[i]] += 1
            simt.block.sync()
            if t < 10:
                qd.atomic_add(out[t], counts[t])

    x = np.random.default_rng(2).integers(0, 10, 5 * BLOCK).astype(np.int32)
    out = np.zeros(10, np.int32)
    k(x, out)
    assert (out == np.bincount(x, minlength=10)).all()


SHARED = [(name, t) for name in OPS for t in TYPES if name in ("add", "mul", "min", "max") or t not in (qd.f32, qd.f64)]


@pytest.mark.parametrize("name, dtype", SHARED)
def test_each_atomic_on_a_shared_array(name, dtype):
    """All threads of a block update one element; atomics return the value before."""
    op, ufunc = getattr(qd, f"atomic_{name}"), OPS[name]

    @qd.kernel
    def k(x: qd.types.ndarray(), out: qd.types.ndarray(), before: qd.types.ndarray()):
        qd.loop_config(block_dim=BLOCK)
        for i in range(x.shape[0]):
            t = simt.block.thread_idx()
            pad = simt.block.SharedArray(2, dtype)
            if t < 2:
                pad[t] = x[i]
            simt.block.sync()
            if t >= 2:
                before[i] = op(pad[1], x[i])
            simt.block.sync()
            if t == 0:
                out[i // BLOCK, 0], out[i // BLOCK, 1] = pad[0], pad[1]

    x = numbers(3 * BLOCK, dtype, 15)
    if name == "mul":
        x = np.where(x == 0, 1, np.sign(x)).astype(x.dtype)
    out, before = np.zeros((3, 2), x.dtype), np.zeros_like(x)
    k(x, out, before)
    for row, seen, g in zip(out, groups(before, BLOCK), groups(x, BLOCK)):
        assert row[0] == g[0] and row[1] == ufunc.reduce(g[1:])
        assert (np.sort(seen[2:]) == np.sort(ufunc.accumulate(g[1:])[:-1])).all()


@pytest.mark.parametrize("dtype", TYPES[:4])
def test_exchange_on_a_shared_array(dtype):
    @qd.kernel
    def k(x: qd.types.ndarray(), old: qd.types.ndarray(), last: qd.types.ndarray()):
        qd.loop_config(block_dim=BLOCK)
        for i in range(x.shape[0]):
            pad = simt.block.SharedArray(1, dtype)
            if simt.block.thread_idx() == 0:
                pad[0] = 99
            simt.block.sync()
            old[i] = qd.atomic_exchange(pad[0], x[i])
            simt.block.sync()
            last[i] = pad[0]

    x = numbers(2 * BLOCK, dtype, 16)
    old, last = np.zeros_like(x), np.zeros_like(x)
    k(x, old, last)
    for g, seen, end in zip(groups(x, BLOCK), groups(old, BLOCK), groups(last, BLOCK)):
        assert (end == end[0]).all() and (np.sort(np.append(seen, end[0])) == np.sort(np.append(g, x.dtype.type(99)))).all()


@pytest.mark.parametrize("name", ["all", "any", "count"])
def test_sync_with_a_vote(name):
    op = getattr(simt.block, f"sync_{name}_nonzero")
    x = numbers(6 * BLOCK, qd.i32, 3)
    x[:BLOCK], x[BLOCK : 2 * BLOCK] = 5, 0
    vote = {"all": np.all, "any": np.any, "count": np.count_nonzero}[name]
    assert (run(op, x) == per_group(x, BLOCK, lambda g: np.full(len(g), int(vote(g != 0))))).all()


def test_fences():
    @qd.kernel
    def k(x: qd.types.ndarray()):
        for i in range(x.shape[0]):
            x[i] = i
            simt.block.mem_fence()
            simt.subgroup.mem_fence()
            simt.grid.mem_fence()
            x[i] += 1

    x = np.zeros(77, np.int32)
    k(x)
    assert (x == np.arange(77) + 1).all()


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", ["add", "min", "max"])
@pytest.mark.parametrize("block", [BLOCK, 256])
def test_block_collectives(name, dtype, block):
    x = numbers(3 * block, dtype, 4)
    op, ufunc = simt.block, OPS[name]

    def blockwise(kind):
        f = getattr(op, f"{kind}_{name}")

        @qd.func
        def call(v):
            return f(v, block, dtype)

        return run(call, x, block)

    def total(g):
        return np.full(len(g), ufunc.reduce(g))

    assert (blockwise("reduce_all") == per_group(x, block, total)).all()
    assert (blockwise("reduce")[::block] == per_group(x, block, total)[::block]).all()
    assert (blockwise("inclusive") == per_group(x, block, ufunc.accumulate)).all()
    exclusive = blockwise("exclusive")
    for got, g in zip(groups(exclusive, block), groups(x, block)):
        assert (got[1:] == ufunc.accumulate(g)[:-1]).all() and ufunc(got[0], g[0]) == g[0]


def test_block_collectives_with_a_func():
    @qd.func
    def combine(a, b):
        return a ^ b

    @qd.func
    def total(v):
        return simt.block.reduce_all(v, BLOCK, combine, qd.i32)

    @qd.func
    def first_total(v):
        return simt.block.reduce(v, BLOCK, combine, qd.i32)

    @qd.func
    def scan(v):
        return simt.block.exclusive_scan(v, BLOCK, combine, 0, qd.i32)

    @qd.func
    def inclusive(v):
        return simt.block.inclusive_scan(v, BLOCK, combine, qd.i32)

    x = numbers(2 * BLOCK, qd.i32, 5)
    totals = per_group(x, BLOCK, lambda g: np.full(len(g), np.bitwise_xor.reduce(g)))
    assert (run(total, x) == totals).all()
    assert (run(first_total, x)[::BLOCK] == totals[::BLOCK]).all()
    assert (run(inclusive, x) == per_group(x, BLOCK, np.bitwise_xor.accumulate)).all()
    assert (run(scan, x) == per_group(x, BLOCK, lambda g: np.concatenate([[0], np.bitwise_xor.accumulate(g)[:-1]]))).all()


@pytest.mark.parametrize(
    "called, said", [("reduce_add", "reduce"), ("inclusive_max", "inclusive_scan"), ("exclusive_min", "exclusive_scan")]
)
def test_block_dim_of_collectives(lanes, called, said):
    op = getattr(simt.block, called)

    @qd.kernel
    def k():
        qd.loop_config(block_dim=lanes // 2)
        for _ in range(lanes // 2):
            op(1, lanes // 2, qd.i32)

    with pytest.raises(ValueError, match=f"block.{said}: block_dim must be a positive multiple of subgroup size {lanes}, not {lanes // 2}"):
        k()


@pytest.mark.parametrize("bits", [3, 8])
@pytest.mark.parametrize("dtype", [qd.u32, qd.u64, qd.i32])
def test_radix_rank(dtype, bits):
    """Ranks, counts and prefixes of one digit of the keys; with more digits than threads, and fewer."""
    first, used = 5, bits - 1

    @qd.kernel
    def k(x: qd.types.ndarray(), ranks: qd.types.ndarray(), counts: qd.types.ndarray(), prefixes: qd.types.ndarray()):
        qd.loop_config(block_dim=BLOCK)
        for i in range(x.shape[0]):
            bins, prefix = simt.block.SharedArray(1 << bits, qd.i32), simt.block.SharedArray(1 << bits, qd.u32)
            ranks[i] = simt.block.radix_rank_match_atomic_or(x[i], BLOCK, bits, first, used, bins, prefix)
            if simt.block.thread_idx() == 0:
                for d in range(1 << bits):
                    counts[i // BLOCK, d], prefixes[i // BLOCK, d] = bins[d], qd.cast(prefix[d], qd.i32)

    x = np.random.default_rng(13).integers(0, 1 << 20, 3 * BLOCK).astype(_numpy(dtype))
    ranks, (counts, prefixes) = np.zeros(len(x), np.int32), np.zeros((2, 3, 1 << bits), np.int32)
    k(x, ranks, counts, prefixes)
    digits = (x >> first).astype(np.int64) & ((1 << used) - 1)
    for b, of_block in enumerate(groups(digits, BLOCK)):
        assert (np.argsort(of_block, kind="stable") == np.argsort(ranks[b * BLOCK : (b + 1) * BLOCK])).all()
        assert (counts[b] == np.bincount(of_block, minlength=1 << bits)).all()
        assert (prefixes[b] == np.cumsum(counts[b]) - counts[b]).all()


# Subgroups


def test_barrier_of_a_subgroup():
    """The lanes of a subgroup exchange values through memory; other subgroups take another branch."""
    size = simt.subgroup.group_size()

    @qd.kernel
    def k(x: qd.types.ndarray(), out: qd.types.ndarray()):
        qd.loop_config(block_dim=BLOCK)
        for i in range(x.shape[0]):
            t = simt.block.thread_idx()
            pad = simt.block.SharedArray(BLOCK, qd.f64)
            if i // size % 2 == 0:
                for step in range(3):
                    pad[t] = x[i] * step
                    simt.subgroup.sync()
                    out[i] = pad[t ^ 1]
                    simt.subgroup.sync()

    x = numbers(4 * BLOCK, qd.f64, 14)
    out = np.zeros_like(x)
    k(x, out)
    at = np.arange(len(x))
    assert (out == np.where(at // size % 2 == 0, 2 * x[at ^ 1], 0)).all()


@pytest.mark.parametrize("dtype", TYPES)
def test_shuffles(dtype):
    size = simt.subgroup.group_size()
    x = numbers(5 * BLOCK, dtype, 6)

    @qd.func
    def turned(v):
        return simt.subgroup.shuffle(v, size - 1 - simt.subgroup.invocation_id())

    @qd.func
    def crossed(v):
        return simt.subgroup.shuffle_xor(v, 5)

    @qd.func
    def first(v):
        return simt.subgroup.broadcast_first(v)

    @qd.func
    def fourth(v):
        return simt.subgroup.broadcast(v, 3)

    @qd.func
    def up(v):
        return simt.subgroup.shuffle_up(v, 2)

    @qd.func
    def down(v):
        return simt.subgroup.shuffle_down(v, 2)

    at = np.arange(size)
    assert (run(turned, x) == per_group(x, size, lambda g: g[::-1])).all()
    assert (run(crossed, x) == per_group(x, size, lambda g: g[at ^ 5])).all()
    assert (run(first, x) == per_group(x, size, lambda g: np.full(len(g), g[0]))).all()
    assert (run(fourth, x) == per_group(x, size, lambda g: np.full(len(g), g[3]))).all()
    for got, g in zip(groups(run(up, x), size), groups(x, size)):
        assert (got[2:] == g[:-2]).all()
    for got, g in zip(groups(run(down, x), size), groups(x, size)):
        assert (got[:-2] == g[2:]).all()


@pytest.mark.parametrize("n", [1, 31, 32, 33, 100, 128])
def test_votes(n):
    """Lanes past the end of the range take no part."""
    size = simt.subgroup.group_size()
    x = np.random.default_rng(n).integers(0, 2, n).astype(np.int32)

    def masks(g):
        return np.full(len(g), sum(1 << k for k, v in enumerate(g) if v), np.uint64)

    assert (run(simt.subgroup.ballot, x, out=np.zeros(n, np.uint64)) == per_group(x, size, masks)).all()

    @qd.func
    def first_five(v):
        return simt.subgroup.ballot_first_n(v, 5)

    assert (run(first_five, x, out=np.zeros(n, np.uint32)) == per_group(x, size, masks) & 31).all()


@pytest.mark.parametrize("name", ["all_true", "any_true", "all_equal"])
@pytest.mark.parametrize("log2", [None, 2])
def test_agreement(name, log2):
    size = simt.subgroup.group_size() if log2 is None else 1 << log2
    x = numbers(4 * BLOCK, qd.i32, 7)
    x[:BLOCK], x[BLOCK : 2 * BLOCK] = 3, 0
    f = getattr(simt.subgroup, name if log2 is None else f"{name}_tiled")

    @qd.func
    def call(v):
        return qd.cast(f(v) if qd.static(log2 is None) else f(v, log2), qd.i32)

    test = {"all_true": np.all, "any_true": np.any, "all_equal": lambda g: (g == g[0]).all()}[name]
    assert (run(call, x) == per_group(x, size, lambda g: np.full(len(g), int(test(g))))).all()


def called(kind, name, log2):
    f = getattr(simt.subgroup, f"{kind}_{name}" if log2 is None else f"{kind}_{name}_tiled")
    if log2 is None:
        return f

    @qd.func
    def tiled(v):
        return f(v, log2)

    return tiled


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", ["add", "min", "max"])
@pytest.mark.parametrize("log2", [None, 3])
def test_reductions(name, dtype, log2):
    size = simt.subgroup.group_size() if log2 is None else 1 << log2
    x, ufunc = numbers(2 * BLOCK, dtype, 8), OPS[name]
    expected = per_group(x, size, lambda g: np.full(len(g), ufunc.reduce(g)))
    assert (run(called("reduce_all", name, log2), x) == expected).all()
    assert (run(called("reduce", name, log2), x)[::size] == expected[::size]).all()


@pytest.mark.parametrize("name, dtype", [(name, t) for name in OPS for t in TYPES if name in ("add", "mul", "min", "max") or t not in (qd.f32, qd.f64)])
@pytest.mark.parametrize("log2", [None, 4])
def test_scans(name, dtype, log2, lanes):
    fits(log2, lanes)
    size = simt.subgroup.group_size() if log2 is None else 1 << log2
    x, ufunc = numbers(2 * BLOCK, dtype, 9), OPS[name]
    if name == "mul":
        x = np.where(x == 0, 1, np.sign(x)).astype(x.dtype) * 1
    assert (run(called("inclusive", name, log2), x) == per_group(x, size, ufunc.accumulate)).all()
    for got, g in zip(groups(run(called("exclusive", name, log2), x), size), groups(x, size)):
        assert (got[1:] == ufunc.accumulate(g)[:-1]).all()
        assert (ufunc(got[0], g) == g).all()


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", ["add", "min", "max"])
@pytest.mark.parametrize("log2", [None, 2])
def test_segmented_reductions(name, dtype, log2):
    size = simt.subgroup.group_size() if log2 is None else 1 << log2
    x, ufunc = numbers(2 * BLOCK, dtype, 10), OPS[name]
    heads = (np.random.default_rng(11).random(len(x)) < 0.2).astype(np.int32)
    whole, tiled = (getattr(simt.subgroup, f"segmented_reduce_{name}{ending}") for ending in ("", "_tiled"))

    @qd.kernel
    def k(x: qd.types.ndarray(), heads: qd.types.ndarray(), out: qd.types.ndarray()):
        qd.loop_config(block_dim=BLOCK)
        for i in range(x.shape[0]):
            out[i] = whole(x[i], heads[i]) if qd.static(log2 is None) else tiled(x[i], heads[i], log2)

    out = np.zeros_like(x)
    k(x, heads, out)
    heads[::size] = 1
    starts = np.flatnonzero(heads)
    assert (out[starts] == ufunc.reduceat(x, starts)).all()


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("log2", [None, 3])
def test_sort(dtype, log2):
    size = simt.subgroup.group_size() if log2 is None else 1 << log2
    x = np.random.default_rng(12).permutation(2 * BLOCK).astype(_numpy(dtype))

    @qd.kernel
    def k(keys: qd.types.ndarray(), values: qd.types.ndarray()):
        qd.loop_config(block_dim=BLOCK)
        for i in range(keys.shape[0]):
            if qd.static(log2 is None):
                key, value = simt.subgroup.bitonic_sort_kv(keys[i], i)
                keys[i], values[i] = key, value
            else:
                key, value = simt.subgroup.bitonic_sort_kv_tiled(keys[i], i, log2)
                keys[i], values[i] = key, value

    keys, values = x.copy(), np.zeros(len(x), np.int32)
    k(keys, values)
    assert (keys == per_group(x, size, np.sort)).all()
    assert (x[values] == keys).all()


# Errors


def test_lanes_that_part():
    @qd.kernel
    def k(x: qd.types.ndarray()):
        for i in range(x.shape[0]):
            if i % 2 == 0:
                x[i] = simt.subgroup.shuffle(x[i], 0)

    with pytest.raises(RuntimeError, match="must be reached by all lanes of a group together"):
        k(np.zeros(64, np.int32))


def test_a_block_that_is_not_full():
    @qd.kernel
    def k(x: qd.types.ndarray()):
        qd.loop_config(block_dim=BLOCK)
        for i in range(x.shape[0]):
            simt.block.sync()
            x[i] = 1

    with pytest.raises(RuntimeError, match="whose length must be a multiple of the 64 threads of a block"):
        k(np.zeros(100, np.int32))


@pytest.mark.parametrize("op", [simt.block.sync, simt.block.thread_idx, simt.subgroup.elect])
def test_serial_code(op):
    @qd.kernel
    def k():
        op()

    @qd.kernel
    def serialized():
        qd.loop_config(serialize=True)
        for _ in range(4):
            op()

    for kernel in (k, serialized):
        with pytest.raises(qd.QuadrantsSyntaxError, match="parallel loops only|runs serially"):
            kernel()


def test_calls_outside_of_kernels():
    with pytest.raises(ValueError, match="qd.simt.block.sync can be called in kernels and funcs only"):
        simt.block.sync()


def test_tiles_that_do_not_fit(lanes):
    log2 = lanes.bit_length()

    @qd.kernel
    def k():
        for i in range(lanes):
            simt.subgroup.reduce_add_tiled(i, log2)

    with pytest.raises(ValueError, match=f"tiles of 2[*][*]{log2} threads do not fit into subgroups of {lanes}"):
        k()


def test_the_size_of_a_subgroup_can_be_chosen(lanes, arch, monkeypatch):
    assert simt.subgroup.group_size() == lanes

    @qd.kernel
    def k(out: qd.types.ndarray()):
        for i in range(out.shape[0]):
            out[i] = simt.subgroup.invocation_id()

    out = np.zeros(128, np.int32)
    k(out)
    assert out.max() == lanes - 1
    monkeypatch.delenv("QD_LANES")
    qd.init(arch=arch)
    assert simt.subgroup.group_size() == 32
    monkeypatch.setenv("QD_LANES", "12")
    with pytest.raises(RuntimeError, match="QD_LANES=12 is not supported: it must be 8, 16, 32 or 64"):
        qd.init(arch=arch)
