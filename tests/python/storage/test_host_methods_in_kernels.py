"""Methods of fields and arrays inside kernels: fill is a loop there, the others are only for Python."""

import threading

import numpy as np
import pytest
import quadrants as qd


def test_fill_of_fields(arch):
    for arch_of_test in (arch, qd.python):
        qd.init(arch=arch_of_test, print_full_traceback=True)
        x, v, m = qd.field(qd.f32, (2, 3)), qd.Vector.field(2, qd.i32, 3), qd.Matrix.field(2, 2, qd.f32, shape=2)
        s = qd.types.struct(a=qd.f32, b=qd.types.vector(2, qd.i32)).field(shape=2)

        @qd.kernel
        def k(c: qd.f32, n: qd.i32):
            x.fill(c)
            v.fill(qd.Vector([n, n + 1]))
            m.fill(val=2)
            s.b.fill(n)
            x[0, 0] += 1  # after the fill

        for c, n in ((1.5, 3), (2.5, 4)):
            k(c, n)
            assert x.to_numpy().ravel().tolist() == [c + 1] + [c] * 5
            assert v.to_numpy().tolist() == [[n, n + 1]] * 3
            assert (m.to_numpy() == 2).all() and (s.b.to_numpy() == n).all() and (s.a.to_numpy() == 0).all()


def test_fill_by_funcs_and_methods(arch):
    """The counters are filled at each launch, not when the kernel is compiled."""
    for arch_of_test in (arch, qd.python):
        qd.init(arch=arch_of_test, print_full_traceback=True)

        @qd.data_oriented
        class Cells:
            def __init__(self, n):
                self.count = qd.field(qd.i32, n)

            @qd.func
            def clear(self):
                self.count.fill(0)

            @qd.kernel
            def sort(self, where: qd.types.ndarray(qd.i32, 1)):
                self.clear()
                for i in range(where.shape[0]):
                    self.count[where[i]] += 1

        cells = Cells(3)
        for _ in range(3):
            cells.sort(np.array([0, 2, 2, 2], np.int32))
            assert cells.count.to_numpy().tolist() == [1, 0, 3]

        @qd.kernel
        def template(f: qd.template(), c: qd.i32):
            f.fill(c)

        other = qd.field(qd.i32, 2)
        template(cells.count, 7)
        template(other, 8)
        assert cells.count.to_numpy().tolist() == [7] * 3 and other.to_numpy().tolist() == [8] * 2


def test_fill_inside_of_loops_and_branches(arch):
    for arch_of_test in (arch, qd.python):
        qd.init(arch=arch_of_test, print_full_traceback=True)
        x = qd.field(qd.i32, 4)

        @qd.kernel
        def k(c: qd.i32):
            for i in range(1):
                if c > 1:
                    x.fill(c)

        k(1)
        assert x.to_numpy().tolist() == [0] * 4
        k(2)
        assert x.to_numpy().tolist() == [2] * 4


def test_fill_of_active_cells():
    x = qd.field(qd.f32)
    qd.root.pointer(qd.i, 4).dense(qd.i, 2).place(x)

    @qd.kernel
    def k(c: qd.f32):
        x.fill(c)

    x[3] = 5
    k(2)
    assert x.to_numpy().tolist() == [0, 0, 2, 2, 0, 0, 0, 0]


@pytest.mark.parametrize("name", ["copy_from", "to_numpy", "from_numpy", "to_torch", "from_torch", "to_dlpack"])
def test_methods_for_python_alone(arch, name):
    for arch_of_test in (arch, qd.python):
        qd.init(arch=arch_of_test)
        x, tensor = qd.field(qd.f32, 4), qd.tensor(qd.f32, (4,))
        struct = qd.types.struct(a=qd.f32).field(shape=2)
        for method in (getattr(x, name), getattr(tensor, name), getattr(struct, name), struct.fill, tensor.fill):

            @qd.kernel
            def k():
                method(x)

            with pytest.raises(qd.QuadrantsCompilationError, match=f"{method.__name__} cannot be called in Quadrants-scope"):
                k()


def test_python_code_that_a_kernel_calls_touches_no_memory(arch):
    """Such code runs once, at compile time, so a value that it reads would be out of date at the next launch."""
    for arch_of_test in (arch, qd.python):
        qd.init(arch=arch_of_test, print_full_traceback=True)
        x, v, s = qd.field(qd.f32, 4), qd.Vector.field(2, qd.i32, 3), qd.types.struct(a=qd.f32).field(shape=2)
        a, w, sparse = qd.ndarray(qd.f32, 4), qd.Vector.ndarray(2, qd.i32, 3), qd.field(qd.i32)
        (qd.root.dense if arch_of_test == qd.python else qd.root.pointer)(qd.i, 4).place(sparse)
        x[0], a[0], sparse[1] = 5, 7, 9
        item = {
            "read of a field": lambda: x[0], "of a vector": lambda: v[1][0], "of a struct": lambda: s[1].a,
            "of an array": lambda: a[0], "of its vector": lambda: w[0], "of a sparse field": lambda: sparse[1],
            "write": lambda: x.__setitem__(0, 1), "write to an array": lambda: a.__setitem__(0, 1),
            "write to a sparse field": lambda: sparse.__setitem__(0, 1),
            "copy": x.to_numpy, "copy of a sparse field": sparse.to_numpy, "copy of an array": a.to_numpy,
            "copy into": lambda: x.from_numpy(np.zeros(4, np.float32)), "into an array": lambda: a.from_numpy(np.zeros(4, np.float32)),
            "fill": lambda: x.fill(1), "fill of an array": lambda: a.fill(1),
        }  # fmt: skip
        if arch_of_test != "far":  # their memory is not accessible
            item |= {"view": lambda: np.from_dlpack(x), "view of an array": lambda: np.from_dlpack(a)}
        for what, code in item.items():

            def look():
                code()
                return 1

            @qd.kernel
            def calls() -> qd.f32:
                return look()

            @qd.kernel
            def asks() -> qd.f32:
                return qd.static(look())

            for k in calls, asks:
                with pytest.raises(qd.QuadrantsCompilationError, match="cannot be called in Quadrants-scope"):
                    k()
                    pytest.fail(f"{what} was done by {k.__name__}")
        assert x[0] == 5 and a[0] == 7 and sparse[1] == 9

        @qd.kernel
        def fine() -> qd.f32:
            return x[0]

        assert fine() == 5


def test_python_code_that_a_kernel_calls_launches_no_kernel(arch):
    for arch_of_test in (arch, qd.python):
        qd.init(arch=arch_of_test, print_full_traceback=True)
        x = qd.field(qd.i32, ())

        @qd.kernel
        def count():
            x[None] += 1

        def look():
            count()
            return 1

        @qd.kernel
        def k() -> qd.i32:
            return qd.static(look())

        for _ in range(2):
            with pytest.raises(qd.QuadrantsSyntaxError, match="Kernels cannot call other kernels"):
                k()
            count()
        assert x[None] == 2


def test_other_threads_read_while_a_kernel_is_compiled():
    x = qd.field(qd.i32, ())
    x[None] = 3
    got = []

    def look():
        thread = threading.Thread(target=lambda: got.append(x[None]))
        thread.start()
        thread.join()
        return 1

    @qd.kernel
    def k() -> qd.i32:
        return qd.static(look())

    assert k() == 1 and got == [3]
