"""qd.python: kernels run as Python, and mean there what they mean compiled."""

import dataclasses
import io
from contextlib import redirect_stdout

import numpy as np
import pytest
import quadrants as qd


@pytest.fixture
def both(arch):
    """Runs a function as Python and on the arch of the test: the results are equal, and what is given back."""

    def run(program):
        results = []
        for one in ("python", arch):
            qd.init(arch=one, offline_cache=False, print_full_traceback=True, fast_math=False)
            results.append(program())
        np.testing.assert_equal(*results)
        return results[0]

    return run


def test_there_is_no_config():
    qd.init(arch=qd.python)
    assert qd.cfg is None
    assert not qd.is_extension_enabled(qd.extension.sparse) and qd.is_extension_enabled(qd.extension.data64)
    with pytest.raises(qd.QuadrantsRuntimeError, match="Pointer SNode is not supported on this backend."):
        qd.root.pointer(qd.i, 4)


def test_nothing_is_compiled(arch):
    @qd.kernel
    def f(x: qd.f64) -> qd.f64:
        return x * 2

    qd.init(arch=qd.python)
    assert f(1.5) == 3 and f._specialisations() == 0
    qd.init(arch=arch, offline_cache=False)
    assert f(1.5) == 3 and f._specialisations() == 1


def test_scalars_keep_their_types(both):
    def program():
        @qd.kernel
        def f(a: qd.i32, b: qd.u8, x: qd.f32) -> (qd.i32, qd.u8, qd.f32, qd.i32, qd.i64, qd.f64):
            y = 7
            y = x * 3  # stays an integer
            return a * a, b + b, x / 3, y, -7 // qd.i64(2) + a % -5, a / 2

        return f(70000, 200, 1.7)

    assert both(program) == (605032704, 144, float(np.float32(1.7) / np.float32(3)), 5, -4, 35000.0)


def test_control_flow_and_scopes(both):
    def program():
        @qd.kernel
        def f(n: qd.i32) -> (qd.i32, qd.f32):
            total = 0
            qd.loop_config(serialize=True)
            for i in range(n):
                if i == 3:
                    continue
                part = 1.5  # of this iteration alone
                part += i
                total += part
                if total > 40:
                    break
            for i, j in qd.static(qd.ndrange(2, 2)):
                total += i * j
            while total > 20 and n > 0:
                total -= 3
            if total > 5:
                part = 2
                total += part
            part = 0.25 if 1 < n < 50 else 3
            return total, part

        return f(20)

    assert both(program)[1] == 0.25


def test_fields_ndarrays_and_numpy(both):
    def program():
        x = qd.field(qd.i32, shape=(4, 3), offset=(-2, 1))
        v = qd.Vector.field(2, qd.f32, shape=4)
        a = qd.ndarray(qd.u8, (4,))
        total = qd.field(qd.i64, shape=())

        @qd.kernel
        def f(a: qd.types.ndarray(qd.u8, ndim=1), b: qd.types.ndarray(qd.f64, ndim=2)):
            for i, j in x:
                x[i, j] = i * 10 + j
                total[None] += x[i, j]
            for i in v:
                v[i] = [i, 0.5]
                v[i].y += a.shape[0]
                v[i][0] *= 2
            for I in qd.grouped(b):
                b[I] -= I[0] * I[1]
            for i in a:
                a[i] -= i

        b = np.ones((2, 3))
        f(a, b)
        return x.to_numpy(), v.to_numpy(), a.to_numpy(), b, total[None]

    result = both(program)
    assert result[2].tolist() == [0, 255, 254, 253] and result[4] == sum(i * 10 + j for i in range(-2, 2) for j in range(1, 4))


def test_elements_out_of_bounds_are_found():
    qd.init(arch=qd.python)
    x = qd.field(qd.i32, shape=3)

    @qd.kernel
    def f(i: qd.i32):
        x[i] = 1

    f(2)
    for i in (3, -1):
        with pytest.raises(qd.QuadrantsAssertionError, match=rf"Accessing field \(x\) of size \(3\) with indices \({i}\)"):
            f(i)


