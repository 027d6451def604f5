"""qd.python has every function that kernels can call, with the same keywords."""

import ctypes
import numbers

import numpy as np
import pytest
import quadrants as qd
from quadrants import _native
from quadrants._language import external as _external
from quadrants.lang.misc import loop_unique
from quadrants._python_backend import actions, operations, table

# These are expanded in the rewritten source, or handled by actions.py.
subgroup = qd.simt.subgroup
OWN = {"range": "range", "ndrange": "_builtin", "grouped": "_builtin", "static": "static", "external": "call"}
OWN |= {"isinstance": "is_instance", "static_assert": "static_assert", "static_print": "static_print"}


def test_every_builtin_is_there():
    known = set(_native.core().builtins())
    assert set(operations.PYTHON.values()) <= known and all(hasattr(actions, name) for name in OWN.values())
    known = {name for name in known if not name.startswith("lanes.")}  # only on architectures with subgroups
    assert known == set(table.table) | set(OWN), "frontend/builtins.def and _python_backend differ"


def test_keywords_are_those_of_the_frontend(both):
    def program():
        @qd.kernel
        def f(n: qd.i32) -> (qd.f32, qd.f32, qd.f32, qd.i32, qd.i64, qd.types.vector(2, qd.f32)):
            m = qd.Matrix.diag(val=2.0, dim=2)
            v = qd.solve(A=m, b=qd.Vector([n, 4.0]))
            near = qd.math.mix(a=0.25, x=n, y=2.0) + qd.math.clamp(xmax=2, x=n, xmin=-1)
            return near, qd.atan2(1.0, x2=n), qd.round(dtype=qd.f32, x=2.5), qd.select(n > 2, x2=4, x1=3), qd.cast(dtype=qd.i64, obj=n), v

        return [np.array(r) for r in f(3)]

    assert both(program)[3] == 3


def test_masks_of_lanes(both):
    def program():
        @qd.kernel
        def f(lane: qd.u32) -> (qd.u32, qd.u32, qd.u32, qd.u32, qd.u32):
            lower, up_to = subgroup.lanemask_lt(lane), subgroup.lanemask_le(lane)
            upper, from_on = subgroup.lanemask_gt(lane), subgroup.lanemask_ge(lane)
            return lower, up_to, subgroup.lanemask_eq(lane), upper, from_on

        return [f(lane) for lane in (0, 5, 31)]

    assert both(program)[1] == (31, 63, 32, 0xFFFFFFC0, 0xFFFFFFE0)


def test_views(both):
    def program():
        a = qd.ndarray(qd.i32, 8)

        @qd.func
        def total(view: qd.BufferView):
            found = 0
            for i in range(view.size):
                found += view[i]
            return found

        @qd.kernel
        def f(a: qd.types.ndarray(qd.i32, ndim=1), b: qd.BufferView[qd.i32]) -> (qd.i32, qd.i32):
            for i in a:
                a[i] = i * i
            view = qd.BufferView(a, 2, 5)
            view[0] += 100
            part = view[1:4].subview(1, size=2)
            return total(part) + total(b) * 1000, part.offset * 100 + b.shape[0] * 10 + view.size

        return f(a, a[4:6]), a.to_numpy()

    assert both(program)[0] == (16 + 25 + 41000, 400 + 20 + 5)


def test_hints_and_other_levels(both):
    def program():
        x, y = qd.field(qd.i32), qd.field(qd.i32)
        rows = qd.root.dense(qd.i, 3)
        block = rows.dense(qd.ij, (2, 4))
        block.place(x)
        qd.root.dense(qd.ij, (3, 4)).place(y)

        @qd.kernel
        def f() -> qd.i32:
            for i, j in block:
                x[i, j] = 10 * i + j
            for i in rows:
                x[2 * i, 0] += 1000
            for I in qd.grouped(x):
                qd.loop_config(block_dim=32)
                J = qd.rescale_index(x, y, I)
                y[J] += x[loop_unique(I[0], covers=[y]), qd.assume_in_range(I[1], 1, -1, 3)]
            return y[2, 3]

        return f(), x.to_numpy(), y.to_numpy()

    assert both(program)[0] == 43 + 53


