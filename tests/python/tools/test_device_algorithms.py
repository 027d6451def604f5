"""qd.algorithms in kernels, on architectures with blocks of threads, against NumPy."""

import warnings

import numpy as np
import pytest
import quadrants as qd

A = qd.algorithms
TYPES = [qd.i32, qd.u32, qd.f32, qd.i64, qd.u64, qd.f64]
SIZES = [0, 1, 2, 31, 255, 256, 257, 1000]
OPS = {"add": np.add, "min": np.minimum, "max": np.maximum}
Array = qd.types.ndarray


@pytest.fixture(autouse=True)
def has_subgroups(arch):
    if not qd.simt.subgroup.group_size():
        pytest.skip("the architecture has no subgroups")


def numpy_type(dtype):
    return np.dtype({"i": "int", "u": "uint", "f": "float"}[dtype.name[0]] + dtype.name[1:])


def numbers(n, dtype, seed=0):
    """Small numbers, so that sums of floats are exact."""
    lowest = 0 if dtype in (qd.u32, qd.u64) else -9
    return np.random.default_rng([n, seed]).integers(lowest, 10, n).astype(numpy_type(dtype))


def keys_of(n, dtype):
    """Any bits, the extremes among them, but no NaN."""
    kind = numpy_type(dtype)
    rng = np.random.default_rng(n)
    if kind.kind == "f":
        keys = (rng.normal(size=n) * 10.0 ** rng.integers(-30, 30, n)).astype(kind)
        extremes = np.array([np.inf, -np.inf, 1, -1], kind)
    else:
        info = np.iinfo(kind)
        keys = rng.integers(info.min, info.max, n, dtype=kind, endpoint=True)
        extremes = np.array([info.min, info.max, 1, 0], kind)
    keys[: n // 8] = np.resize(extremes, n // 8)
    return keys


def at_least_one(x):
    return x if len(x) else np.zeros(1, x.dtype)


def scratch(slots, dtype=qd.i32):
    """Filled with bits that are not zero: what is in it must not matter."""
    return np.full(slots, 0xA5A5A5A5, np.uint32 if dtype.bits == 32 else np.uint64)


def reduced(name, x, dtype, depth):
    algorithm = getattr(A, f"reduce_{name}")

    @qd.kernel
    def k(x: Array(), out: Array(), scratch: Array(), n: qd.i32):
        algorithm(x, out, scratch, n, dtype, depth)

    out = np.full(1, 77, x.dtype)
    k(at_least_one(x), out, scratch(A.reduce_scratch_slots(len(x), depth), dtype), len(x))
    return out[0]


def scanned(name, x, dtype, depth):
    algorithm = getattr(A, f"exclusive_scan_{name}")

    @qd.kernel
    def k(x: Array(), out: Array(), scratch: Array(), n: qd.i32):
        algorithm(x, out, scratch, n, dtype, depth)

    out = np.full(len(x) + 1, 77, x.dtype)
    k(at_least_one(x), out, scratch(A.exclusive_scan_scratch_slots(len(x), depth), dtype), len(x))
    assert out[-1] == 77
    return out[:-1]


def depth_of(n):
    return 1 if n <= 256 else 2


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", OPS)
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_reduce(dtype, name, n):
    x = numbers(n, dtype)
    result = reduced(name, x, dtype, depth_of(n))
    if n:
        assert result == OPS[name].reduce(x)
    else:
        assert OPS[name](result, numpy_type(dtype).type(5)) == 5  # the identity


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", OPS)
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_exclusive_scan(dtype, name, n):
    x = numbers(n, dtype)
    result = scanned(name, x, dtype, depth_of(n))
    assert (result[1:] == OPS[name].accumulate(x)[:-1]).all()
    assert (OPS[name](result[:1], x[:1]) == x[:1]).all()


@pytest.mark.parametrize("n, depth", [(5, 4), (256, 2), (300, 3), (300, 4), (66000, 3)])
def test_depth(n, depth):
    """A kernel for more elements than there are, and levels that are all in use."""
    x = numbers(n, qd.i32)
    assert reduced("add", x, qd.i32, depth) == x.sum()
    assert (scanned("add", x, qd.i32, depth) == np.cumsum(x) - x).all()


@pytest.mark.parametrize("lanes", [8, 16, 64])
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_other_subgroups(dtype, lanes, arch, monkeypatch):
    monkeypatch.setenv("QD_LANES", str(lanes))
    qd.init(arch=arch, offline_cache=False, print_full_traceback=True)
    assert qd.simt.subgroup.group_size() == lanes
    x = numbers(600, dtype)
    assert reduced("max", x, dtype, 2) == x.max()
    assert (scanned("add", x, dtype, 2) == np.cumsum(x).astype(x.dtype) - x).all()
    keys = keys_of(300, dtype)
    assert (sort(keys, None, dtype, dtype.bits)[0] == np.sort(keys)).all()
    check_select(keys, 2)
    if dtype in TYPES[:3]:
        check_reduce_by_key(600, dtype, 2, 40)
    y = qd.field(qd.i32, 300)
    y.fill(3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        A.PrefixSumExecutor(300).run(y)
    assert (y.to_numpy() == 3 * np.arange(1, 301)).all()


def test_scan_in_place():
    @qd.kernel
    def k(x: qd.template(), scratch: qd.template()):
        A.exclusive_scan_add(x, x, scratch, 700, qd.i32, 2)

    x, memory = qd.field(qd.i32, 700), qd.field(qd.u32, A.exclusive_scan_scratch_slots(700))
    values = numbers(700, qd.i32)
    x.from_numpy(values)
    k(x, memory)
    assert (x.to_numpy() == np.cumsum(values) - values).all()


def check_select(x, depth):
    n = len(x)

    @qd.kernel
    def k(x: Array(), flags: Array(), out: Array(), num_out: Array(), scratch: Array(), n: qd.i32):
        A.select(x, flags, out, num_out, scratch, n, depth)

    flags = np.random.default_rng(n).integers(0, 2, n).astype(np.int32)
    out, num_out = np.zeros(n + 1, x.dtype), np.full(1, 77, np.int32)
    k(at_least_one(x), at_least_one(flags), out, num_out, scratch(A.select_scratch_slots(n)), n)
    assert num_out[0] == flags.sum()
    assert (out[: num_out[0]] == x[flags == 1]).all() and (out[num_out[0] :] == 0).all()


@pytest.mark.parametrize("n, depth", [(n, depth_of(n)) for n in SIZES] + [(1000, 4), (300, 3)])
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_select(dtype, n, depth):
    check_select(keys_of(n, dtype), depth)


def check_reduce_by_key(n, dtype, depth, length):
    @qd.kernel
    def k(
        keys: Array(), values: Array(), keys_out: Array(), values_out: Array(), num_runs: Array(), scratch: Array(), n: qd.i32
    ):  # fmt: skip
        A.reduce_by_key_add(keys, values, keys_out, values_out, num_runs, scratch, n, dtype, depth)

    keys = np.cumsum(np.random.default_rng(n).random(n) < 1 / length).astype(np.int32) % 5
    values = numbers(n, dtype)
    keys_out, values_out, num_runs = np.full(n + 1, 77, np.int32), np.full(n + 1, 77, values.dtype), np.zeros(1, np.int32)
    k(at_least_one(keys), at_least_one(values), keys_out, values_out, num_runs, scratch(A.reduce_by_key_scratch_slots(n)), n)
    starts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]])) if n else np.zeros(0, np.int64)
    assert num_runs[0] == len(starts)
    assert (keys_out[: len(starts)] == keys[starts]).all() and (keys_out[len(starts) :] == 77).all()
    assert (values_out[: len(starts)] == (np.add.reduceat(values, starts) if n else values)).all()
    assert (values_out[len(starts) :] == 77).all()