def test_vectors_are_values(both):
    def program():
        @qd.func
        def doubled(v):
            v *= 2
            return v

        @qd.kernel
        def f() -> (qd.types.vector(3, qd.i32), qd.types.vector(3, qd.i32), qd.f32):
            a = qd.Vector([1, 2, 3])
            b = a
            b[1] = 9
            b.xz = b.zx
            a, b = b, doubled(a)
            m = qd.Matrix([[1.0, 2.0], [3.0, 4.0]])
            return a, b, (m @ m.inverse()).trace() + m[1, :].sum()

        return [np.array(r) for r in f()]

    result = both(program)
    assert result[0].tolist() == [3, 9, 1] and result[1].tolist() == [2, 4, 6]


def test_structs(both):
    def program():
        @qd.dataclass
        class Ball:
            at: qd.types.vector(2, qd.f32)
            n: qd.i32

            @qd.func
            def hit(self, by):
                self.n -= by
                self.at.y += 0.5
                return self.n * 10

        balls = Ball.field(shape=3)

        @qd.kernel
        def f() -> Ball:
            b = Ball(n=7)
            c = b
            r = c.hit(2)
            for i in balls:
                balls[i] = c
                balls[i].n += i + r
                balls[i].at.x = i
            return b

        got = f()
        return got.n, balls.n.to_numpy(), balls.at.to_numpy()

    result = both(program)
    assert result[0] == 7 and result[1].tolist() == [55, 56, 57]


def test_atomics_give_the_old_value(both):
    def program():
        x = qd.field(qd.i32, shape=4)

        @qd.kernel
        def f() -> qd.i32:
            local = 5
            old = qd.atomic_max(local, 9) * 100 + local
            old += qd.atomic_sub(x[0], 3) + qd.atomic_or(x[1], 6) + qd.atomic_cas(x[1], 6, 8)
            old += qd.atomic_exchange(x[1], 1) * 1000
            return old + x[0]

        return f(), x.to_numpy()

    assert both(program)[0] == 500 + 9 + 6 + 8000 - 3


def test_the_index_of_an_element_may_take_parts_of_a_vector(both):
    def program():
        x = qd.field(qd.i32, 3)

        @qd.kernel
        def k():
            v = qd.Vector([0, 2, 1])
            qd.atomic_add(x[v[1:3].sum() - 1], 5)

        k()
        return x.to_numpy()

    assert both(program).tolist() == [0, 0, 5]


def test_funcs_templates_and_references(both):
    def program():
        @qd.real_func
        def factorial(n: qd.i64) -> qd.i64:
            if n < 2:
                return 1
            return n * factorial(n - 1)

        @qd.real_func
        def step(x: qd.ref(qd.f32), by: qd.f32):
            x += by

        @qd.func
        def count(target: qd.template(), times: qd.template()):
            for _ in qd.static(range(times)):
                target += 1

        @qd.func
        def both_of(a, b=3):
            return a + b, a - b

        x = qd.field(qd.i32, shape=2)

        @qd.kernel
        def f() -> (qd.i64, qd.f32, qd.i32):
            y = 1.5
            step(y, 2)
            n = 0
            count(n, 3)
            count(x[1], 4)
            p, q = both_of(n)
            return factorial(12), y, p * 100 + q * 10 + x[1]

        return f()

    assert both(program) == (479001600, 3.5, 604)


def test_templates_are_handed_on(both):
    def program():
        @qd.func
        def inner(flag: qd.template(), n):
            return n + 1 if qd.static(flag) else n - 1

        @qd.func
        def outer(flag: qd.template(), n):
            return inner(flag, n) * 10

        @qd.real_func
        def ends(n: qd.i32) -> qd.f32:
            if n > 3:
                return 1.5

        @qd.kernel
        def f(flag: qd.template(), v: qd.types.vector(2, qd.f64)) -> (qd.i32, qd.f32, qd.f64):
            return outer(flag, 5), ends(4) + ends(2), v[1]

        return f(True, [1, 2]) + f(False, qd.Vector([1.0, 0.1]))

    assert both(program) == (60, 1.5, 2, 40, 1.5, 0.1)


def test_arguments_with_members(both):
    @dataclasses.dataclass
    class State:
        x: qd.types.ndarray(qd.f32, ndim=1)
        n: qd.i32

    @qd.data_oriented
    class Model:
        def __init__(self):
            self.size = 3
            self.y = qd.field(qd.i32, shape=3)

        @qd.func
        def value(self, i):
            return i * self.size

        @qd.kernel
        def fill(self):
            for i in self.y:
                self.y[i] = self.value(i)

    def program():
        @qd.kernel
        def f(s: State, t: qd.template()):
            for i in s.x:
                s.x[i] = s.n + i * t

        state = State(qd.ndarray(qd.f32, (3,)), 4)
        f(state, 2)
        model = Model()
        model.fill()
        return state.x.to_numpy(), model.y.to_numpy()

    assert both(program)[1].tolist() == [0, 3, 6]


