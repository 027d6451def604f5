"""Atomic updates of loops on one thread and on several have the same results, whatever other threads run."""

import threading

import numpy as np
import pytest
import quadrants as qd

OPERATIONS = {
    "add": (qd.atomic_add, lambda old, x: old + x),
    "sub": (qd.atomic_sub, lambda old, x: old - x),
    "mul": (qd.atomic_mul, lambda old, x: old * x),
    "min": (qd.atomic_min, min),
    "max": (qd.atomic_max, max),
    "and": (qd.atomic_and, lambda old, x: old & x),
    "or": (qd.atomic_or, lambda old, x: old | x),
    "xor": (qd.atomic_xor, lambda old, x: old ^ x),
}
BITS = ("and", "or", "xor")
TYPES = {qd.i8: np.int8, qd.u8: np.uint8, qd.i16: np.int16, qd.u16: np.uint16, qd.i32: np.int32, qd.u32: np.uint32,
         qd.i64: np.int64, qd.u64: np.uint64, qd.f16: np.float16, qd.f32: np.float32, qd.f64: np.float64}  # fmt: skip
CELLS = 7
MANY = 60_000  # a trip count that is worth several threads
FEW = 50


def program(arch, **options):
    qd.init(arch=arch, offline_cache=False, print_full_traceback=True, **options)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("name", OPERATIONS)
def test_one_thread_equals_serial_operations(arch, name, dtype):
    atomic, meaning = OPERATIONS[name]
    if name in BITS and dtype in (qd.f16, qd.f32, qd.f64):
        pytest.skip("bits are those of integers")
    program(arch, cpu_max_num_threads=1, fast_math=False)
    number = TYPES[dtype]
    to = qd.ndarray(dtype, CELLS)
    before = qd.ndarray(dtype, FEW)
    amounts = (np.arange(FEW) % 3 + (1 if name == "mul" else -1)).astype(number)
    start = np.arange(3, 3 + CELLS).astype(number)
    to.from_numpy(start)
    given = qd.ndarray(dtype, FEW)
    given.from_numpy(amounts)

    @qd.kernel
    def run(to: qd.types.ndarray(dtype, 1), given: qd.types.ndarray(dtype, 1), before: qd.types.ndarray(dtype, 1)):
        for i in range(FEW):
            before[i] = atomic(to[i % CELLS], given[i])

    run(to, given, before)
    expected, olds = start.copy(), np.zeros(FEW, number)
    with np.errstate(over="ignore"):
        for i in range(FEW):
            olds[i] = expected[i % CELLS]
            expected[i % CELLS] = meaning(expected[i % CELLS], amounts[i])
    np.testing.assert_array_equal(before.to_numpy(), olds)
    np.testing.assert_array_equal(to.to_numpy(), expected)


def test_extremes_of_nan_and_zeros_are_those_of_the_language(arch):
    program(arch, cpu_max_num_threads=1, fast_math=False)
    low, high = qd.field(qd.f32, 3), qd.field(qd.f32, 3)
    low.from_numpy(np.array([np.nan, 1.0, 0.0], np.float32))
    high.from_numpy(np.array([np.nan, 1.0, -0.0], np.float32))
    given = qd.ndarray(qd.f32, 3)
    given.from_numpy(np.array([2.0, np.nan, -0.0], np.float32))

    @qd.kernel
    def run(given: qd.types.ndarray(qd.f32, 1)):
        for i in range(30):
            qd.atomic_min(low[i % 3], given[i % 3])
            qd.atomic_max(high[i % 3], -given[i % 3])

    run(given)
    np.testing.assert_array_equal(low.to_numpy(), np.array([2.0, 1.0, -0.0], np.float32))
    np.testing.assert_array_equal(high.to_numpy(), np.array([-2.0, 1.0, 0.0], np.float32))
    assert np.signbit(low[2]) and not np.signbit(high[2])


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_each_iteration_gets_a_distinct_old_value(arch, threads):
    program(arch, cpu_max_num_threads=threads)
    counter, seen = qd.field(qd.i32, ()), qd.field(qd.i32, MANY)

    @qd.kernel
    def take():
        for _ in range(MANY):
            seen[qd.atomic_add(counter[None], 1)] += 1

    take()
    assert counter[None] == MANY
    assert (seen.to_numpy() == 1).all()


def test_two_threads_of_python_count_in_the_same_array(arch):
    """Launches of one program run one after another, so a loop on a single thread has exclusive access to the array."""
    launches = 300 if arch != "cpu" else 3000
    counts = qd.ndarray(qd.i32, CELLS)

    @qd.kernel
    def count(counts: qd.types.ndarray(qd.i32, 1)):
        for i in range(FEW):
            counts[i % CELLS] += 1

    count(counts)
    counts.fill(0)
    gate = threading.Barrier(3)

    def work():
        gate.wait()
        for _ in range(launches):
            count(counts)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts.to_numpy().sum() == 3 * launches * FEW