@pytest.mark.parametrize("n, depth", [(n, depth_of(n)) for n in SIZES] + [(1000, 4)])
@pytest.mark.parametrize("dtype", TYPES[:3], ids=str)
@pytest.mark.parametrize("length", [1, 3, 200], ids=lambda k: f"runs of {k}")
def test_reduce_by_key(dtype, n, depth, length):
    check_reduce_by_key(n, dtype, depth, length)


def sort(keys, values, dtype, end_bit, depth=None):
    n = len(keys)
    depth = depth or depth_of(n)
    has_values = values is not None

    @qd.kernel
    def k(keys: Array(), tmp_keys: Array(), values: Array(), tmp_values: Array(), scratch: Array(), n: Array()):
        A.sort(keys, tmp_keys, values, tmp_values, scratch, n, dtype, has_values, end_bit, depth)

    keys = at_least_one(keys.copy())
    values = at_least_one(values.copy()) if has_values else np.zeros(1, np.int32)
    memory = scratch(A.sort_scratch_slots(n, depth))
    k(keys, np.zeros_like(keys), values, np.zeros_like(values), memory, np.array([n], np.int32))
    return keys[:n], values[:n]


@pytest.mark.parametrize("n", SIZES[:5] + [257, 600])
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_sort(dtype, n):
    keys = keys_of(n, dtype)
    assert (sort(keys, None, dtype, dtype.bits)[0] == np.sort(keys)).all()


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("depth", [2, 3])
def test_sort_with_values(dtype, depth):
    """The sort is stable."""
    keys, values = numbers(500, dtype), np.arange(500, dtype=np.float64)
    order = np.argsort(keys, kind="stable")
    got, moved = sort(keys, values, dtype, dtype.bits, depth)
    assert (got == keys[order]).all() and (moved == order).all()