def test_functions_of_the_language(both):
    def program():
        @qd.kernel
        def f(x: qd.f32, n: qd.u32) -> (qd.f32, qd.f32, qd.i32, qd.u32, qd.i32, qd.types.vector(3, qd.f32)):
            v = qd.math.clamp(qd.Vector([x, -x, 0.5]), -0.75, 1.0)
            near = qd.floor(x) + qd.round(-x) + qd.math.fract(x) + qd.math.mix(1.0, 2.0, 0.25) + qd.math.sign(-x)
            bits = qd.math.popcnt(n) * 10000 + qd.math.clz(n) * 100 + qd.math.ffs(n)
            return near, qd.max(v.dot(v), 0.25), bits, qd.bit_cast(x, qd.u32), qd.select(x > 1, 4, 5), v

        return [np.array(r) for r in f(1.75, 40)]

    result = both(program)
    assert result[2] == 2 * 10000 + 26 * 100 + 4


def test_numbers_of_python_are_real_where_reals_are_asked_for(both):
    def program():
        n = 5

        @qd.kernel
        def f() -> (qd.f32, qd.f32, qd.f32):
            return qd.cos(0) + qd.asin(1), qd.floor(n) + qd.round(-7), qd.ceil(min(-0.3, -128)) / 256

        return f()

    assert both(program) == (pytest.approx(1 + np.pi / 2), -2.0, -0.5)


def test_linear_algebra():
    qd.init(arch=qd.python)

    @qd.kernel
    def f(A: qd.types.matrix(3, 3, qd.f64)) -> qd.types.matrix(3, 3, qd.f64):
        U, S, V = qd.svd(A)
        return U @ S @ V.transpose() - A

    A = qd.Matrix([[1.0, 2.0, 3.0], [0.5, -1.0, 4.0], [2.0, 0.0, 1.0]])
    assert abs(f(A).to_numpy()).max() < 1e-12


def test_types_of_choices_whose_other_side_calls_funcs(both):
    @qd.dataclass
    class Pair:
        a: qd.i32

        @qd.func
        def wide(self, seen):
            print("called")
            total = 0.5
            for i in range(self.a):
                seen[i] += 1
                total += i
            while total < 100:
                total *= 2
            return total

    @qd.real_func
    def down(n: qd.i32) -> qd.i64:
        if n <= 0:
            return 1
        return down(n - 1) * 2

    @qd.kernel
    def k(p: Pair, seen: qd.types.ndarray(qd.i32, ndim=1), n: qd.i32, tiny: qd.i8) -> (qd.f64, qd.i64):
        x = tiny if n < 3 else p.wide(seen)
        x += 0.25
        y = tiny if n > 0 and n < 3 else down(n)
        y = (y << 40) + 300
        return x, y

    def program():
        seen = qd.ndarray(qd.i32, 4)
        out = io.StringIO()
        with redirect_stdout(out):
            results = [k(Pair(4), seen, n, 5) for n in (1, 5)]
        return results, seen.to_numpy(), out.getvalue().count("called")

    results, seen, calls = both(program)
    assert results == [(5.25, (5 << 40) + 300), (104.25, (32 << 40) + 300)]
    assert seen.tolist() == [1, 1, 1, 1] and calls == 1


def test_mistakes_on_the_other_side_of_a_choice():
    qd.init(arch=qd.python)

    def broken():
        raise KeyError("of the host")

    @qd.kernel
    def k(n: qd.i32) -> qd.i32:
        return n if n > 0 else broken()

    with pytest.raises(qd.QuadrantsCompilationError, match="KeyError: 'of the host'"):
        k(1)


def test_constants_are_those_of_python(both):
    @qd.kernel
    def k(x: qd.f32, y: qd.f64) -> (qd.i32, qd.i32, qd.f64, qd.f64):
        rows = qd.cast(qd.Matrix([[max(0.25, 2147483647), x], [x, y]]), qd.f64)
        return 1 <= 2147483647 + 1000 < 3, qd.min(2147483647 * 2, 7), rows[0, 0], qd.max(2147483648.5, 1)

    assert both(lambda: k(0.5, 0.5)) == (0, 7, 2147483647.0, 2147483648.0)


