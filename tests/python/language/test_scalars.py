"""Operators, promotion, literals, casts."""

import math

import numpy as np
import pytest
import quadrants as qd


def test_division_goes_through_default_fp():
    @qd.kernel
    def f(a: qd.i32, b: qd.i32) -> qd.f32:
        return a / b

    assert f(7, 2) == 3.5


@pytest.mark.parametrize("a", [-7, 7])
@pytest.mark.parametrize("b", [-2, 2])
def test_floor_division_and_modulo_are_pythons(a, b):
    @qd.kernel
    def div(a: qd.i32, b: qd.i32) -> qd.i32:
        return a // b

    @qd.kernel
    def mod(a: qd.i32, b: qd.i32) -> qd.i32:
        return a % b

    @qd.kernel
    def raw(a: qd.i32, b: qd.i32) -> qd.i32:
        return qd.raw_div(a, b) * 100 + qd.raw_mod(a, b)

    @qd.kernel
    def real(a: qd.f64, b: qd.f64) -> qd.f64:
        return a // b * 100.0 + a % b

    assert div(a, b) == a // b
    assert mod(a, b) == a % b
    assert raw(a, b) == int(a / b) * 100 + int(math.fmod(a, b))
    assert real(a, b) == a // b * 100.0 + a % b


def test_integer_division_by_zero_raises():
    @qd.kernel
    def f(a: qd.i32) -> qd.i32:
        return 10 // a

    assert f(3) == 3
    with pytest.raises(qd.QuadrantsAssertionError, match="integer division by zero"):
        f(0)
    assert f(5) == 2


def test_powers():
    @qd.kernel
    def real(a: qd.f64) -> qd.f64:
        return a**3 + a**-2 + a**0.5 + a**0

    @qd.kernel
    def whole(a: qd.i32, b: qd.i32) -> qd.i32:
        return a**3 + a**b + a**0

    assert real(4.0) == pytest.approx(64 + 1 / 16 + 2 + 1)
    assert whole(-3, 4) == -27 + 81 + 1


@pytest.mark.parametrize("kind", [qd.f32, qd.f64])
def test_real_to_an_integer_known_at_run_time(kind):
    @qd.kernel
    def f(a: kind, n: qd.i32, m: qd.i64) -> qd.types.vector(4, kind):
        return qd.Vector([a**n, 2.0**n, 10.0**m, qd.pow(a, qd.cast(n, kind))])

    for n in (-5, 0, 3):
        assert f(-1.5, n, n).to_list() == pytest.approx([(-1.5) ** n, 2.0**n, 10.0**n, (-1.5) ** n], rel=1e-6)


def test_bits():
    @qd.kernel
    def f(a: qd.i32) -> qd.i32:
        return (a << 3) | (a >> 1) ^ ~a & 0xFF

    @qd.kernel
    def logical(a: qd.i32) -> qd.i32:
        return qd.bit_shr(a, 28)

    for a in (21, -5):
        assert f(a) == (a << 3) | (a >> 1) ^ ~a & 0xFF
    assert logical(-1) == 15


@pytest.mark.parametrize(
    "a, b, result",
    [
        (qd.i32, qd.f32, qd.f32), (qd.i64, qd.f16, qd.f16), (qd.f32, qd.f64, qd.f64), (qd.i32, qd.i64, qd.i64),
        (qd.i32, qd.u32, qd.u32), (qd.u8, qd.u8, qd.u8), (qd.i8, qd.u16, qd.u16), (qd.u1, qd.i8, qd.i8),
    ],
)  # fmt: skip
def test_promotion(a, b, result):
    seen = []

    @qd.kernel
    def f():
        x = qd.cast(1, a) + qd.cast(1, b)
        y = qd.bit_cast(x, result)  # an error unless the types have the same size
        qd.static(seen.append(1))
        x = y

    f()
    assert seen


def test_narrow_integers_wrap():
    @qd.kernel
    def f(a: qd.u8, b: qd.u8) -> qd.u8:
        return a + b

    assert f(200, 100) == 44


def test_comparisons_and_short_circuit():
    @qd.kernel
    def classify(a: qd.i32) -> qd.i32:
        r = 0
        if 0 < a < 10 and a != 5 or a == 100:
            r = 1
        elif a == 5:
            r = 2
        else:
            r = 3
        return r

    @qd.kernel
    def values(a: qd.i32) -> qd.i32:
        return (a and 7) + (0 or a) * 10 + (not a) * 100

    assert [classify(a) for a in (3, 5, 50, 100)] == [1, 2, 3, 1]
    assert values(3) == 7 + 30
    assert values(0) == 100


def test_the_second_operand_is_not_evaluated_in_vain():
    count = qd.field(qd.i32, shape=())

    @qd.func
    def touch():
        count[None] += 1
        return 1

    @qd.kernel
    def f(a: qd.i32) -> qd.i32:
        r = 0
        if a > 0 and touch():
            r += 1
        if a > 0 or touch():
            r += 2
        return r + (touch() if a > 5 else 0)

    assert f(1) == 3
    assert count[None] == 1
    assert f(0) == 2
    assert count[None] == 2


def test_conditional_expression():
    @qd.kernel
    def f(a: qd.f32) -> qd.f32:
        return a if a > 0 else -2 * a

    assert f(-3) == 6
    assert f(4) == 4


def test_casts():
    @qd.kernel
    def f(a: qd.f64, b: qd.i64, c: qd.u8) -> qd.f64:
        return a * b + c + qd.cast(a, qd.i32) + int(a) + qd.i64(3) * 2 + float(c) + bool(c)

    assert f(2.5, 1 << 33, 200) == 2.5 * (1 << 33) + 200 + 2 + 2 + 6 + 200 + 1


