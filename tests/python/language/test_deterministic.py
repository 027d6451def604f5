"""`deterministic=True`: the same bits in every run and with every number of threads. Each program returns its results as bytes; the numbers
summed differ widely in magnitude, so that another order gives different bits."""

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest
import quadrants as qd
from quadrants import _native

A = qd.types.ndarray
THREADS = [1, 2, 3, 8, 64]
N = 100_003


def numbers(n=N, seed=0, dtype=np.float32):
    rng = np.random.default_rng(seed)
    return (rng.standard_normal(n) * 10.0 ** rng.integers(-4, 5, n)).astype(dtype)


def places(n=N, cells=1000, seed=1):
    return np.random.default_rng(seed).integers(0, cells, n).astype(np.int32)


def device(data, dtype=qd.f32):
    array = qd.ndarray(dtype, data.shape)
    array.from_numpy(data)
    return array


def ways(kernel):
    """Returns the update method of each task of a kernel in its last launch."""
    return [how for name, _, tasks in _native.core().last_updates() if name.rpartition(".")[2] == kernel for _, how, _, _ in tasks if how]


# Each returns bytes and the update methods of its kernel on a processor (None if they are not checked).


def local_sum():
    @qd.kernel
    def total(x: A(qd.f32, 1)) -> qd.f32:
        s = 0.0
        for i in x:
            s += x[i]
        return s

    return np.float32(total(device(numbers()))).tobytes(), ways("total")


def sum_in_a_field():
    loss, other = qd.field(qd.f64, ()), qd.field(qd.f32, N)
    other.from_numpy(numbers())

    @qd.kernel
    def total():
        for i in other:
            loss[None] += qd.cast(other[i], qd.f64) * 0.1

    total()
    return loss.to_numpy().tobytes(), ways("total")


def sum_in_a_large_array():
    """One sum of many numbers; privatised copies of the array would be too large."""
    out, x = qd.ndarray(qd.f32, 2_000_000), device(numbers())

    @qd.kernel
    def total(out: A(qd.f32, 1), x: A(qd.f32, 1)):
        for i in x:
            out[7] += x[i]

    total(out, x)
    return out.to_numpy().tobytes(), ways("total")


def histogram():
    out = qd.ndarray(qd.f32, 1000)

    @qd.kernel
    def scatter(out: A(qd.f32, 1), to: A(qd.i32, 1), x: A(qd.f32, 1)):
        for i in x:
            out[to[i]] += x[i]

    scatter(out, device(places(), qd.i32), device(numbers()))
    return out.to_numpy().tobytes(), ways("scatter")


def scatter_far():
    out = qd.ndarray(qd.f32, 4_000_000)

    @qd.kernel
    def scatter(out: A(qd.f32, 1), to: A(qd.i32, 1), x: A(qd.f32, 1)):
        for i in x:
            out[to[i] % 50 * 7919] += x[i]

    scatter(out, device(places(), qd.i32), device(numbers()))
    return out.to_numpy().tobytes(), ways("scatter")


def in_half():
    out = qd.ndarray(qd.f16, 100)

    @qd.kernel
    def scatter(out: A(qd.f16, 1), to: A(qd.i32, 1), x: A(qd.f32, 1)):
        for i in x:
            out[to[i] % 100] += qd.cast(x[i] * 1e-5, qd.f16)

    scatter(out, device(places(), qd.i32), device(numbers()))
    return out.to_numpy().tobytes(), ways("scatter")


def old_values():
    count, order = qd.ndarray(qd.i32, 1), qd.ndarray(qd.i32, N)

    @qd.kernel
    def queue(count: A(qd.i32, 1), order: A(qd.i32, 1), to: A(qd.i32, 1)):
        for i in to:
            if to[i] % 3 == 0:
                order[qd.atomic_add(count[0], 1)] = i

    queue(count, order, device(places(), qd.i32))
    return order.to_numpy().tobytes(), ways("queue")


def looked_at():
    out = qd.ndarray(qd.f32, 1000)

    @qd.kernel
    def limited(out: A(qd.f32, 1), to: A(qd.i32, 1), x: A(qd.f32, 1)):
        for i in x:
            if out[to[i]] < 1.0:
                out[to[i]] += x[i]

    limited(out, device(places(), qd.i32), device(numbers()))
    return out.to_numpy().tobytes(), ways("limited")