def test_what_is_too_long_for_a_kernel():
    qd.init(arch=qd.python)
    n = 2147483647

    @qd.kernel
    def unrolled() -> qd.i32:
        total = 0
        for i in qd.static(range(1, n, 3)):
            total += i
        return total

    @qd.kernel
    def product() -> qd.i32:
        for i, j in qd.static(qd.ndrange(n, n)):
            pass
        return 0

    @qd.kernel
    def comprehension() -> qd.i32:
        return qd.Vector([1 for i in range(n)]).sum()

    @qd.kernel
    def repeated() -> qd.i32:
        return qd.Vector([1] * n).sum()

    for kernel in (unrolled, product, comprehension, repeated):
        with pytest.raises(qd.QuadrantsTypeError, match="more than 1048576 items is too long"):
            kernel()

    @qd.kernel
    def identity() -> qd.i32:
        return qd.Matrix.identity(qd.i32, n).sum()

    @qd.kernel
    def zero() -> qd.i32:
        return qd.Matrix.zero(qd.i32, 3, n).sum()

    for kernel in (identity, zero):
        with pytest.raises(qd.QuadrantsTypeError, match="sizes of 1 to 4096, not 2147483647"):
            kernel()


def test_constants_that_no_kernel_holds(arch):
    for one in ("python", arch):
        qd.init(arch=one, offline_cache=False)

        @qd.kernel
        def shifted() -> qd.i32:
            return 1 & (5 << 2147483647)

        @qd.kernel
        def power() -> qd.i32:
            return 1 & 5**2147483647

        for kernel, op in ((shifted, "<<"), (power, r"\*\*")):
            with pytest.raises(qd.QuadrantsTypeError, match=f"The result of '{op}' of these constants exceeded the range of integers"):
                kernel()


def test_long_products_are_not_held_in_memory():
    qd.init(arch=qd.python)
    a = qd.field(qd.i32, (3, 4))

    @qd.kernel
    def k():
        for I in qd.grouped(qd.ndrange(3, (1, 2147483647))):
            a[I] = I[1]

    with pytest.raises(qd.QuadrantsAssertionError, match=r"of size \(3, 4\) with indices \(0, 4\)"):
        k()
    assert a.to_numpy().tolist() == [[0, 1, 2, 3], [0] * 4, [0] * 4]


def test_print_and_assert():
    qd.init(arch=qd.python, debug=True)

    @qd.kernel
    def f(n: qd.i32, x: qd.f32):
        print(n, x, qd.Vector([n, 1]), 1.5, "text", sep="|")
        print(f"{n:03d} {x:.2f}", "{:e}".format(x), "%d%%" % n)
        assert n < 5, f"n is {n}"

    out = io.StringIO()
    with redirect_stdout(out):
        f(4, 2.5)
    assert out.getvalue() == "4|2.500000|[4, 1]|1.500000|text\n004 2.50 2.500000e+00 4%\n"
    with pytest.raises(qd.QuadrantsAssertionError, match="n is 7"), redirect_stdout(out):
        f(7, 0.0)

    @qd.kernel
    def wrong():
        print(1, end=-1)

    with pytest.raises(qd.QuadrantsTypeError, match="`end` of print must be a string known at compile time"):
        wrong()


def test_errors_show_the_line():
    qd.init(arch=qd.python)

    @qd.kernel
    def f(n: qd.i32) -> qd.i32:
        a = n + 1
        return 10 // a

    with pytest.raises(qd.QuadrantsAssertionError, match="integer division by zero") as info:
        f(-1)
    entry = next(e for e in info.traceback if e.name == "f")
    assert "10 // a" in str(entry.statement)


def test_mistakes():
    qd.init(arch=qd.python)

    @qd.kernel
    def wrong_type(x: qd.f32) -> qd.i32:
        return x & 1

    @qd.kernel
    def immutable(x: qd.i32):
        x = 3  # noqa: F841

    @qd.kernel
    def gone(x: qd.i32) -> qd.i32:
        if x > 0:
            y = 1
        return y  # noqa: F821

    @qd.kernel
    def right(x: qd.i32):
        pass

    with pytest.raises(qd.QuadrantsTypeError, match="unsupported operand type"):
        wrong_type(1.0)
    with pytest.raises(qd.QuadrantsSyntaxError, match='Kernel argument "x" is immutable in the kernel'):
        immutable(1)
    with pytest.raises(qd.QuadrantsNameError, match='Name "y" is not defined'):
        gone(1)
    with pytest.raises(qd.QuadrantsRuntimeTypeError, match="cannot be converted into required type i32"):
        right(1.5)