def test_a_variable_keeps_its_first_type():
    @qd.kernel
    def f(a: qd.f32) -> qd.f32:
        x = 1
        x = a
        return x

    with pytest.warns(UserWarning, match="Assign may lose precision: i32 <- f32"):
        assert f(2.7) == 2


def test_annotated_variables_that_exist_are_assigned(arch):
    """The annotation declares a variable if there is none, otherwise it restates the variable's type."""
    for arch_of_test in (arch, qd.python):
        qd.init(arch=arch_of_test, print_full_traceback=True)

        @qd.func
        def of_func(a):
            a: qd.i32 = 5
            return a

        @qd.func
        def of_template(a: qd.template()):
            a: qd.i32 = 5
            return a

        @qd.kernel
        def f(n: qd.i32) -> qd.types.vector(6, qd.f32):
            x: qd.f32 = n
            y = 1
            if n > 0:
                x: qd.f32 = n + 0.5
                y: qd.i32 = 7
                z: qd.i8 = 3  # noqa: F841
            z: qd.f32 = 1.5  # noqa: F821
            b = c = 1
            return [x, y, z, of_func(b) * 10 + b, of_template(c) * 10 + c, float("inf")]

        assert f(3).to_list() == [3.5, 7, 1.5, 51, 55, float("inf")]


def test_named_expression_and_annotated_variable():
    @qd.kernel
    def f(n: qd.i32) -> qd.f32:
        x: qd.f32 = n
        if (y := n + 1) > 2:
            x += y / 2
        return x

    assert f(3) == 5.0


def test_several_results():
    @qd.kernel
    def f(n: qd.i32) -> (qd.i32, qd.f32):
        a, b = n, n * 0.5
        a, b = a + 1, b + a
        return a, b

    assert f(3) == (4, 4.5)


UNARY = "sin cos tan asin acos tanh exp log sqrt floor ceil".split()


@pytest.mark.parametrize("name", UNARY)
def test_math(name):
    op = getattr(qd, name)

    @qd.kernel
    def f(x: qd.f64) -> qd.f64:
        return op(x)

    assert f(0.7) == pytest.approx(getattr(math, name)(0.7), rel=1e-12)


def test_more_math():
    @qd.kernel
    def f(x: qd.f64) -> qd.f64:
        return qd.atan2(x, 2.0) + qd.rsqrt(x) + qd.round(x) + qd.max(x, 2, 0.5) + min(x, 3) + abs(-x)

    assert f(0.5) == pytest.approx(math.atan2(0.5, 2) + 0.5**-0.5 + 1 + 2 + 0.5 + 0.5)


def test_sqrt_of_an_integer_is_default_fp():
    @qd.kernel
    def f(a: qd.i32) -> qd.f32:
        return qd.sqrt(a)

    assert f(9) == 3


def test_bit_counts():
    @qd.kernel
    def f(a: qd.u32) -> qd.i32:
        return qd.math.popcnt(a) * 10000 + qd.math.clz(a) * 100 + qd.math.ffs(a)

    assert f(0b1100) == 2 * 10000 + 28 * 100 + 3


def test_random_is_uniform():
    @qd.kernel
    def mean(n: qd.i32) -> qd.f32:
        s = 0.0
        for _ in range(n):
            s += qd.random()
        return s / n

    first, second = mean(4000), mean(4000)
    assert abs(first - 0.5) < 0.05
    assert first != second


def test_literals_have_default_types():
    qd.init(arch=qd.cfg.arch, default_fp=qd.f64, default_ip=qd.i64)

    @qd.kernel
    def f() -> qd.f64:
        a = 5_000_000_000
        b = 0.1
        return a * b

    assert f() == 5_000_000_000 * 0.1
    assert np.float64(f()) == f()


def test_truth_values_as_numbers():
    x = qd.field(qd.u1, 3)

    @qd.kernel
    def k(n: qd.i32) -> (qd.u1, qd.u1, qd.u1, qd.i32, qd.u1, qd.u1):
        a = n > 0
        b = n > 0
        c = n < 0
        a += 1
        b += n
        c += False
        for i in range(2):
            x[i] += True
            x[i] += True
        return a, b, c, True << 2, a + b, a - b

    with pytest.warns(UserWarning, match="Atomic add may lose precision: u1 <- i32"):
        assert k(3) == (False, False, False, 4, False, False)
    assert x.to_numpy().tolist() == [False, False, False]


def test_subnormal_constants_are_flushed():
    """Constants are flushed like run-time values."""
    small = 1e-45
    x, y = qd.field(qd.f32, 8), qd.field(qd.f64, 4)

    @qd.kernel
    def k(one: qd.f32, wide: qd.f64):
        x[0] = 1e-45
        x[1] = 1e-10 * 1e-35
        x[2] = small
        x[3] = qd.f32(1e-40)
        tiny = 1e-30
        x[4] = tiny * 1e-10
        x[5] = one * 1e-30 * 1e-10
        x[6] = -1e-45
        x[7] = 1.5e-38
        y[0] = qd.f64(1e-310)
        y[1] = qd.f64(1e-200) * qd.f64(1e-110)
        y[2] = wide * qd.f64(1e-200) * qd.f64(1e-110)
        y[3] = qd.f64(1e-300)

    x.fill(1)
    y.fill(1)
    k(1.0, 1.0)
    assert x.to_numpy().tolist() == [0, 0, 0, 0, 0, 0, 0, np.float32(1.5e-38)]
    assert np.signbit(x.to_numpy()).tolist() == [False] * 6 + [True, False]
    assert y.to_numpy().tolist() == [0, 0, 0, 1e-300]
