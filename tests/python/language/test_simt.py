"""qd.simt: functions that are meaningful without a GPU work, all others report that they need one."""

import os
import warnings

import pytest
import quadrants as qd
from quadrants._lanes import groups, warps

BLOCK = """
sync sync_all_nonzero sync_any_nonzero sync_count_nonzero mem_fence mem_sync thread_idx global_thread_idx SharedArray reduce
reduce_add reduce_min reduce_max reduce_all reduce_all_add reduce_all_min reduce_all_max inclusive_scan inclusive_add
inclusive_min inclusive_max exclusive_scan exclusive_add exclusive_min exclusive_max radix_rank_match_atomic_or
"""
WARP = """
active_mask all_nonzero any_nonzero ballot match_all match_any shfl_sync_i32 shfl_sync_f32 shfl_up_i32 shfl_up_f32
shfl_down_i32 shfl_down_f32 shfl_xor_i32 sync unique
"""
SUBGROUP = """
sync mem_fence elect ballot ballot_first_n all_true any_true all_equal broadcast broadcast_first lanemask_lt lanemask_le
lanemask_eq lanemask_gt lanemask_ge group_size log2_group_size invocation_id shuffle shuffle_xor shuffle_up shuffle_down
reduce_add reduce_min reduce_max reduce_all_add reduce_all_min reduce_all_max segmented_reduce_add segmented_reduce_min
segmented_reduce_max inclusive_add inclusive_mul inclusive_min inclusive_max inclusive_and inclusive_or inclusive_xor
exclusive_add exclusive_mul exclusive_min exclusive_max exclusive_and exclusive_or exclusive_xor bitonic_sort_kv
barrier memory_barrier ballot_full_subgroup
all_true_tiled any_true_tiled all_equal_tiled reduce_add_tiled reduce_min_tiled reduce_max_tiled reduce_all_add_tiled
segmented_reduce_add_tiled inclusive_add_tiled exclusive_xor_tiled bitonic_sort_kv_tiled
"""
WORKS = {"global_thread_idx", "group_size", "lanemask_lt", "lanemask_le", "lanemask_eq", "lanemask_gt", "lanemask_ge"}
DEPRECATED = {
    "block.mem_sync": "block.mem_fence",
    "grid.memfence": "grid.mem_fence",
    "subgroup.barrier": "subgroup.sync",
    "subgroup.memory_barrier": "subgroup.mem_fence",
    "subgroup.ballot_full_subgroup": "subgroup.ballot",
}
NAMES = [
    f"{part}.{name}"
    for part, names in (("block", BLOCK), ("grid", "mem_fence memfence"), ("warp", WARP), ("subgroup", SUBGROUP))
    for name in names.split()
]


def has_subgroups():
    return qd.simt.subgroup.group_size() > 0


def found(path):
    part, name = path.split(".")
    return getattr(getattr(qd.simt, part), name)


@pytest.mark.parametrize("path", [p for p in NAMES if p.split(".")[1] not in WORKS])
def test_functions_that_need_a_gpu(path, arch):
    op = found(path)
    used = DEPRECATED.get(path, path)
    if has_subgroups():
        pytest.skip("the architecture has subgroups: test_simt_values.py")
    message = rf"qd.simt.{used} is not supported for arch (x64|arm64): it needs a GPU backend"

    @qd.kernel
    def k():
        for i in range(4):
            op()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(ValueError, match=message):
            op(1, 2)
        with pytest.raises(qd.QuadrantsSyntaxError, match=message):
            k()


def test_every_operation_computes_on_subgroups():
    needed = {DEPRECATED.get(path, path) for path in NAMES if path.split(".")[1] not in WORKS}
    assert {f"simt.{path}" for path in needed} <= groups.operations.keys() | warps.operations.keys()


def rearm(monkeypatch, old):
    part, name = old.split(".")
    monkeypatch.setattr(getattr(qd.simt, part), f"_{name}_deprecation_warned", False)