def whole_numbers():
    out, low, high = qd.ndarray(qd.i32, 1000), qd.ndarray(qd.f32, 1000), qd.ndarray(qd.f32, 1000)

    @qd.kernel
    def many(out: A(qd.i32, 1), low: A(qd.f32, 1), high: A(qd.f32, 1), to: A(qd.i32, 1), x: A(qd.f32, 1)):
        for i in x:
            out[to[i]] += i
            qd.atomic_min(low[to[i]], x[i])
            qd.atomic_max(high[to[i]], x[i])

    many(out, low, high, device(places(), qd.i32), device(numbers()))
    return out.to_numpy().tobytes() + low.to_numpy().tobytes() + high.to_numpy().tobytes(), None


def members_of_cells():
    """Two fields of one cell are accumulated; others of the tree are read."""
    x, m, unused = qd.field(qd.f32), qd.field(qd.f32), qd.field(qd.f32)
    v = qd.Vector.field(2, qd.f32)
    qd.root.dense(qd.i, N).place(x, unused)
    qd.root.dense(qd.ij, (32, 32)).place(v, m)
    x.from_numpy(numbers())
    to = device(places(), qd.i32)

    @qd.kernel
    def p2g(to: A(qd.i32, 1)):
        for i in x:
            for a, b in qd.static(qd.ndrange(2, 2)):
                cell = qd.Vector([to[i] % 31 + a, to[i] // 33 + b])
                v[cell] += qd.Vector([x[i], -0.3 * x[i]]) * (0.25 + a)
                m[cell] += x[i] * 0.7

    p2g(to)
    return v.to_numpy().tobytes() + m.to_numpy().tobytes(), ways("p2g")


def pairs():
    """Inner loops add to every element, and each thread has its own sums."""
    force = qd.ndarray(qd.f32, 700)

    @qd.kernel
    def all_pairs(force: A(qd.f32, 1), x: A(qd.f32, 1)):
        for i in range(700):
            for j in range(700):
                force[j] += x[i] * x[j + 700]

    all_pairs(force, device(numbers()))
    return force.to_numpy().tobytes(), None


def gradients():
    x, loss = qd.field(qd.f32, 1000, needs_grad=True), qd.field(qd.f32, (), needs_grad=True)
    x.from_numpy(numbers(1000))
    to, w = device(places(), qd.i32), device(numbers())

    @qd.kernel
    def gather(to: A(qd.i32, 1), w: A(qd.f32, 1)):
        for i in w:
            loss[None] += w[i] * x[to[i]] * x[to[i]]

    loss.grad[None] = 1.0
    gather(to, w)
    gather.grad(to, w)
    return x.grad.to_numpy().tobytes() + loss.to_numpy().tobytes(), None


def sparse_blocks():
    x = qd.field(qd.f32)
    qd.root.pointer(qd.i, 64).dense(qd.i, 16).place(x)

    @qd.kernel
    def scatter(to: A(qd.i32, 1), w: A(qd.f32, 1)):
        for i in w:
            x[to[i]] += w[i]

    scatter(device(places(), qd.i32), device(numbers()))
    return np.array([x[i] for i in range(0, 1000, 37)], np.float32).tobytes(), ways("scatter")


def rounding_of_lanes():
    """There is no reduction, but SIMD lanes and the remainder loop may round differently."""
    y, x = qd.ndarray(qd.f32, N), device(numbers())

    @qd.kernel
    def f(y: A(qd.f32, 1), x: A(qd.f32, 1)):
        for i in x:
            y[i] = qd.exp(qd.sin(x[i]) / 3.0 + x[i] * 1e-3) + qd.sqrt(qd.abs(x[i]))

    f(y, x)
    return y.to_numpy().tobytes(), None


def random_numbers():
    out = qd.ndarray(qd.f32, N)
    first = qd.ndarray(qd.f32, 4)

    @qd.kernel
    def draw(out: A(qd.f32, 1), first: A(qd.f32, 1)):
        first[0] = qd.random()
        for i in out:
            out[i] = qd.random() + qd.cast(qd.random(qd.i32) % 7, qd.f32)
        first[1] = qd.random()

    draw(out, first)
    once = out.to_numpy(), first.to_numpy()
    draw(out, first)
    twice = out.to_numpy(), first.to_numpy()
    assert len({*once[0].tolist()}) > N // 3 and (once[0] != twice[0]).mean() > 0.9  # numbers differ among indices and launches
    assert len({*once[1][:2], *twice[1][:2]}) == 4
    return b"".join(a.tobytes() for a in (*once, *twice)), None


def two_axes():
    out = qd.field(qd.f32, (300, 7))
    x = qd.field(qd.f32, (300, 400))
    x.from_numpy(numbers(120_000).reshape(300, 400))

    @qd.kernel
    def rows():
        for i, j in x:
            out[i, j % 7] += x[i, j]

    rows()
    return out.to_numpy().tobytes(), ways("rows")


PARTS, ONE = ["parts"], ["one_thread"]
PROGRAMS = {
    local_sum: PARTS, sum_in_a_field: PARTS, sum_in_a_large_array: ONE, histogram: PARTS, scatter_far: ONE, in_half: ONE, old_values: ONE,
    looked_at: ONE, whole_numbers: None, members_of_cells: PARTS, pairs: None, gradients: None, sparse_blocks: ONE,
    rounding_of_lanes: None, random_numbers: None, two_axes: PARTS,
}  # fmt: skip


def bits(program, arch, threads, **options):
    qd.init(arch=arch, cpu_max_num_threads=threads, offline_cache=False, random_seed=5, print_full_traceback=True, **options)
    return program()


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_every_number_of_threads_gives_the_same_bits(arch, program):
    first, how = bits(program, arch, 1, deterministic=True)
    if arch == "cpu" and PROGRAMS[program]:
        assert how == PROGRAMS[program]
    for threads in THREADS:
        for _ in range(2):
            again, way = bits(program, arch, threads, deterministic=True)
            assert again == first
            assert way == how


@pytest.mark.parametrize("program", [histogram, members_of_cells, pairs, local_sum], ids=lambda p: p.__name__)
def test_other_orders_of_sums_give_other_bits(arch, program):
    """Justifies the test above: sums in another order have different bits."""
    if arch != "cpu":
        pytest.skip("runs on one thread")
    first = bits(program, arch, 1)[0]
    assert any(bits(program, arch, threads)[0] != first for _ in range(20) for threads in THREADS)  # another thread may start too late


@pytest.mark.parametrize("options", [{"fast_math": False}, {"make_thread_local": False}, {"opt_level": 0}, {"advanced_optimization": False}], ids=str)
@pytest.mark.parametrize("program", [local_sum, histogram, members_of_cells, pairs], ids=lambda p: p.__name__)
def test_with_other_options(arch, program, options):
    assert len({bits(program, arch, threads, deterministic=True, **options)[0] for threads in (1, 3, 8)}) == 1


def test_one_deterministic_loop(arch):
    def run(threads):
        qd.init(arch=arch, cpu_max_num_threads=threads, offline_cache=False)
        kept, free = qd.ndarray(qd.f32, 1000), qd.ndarray(qd.f32, 1000)

        @qd.kernel
        def scatter(kept: A(qd.f32, 1), free: A(qd.f32, 1), to: A(qd.i32, 1), x: A(qd.f32, 1)):
            qd.loop_config(deterministic=True)
            for i in x:
                kept[to[i]] += x[i]
            for i in x:
                free[to[i]] += x[i]

        scatter(kept, free, device(places(), qd.i32), device(numbers()))
        return kept.to_numpy().tobytes(), free.to_numpy(), ways("scatter")

    all_of_them = [run(threads) for threads in THREADS]
    assert len({kept for kept, _, _ in all_of_them}) == 1
    if arch == "cpu":
        assert [how for _, _, how in all_of_them] == [["parts", "unlocked"]] + [["parts", "copies"]] * 4
    for _, free, _ in all_of_them:
        np.testing.assert_allclose(free, np.frombuffer(all_of_them[0][0], np.float32), rtol=1e-3, atol=1e3)


@pytest.mark.parametrize("program", [histogram, members_of_cells, local_sum, pairs, two_axes, sparse_blocks], ids=lambda p: p.__name__)
def test_the_results_are_right(arch, program):
    """Results equal those without `deterministic`, up to rounding."""
    ordered = np.frombuffer(bits(program, arch, 3, deterministic=True)[0], np.float32)
    plain = np.frombuffer(bits(program, arch, 1)[0], np.float32)
    np.testing.assert_allclose(ordered, plain, rtol=1e-2, atol=float(np.abs(numbers()).max()) * 1e-4)


def test_ranges_of_all_lengths(arch):
    """Lengths from those that run as one piece to those that are split into many parts."""
    lengths = [0, 1, 7, 63, 1000, 4097, 30_000]

    def run(threads):
        qd.init(arch=arch, cpu_max_num_threads=threads, offline_cache=False, deterministic=True)

        @qd.kernel
        def scatter(out: A(qd.f32, 1), to: A(qd.i32, 1), x: A(qd.f32, 1)):
            for i in x:
                out[to[i] % 10] += x[i]

        found = []
        for n in lengths[1:]:
            out = qd.ndarray(qd.f32, 10)
            scatter(out, device(places(n), qd.i32), device(numbers(n)))
            expected = np.zeros(10)
            np.add.at(expected, places(n) % 10, numbers(n).astype(np.float64))
            np.testing.assert_allclose(out.to_numpy(), expected, rtol=1e-3, atol=1.0)
            found.append(out.to_numpy().tobytes())
        return found

    assert run(1) == run(2) == run(8) == run(64)


def test_stop_and_assertions_keep_completed_iterations(arch):
    if arch != "cpu":
        pytest.skip("runs on one thread")
    qd.init(arch=arch, cpu_max_num_threads=3, offline_cache=False, deterministic=True, debug=True)
    out = qd.ndarray(qd.f32, 100)

    @qd.kernel
    def scatter(out: A(qd.f32, 1), to: A(qd.i32, 1), last: qd.i32):
        for i in to:
            assert i < last, "far enough"
            out[to[i] % 100] += 1.0

    to = device(places(400_000), qd.i32)
    with pytest.raises(AssertionError, match="far enough"):
        scatter(out, to, 399_999)  # the last iteration: its thread has run others before
    assert 0 < out.to_numpy().sum() <= 399_999
    out.fill(0)
    scatter(out, to, 400_000)  # copies are empty again
    assert out.to_numpy().sum() == 400_000


def test_two_arguments_over_the_same_memory(arch):
    def run(threads):
        qd.init(arch=arch, cpu_max_num_threads=threads, offline_cache=False, deterministic=True)

        @qd.kernel
        def scatter(a: A(qd.f32, 1), b: A(qd.f32, 1), to: A(qd.i32, 1), x: A(qd.f32, 1)):
            for i in x:
                a[to[i]] += x[i]
                b[999 - to[i]] += x[i] * 0.3

        out = qd.ndarray(qd.f32, 1000)
        scatter(out, out, device(places(), qd.i32), device(numbers()))
        return out.to_numpy().tobytes(), ways("scatter")

    assert len({run(threads)[0] for threads in (1, 2, 8)}) == 1
    if arch == "cpu":
        assert run(2)[1] == ["one_thread"]


RUN = """
    import numpy as np, sys, zlib
    import quadrants as qd
    qd.init(arch=qd.cpu, deterministic=True, offline_cache_file_path=sys.argv[1], cpu_max_num_threads=int(sys.argv[2]))
    x = qd.ndarray(qd.f32, 200_000)
    out = qd.ndarray(qd.f32, 500)
    rng = np.random.default_rng(0)
    x.from_numpy((rng.standard_normal(200_000) * 10.0 ** rng.integers(-4, 5, 200_000)).astype(np.float32))

    @qd.kernel
    def f(out: qd.types.ndarray(qd.f32, 1), x: qd.types.ndarray(qd.f32, 1)) -> qd.f32:
        s = 0.0
        for i in x:
            a = qd.sin(x[i])
            for k in qd.static(range(40)):
                a = qd.cos(a * 0.9 + k) + a * a * 0.1
            s += a
            out[i % 500] += a * x[i]
            out[(i + 7) % 500] += qd.random()
        return s

    for _ in range(3):
        print(np.float32(f(out, x)).tobytes().hex(), zlib.crc32(out.to_numpy().tobytes()))
"""


def test_every_run_gives_the_same_bits(arch, tmp_path):
    """This holds cold and from the cache; the first launch does not use code that is replaced later."""
    if arch != "cpu":
        pytest.skip("looks at what is compiled")
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(RUN))

    def run(cache, threads):
        env = {k: v for k, v in os.environ.items() if k != "QD_SHARE_LITTLE"}
        done = subprocess.run([sys.executable, program, tmp_path / cache, str(threads)], capture_output=True, text=True, env=env, check=True)
        return done.stdout.splitlines()[-3:]

    first = run("a", 2)
    assert len(set(first)) == 3
    assert first == run("a", 2) == run("b", 1) == run("b", 5)
