"""Accesses to elements of fields and arrays, and atomics on them."""

import numpy as np
import pytest
import quadrants as qd


def test_fields_of_any_rank():
    f = qd.field(qd.f32, shape=(4, 3))
    total = qd.field(qd.i32, shape=())
    v = qd.Vector.field(2, qd.f32, shape=(4, 3))

    @qd.kernel
    def k() -> qd.i32:
        for i, j in f:
            f[i, j] = i * 10 + j
        for I in qd.grouped(f):
            f[I] += I[0] * 100
            v[I] = I
            v[I] = v[I] * 2.0 + f[I]
        for i in range(12):
            total[None] += i
        return total[None]

    assert k() == 66
    expected = np.arange(4)[:, None] * 110 + np.arange(3)
    np.testing.assert_allclose(f.to_numpy(), expected)
    grid = np.stack(np.meshgrid(np.arange(4), np.arange(3), indexing="ij"), -1)
    np.testing.assert_allclose(v.to_numpy(), grid * 2.0 + expected[..., None])


@pytest.mark.parametrize("layout", [qd.Layout.AOS, qd.Layout.SOA])
def test_matrix_fields(layout):
    m = qd.Matrix.field(2, 2, qd.f32, shape=5, layout=layout)

    @qd.kernel
    def k():
        for i in m:
            m[i] = qd.Matrix([[1.0, 2.0], [3.0, 4.0]]) * i
            m[i][0, 1] += 0.5
            m[i] = m[i] @ m[i]

    k()
    for i in range(5):
        one = np.array([[1.0, 2], [3, 4]]) * i
        one[0, 1] += 0.5
        np.testing.assert_allclose(m[i].to_numpy(), one @ one)


def test_run_time_component_of_a_field():
    v = qd.Vector.field(3, qd.i32, shape=4)

    @qd.kernel
    def k():
        for i in v:
            for c in range(3):
                v[i][c] = i * 10 + c

    k()
    assert (v.to_numpy() == np.add.outer(np.arange(4) * 10, np.arange(3))).all()


def test_offset():
    f = qd.field(qd.i32, shape=4, offset=-2)

    @qd.kernel
    def k():
        for i in f:
            f[i] = i
        f[-2] += 100

    k()
    assert [f[i] for i in range(-2, 2)] == [98, -1, 0, 1]


def test_atomics_give_the_old_value():
    @qd.kernel
    def k(x: qd.types.ndarray(qd.i32, ndim=1)) -> qd.i32:
        a = qd.atomic_add(x[0], 5)
        b = qd.atomic_max(x[1], 7)
        c = qd.atomic_min(x[2], -1)
        local = 3
        d = qd.atomic_add(local, 4)
        x[3] |= 6
        x[4] -= 3
        e = qd.atomic_sub(x[5], 2)
        return a + b * 10 + c * 100 + d * 1000 + local * 10000 + e * 100000

    x = np.array([1, 2, 3, 9, 5, 4], np.int32)
    assert k(x) == 1 + 20 + 300 + 3000 + 70000 + 400000
    assert x.tolist() == [6, 7, -1, 15, 2, 2]


def test_atomics_of_vectors():
    v = qd.Vector.field(2, qd.f32, shape=())

    @qd.kernel
    def k(n: qd.i32):
        for i in range(n):
            v[None] += qd.Vector([1.0, 0.5])
            qd.atomic_max(v[None], qd.Vector([0.0, 10.0]))

    k(100)
    assert v[None][0] == 100
    assert v[None][1] >= 10


def test_every_thread_counts():
    @qd.kernel
    def k(x: qd.types.ndarray(qd.i32, ndim=1), n: qd.i32):
        for i in range(n):
            x[i % 7] += 1

    x = np.zeros(7, np.int32)
    k(x, 7000)
    assert (x == 1000).all()


def test_clamped_array():
    @qd.kernel
    def k(x: qd.types.ndarray(qd.i32, ndim=1, boundary="clamp")) -> qd.i32:
        return x[-5 + x.shape[0] - 3] * 100 + x[x.shape[0] + 7]

    assert k(np.array([1, 2, 3], np.int32)) == 103


def test_clamped_arrays_are_not_checked(arch):
    for arch_of_test in (arch, qd.python):
        qd.init(arch=arch_of_test, debug=True, print_full_traceback=True)

        @qd.kernel
        def k(x: qd.types.ndarray(qd.i32, ndim=1, boundary="clamp"), i: qd.i32) -> qd.i32:
            x[i] = 5
            return x[i + 100] * 10 + x.shape[0]

        array = qd.ndarray(qd.i32, 3)
        for given in (array, np.zeros(3, np.int32)):
            assert k(given, 9) == 53
            assert k(given, -9) == 53 and given[0] == given[2] == 5 and given[1] == 0


