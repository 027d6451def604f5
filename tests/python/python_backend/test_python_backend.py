"""qd.python: kernels run as Python, with the same meaning as compiled."""

import io
from contextlib import redirect_stdout

import numpy as np
import pytest
import quadrants as qd


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
                part = 1.5  # local to this iteration
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


def test_constants_are_those_of_python(both):
    @qd.kernel
    def k(x: qd.f32, y: qd.f64) -> (qd.i32, qd.i32, qd.f64, qd.f64):
        rows = qd.cast(qd.Matrix([[max(0.25, 2147483647), x], [x, y]]), qd.f64)
        return 1 <= 2147483647 + 1000 < 3, qd.min(2147483647 * 2, 7), rows[0, 0], qd.max(2147483648.5, 1)

    assert both(lambda: k(0.5, 0.5)) == (0, 7, 2147483647.0, 2147483648.0)


def test_loops_too_long_for_a_kernel():
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


@pytest.mark.parametrize("debug", [False, True])
def test_operands_of_an_assertion_may_have_side_effects(arch, debug):
    """The condition is always evaluated, and so are the values of the message, unless debug mode finds that the condition holds."""

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
