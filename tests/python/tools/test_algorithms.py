"""qd.algorithms: the functions that run on the CPU, the sizes of scratch memory, and errors."""

import numpy as np
import pytest
import quadrants as qd

KEYS = [qd.i8, qd.u8, qd.i16, qd.u16, qd.i32, qd.u32, qd.i64, qd.u64, qd.f16, qd.f32, qd.f64]


def numpy_type(dtype):
    return np.dtype({"i": "int", "u": "uint", "f": "float"}[dtype.name[0]] + dtype.name[1:])


def random_keys(dtype, n, seed=0):
    rng, kind = np.random.default_rng(seed), numpy_type(dtype)
    if kind.kind == "f":
        keys = (rng.normal(size=n) * 10.0 ** rng.integers(-3, 4, n)).astype(kind)
        keys[: n // 8] = np.resize(np.array([0.0, np.inf, -np.inf, 1.0, -1.0], kind), n // 8)
        return keys
    info = np.iinfo(kind)
    keys = rng.integers(info.min, info.max, n, dtype=kind, endpoint=True)
    keys[: n // 8] = np.resize(np.array([info.min, info.max, 0, 1], kind), n // 8)
    return keys


def sort(*arrays):
    with pytest.warns(DeprecationWarning, match="sort"):
        qd.algorithms.parallel_sort(*arrays)


def held(values, dtype, make):
    made = make(dtype, values.shape[0])
    made.from_numpy(values)
    return made


@pytest.mark.parametrize("make", [qd.field, qd.ndarray], ids=["field", "ndarray"])
@pytest.mark.parametrize("dtype", KEYS, ids=str)
def test_sort(dtype, make):
    keys = random_keys(dtype, 3000)
    array = held(keys, dtype, make)
    sort(array)
    np.testing.assert_array_equal(array.to_numpy(), np.sort(keys))


@pytest.mark.parametrize("n", [1, 2, 63, 64, 65, 257, 5000])
def test_sort_with_values(n):
    """Values move with their keys; the sort is stable."""
    keys = np.random.default_rng(n).integers(-20, 20, n).astype(np.int32)
    values = np.arange(n, dtype=np.float64)
    for make in (qd.field, qd.ndarray):
        k, v = held(keys, qd.i32, make), held(values, qd.f64, make)
        sort(k, v)
        order = np.argsort(keys, kind="stable")
        np.testing.assert_array_equal(k.to_numpy(), keys[order])
        np.testing.assert_array_equal(v.to_numpy(), values[order])


def test_sort_with_vectors_as_values():
    keys = random_keys(qd.f32, 500)
    points = np.random.default_rng(1).normal(size=(500, 3)).astype(np.float32)
    for k, v in (
        (qd.field(qd.f32, 500), qd.Vector.field(3, qd.f32, 500)),
        (qd.ndarray(qd.f32, 500), qd.Vector.ndarray(3, qd.f32, 500)),
    ):
        k.from_numpy(keys)
        v.from_numpy(points)
        sort(k, v)
        np.testing.assert_array_equal(v.to_numpy(), points[np.argsort(keys, kind="stable")])


def test_sort_of_fields_that_do_not_begin_at_zero():
    keys = random_keys(qd.i32, 100)
    k, v = qd.field(qd.i32, 100, offset=-7), qd.field(qd.i32, 100, offset=5)
    k.from_numpy(keys)
    v.from_numpy(np.arange(100, dtype=np.int32))
    sort(k, v)
    np.testing.assert_array_equal(k.to_numpy(), np.sort(keys))
    np.testing.assert_array_equal(v.to_numpy(), np.argsort(keys, kind="stable"))


def test_sort_of_tensors():
    keys = random_keys(qd.f64, 100)
    tensor = qd.tensor(qd.f64, (100,))
    tensor.from_numpy(keys)
    sort(tensor)
    np.testing.assert_array_equal(tensor.to_numpy(), np.sort(keys))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_unsupported_arguments_of_sort():
    for arguments, kind, match in (
        ((qd.field(qd.f32, (3, 3)),), ValueError, "keys with one index"),
        ((qd.field(qd.f32, 3), qd.field(qd.f32, 2)), ValueError, "3 keys, but 2 values"),
        (([3, 2, 1],), TypeError, "fields or ndarrays as keys, got list"),
        ((qd.Vector.field(2, qd.f32, 3),), TypeError, "cannot sort keys that are vectors or matrices"),
    ):
        with pytest.raises(kind, match=match):
            qd.algorithms.parallel_sort(*arguments)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_prefix_sum_is_for_other_architectures():
    has_subgroups = qd.simt.subgroup.group_size() > 0
    with pytest.warns(DeprecationWarning, match="exclusive_scan_add"):
        executor = qd.algorithms.PrefixSumExecutor(5)
    with pytest.raises(RuntimeError, match="Only qd.i32 type is supported for prefix sum."):
        executor.run(qd.field(qd.f32, 5))
    if has_subgroups:
        return
    with pytest.raises(RuntimeError, match="is not supported for prefix sum."):
        executor.run(qd.field(qd.i32, 5))


def test_scratch_slots():
    a = qd.algorithms
    for scan in (a.reduce_scratch_slots, a.exclusive_scan_scratch_slots):
        assert [scan(n) for n in (0, 1, 256, 257, 65536, 65537, 1 << 20)] == [1, 1, 1, 2, 256, 257 + 2, 4096 + 16]
        assert scan(70000, 4) == 274 + 2 + 1 and scan(1, 1) == 1 and scan(1, 4) == 3
    assert [a.sort_scratch_slots(n) for n in (0, 1, 257, 1000)] == [1, 256, 512 + 2, 1024 + 4]
    assert a.sort_scratch_slots(70000, 3) == 274 * 256 + 274 + 2
    assert [a.select_scratch_slots(n) for n in (0, 1, 256, 257, 1000)] == [1, 2, 257, 259, 1004]
    assert a.select_scratch_slots(1 << 20) == (1 << 20) + 4096 + 16
    assert [a.reduce_by_key_scratch_slots(n) for n in (0, 1, 256, 257, 1000)] == [1, 1, 256, 259, 1004]
    assert a.reduce_by_key_scratch_slots((1 << 24) + 1) == (1 << 24) + 1 + 65537 + 257 + 2
    for sized in (a.reduce_scratch_slots, a.exclusive_scan_scratch_slots, a.sort_scratch_slots):
        with pytest.raises(ValueError, match="log256_max_n=5 exceeds the maximum of 4"):
            sized(1000, 5)


def test_funcs_are_for_gpus():
    if qd.simt.subgroup.group_size():
        pytest.skip("the architecture has subgroups: test_device_algorithms.py")
    a, out, scratch = qd.field(qd.f32, 5), qd.field(qd.f32, 5), qd.field(qd.u32, 600)
    for name in "reduce_add reduce_min reduce_max exclusive_scan_add exclusive_scan_min exclusive_scan_max".split():
        algorithm = getattr(qd.algorithms, name)

        @qd.kernel
        def call(a: qd.template(), out: qd.template(), scratch: qd.template()):
            algorithm(a, out, scratch, 5, qd.f32, 1)

        with pytest.raises(qd.QuadrantsSyntaxError, match=f"qd.algorithms.{name} requires a GPU backend"):
            call(a, out, scratch)

    @qd.kernel
    def keyed():
        qd.algorithms.reduce_by_key_add(a, a, out, out, out, scratch, 5, qd.f32, 1)

    @qd.kernel
    def selected():
        qd.algorithms.select(a, a, out, out, scratch, 5, 1)

    @qd.kernel
    def sorted_():
        qd.algorithms.sort(a, a, out, out, scratch, 5, qd.f32, True, 32, 1)

    for call in (keyed, selected, sorted_):
        with pytest.raises(qd.QuadrantsSyntaxError, match="requires a GPU backend"):
            call()


def test_names():
    names = """PrefixSumExecutor exclusive_scan_add exclusive_scan_max exclusive_scan_min exclusive_scan_scratch_slots parallel_sort
        reduce_add reduce_by_key_add reduce_by_key_scratch_slots reduce_max reduce_min reduce_scratch_slots select
        select_scratch_slots sort sort_scratch_slots"""
    assert [name for name in dir(qd.algorithms) if name[0] not in "_@"] == sorted(names.split())
