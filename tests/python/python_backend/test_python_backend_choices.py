"""Conditional expressions on qd.python, known at compile time or not: they have the same types as compiled."""

import io
from contextlib import redirect_stdout

import numpy as np
import pytest
import quadrants as qd

FLAG, OFF, THREE = True, False, 3


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


def test_a_choice_that_is_known_has_the_type_of_both_sides(both):
    """The type is as if chosen at run time, unless both sides are values of Python, or qd.static excludes the other side."""

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


def test_names_bound_in_operands_that_are_not_reached_have_a_type(both):
    def program():
        @qd.kernel
        def f(x: qd.i32, wide: qd.i64) -> (qd.i64, qd.i64, qd.i64, qd.i64, qd.i64, qd.i64):
            a = -128 << (2147483647 if not (OFF and (u := x) > 1) else u)
            b = (2147483647 if FLAG or (v := x) > 1 else v) + 1
            c = (2147483647 if FLAG or (w := wide) > 1 else w) + 1
            d = (z if FLAG and FLAG and 0.0 and (z := qd.Vector([1, 2]).y) > 1 else 2147483647) + 1
            e = ((2147483647 if not (OFF and x > (y := 3)) else y) if x > 2 else 3) + 1
            g = (2147483647 if not (OFF and OFF and FLAG and (p := x)) else p) + (p := 2)
            return a, b, c, d, e, g + p

        return f(5, 6)

    assert both(program) == (0, -(2**31), 2**31, -(2**31), -(2**31), -(2**31) + 3)


def test_operands_that_are_not_reached_have_no_effects(both):
    def program():
        @qd.func
        def changed(x: qd.template()):
            x += 1
            return x

        @qd.kernel
        def f(x: qd.i32) -> (qd.i32, qd.i32):
            n = x
            a = w if OFF and (w := changed(n)) > 1 and qd.atomic_add(n, 5) else 9
            return a, n

        return f(5)

    assert both(program) == (9, 5)