def test_isinstance(both):
    def program():
        @qd.kernel
        def f(v: qd.types.vector(2, qd.f32), n: qd.i32, a: qd.types.ndarray(qd.i32, ndim=1)) -> qd.i32:
            s = qd.Struct(a=1)
            bits = 0
            for i, found in qd.static(
                enumerate(
                    (
                        isinstance(v, qd.Vector), isinstance(v, (int, qd.Matrix)), isinstance(s, qd.Struct), isinstance(n, int),
                        isinstance(a, qd.Ndarray), isinstance(a, qd.VectorNdarray), isinstance(s, qd.Matrix), isinstance(3, int),
                    )
                )
            ):  # fmt: skip
                bits |= int(found) << i
            return bits

        return f([1, 2], 3, np.zeros(2, np.int32))

    assert both(program) == 0b10011111


def test_isinstance_of_numbers(both):
    def program():
        Pair = qd.types.struct(a=qd.f32)

        @qd.func
        def kind(n):
            return 4 if isinstance(n, bool) else 2 if isinstance(n, int) else 1 if isinstance(n, float) else 0

        @qd.kernel
        def f(i: qd.i32, r: qd.f64, b: qd.u1, u: qd.u8) -> qd.i32:
            j = i + 1
            found = kind(i) + 10 * kind(r) + 100 * kind(b) + 1000 * kind(u) + 10_000 * kind(j) + 100_000 * kind(r > 2) + 1_000_000 * kind(3)
            for q in range(1):
                found += kind(q) * 10_000_000
            if qd.static(isinstance(i, (str, (bool, numbers.Integral))) and isinstance(r, numbers.Number) and isinstance(b, int | str)):
                found += 100_000_000
            if qd.static(isinstance(i, str) or isinstance(r, numbers.Integral) or isinstance(i, Pair) or isinstance(i, (qd.Vector, float))):
                found = -1
            return found

        return f(1, 2.5, True, 3)

    assert both(program) == 122422412


@pytest.mark.parametrize("cls", ["qd.f32", "3", "(str, 'int')"])
def test_isinstance_of_what_is_no_class(arch, cls):
    def program():
        @qd.kernel
        def f(n: qd.i32) -> qd.i32:
            return isinstance(n, classes)

        return f(1)

    classes = eval(cls)
    for arch in ("python", arch):
        qd.init(arch=arch)
        with pytest.raises(qd.QuadrantsTypeError, match="isinstance.. arg 2 must be a class"):
            program()


def test_unpacked_vectors(both):
    def program():
        @qd.dataclass
        class Row:
            r: qd.types.vector(3, qd.f32, unpacked=True)
            k: qd.i32

        rows = Row.field(shape=2)

        @qd.kernel
        def f(n: qd.i32) -> (qd.f32, qd.types.vector(3, qd.f32)):
            s = Row(k=n)
            s.r = qd.Vector([1, 2, 3])
            s.r[1] *= 4
            rows[n] = s
            rows[n].r[2] += 0.5
            return s.r[1] + rows[n]._r2 + len(s.r), s.r * 2

        return [np.array(r) for r in f(1)]

    assert both(program)[0] == 8 + 3.5 + 3


def test_functions_of_libraries():
    qd.init(arch=qd.python)

    @ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
    def f(x, y, total):
        ctypes.cast(total, ctypes.POINTER(ctypes.c_double))[0] += (
            ctypes.cast(x, ctypes.POINTER(ctypes.c_float))[0] * ctypes.cast(y, ctypes.POINTER(ctypes.c_int16))[0]
        )

    function = _external._Function("f", 1, ctypes.cast(f, ctypes.c_void_p).value)
    totals = qd.field(qd.f64, 2)

    @qd.kernel
    def k(x: qd.f32, y: qd.i16) -> qd.f64:
        total = qd.f64(1.0)
        function(x, y, total)
        function(x, y, totals[1])
        return total

    assert k(1.5, -4) == -5 and totals.to_numpy().tolist() == [0, -6]
