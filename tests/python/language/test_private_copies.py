"""Loops on several threads that accumulate in arrays and fields, with privatised copies: the results equal those of the serial loop. The
programs are large enough for copies; QD_SHARE_LITTLE=1 makes copies in all tests."""

import os
import signal
import threading

import numpy as np
import pytest
import quadrants as qd
from quadrants import _native

MANY = 200_000
CELLS = 1_000
A = qd.types.ndarray

ADDS = {
    "add": (qd.atomic_add, np.add),
    "sub": (qd.atomic_sub, np.subtract),
    "min": (qd.atomic_min, np.fmin),
    "max": (qd.atomic_max, np.fmax),
    "and": (qd.atomic_and, np.bitwise_and),
    "or": (qd.atomic_or, np.bitwise_or),
    "xor": (qd.atomic_xor, np.bitwise_xor),
}
TYPES = {qd.i8: np.int8, qd.u8: np.uint8, qd.i16: np.int16, qd.u16: np.uint16, qd.i32: np.int32, qd.u32: np.uint32,
         qd.i64: np.int64, qd.u64: np.uint64, qd.f32: np.float32, qd.f64: np.float64}  # fmt: skip


@pytest.fixture(params=[2, 5])
def threads(arch, request):
    """Only compiled code has several threads; sums of whole numbers are exact in any order."""
    if arch != "cpu":
        pytest.skip("runs on one thread")
    qd.init(arch=arch, cpu_max_num_threads=request.param, offline_cache=False, print_full_traceback=True, fast_math=False)
    return request.param


def places(n=MANY, cells=CELLS, seed=0):
    return np.random.default_rng(seed).integers(0, cells, n).astype(np.int32)


def device(data, dtype):
    array = qd.ndarray(dtype, data.shape)
    array.from_numpy(data)
    return array


@pytest.mark.parametrize("storage", ["ndarray", "field"])
@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("name", ADDS)
def test_operations(threads, name, dtype, storage):
    atomic, meaning = ADDS[name]
    is_real = dtype in (qd.f32, qd.f64)
    if is_real and name in ("and", "or", "xor"):
        pytest.skip("bits are those of integers")
    number = TYPES[dtype]
    rng = np.random.default_rng(1)
    start = rng.integers(0, 100, CELLS).astype(number)
    amounts = rng.integers(0, 100, MANY).astype(number)
    to = places()
    expected = start.copy()
    with np.errstate(over="ignore"):
        meaning.at(expected, to, amounts)
    kept = device(start, dtype)
    if storage == "field":
        kept = qd.field(dtype, CELLS)
        kept.from_numpy(start)

    @qd.kernel
    def on_array(out: A(dtype, 1), to: A(qd.i32, 1), amounts: A(dtype, 1)):
        for i in to:
            atomic(out[to[i]], amounts[i])

    @qd.kernel
    def on_field(to: A(qd.i32, 1), amounts: A(dtype, 1)):
        for i in to:
            atomic(kept[to[i]], amounts[i])

    given = device(to, qd.i32), device(amounts, dtype)
    for _ in range(2):  # copies are empty again after a launch
        kept.from_numpy(start)
        on_array(kept, *given) if storage == "ndarray" else on_field(*given)
        np.testing.assert_array_equal(kept.to_numpy(), expected)


def test_extremes_of_nan_infinity_and_zeros(threads):
    to = places(cells=4)
    amounts = np.array([np.nan, np.inf, -0.0, 5.0], np.float32)[to]
    low = device(np.array([np.nan, np.nan, 0.0, 7.0], np.float32), qd.f32)
    high = device(np.array([np.nan, 1.0, -0.0, 7.0], np.float32), qd.f32)

    @qd.kernel
    def run(low: A(qd.f32, 1), high: A(qd.f32, 1), to: A(qd.i32, 1), amounts: A(qd.f32, 1)):
        for i in to:
            qd.atomic_min(low[to[i]], amounts[i])
            qd.atomic_max(high[to[i]], -amounts[i])

    run(low, high, device(to, qd.i32), device(amounts, qd.f32))
    np.testing.assert_array_equal(low.to_numpy(), np.array([np.nan, np.inf, -0.0, 5.0], np.float32))
    np.testing.assert_array_equal(high.to_numpy(), np.array([np.nan, 1.0, 0.0, 7.0], np.float32))
    assert np.signbit(low.to_numpy()[2]) and not np.signbit(high.to_numpy()[2])


