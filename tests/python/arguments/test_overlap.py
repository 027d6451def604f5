"""Arguments that share memory with each other or with fields: a kernel that writes through one reads the value through the other."""

import dataclasses

import numpy as np
import pytest
import quadrants as qd

I32 = qd.types.ndarray(qd.i32, ndim=1)
F32 = qd.types.ndarray(qd.f32, ndim=1)
VIEWS = {"dlpack": np.from_dlpack, "numpy": lambda f: f.to_numpy(copy=False), "part": lambda f: f.to_numpy(copy=False)[:3]}


@pytest.mark.usefixtures("memory_in_reach")
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("shared_tree", [False, True])
def test_an_array_in_a_field(view, shared_tree):
    if shared_tree:
        f, beside = qd.field(qd.i32), qd.field(qd.i32)
        qd.root.dense(qd.i, 8).place(f)
        qd.root.dense(qd.i, 8).place(beside)
    else:
        f = qd.field(qd.i32, 8)
    other = np.zeros(8, np.int32)

    @qd.kernel
    def write_array(a: I32) -> qd.i32:
        f[0] = 1
        a[0] = 5
        return f[0]

    @qd.kernel
    def write_field(a: I32) -> qd.i32:
        before = a[0]
        f[0] = before + 7
        return a[0]

    @qd.kernel
    def dead_store(a: I32) -> qd.i32:
        f[1] = 3
        seen = a[1]
        f[1] = 4
        return seen

    @qd.kernel
    def hoisted(a: I32) -> qd.i32:
        for _ in range(1):
            for i in range(10):
                a[2] = f[2] + i
        return f[2]

    @qd.kernel
    def atomics(a: I32):
        for i in range(1000):
            f[0] += 1
            a[0] += 1

    @qd.kernel
    def sums(a: I32) -> qd.i32:
        total = 0
        for i in range(3):
            f[0] += 1
            total += a[0]
        return total

    w = VIEWS[view](f)
    for _ in range(2):  # the variant for distinct memory, the variant for overlap, and the first again
        f.fill(0)
        other[:] = 0
        assert write_array(other) == 1 and write_array(w) == 5
        assert write_field(other) == 5 and write_field(w) == 12 + 7
        assert dead_store(w) == 3 and dead_store(other) == 0
        assert hoisted(w) == sum(range(10)) and hoisted(other) == 45
        f[0] = 0
        atomics(w)
        assert f[0] == 2000
        f[0] = 0
        assert sums(w) == 1 + 2 + 3 and sums(other) == 3 * other[0]


@pytest.mark.usefixtures("memory_in_reach")
def test_vectors_gradients_and_members_of_structs():
    v = qd.Vector.field(2, qd.f32, 4)
    x = qd.field(qd.f32, 4, needs_grad=True)
    s = qd.Struct.field({"a": qd.f32}, shape=4)

    @qd.kernel
    def vectors(a: qd.types.ndarray(qd.types.vector(2, qd.f32), ndim=1)) -> qd.f32:
        v[1].y = 1
        a[1].y = 5
        return v[1].y

    @qd.kernel
    def gradients(a: F32) -> qd.f32:
        x.grad[1] = 1
        a[1] = 5
        return x.grad[1]

    @qd.kernel
    def structs(a: F32) -> qd.f32:
        s[1].a = 1
        a[1] = 5
        return s[1].a

    for kernel, field in [(vectors, v), (gradients, x.grad), (structs, s.a)]:
        assert kernel(field.to_numpy()) == 1 and kernel(np.from_dlpack(field)) == 5, kernel