def test_sort_by_the_lowest_bits():
    keys = np.random.default_rng(1).integers(0, 1 << 32, 400, dtype=np.uint32)
    order = np.argsort(keys & 0xFFFF, kind="stable")
    assert (sort(keys, None, qd.u32, 16)[0] == keys[order]).all()


@pytest.mark.parametrize("make", [qd.field, qd.ndarray], ids=["field", "ndarray"])
def test_prefix_sum(make):
    for n in (1, 200, 256, 1001):
        values = numbers(n, qd.i32)
        x = make(qd.i32, n)
        x.from_numpy(values)
        with pytest.warns(DeprecationWarning, match="exclusive_scan_add"):
            executor = A.PrefixSumExecutor(n)
        executor.run(x)
        assert (x.to_numpy() == np.cumsum(values)).all()


def test_errors():
    x, out, memory = qd.field(qd.f32, 5), qd.field(qd.f32, 5), qd.field(qd.u32, 600)

    def fails(kind, match, call):
        with pytest.raises(kind, match=match):
            call()

    @qd.kernel
    def too_deep():
        A.reduce_add(x, out, memory, 5, qd.f32, 5)

    @qd.kernel
    def too_flat():
        A.exclusive_scan_min(x, out, memory, 5, qd.f32, 0)

    @qd.kernel
    def small_type():
        A.reduce_add(x, out, memory, 5, qd.f16, 1)

    @qd.kernel
    def wide_values():
        A.reduce_by_key_add(x, x, out, out, out, memory, 5, qd.f64, 1)

    @qd.kernel
    def odd_bits():
        A.sort(x, out, x, out, memory, out, qd.f32, False, 24, 1)

    fails(ValueError, "log256_max_n=5 exceeds the maximum of 4", too_deep)
    fails(ValueError, "log256_max_n must be from 1 to 4, not 0", too_flat)
    fails(NotImplementedError, "reduce_add supports the types i32, u32, f32, i64, u64, f64, not f16", small_type)
    fails(NotImplementedError, "reduce_by_key_add supports the types i32, u32, f32, not f64", wide_values)
    fails(ValueError, "end_bit must be a multiple of 16, at most the 32 bits of a key, not 24", odd_bits)