def test_sums_of_zeros_have_the_sign_that_they_have_in_order(threads):
    to = places(cells=3)
    out = device(np.full(3, -0.0, np.float32), qd.f32)
    amounts = device(np.array([0.0, -0.0, 0.0], np.float32)[to], qd.f32)

    @qd.kernel
    def run(out: A(qd.f32, 1), to: A(qd.i32, 1), amounts: A(qd.f32, 1)):
        for i in to:
            out[to[i]] += amounts[i]

    run(out, device(to, qd.i32), amounts)
    assert list(np.signbit(out.to_numpy())) == [False, True, False]


def test_vectors_matrices_and_inner_loops(threads):
    v = qd.Vector.ndarray(3, qd.f32, (10, 100))
    m = qd.Matrix.field(2, 2, qd.i32, CELLS)
    to = places()

    @qd.kernel
    def run(v: A(qd.types.vector(3, qd.f32), 2), to: A(qd.i32, 1)):
        for i in to:
            k = to[i]
            for j in range(3):
                if (i + j) % 5 == 4:
                    continue
                if j == 2 and i % 7 == 0:
                    break
                v[k // 100, k % 100] += qd.Vector([1.0, float(j), 2.0])
                m[k] += qd.Matrix([[1, j], [i % 3, 2]])

    run(v, device(to, qd.i32))
    i, j = np.meshgrid(np.arange(MANY), np.arange(3), indexing="ij")
    used = ((i + j) % 5 != 4) & ~((j == 2) & (i % 7 == 0))
    rows, rounds = i[used], j[used]
    vectors, matrices = np.zeros((CELLS, 3), np.float32), np.zeros((CELLS, 2, 2), np.int32)
    np.add.at(vectors, to[rows], np.stack([np.ones_like(rounds), rounds, np.full_like(rounds, 2)], -1).astype(np.float32))
    np.add.at(matrices, to[rows], np.stack([np.stack([np.ones_like(rows), rounds], -1), np.stack([rows % 3, np.full_like(rows, 2)], -1)], 1).astype(np.int32))
    np.testing.assert_array_equal(v.to_numpy().reshape(CELLS, 3), vectors)
    np.testing.assert_array_equal(m.to_numpy(), matrices)


def test_loops_over_several_axes(threads):
    out = qd.field(qd.i32, 64)

    @qd.kernel
    def run():
        for i, j in qd.ndrange(500, (3, 403)):
            out[(i * j) % 64] += j - i

    run()
    i, j = np.meshgrid(np.arange(500), np.arange(3, 403), indexing="ij")
    expected = np.zeros(64, np.int64)
    np.add.at(expected, (i * j) % 64, j - i)
    np.testing.assert_array_equal(out.to_numpy(), expected)


def told(kernel):
    """Returns (method, number of copies, their bytes) of the tasks that update shared memory, at their last launch."""
    return [row[1:] for name, _, tasks in _native.core().last_updates() if name.rpartition(".")[2] == kernel for row in tasks if row[1]]


def test_copies_contain_only_accumulated_fields(threads):
    """A copy of a tree holds only the fields that are accumulated, not those that are read and not the rest."""
    large, source, out = qd.field(qd.f32), qd.field(qd.f32), qd.field(qd.f32)
    m, v = qd.field(qd.f32), qd.Vector.field(2, qd.f32)
    total = qd.field(qd.i32)
    qd.root.dense(qd.i, 3_000_000).place(large)
    qd.root.dense(qd.i, MANY).place(source)
    qd.root.dense(qd.i, CELLS).place(out)
    qd.root.dense(qd.i, CELLS).place(v, m)
    qd.root.place(total)
    source.from_numpy(np.arange(MANY, dtype=np.float32) % 8)
    to = places()

    @qd.kernel
    def deposit(to: A(qd.i32, 1)):
        for i in source:
            out[to[i]] += source[i]
            v[to[i]] += qd.Vector([1.0, source[i]])
            m[to[i]] += 2.0 + source[i]
            total[None] += 1

    deposit(device(to, qd.i32))
    weight = np.arange(MANY) % 8
    np.testing.assert_array_equal(out.to_numpy(), np.bincount(to, weight, CELLS))
    np.testing.assert_array_equal(v.to_numpy(), np.stack([np.bincount(to, minlength=CELLS), np.bincount(to, weight, CELLS)], 1))
    np.testing.assert_array_equal(m.to_numpy(), np.bincount(to, 2 + weight, CELLS))
    assert total[None] == MANY and not large.to_numpy().any()
    ((how, copies, size),) = told("deposit")
    assert (how, copies) == ("copies", threads) and size == threads * 4 * CELLS * 4


def test_coverage_counts_equal_those_without_copies(threads, monkeypatch):
    """Coverage counts of loops with privatised copies equal those of the serial loop."""

    def counted(number):
        qd.init(arch=qd.cpu, cpu_max_num_threads=number, offline_cache=False)
        out, to = qd.ndarray(qd.i32, CELLS), device(places(), qd.i32)

        @qd.kernel
        def scatter(out: A(qd.i32, 1), to: A(qd.i32, 1)):
            for i in to:
                if to[i] % 3 == 0:
                    out[to[i]] += 1
                else:
                    for j in range(to[i] % 4):
                        out[(to[i] + j) % CELLS] += 2
                        if j == 1:
                            break

        scatter(out, to)
        scatter(out, to)
        how = told("scatter")
        counts = sorted(row for row in _native.core().coverage() if "scatter" in row[2])
        return out.to_numpy().tolist(), counts, how

    monkeypatch.setenv("QD_KERNEL_COVERAGE", "1")
    out, counts, how = counted(threads)
    alone, counts_alone, how_alone = counted(1)
    assert [h for h, _, _ in how] == ["copies"] and [h for h, _, _ in how_alone] == ["unlocked"]
    assert out == alone
    assert counts == counts_alone and max(row[-1] for row in counts) >= 2 * MANY


def test_neighbours_in_a_tree_keep_their_bits(threads):
    a, b, beside, words = qd.field(qd.f32), qd.field(qd.f32), qd.field(qd.f32), qd.field(qd.i32)
    qd.root.dense(qd.i, CELLS).place(a, beside, words, b)
    bits = np.array([-0.0, 1e-42, 3.0, np.nan], np.float32).view(np.uint32)
    bits[3] = 0x7FA12345  # a signalling NaN
    pattern = np.resize(bits, CELLS)
    beside.from_numpy(pattern.view(np.float32))
    words.from_numpy(np.arange(CELLS, dtype=np.int32) - 5)
    kept = beside.to_numpy().view(np.uint32)
    to = places()

    @qd.kernel
    def run(to: A(qd.i32, 1)):
        for i in to:
            a[to[i]] += 1.0
            b[to[i]] += 2.0

    run(device(to, qd.i32))
    counts = np.bincount(to, minlength=CELLS)
    np.testing.assert_array_equal(a.to_numpy(), counts)
    np.testing.assert_array_equal(b.to_numpy(), 2 * counts)
    np.testing.assert_array_equal(beside.to_numpy().view(np.uint32), kept)
    np.testing.assert_array_equal(words.to_numpy(), np.arange(CELLS) - 5)


def test_values_that_the_loop_reads_are_not_accumulations(threads):
    """Each iteration sees at least the updates of the earlier iterations on its thread."""
    out, last = qd.ndarray(qd.i32, 4), qd.field(qd.i32, MANY)

    @qd.kernel
    def run(out: A(qd.i32, 1)):
        for i in range(MANY):
            out[i % 4] += 1
            last[i] = out[i % 4]

    run(out)
    assert (out.to_numpy() == MANY // 4).all()
    assert last.to_numpy().min() >= 1 and last.to_numpy().max() == MANY // 4


def test_two_operations_on_one_array_keep_their_locks(threads):
    out = device(np.zeros(4, np.int32), qd.i32)

    @qd.kernel
    def run(out: A(qd.i32, 1)):
        for i in range(MANY):
            qd.atomic_max(out[i % 2], i)
            out[2 + i % 2] += 1

    run(out)
    np.testing.assert_array_equal(out.to_numpy(), [MANY - 2, MANY - 1, MANY // 2, MANY // 2])


def test_one_array_as_two_arguments(threads):
    to = device(places(), qd.i32)
    out = qd.ndarray(qd.i32, CELLS)

    @qd.kernel
    def run(a: A(qd.i32, 1), b: A(qd.i32, 1), to: A(qd.i32, 1)):
        for i in to:
            a[to[i]] += 1
            b[CELLS - 1 - to[i]] += 2

    run(out, out, to)
    counts = np.bincount(places(), minlength=CELLS)
    np.testing.assert_array_equal(out.to_numpy(), counts + 2 * counts[::-1])
    whole = np.zeros(CELLS + 1, np.int32)
    run(whole[1:], whole[:-1], to)
    expected = np.zeros(CELLS + 1, np.int32)
    expected[1:] += counts
    expected[:-1] += 2 * counts[::-1]
    np.testing.assert_array_equal(whole, expected)


def test_arrays_of_all_sizes_one_after_the_other(threads):
    @qd.kernel
    def run(out: A(qd.i64, 1), to: A(qd.i32, 1)):
        for i in to:
            out[to[i] % out.shape[0]] += i

    for cells in (7, 5000, 1, 300, 40_000, 5000, 513, 8):
        to = places(cells=cells, seed=cells)
        out = qd.ndarray(qd.i64, cells)
        run(out, device(to, qd.i32))
        expected = np.zeros(cells, np.int64)
        np.add.at(expected, to, np.arange(MANY))
        np.testing.assert_array_equal(out.to_numpy(), expected)


def test_an_assertion_keeps_earlier_updates(threads):
    qd.init(arch=qd.cpu, cpu_max_num_threads=threads, offline_cache=False, debug=True)
    out, done = qd.ndarray(qd.i32, CELLS), qd.field(qd.i32, MANY)

    @qd.kernel
    def run(out: A(qd.i32, 1)):
        for i in range(MANY):
            assert i != MANY // 2
            out[(i * 7) % CELLS] += 1
            done[i] = 1

    for rounds in (1, 2):
        done.fill(0)
        before = out.to_numpy().sum()
        with pytest.raises(AssertionError):
            run(out)
        assert out.to_numpy().sum() - before == done.to_numpy().sum() > 0


def test_stop_keeps_earlier_updates(threads):
    out = qd.ndarray(qd.i64, CELLS)

    @qd.kernel
    def run(out: A(qd.i64, 1)):
        for i in range(64):
            for j in range(1_000_000_000):
                out[(i + j) % CELLS] += 1

    stop = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    stop.start()
    with pytest.raises(KeyboardInterrupt):
        run(out)
    stop.join()
    assert out.to_numpy().sum() > 0
    out.fill(0)
    run_few(out)
    assert out.to_numpy().sum() == MANY  # nothing of the previous launch is left in the copies


@qd.kernel
def run_few(out: A(qd.i64, 1)):
    for i in range(MANY):
        out[(i * 3) % CELLS] += 1


def test_threads_of_python_accumulate_in_one_array(threads):
    out = qd.ndarray(qd.i64, CELLS)
    run_few(out)
    out.fill(0)
    workers = [threading.Thread(target=lambda: [run_few(out) for _ in range(20)]) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert out.to_numpy().sum() == 60 * MANY


LEVELS = {
    "pointer": lambda: qd.root.pointer(qd.i, 50),
    "bitmasked": lambda: qd.root.bitmasked(qd.i, 50),
    "pointer, pointer": lambda: qd.root.pointer(qd.i, 10).pointer(qd.i, 5),
    "dense, pointer": lambda: qd.root.dense(qd.i, 10).pointer(qd.i, 5),
    "pointer, bitmasked": lambda: qd.root.pointer(qd.i, 10).bitmasked(qd.i, 5),
    "bitmasked, bitmasked": lambda: qd.root.bitmasked(qd.i, 10).bitmasked(qd.i, 5),
    "bitmasked, pointer": lambda: qd.root.bitmasked(qd.i, 10).pointer(qd.i, 5),
}


@pytest.mark.parametrize("levels", LEVELS)
def test_cells_of_sparse_trees(threads, levels):
    """Two members of cells, and a dense field of the same tree that is read; every second amount is 0, which activates a cell too."""
    amount, total, number = qd.field(qd.f64, MANY), qd.field(qd.f64), qd.field(qd.f64)
    block = LEVELS[levels]()
    block.dense(qd.i, CELLS // 50).place(total, number)
    amounts = np.arange(MANY) % 8 * (np.arange(MANY) % 2)
    amount.from_numpy(amounts.astype(np.float64))
    here = qd.field(qd.i32, 50)

    @qd.kernel
    def run(to: A(qd.i32, 1)):
        for i in to:
            total[to[i]] += amount[i]
            number[to[i]] += 1.0

    @qd.kernel
    def look():
        for i in range(50):
            here[i] = qd.i32(qd.is_active(block, i))

    for turn, reach in enumerate((100, 700, 400)):  # the launch activates cells, then more of them, then again
        to = places(cells=reach, seed=turn)
        for _ in range(2):
            run(device(to, qd.i32))
            (how,) = {how for how, _, _ in told("run")}
            assert how == "copies"
        look()
        of_block = CELLS // 50
        np.testing.assert_array_equal([total[i] for i in range(CELLS)], 2 * np.bincount(to, amounts, CELLS))
        np.testing.assert_array_equal([number[i] for i in range(CELLS)], 2 * np.bincount(to, minlength=CELLS))
        np.testing.assert_array_equal(here.to_numpy(), np.bincount(to // of_block, minlength=50) > 0)
        total.fill(0)  # deactivated bitmasked cells keep their values
        number.fill(0)
        if levels.startswith(("pointer, ", "bitmasked, ")):
            block.parent().deactivate_all()
        block.deactivate_all()


@pytest.mark.parametrize("container", ["pointer", "bitmasked"])
@pytest.mark.parametrize("also", ["read", "removed", "listed", "asked", "another operation"])
def test_cells_with_other_accesses_have_no_copies(threads, container, also):
    f, g = qd.field(qd.i32), qd.field(qd.i32)
    block = getattr(qd.root, container)(qd.i, 50)
    block.dense(qd.i, CELLS // 50).place(f, g)
    to = places()

    @qd.kernel
    def run(to: A(qd.i32, 1)):
        for i in to:
            f[to[i]] += 1 + i % 2
            if qd.static(also == "read"):
                g[0] += g[to[i]]
            if qd.static(also == "another operation"):
                qd.atomic_max(g[to[i]], to[i] % 100)
            if qd.static(also == "removed"):
                if to[i] < 0:
                    qd.deactivate(block, 0)
            if qd.static(also == "asked"):
                g[0] += 1 - qd.i32(qd.is_active(block, to[i] // (CELLS // 50)))

    @qd.kernel
    def over_cells():
        for i in g:
            for j in range(1000):
                f[(i * j) % CELLS] += g[i]

    if also == "listed":
        g.fill(0)
        for i in range(CELLS):
            g[i] = i % 3
        over_cells()
        expected = np.zeros(CELLS, np.int64)
        i, j = np.meshgrid(np.arange(CELLS), np.arange(1000), indexing="ij")
        np.add.at(expected, (i * j) % CELLS, i % 3)
    else:
        run(device(to, qd.i32))
        expected = np.bincount(to, 1 + np.arange(MANY) % 2, CELLS)
    assert {how for how, _, _ in told("over_cells" if also == "listed" else "run")} == {"locked"}
    np.testing.assert_array_equal([f[i] for i in range(CELLS)], expected)


@pytest.mark.parametrize("container", ["pointer", "bitmasked"])
@pytest.mark.parametrize("name", ["min", "max", "and", "xor"])
def test_operations_on_cells(threads, container, name):
    atomic, meaning = ADDS[name]
    f = qd.field(qd.i16)
    getattr(qd.root, container)(qd.i, 50).dense(qd.i, CELLS // 50).place(f)
    to, amounts = places(), np.random.default_rng(2).integers(-100, 100, MANY).astype(np.int16)

    @qd.kernel
    def run(to: A(qd.i32, 1), amounts: A(qd.i16, 1)):
        for i in to:
            atomic(f[to[i]], amounts[i])

    run(device(to, qd.i32), device(amounts, qd.i16))
    ((how, _, _),) = told("run")
    assert how == "copies"
    expected = np.zeros(CELLS, np.int16)
    meaning.at(expected, to, amounts)
    np.testing.assert_array_equal([f[i] for i in range(CELLS)], expected)


def test_cells_of_a_launch_that_fails(threads):
    """Updates before the assertion reach cells made in the same launch, and no copy contains them afterwards."""
    qd.init(arch=qd.cpu, cpu_max_num_threads=threads, offline_cache=False, debug=True)
    f, done = qd.field(qd.i32), qd.field(qd.i32, ())
    block = qd.root.pointer(qd.i, 50)
    block.dense(qd.i, CELLS // 50).place(f)

    @qd.kernel
    def run(to: A(qd.i32, 1), last: qd.i32):
        for i in to:
            f[to[i]] += 1
            done[None] += 1
            assert i != last

    to = device(places(), qd.i32)
    with pytest.raises(AssertionError):
        run(to, MANY // 2)
    assert sum(f[i] for i in range(CELLS)) == done[None] > 0
    block.deactivate_all()
    run(to, -1)
    np.testing.assert_array_equal([f[i] for i in range(CELLS)], np.bincount(places(), minlength=CELLS))


def test_without_make_thread_local_all_add_in_one_place(threads):
    qd.init(arch=qd.cpu, cpu_max_num_threads=threads, offline_cache=False, make_thread_local=False)
    out = qd.ndarray(qd.i64, CELLS)
    run_few(out)
    assert out.to_numpy().sum() == MANY


@pytest.mark.parametrize("merged", ["sums", "parts"])
def test_adjacent_members_of_cells_are_merged_in_parallel(arch, merged):
    """Both members of all cells are accumulated, and their copies are merged at the same time, in the same cache lines."""
    if arch != "cpu":
        pytest.skip("runs on one thread")
    qd.init(arch=arch, cpu_max_num_threads=4, offline_cache=False, fast_math=False, deterministic=merged == "parts")
    n, cells = 20_000, 64
    wide, narrow, small = qd.field(qd.f64), qd.field(qd.f32), qd.field(qd.i16)
    qd.root.dense(qd.i, cells).place(wide, narrow, small)

    @qd.kernel
    def deposit(to: A(qd.i32, 1)):
        for i in to:
            wide[to[i]] += 2.0
            narrow[to[i]] += 1.0
            small[to[i]] += qd.i16(1)

    where = places(n, cells)
    to = device(where, qd.i32)
    expected = np.bincount(where, minlength=cells)
    for turn in range(1, 101):
        deposit(to)
        np.testing.assert_array_equal(wide.to_numpy(), 2.0 * turn * expected)
        np.testing.assert_array_equal(narrow.to_numpy(), 1.0 * turn * expected)
        np.testing.assert_array_equal(small.to_numpy(), (turn * expected).astype(np.int16))
