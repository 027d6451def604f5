"""Atomics of every type, on every kind of lvalue, and updates of variables."""

import math
import concurrent.futures
import time
import warnings

import numpy as np
import pytest
import quadrants as qd
from test_operator_table import KINDS, NUMPY, array_of, made, real, samples, wrap

ATOMICS = "add sub mul min max and or xor exchange".split()


def model(op, kind, old, amount):
    if real(kind):
        x, y = np.float64(old), np.float64(amount)
        table = {"add": x + y, "sub": x - y, "mul": x * y, "min": min(x, y), "max": max(x, y), "exchange": y}
        wide = np.float32 if kind == "f16" else NUMPY[kind].type
        return NUMPY[kind].type(wide(table[op]))
    table = {
        "add": old + amount, "sub": old - amount, "mul": old * amount, "min": min(old, amount), "max": max(old, amount),
        "exchange": amount, "and": old & amount, "or": old | amount, "xor": old ^ amount,
    }  # fmt: skip
    return wrap(kind, table[op])


PLACES = {
    "array": "qd.atomic_{op}(x[0], a[i])",
    "field": "qd.atomic_{op}(f[None], a[i])",
    "vector": "qd.atomic_{op}(v[None], qd.Vector([a[i], a[i]]))[1]",
    "private": "qd.atomic_{op}(p, a[i])",
    "shared": "qd.atomic_{op}(s, a[i])",
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("place", PLACES)
def test_old_values_and_results(kind, place):
    """The iterations update the lvalue in order. `shared` is a variable of the kernel in a parallel loop."""
    t = getattr(qd, kind)
    for op in ATOMICS if not real(kind) else [o for o in ATOMICS if o not in ("and", "or", "xor")]:
        amounts = [v for v in samples(kind) if not real(kind) or abs(v) < 50]
        loop = "    for j in range(1):\n        for i in range(a.shape[0]):\n" if place == "shared" else "    qd.loop_config(serialize=True)\n    for i in range(a.shape[0]):\n"
        inside = "            " if place == "shared" else "        "
        source = (
            "def k(a: A, old: A, x: A):\n    s = qd.cast(1, T)\n    p = qd.cast(1, T)\n    x[0] = s\n    f[None] = s\n    v[None] = qd.Vector([s, s])\n"
            f"{loop}{inside}old[i] = {PLACES[place].format(op=op)}\n"
            f"    x[0] = {dict(array='x[0]', field='f[None]', vector='v[None][1]', private='p', shared='s')[place]}\n"
        )
        f, v = qd.field(t, ()), qd.Vector.field(2, t, ())
        a = np.array(amounts, NUMPY[kind])
        old, x = np.zeros_like(a), np.zeros(1, a.dtype)
        made(source, {"qd": qd, "A": array_of(kind), "T": t, "f": f, "v": v})(a, old, x)
        value, expected = NUMPY[kind].type(1) if real(kind) else 1, []
        for amount in amounts:
            expected.append(value)
            value = model(op, kind, value, amount)
        assert old.tolist() == np.array(expected, a.dtype).tolist(), op
        assert x[0] == value, op


@pytest.mark.parametrize("kind", [k for k in KINDS if k != "u1"])
def test_many_threads(kind):
    t, n = getattr(qd, kind), 10000
    f = qd.field(t, 6)

    @qd.kernel
    def k() -> (qd.f64, qd.f64, qd.f64):
        total = qd.cast(0, t)
        low = qd.cast(100, t)
        high = qd.cast(0, t)
        for i in range(n):
            amount = qd.cast(i % 50 == 7, t)
            f[0] += amount
            f[1] -= amount
            qd.atomic_max(f[2], qd.cast(i % 100, t))
            qd.atomic_min(f[3], qd.cast(i % 90 + 3, t))
            total += amount
            qd.atomic_min(low, qd.cast(i % 90 + 3, t))
            qd.atomic_max(high, qd.cast(i % 100, t))
        return qd.cast(total, qd.f64), qd.cast(low, qd.f64), qd.cast(high, qd.f64)

    f[3] = 50
    total, low, high = k()
    count = n // 50 if real(kind) else wrap(kind, n // 50)
    assert (total, low, high) == (count, 3, 99)
    assert (f[0], f[2], f[3]) == (count, 99, 3)
    assert f[1] == (-count if real(kind) else wrap(kind, -count))


def test_tickets():
    """Each thread gets a different old value, from a field and from a variable of the kernel."""
    n = 20000

    @qd.kernel
    def k(a: qd.types.ndarray(qd.i32, ndim=1), b: qd.types.ndarray(qd.i32, ndim=1), c: qd.types.ndarray(qd.i32, ndim=1)):
        ticket = 0
        for i in range(n):
            a[qd.atomic_add(c[0], 1)] += 1
            b[qd.atomic_add(ticket, 1)] += 1

    a, b = np.zeros(n, np.int32), np.zeros(n, np.int32)
    k(a, b, np.zeros(1, np.int32))
    assert (a == 1).all() and (b == 1).all()


def test_exchange_and_compare_of_a_shared_variable():
    @qd.kernel
    def k(seen: qd.types.ndarray(qd.i32, ndim=1)) -> (qd.i32, qd.i32):
        last = -1
        first = -1
        for i in range(5000):
            before = qd.atomic_exchange(last, i)
            if before >= 0:
                seen[before] += 1
            qd.atomic_cas(first, -1, i)
        return last, first

    seen = np.zeros(5000, np.int32)
    last, first = k(seen)
    seen[last] += 1
    assert (seen == 1).all()
    assert 0 <= first < 5000


def test_an_integer_variable_and_a_real_amount():
    """The amount is converted first, then added atomically."""

    @qd.kernel
    def k(x: qd.types.ndarray(qd.i32, ndim=1), n: qd.i32) -> (qd.i32, qd.i32, qd.i32):
        s = 0
        m = 0
        for i in range(n):
            s += 1.75
            m -= qd.f64(2.5)
            x[0] += 3.5
        p = 1
        p += 0.5
        return s, m, p

    x = np.zeros(1, np.int32)
    with pytest.warns(UserWarning) as seen:
        assert k(x, 20000) == (20000, -40000, 1)
    assert x[0] == 60000
    texts = {str(w.message) for w in seen}
    for begin, remedy in (("Atomic add may lose precision: i32 <- f32", "`s = 0.0`"), ("Atomic sub may lose precision: i32 <- f64", "`m = 0.0`")):
        assert any(text.startswith(begin) and remedy in text for text in texts), texts


def test_an_integer_times_a_real_is_converted_last():
    f = qd.field(qd.i32, ())

    @qd.kernel
    def k() -> qd.i32:
        s = 3
        s *= 2.5
        f[None] = 3
        f[None] *= 2.5
        return s

    with pytest.warns(UserWarning, match="Assign may lose precision: i32 <- f32"):
        assert k() == 7
    assert f[None] == 7


def test_amounts_of_another_width():
    @qd.kernel
    def k(a: qd.u8, b: qd.i64, c: qd.f64) -> (qd.i32, qd.f32):
        s = a
        x = qd.f32(0.0)
        for i in range(3000):
            s += b
            x += c
        return s, x

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert k(1, 2**40 + 3, 0.5) == (wrap("u8", 1 + 9000), 1500)


def test_vectors_and_matrices():
    m = qd.Matrix.field(2, 3, qd.i32, shape=4)

    @qd.kernel
    def k() -> qd.types.matrix(2, 3, qd.i32):
        total = qd.Matrix.zero(qd.i32, 2, 3)
        for i in range(8000):
            m[i % 4] += qd.Matrix([[1, 2, 3], [4, 5, i % 2]])
            qd.atomic_max(m[i % 4], 7)
            total += qd.Matrix([[1, 2, 3], [4, 5, i % 2]])
            total[1, 0] -= 4
        return total

    total = k()
    assert total.to_list() == [[8000, 16000, 24000], [0, 40000, 4000]]
    assert [m[0][0, 1], m[3][1, 2]] == [pytest.approx(4000, abs=7), pytest.approx(2000, abs=7)]


def test_old_values_of_a_matrix():
    @qd.kernel
    def k() -> (qd.i32, qd.i32):
        v = qd.Vector([3, 4])
        old = qd.atomic_add(v, qd.Vector([10, 20]))
        return old[0] * 100 + old[1], v[0] * 100 + v[1]

    assert k() == (304, 1324)


def test_a_thread_sees_its_own_updates():
    """Demoting atomics does not change any value that the thread reads."""

    @qd.kernel
    def k(a: qd.types.ndarray(qd.i32, ndim=1), seen: qd.types.ndarray(qd.i32, ndim=2)):
        for i in a:
            old = a[i]
            a[i] += 1
            seen[i, 0] = old
            seen[i, 1] = a[i]
            seen[i, 2] = qd.atomic_mul(a[i], 2)
            a[i] -= 3
            seen[i, 3] = a[i]

    a, seen = np.arange(100, dtype=np.int32), np.zeros((100, 4), np.int32)
    k(a, seen)
    i = np.arange(100)
    assert (seen == np.stack([i, i + 1, i + 1, 2 * i - 1], 1)).all()
    assert (a == 2 * i - 1).all()


def test_reductions_of_reals():
    @qd.kernel
    def k(x: qd.types.ndarray(qd.f64, ndim=1)) -> (qd.f64, qd.f64, qd.f64):
        total = qd.f64(0.0)
        low = qd.f64(1e30)
        high = qd.f64(-1e30)
        for i in x:
            total += x[i]
            qd.atomic_min(low, x[i])
            qd.atomic_max(high, x[i])
        return total, low, high

    x = np.random.default_rng(1).standard_normal(30000)
    total, low, high = k(x)
    assert total == pytest.approx(x.sum(), rel=1e-10) and (low, high) == (x.min(), x.max())


def test_product():
    @qd.kernel
    def k(n: qd.i32) -> (qd.f64, qd.i32):
        p = qd.f64(1.0)
        q = 1
        for i in range(n):
            p *= 2.0 if i % 2 == 0 else 0.5
            q *= 3
        return p, q

    assert k(10000) == (1.0, wrap("i32", pow(3, 10000, 2**32)))


def test_volatile_load():
    f = qd.field(qd.i32, 2)

    @qd.kernel
    def k(x: qd.types.ndarray(qd.f64, ndim=1)) -> (qd.i32, qd.f64):
        f[1] = 5
        return qd.volatile_load(f[1]), qd.volatile_load(x[0])

    assert k(np.array([2.5])) == (5, 2.5)


def test_volatile_loads_only_read():
    @qd.kernel
    def k(x: qd.types.ndarray(qd.f32, ndim=1)) -> qd.f32:
        return qd.volatile_load(x[1])

    x = np.array([1.0, -2.5], np.float32)
    x.flags.writeable = False
    assert k(x) == -2.5

    for level in ("pointer", "bitmasked"):
        f = qd.field(qd.f32)
        block = getattr(qd.root, level)(qd.i, 4)
        block.place(f)

        @qd.kernel
        def read() -> qd.f32:
            return qd.volatile_load(f[2])

        @qd.kernel
        def active() -> qd.i32:
            return qd.is_active(block, 2)

        assert read() == 0
        assert not active()
        f[2] = 7
        assert read() == 7 and active()


def test_volatile_loads_see_what_others_store(memory_in_reach):
    @qd.kernel
    def wait(x: qd.types.ndarray(qd.i32, ndim=1)) -> qd.i32:
        print("waits")
        while qd.volatile_load(x[0]) == 0:
            pass
        return x[1]

    x = np.zeros(2, np.int32)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        found = pool.submit(wait, x)
        time.sleep(0.2)
        assert not found.done()
        x[1] = 5
        x[0] = 1
        assert found.result() == 5


def test_volatile_loads_in_printed_ir(capfd, arch):
    qd.init(arch=arch, print_ir=True, offline_cache=False)
    f = qd.field(qd.i32, 2)

    @qd.kernel
    def k() -> qd.i32:
        return qd.volatile_load(f[1])

    assert k() == 0
    assert "global load volatile" in "".join(capfd.readouterr())


def test_from_python():
    x = qd.field(qd.i32, 1)
    for name in ATOMICS + ["cas"]:
        with pytest.raises(qd.QuadrantsSyntaxError, match="can only be used in kernels"):
            getattr(qd, "atomic_" + name)(x[0], 1, *[2] * (name == "cas"))


@pytest.mark.parametrize("n", [1, 5, 1000, 60_000])
@pytest.mark.parametrize("dtype", [qd.f16, qd.f32, qd.f64], ids=str)
def test_extrema_of_nan(n, dtype):
    @qd.kernel
    def smallest(x: qd.types.ndarray(dtype, 1), out: qd.types.ndarray(dtype, 1)):
        for i in x:
            qd.atomic_min(out[0], x[i])

    @qd.kernel
    def largest(x: qd.types.ndarray(dtype, 1), out: qd.types.ndarray(dtype, 1)):
        for i in x:
            qd.atomic_max(out[0], x[i])

    x, out = qd.ndarray(dtype, n), qd.ndarray(dtype, 1)
    for kernel in (smallest, largest):
        x.fill(math.nan)
        out.fill(math.nan)
        kernel(x, out)
        assert math.isnan(out[0])
        x[n // 2] = 2.0
        kernel(x, out)
        assert out[0] == 2.0