def test_arrays_are_what_the_annotation_asks_for():
    qd.init(arch=qd.python)
    vec2 = qd.types.vector(2, qd.i32)

    @qd.kernel
    def any_array(a: qd.types.ndarray()):
        pass

    @qd.kernel
    def scalars(a: qd.types.ndarray(dtype=qd.i32, ndim=1)):
        pass

    @qd.kernel
    def vectors(a: qd.types.ndarray(dtype=vec2, ndim=1)):
        pass

    @qd.kernel
    def view(a: qd.BufferView[qd.f32]):
        pass

    f, v3 = qd.ndarray(qd.f32, 3), qd.Vector.ndarray(3, qd.i32, 2)
    for kernel, wrong, kind, text in (
        (any_array, 1.2, qd.QuadrantsRuntimeTypeError, "Invalid type for argument a, got 1.2"),
        (any_array, qd.field(qd.i32, 3), qd.QuadrantsRuntimeTypeError, "Invalid type for argument a"),
        (any_array, np.ones(4)[::2], ValueError, "Non contiguous numpy arrays are not supported"),
        (any_array, np.ones(3, np.complex64), ValueError, "required array has dtype="),
        (scalars, f, TypeError, "Expect element type i32 for argument a, but get f32"),
        (scalars, qd.ndarray(qd.i32, (3, 3)), ValueError, r"required ndim=1, but 2d ndarray with shape \(3, 3\) is provided"),
        (scalars, np.ones(3), ValueError, "required array has dtype=i32, array with dtype=f64 is provided"),
        (scalars, np.ones((3, 3), np.int32), ValueError, "required array has ndim=1, array with 2 dimensions is provided"),
        (vectors, v3, ValueError, r"required element type: VectorType\[2, i32\], but \[Tensor \(3\) i32\] is provided"),
        (vectors, np.ones((2, 3), np.int32), ValueError, r"required element_shape=\(2,\), array with element shape of \(3,\)"),
        (view, f, qd.QuadrantsRuntimeTypeError, "Argument a expects a BufferView, got ScalarNdarray"),
        (view, qd.ndarray(qd.i32, 3)[0:2], TypeError, "Expect element type f32 for argument a, but get i32"),
    ):
        with pytest.raises(kind, match=text):
            kernel(wrong)
    scalars(np.ones(3, np.int32))
    vectors(np.ones((4, 2), np.int32))
    vectors(qd.Vector.ndarray(2, qd.i32, 4))
    view(f[1:])


def test_other_arguments_are_what_the_annotation_asks_for():
    qd.init(arch=qd.python)
    array = qd.types.ndarray(dtype=qd.f32, ndim=1)

    @qd.func
    def first(a: array):
        return a[0]

    @qd.kernel
    def passes(x: qd.types.ndarray()) -> qd.f32:
        return first(x)

    @qd.kernel
    def number() -> qd.f32:
        return first(3)

    @qd.kernel
    def constant(x: qd.template()):
        pass

    @qd.kernel
    def vector(v: qd.types.vector(2, qd.i32)) -> qd.i32:
        return v[1]

    @qd.kernel
    def normal() -> qd.f32:
        return qd.randn(qd.i32)

    class Plain:
        @qd.kernel
        def method(self):
            pass

    @dataclasses.dataclass
    class Box:
        n: qd.i32

    @qd.kernel
    def changes(box: Box):
        box.n = 3

    f = qd.ndarray(qd.f32, 3)
    for call, kind, text in (
        (lambda: passes(qd.ndarray(qd.i32, 3)), TypeError, "Expect element type f32 for argument a, but get i32"),
        (lambda: passes(qd.Vector.ndarray(2, qd.f32, 3)), TypeError, r"but get \[Tensor \(2\) f32\]"),
        (lambda: passes(qd.ndarray(qd.f32, (3, 3))), qd.QuadrantsCompilationError, "required ndim=1, but 2d ndarray is provided"),
        (number, qd.QuadrantsTypeError, "Expected ndarray in the kernel argument for argument a"),
        (lambda: constant(f), qd.QuadrantsRuntimeTypeError, "Ndarray shouldn't be passed in via"),
        (lambda: vector(3), qd.QuadrantsRuntimeTypeError, r"cannot be converted into required type VectorType\[2, i32\]"),
        (lambda: vector([1, 2, 3]), qd.QuadrantsRuntimeTypeError, "cannot be converted into required type"),
        (normal, qd.QuadrantsTypeError, "`randn` gives real numbers"),
        (lambda: Plain().method(), qd.QuadrantsSyntaxError, "Please decorate class Plain with @qd.data_oriented"),
        (lambda: changes(Box(1)), qd.QuadrantsSyntaxError, "is immutable in the kernel"),
    ):
        with pytest.raises(kind, match=text):
            call()
    f.fill(2)
    assert passes(f) == 2 and passes(np.ones(3, np.float32)) == 1 and vector((3, 4)) == 4