@pytest.mark.usefixtures("memory_in_reach")
def test_arrays_inside_of_arguments():
    f = qd.field(qd.i32, 4)

    @dataclasses.dataclass
    class Holder:
        a: I32
        b: I32

    @dataclasses.dataclass(frozen=True)
    class Frozen:
        a: I32

    @qd.kernel
    def member(h: Holder) -> qd.i32:
        f[0] = 1
        h.b[0] = 5
        return f[0] + 10 * h.a[0]

    @qd.kernel
    def frozen(h: Frozen) -> qd.i32:
        f[0] = 1
        h.a[0] = 5
        return f[0]

    @qd.kernel
    def template(x: qd.template(), a: I32) -> qd.i32:
        x[0] = 1
        a[0] = 5
        return x[0]

    @qd.kernel
    def tensor(x: qd.Tensor, a: qd.Tensor) -> qd.i32:
        x[0] = 1
        a[0] = 5
        return x[0]

    w, z = np.from_dlpack(f), np.zeros(4, np.int32)
    y = qd.ndarray(qd.i32, 4)
    y.fill(0)
    for _ in range(2):
        z[0] = 0
        assert member(Holder(z, y)) == 1 and member(Holder(z, w)) == 5
        assert member(Holder(w, y)) == 1 + 10 and member(Holder(w, w)) == 55
        assert frozen(Frozen(y)) == 1 and frozen(Frozen(w)) == 5 and frozen(Frozen(z)) == 1
        assert template(f, z) == 1 and template(f, w) == 5 and template(f, y) == 1
        assert tensor(f, z) == 1 and tensor(f, w) == 5 and tensor(y, np.from_dlpack(y)) == 5 and tensor(y, w) == 1


@pytest.mark.usefixtures("memory_in_reach")
def test_ndarrays_and_their_views():
    @qd.kernel
    def two(a: I32, b: I32) -> qd.i32:
        a[0] = 1
        b[0] = 5
        return a[0]

    @qd.kernel
    def viewed(v: qd.BufferView[qd.i32], b: I32) -> qd.i32:
        v[0] = 1
        b[2] = 5
        return v[0]

    @qd.kernel
    def gradient(a: qd.types.ndarray(qd.f32, ndim=1), b: F32) -> qd.f32:
        a.grad[0] = 1
        b[0] = 5
        return a.grad[0]

    x = qd.ndarray(qd.i32, 4)
    g = qd.ndarray(qd.f32, 4, needs_grad=True)
    assert two(x, np.from_dlpack(x)) == 5 and two(x, x) == 5 and two(x, np.zeros(4, np.int32)) == 1
    assert viewed(qd.BufferView(x, 2, 2), x) == 5 and viewed(qd.BufferView(x, 1, 2), np.from_dlpack(x)) == 1
    assert gradient(g, g.grad) == 5 and gradient(g, g) == 1 and gradient(g, np.from_dlpack(g.grad)) == 5


@pytest.mark.usefixtures("memory_in_reach")
def test_kernels_of_many_trees():
    fields = [qd.field(qd.i32, 4) for _ in range(12)]

    @qd.kernel
    def k(a: I32) -> qd.i32:
        s = 0
        for f in qd.static(fields):
            f[0] = 1
        a[0] = 5
        for f in qd.static(fields):
            s += f[0]
        return s

    for f in fields + fields[::-1]:
        assert k(np.from_dlpack(f)) == 11 + 5
    assert k(np.zeros(4, np.int32)) == 12


def test_after_a_warm_start(tmp_path, arch):
    """A kernel loaded from the cache knows the memory of its trees."""
    if arch != "cpu":
        pytest.skip("only compiled code is kept")

    def run():
        qd.init(arch=arch, offline_cache=True, offline_cache_file_path=str(tmp_path), print_full_traceback=True)
        f = qd.field(qd.i32, 4)
        return [read_back(f, np.zeros(4, np.int32)), read_back(f, np.from_dlpack(f))]

    assert run() == run() == [1, 5]


@qd.kernel
def read_back(f: qd.template(), a: I32) -> qd.i32:
    f[0] = 1
    a[0] = 5
    return f[0]


MATRIX = qd.types.ndarray(qd.i32, ndim=2)


@qd.kernel
def transfer(a: MATRIX, b: MATRIX):
    for i, j in b:
        b[i, j] = a[i, j] + 100


@qd.kernel
def both_written(a: MATRIX, b: MATRIX):
    a[0, 1] = 1
    b[0, 1] = 2


@qd.kernel
def read_first(a: MATRIX, b: MATRIX) -> qd.i32:
    return a[0, 1] + b[1, 0]


def square():
    return np.arange(9, dtype=np.int32).reshape(3, 3)