def test_out_of_bounds_in_debug_mode(arch):
    qd.init(arch=arch, debug=True, print_full_traceback=True)
    f = qd.field(qd.i32, shape=3)

    @qd.kernel
    def array(x: qd.types.ndarray(qd.i32, ndim=2), i: qd.i32):
        x[i, 0] = 1

    @qd.kernel
    def field(i: qd.i32):
        f[i] = 1

    @qd.kernel
    def vector(i: qd.i32) -> qd.i32:
        v = qd.Vector([1, 2])
        return v[i]

    x = np.zeros((2, 2), np.int32)
    with pytest.raises(AssertionError, match=r"\[kernel=.*array\] Out of bound access to ndarray at arg 0 with indices \[2, 0\]"):
        array(x, 2)
    with pytest.raises(RuntimeError, match=r"Accessing field \(.*\) of size \(3\) with indices \(-1\)"):
        field(-1)
    with pytest.raises(AssertionError, match=r"Out of bound access to a \[2\] matrix with index \[5\]"):
        vector(5)
    array(x, 1)
    assert x[1, 0] == 1


@pytest.mark.parametrize("options", [{}, {"debug": True}])
@pytest.mark.parametrize("kind", ["ndarray", "numpy"])
@pytest.mark.parametrize("rank", [0, 1, 2, 3])
def test_components_of_clamped_arrays(rank, kind, options, arch):
    """A component index is clamped as one row-major number, so nothing outside of the element is read or written."""
    matrix, vector = qd.types.matrix(2, 3, qd.i32), qd.types.vector(3, qd.i32)
    cases = [(-1, 2, 0), (-5, 0, 0), (0, 4, 4), (1, 3, 5), (2, 0, 5), (1, 1, 4), (0, -7, 0), (100, 100, 5), (-(2**20), 9, 0)]
    shape = (3, 3, 3)[:rank]
    middle = (1,) * rank

    @qd.kernel
    def read(a: qd.types.ndarray(matrix, ndim=rank, boundary="clamp"), i: qd.i32, j: qd.i32) -> qd.i32:
        return a[middle][i, j]

    @qd.kernel
    def write(a: qd.types.ndarray(matrix, ndim=rank, boundary="clamp"), i: qd.i32, j: qd.i32) -> qd.i32:
        a[middle][i, j] = 100
        old = qd.atomic_add(a[middle][i, j], 10)
        a[middle][i, j] += 1
        return old

    @qd.kernel
    def row(a: qd.types.ndarray(matrix, ndim=rank, boundary="clamp"), i: qd.i32) -> vector:
        a[middle][i, :] += 7
        return a[middle][i, :]

    @qd.kernel
    def of_vector(a: qd.types.ndarray(vector, ndim=rank, boundary="clamp"), i: qd.i32) -> qd.i32:
        old = qd.atomic_max(a[middle][i], 50)
        a[middle][i] += 1
        return old

    for each in (arch, qd.python):
        qd.init(arch=each, print_full_traceback=True, offline_cache=False, **options)

        def made(element):
            values = np.arange(np.prod(shape + element, dtype=int), dtype=np.int32).reshape(shape + element)
            if kind == "numpy":
                return values.copy(), values, lambda a: a
            a = qd.Matrix.ndarray(*element, qd.i32, shape) if len(element) == 2 else qd.Vector.ndarray(*element, qd.i32, shape)
            a.from_numpy(values)
            return a, values, lambda a: a.to_numpy()

        for i, j, k in cases:
            a, values, seen = made((2, 3))
            component = middle + divmod(k, 3)
            assert read(a, i, j) == values[component]
            assert write(a, i, j) == 100
            values[component] = 111
            np.testing.assert_array_equal(seen(a), values)
        for i, all_of_row in [(-3, [0, 0, 0]), (1, [3, 4, 5]), (2, [5, 5, 5])]:
            a, values, seen = made((2, 3))
            got = row(a, i)
            now = seen(a)
            assert got.to_list() == [now[middle + divmod(k, 3)] for k in all_of_row]
            for k in range(6):
                if k not in all_of_row:
                    assert now[middle + divmod(k, 3)] == values[middle + divmod(k, 3)]
            values[middle] = now[middle]
            np.testing.assert_array_equal(now, values)
        for i, k in [(-1, 0), (3, 2), (1, 1), (1 << 20, 2)]:
            a, values, seen = made((3,))
            assert of_vector(a, i) == values[middle + (k,)]
            values[middle + (k,)] = max(values[middle + (k,)], 50) + 1
            np.testing.assert_array_equal(seen(a), values)


@pytest.mark.parametrize("options", [{}, {"debug": True}])
def test_clamped_views(options, arch):
    from quadrants._storage.buffer_view import BufferViewType

    @qd.kernel
    def change(v: BufferViewType(qd.i32, boundary="clamp"), i: qd.i32) -> qd.i32:
        v[i] += 100
        part = v.subview(1, 2)
        return part[i]

    for each in (arch, qd.python):
        qd.init(arch=each, print_full_traceback=True, offline_cache=False, **options)
        for i, at, in_part in [(-1, 3, 4), (9, 6, 5), (1, 4, 5)]:
            a = qd.ndarray(qd.i32, 10)
            a.from_numpy(np.arange(10, dtype=np.int32))
            expected = np.arange(10)
            expected[at] += 100
            assert change(qd.BufferView(a, 3, 4), i) == expected[in_part]
            np.testing.assert_array_equal(a.to_numpy(), expected)