def test_mistakes_of_the_grammar():
    qd.init(arch=qd.python)
    x = qd.field(qd.i32, (2, 2))

    @qd.kernel
    def rank() -> qd.i32:
        return x[0]

    @qd.kernel
    def nested():
        def f():
            pass

    @qd.kernel
    def two():
        with qd.stream_parallel(), qd.stream_parallel():
            pass

    for kernel, kind, text in (
        (rank, IndexError, "Field with dim 2 accessed with indices of dim 1"),
        (nested, SyntaxError, "Function definition is not allowed in 'qd.kernel'."),
        (two, SyntaxError, "only supports a single context manager"),
    ):
        with pytest.raises(qd.QuadrantsCompilationError, match=text) as caught:
            kernel()
        assert isinstance(caught.value, kind)


@qd.func
def bumped(x, v):
    old = qd.atomic_add(x, 3)
    v.fill(2)
    return old * 10 + x + v.sum()


def test_sums_and_choices(both):
    def program():
        @qd.kernel
        def f(a: qd.i32) -> (qd.i32, qd.i32, qd.f32, qd.i32):
            x, y = (a, 2) if a > 0 else (3, a)
            return sum([a, 2]), sum(qd.Vector([a, 7])), sum((a, 0.5), 1), x * 10 + y

        return f(4), f(-4)

    assert both(program) == ((6, 11, 5.5, 42), (-2, 3, -2.5, 26))


def test_parameters_that_only_an_atomic_changes(both):
    def program():
        @qd.kernel
        def f(n: qd.i32) -> (qd.i32, qd.i32):
            v = qd.Vector([1, 1])
            return bumped(n, v) + bumped(4, v), v.sum()

        return f(2)

    assert both(program) == (29 + 51, 2)


def test_scalar_annotations_of_inlined_funcs_hold_for_each_element(both):
    @qd.func
    def whole(v: qd.i32):
        return v * 2

    @qd.func
    def result(a) -> qd.f32:
        return qd.Vector([a, a + 0.5])

    @qd.func
    def parts(a) -> (qd.i32, qd.f32):
        return qd.Vector([a, 2 * a]), a

    @qd.kernel
    def k(a: qd.f32) -> qd.types.vector(5, qd.f32):
        x, y = whole(qd.Vector([a, a + 1])), result(qd.cast(a, qd.i32))
        z, w = parts(a)
        return qd.Vector([x[0], x[1], y[1], z[1], w])

    assert both(lambda: k(1.75).to_numpy()).tolist() == [2, 4, 1.5, 3, 1.75]


def test_a_choice_has_the_common_type_whatever_its_sides_read(both):
    def program():
        @qd.kernel
        def k(c: qd.types.ndarray(qd.u32, ndim=2), i: qd.i32) -> (qd.i64, qd.i64):
            a = c[i % 6, c[i % 6, i % 3] % 3] if i > 0 else i
            b = i < 0 and c[c[0, 0] % 6, c[i % 6, 1] % 3] < 1
            return a, b

        return k(np.zeros((6, 3), np.uint32), -256)

    assert both(program) == (4294967040, 1)


@qd.func
def square_of(x):
    return x * x