@pytest.mark.parametrize("old", DEPRECATED)
def test_deprecated_names_warn_once(old, monkeypatch, arch):
    if has_subgroups():
        pytest.skip("the interpreter has subgroups")
    op = found(old)
    rearm(monkeypatch, old)

    @qd.kernel
    def k():
        op()

    with pytest.warns(DeprecationWarning, match=rf"qd.simt.{old}\(\) is deprecated; use qd.simt.{DEPRECATED[old]}\(\)"):
        with pytest.raises(qd.QuadrantsSyntaxError):
            k()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match="needs a GPU"):
            op()
        qd.init(arch=arch, offline_cache=False)  # the warning is not repeated for a new program
        with pytest.raises(ValueError, match=f"qd.simt.{DEPRECATED[old]} is not supported"):
            op()
    rearm(monkeypatch, old)
    with pytest.warns(DeprecationWarning, match=rf"qd.simt.{old}\(\)"):
        with pytest.raises(ValueError):
            op()


@pytest.mark.parametrize("old", DEPRECATED)
def test_deprecated_names_are_aliases_of_the_module(old, monkeypatch):
    part, name = DEPRECATED[old].split(".")
    calls = []
    monkeypatch.setattr(getattr(qd.simt, part), name, lambda *args, **keywords: calls.append((args, keywords)) or 5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert found(old)(1, a=2) == 5 and calls == [((1,), {"a": 2})]

    @qd.func
    def seven():
        return 7

    op = found(old)
    monkeypatch.setattr(getattr(qd.simt, part), name, seven)

    @qd.kernel
    def k() -> qd.i32:
        return op()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert k() == 7
        qd.init(arch=qd.python)
        assert k() == 7


def test_group_size_is_known_at_compile_time(arch):
    x = qd.field(qd.i32, 2)

    @qd.kernel
    def k(size: qd.template()):
        if qd.static(qd.simt.subgroup.group_size() % 32 == 0):
            x[0] = 1 + qd.simt.subgroup.group_size()
        x[1] = size + 5

    size = qd.simt.subgroup.group_size()
    assert size == (0 if arch == "cpu" else int(os.environ.get("QD_LANES", 32)))
    k(size)
    assert x.to_numpy().tolist() == [1 + size, 5 + size]


def test_lane_masks():
    y = qd.field(qd.u32, (5, 32))

    @qd.kernel
    def k():
        for i in range(32):
            y[0, i] = qd.simt.subgroup.lanemask_lt(i)
            y[1, i] = qd.simt.subgroup.lanemask_le(qd.cast(i, qd.u32))
            y[2, i] = qd.simt.subgroup.lanemask_eq(i)
            y[3, i] = qd.simt.subgroup.lanemask_gt(i)
            y[4, i] = qd.simt.subgroup.lanemask_ge(i)

    k()
    compare = (lambda a, b: a < b, lambda a, b: a <= b, lambda a, b: a == b, lambda a, b: a > b, lambda a, b: a >= b)
    masks = [[sum(1 << lane for lane in range(32) if f(lane, i)) for i in range(32)] for f in compare]
    assert y.to_numpy().tolist() == masks
    of_python = [getattr(qd.simt.subgroup, f"lanemask_{name}") for name in ("lt", "le", "eq", "gt", "ge")]
    assert [[f(i) for i in range(32)] for f in of_python] == masks


def test_thread_index(arch):
    qd.init(arch=arch, offline_cache=False, cpu_max_num_threads=3, print_full_traceback=True)
    n = 1 << 20
    x = qd.field(qd.i32, n)
    y = qd.field(qd.i32, 2)

    @qd.kernel
    def k(n: qd.i32):
        y[0] = qd.global_thread_idx()
        for i in range(n):
            x[i] = qd.global_thread_idx() + 1
        y[1] = qd.simt.block.global_thread_idx()

    k(64 if arch != "cpu" else n)
    assert y.to_numpy().tolist() == [0, 0]
    seen = set(x.to_numpy().tolist()) - {0}
    assert seen and seen <= {1, 2, 3}


def test_thread_index_is_distinct(arch):
    """Each thread counts in its own element, without atomics."""
    n = 1000 if arch != "cpu" else 200000
    qd.init(arch=arch, offline_cache=False, cpu_max_num_threads=2, print_full_traceback=True)
    counts = qd.field(qd.i32, (2, 64))

    @qd.kernel
    def k(n: qd.i32):
        for i in range(n):
            counts[qd.global_thread_idx(), 0] = qd.volatile_load(counts[qd.global_thread_idx(), 0]) + 1

    k(n)
    assert counts.to_numpy()[:, 0].sum() == n


def test_clock():
    x = qd.field(qd.i64, 3)

    @qd.kernel
    def k(rounds: qd.i32) -> qd.f64:
        x[0] = qd.clock_counter()
        s = qd.f64(0.0)
        for i in range(rounds):
            s += qd.sqrt(qd.cast(i, qd.f64))
        x[1] = qd.clock_counter()
        x[2] = qd.clock_counter()
        return s

    assert k(1000) > 0
    start, after, end = x.to_numpy().tolist()
    assert start < after <= end
    assert 1e6 < qd.clock_freq_hz() < 1e11
    assert qd.clock_freq_hz() == qd.clock_freq_hz()


def test_only_in_kernels():
    for name in ("clock_counter", "global_thread_idx"):
        with pytest.raises(qd.QuadrantsSyntaxError, match=f"qd.{name} can only be used in kernels and funcs"):
            getattr(qd, name)()


@pytest.mark.parametrize("size", (16, 32))
@pytest.mark.parametrize("make", ("zeros", "eye"))
def test_tiles(size, make):
    tile = getattr(qd.simt, f"Tile{size}x{size}")
    assert tile.SIZE == size
    x = qd.field(qd.i32, ())

    @qd.kernel
    def sizes():
        x[None] = tile.SIZE

    sizes()
    assert x[None] == size
    if has_subgroups():
        pytest.skip("the architecture has subgroups: test_tiles.py")
    message = rf"Tile{size}x{size} requires a GPU backend \(cuda, metal, vulkan, amdgpu\). Current arch is Arch."
    with pytest.raises(qd.QuadrantsSyntaxError, match=message):
        getattr(tile, make)(dtype=qd.f32)

    @qd.kernel
    def k():
        for i in range(32):
            t = tile.zeros(dtype=qd.f32)

    with pytest.raises(qd.QuadrantsSyntaxError, match=message):
        k()
    with pytest.raises(TypeError):
        tile()


def test_tiles_by_type():
    from quadrants.lang.simt._tile import _make_tile

    for n in (16, 32):
        assert _make_tile(n, qd.f32).SIZE == n and _make_tile(n, qd.f32) is _make_tile(n, qd.f32)
        assert _make_tile(n, qd.f32) is not _make_tile(n, qd.f64)
        if has_subgroups():
            continue
        with pytest.raises(qd.QuadrantsSyntaxError, match="requires a GPU backend"):
            _make_tile(n, qd.f32).zeros()
    assert _make_tile(16, qd.f32) is not _make_tile(32, qd.f32)
    with pytest.raises(ValueError, match="tiles have 16 or 32 rows, not 8"):
        _make_tile(8, qd.f32)


def test_parts_of_arrays_for_tiles():
    from quadrants.lang.simt._tile import _TileSliceProxy, _VecSliceProxy

    x = qd.ndarray(qd.f32, (16, 16))
    for part in (_TileSliceProxy(x, 0, 16, 0, 8), _VecSliceProxy(x, 0, 16, 3)):
        for use in (lambda: part + 1, lambda: 1 - part, lambda: part * part, lambda: -part, lambda: part[0], lambda: part @ part,
                    lambda: part.__setitem__(0, 1), lambda: list(part), lambda: 2 / part):
            with pytest.raises(TypeError, match="only valid in tile operations"):
                use()
        assert "not a value" in repr(part)


def test_outer_products_do_not_compose():
    with pytest.raises(TypeError, match="does not support composition"):
        qd.outer(1, 2) + qd.outer(3, 4)
    product = qd.outer(1, 2)
    for combine in (lambda: product + 1, lambda: 1 + product, lambda: product - product, lambda: 1 - product):
        with pytest.raises(TypeError, match="does not support composition"):
            combine()
    assert "outer" not in dir(qd)