def test_copies_that_are_read_write_nothing_back(arch):
    for each in (arch, qd.python):
        qd.init(arch=each, offline_cache=False, print_full_traceback=True)
        q = square()
        transfer(q.T, q)
        np.testing.assert_array_equal(q, square().T + 100)
        q = square()
        q.flags.writeable = False
        assert read_first(q.T, q) == q[1, 0] * 2
        with pytest.raises(ValueError, match="read-only"):
            transfer(square(), q.T)
        r = square()
        transfer(square(), r.T)
        np.testing.assert_array_equal(r.T, square() + 100)


@pytest.mark.usefixtures("memory_in_reach")
def test_copies_that_are_written_share_memory_with_nothing_else(arch):
    f = qd.field(qd.i32, (3, 3))

    @dataclasses.dataclass
    class Holder:
        a: MATRIX

    @qd.kernel
    def of_member(h: Holder, b: MATRIX) -> qd.i32:
        b[0, 1] = 5
        return h.a[0, 1]

    @qd.kernel
    def of_field(a: MATRIX) -> qd.i32:
        a[0, 1] = 5
        return f[1, 0]

    q = square()
    for refused in [
        lambda: both_written(q.T, q), lambda: transfer(q, q.T), lambda: both_written(q.T, q[:2]), lambda: transfer(q.T, q.T[:, :2]),
        lambda: of_member(Holder(q), q.T), lambda: of_field(f.to_numpy(copy=False).T),
    ]:  # fmt: skip
        with pytest.raises(ValueError, match="shares memory with .* Fortran order"):
            refused()
    np.testing.assert_array_equal(q, square())
    assert of_field(q.T) == 0 and q[1, 0] == 5
    p = square()
    transfer(p.T, p.T)  # one array, one copy
    np.testing.assert_array_equal(p, square() + 100)
    both_written(p.T, p.T)
    assert p[1, 0] == 2
    halves = np.zeros((3, 4), np.int32)
    both_written(halves.T[:, :2], halves.T[:, 2:])  # side by side
    assert halves[1, 0] == 1 and halves[2:][1 - 1, 0] == 0 and halves.sum() == 3
    x = qd.ndarray(qd.i32, (3, 3))
    with pytest.raises(ValueError, match="shares memory with a, and the kernel writes to it"):
        transfer(x, np.from_dlpack(x).T)


def test_a_failed_launch_leaves_what_it_wrote(arch):
    qd.init(arch=arch, offline_cache=False, debug=True)

    @qd.kernel
    def k(a: MATRIX):
        a[0, 1] = 7
        assert a[0, 0] == 1, "no"

    plain, turned = np.zeros((2, 2), np.int32), np.zeros((2, 2), np.int32, order="F")
    for a in (plain, turned):
        with pytest.raises(qd.QuadrantsAssertionError, match="no"):
            k(a)
        assert a[0, 1] == 7


@pytest.mark.usefixtures("memory_in_reach")
def test_fields_take_values_of_views_of_themselves():
    values = np.arange(6, dtype=np.float32).reshape(3, 2)
    v, f, a = qd.Vector.field(2, qd.f32, 3), qd.field(qd.f32, 6), qd.Vector.ndarray(2, qd.f32, 3)
    for whole in (v, a):
        whole.from_numpy(values)
        whole.from_numpy(whole.to_numpy(copy=False)[::-1, ::-1])
        np.testing.assert_array_equal(whole.to_numpy(), values[::-1, ::-1])
    f.from_numpy(values.ravel())
    f.from_numpy(np.from_dlpack(f)[::-1])
    np.testing.assert_array_equal(f.to_numpy(), values.ravel()[::-1])
    inner = qd.types.struct(c=qd.f32)
    s = qd.Struct.field({"a": qd.f32, "b": qd.f32, "inner": inner}, shape=2)
    s.a.fill(1), s.b.fill(2), s.inner.c.fill(3)
    a, b, c = (x.to_numpy(copy=False) for x in (s.a, s.b, s.inner.c))
    s.from_numpy({"a": b, "b": c, "inner": {"c": a}})
    assert (s[1].a, s[1].b, s[1].inner.c) == (2, 3, 1)