def test_variables_of_static_loops_stay_known_when_funcs_take_them(both):
    def program():
        @qd.kernel
        def f() -> qd.i32:
            s = 0
            for i in qd.static(range(5)):
                s += square_of(i)
                if qd.static(i > 2):
                    s += i
            for i, j in qd.static(qd.ndrange(3, 3)):
                if qd.static(i == j):
                    s += square_of(i) * square_of(j)
            for i in range(3):
                s += square_of(i)
            return s

        return f()

    assert both(program) == 30 + 7 + 17 + 5


@pytest.mark.parametrize("debug", [False, True])
def test_what_an_assertion_evaluates_has_effects(arch, debug):
    """Its condition always; the values of its message too, unless debug mode looks and finds that it holds."""

    def program(one):
        qd.init(arch=one, offline_cache=False, debug=debug, print_full_traceback=True)

        @qd.func
        def bump(o: qd.template(), v):
            o += v
            return o

        @qd.kernel
        def f() -> (qd.i32, qd.i32):
            x, y = 0, 0
            for _ in range(3):
                assert bump(x, 1) < 50, f"x is {bump(x, 10)}"
                assert bump(y, 1) > 0
            return x, y

        return f()

    assert program("python") == program(arch) == (3 if debug else 33, 3)


FLAG, OFF, THREE = True, False, 3


def test_a_choice_that_is_known_has_the_type_of_both_sides(both):
    """As if the run chose, unless both sides are values of Python, or qd.static says that the other side does not count."""

    def program():
        @qd.kernel
        def f(x: qd.i32, y: qd.f32, t: qd.template()) -> (qd.f32, qd.f32, qd.f32, qd.f32, qd.f32, qd.f32, qd.f32, qd.f32):
            a = x if FLAG else y
            b = 1 if OFF else x / 2
            c = x if t else y
            d = x if qd.static(FLAG) else y
            e = 1 if FLAG else 2.5
            a += 0.5
            b += 0.5
            c += 0.5
            v = 2 if FLAG else qd.Vector([y, y])
            v[1] = 0.25
            g, h = (x, 1) if FLAG else (y, 2)
            g = 0.75
            d = 2.5
            e = 2.5
            return a, b, c, d, e, v[0], v[1], g

        return f(3, 1.25, True) + f(3, 1.25, 7)

    assert both(program) == (3.5, 2.0, 3.5, 2, 2, 2, 0.25, 0.75) * 2


def test_the_other_side_of_a_known_choice_has_no_effects(both):
    def program():
        count = qd.field(qd.i32, ())

        @qd.func
        def step(x):
            count[None] += 1
            return x * 0.5

        @qd.kernel
        def f(x: qd.i32) -> qd.f32:
            return (x if FLAG else step(x)) + (step(x) if OFF else x)

        return f(3), count[None]

    assert both(program) == (6, 0)


def test_known_operands_of_and_and_or_have_a_type(both):
    def program():
        @qd.kernel
        def f(x: qd.i8) -> (qd.i32, qd.i32, qd.i32, qd.i32):
            a = THREE and x
            b = OFF or x
            c = FLAG and THREE and x
            d = FLAG and x > 3
            a = 300
            b = 300
            c = 300
            return a, b, c, d

        return f(5)

    assert both(program) == (300, 44, 300, 1)


def test_choices_that_are_known_are_checked_on_both_sides():
    @qd.kernel
    def missing(x: qd.i32) -> qd.i32:
        return x if FLAG else undefined  # noqa: F821

    @qd.kernel
    def shapes(x: qd.i32) -> qd.i32:
        v = qd.Vector([x, x]) if FLAG else qd.Vector([x, x, x])
        return v[0]

    @qd.kernel
    def real(x: qd.i32) -> qd.i32:
        return 2.5 and x

    @qd.kernel
    def iterable(x: qd.i32):
        for _ in range(3) if FLAG else range(5):
            pass

    @qd.kernel
    def unlike(x: qd.i32) -> qd.i32:
        return x if FLAG else None

    with pytest.raises(qd.QuadrantsNameError, match='Name "undefined" is not defined'):
        missing(1)
    with pytest.raises(qd.QuadrantsCompilationError, match="Cannot broadcast tensor to tensor"):
        shapes(1)
    with pytest.raises(qd.QuadrantsTypeError, match="unsupported operand"):
        real(1)
    with pytest.raises(qd.QuadrantsSyntaxError, match="Using non static inlined if statement as for-loop iterable"):
        iterable(1)
    assert unlike(4) == 4
