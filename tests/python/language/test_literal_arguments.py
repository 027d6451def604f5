"""A Python number passed to a func's parameter without an annotation becomes a typed value, but uses that need a constant still get the
number."""

import numpy as np
import pytest
import quadrants as qd


@qd.func
def middle(p):
    return (p * p) >> 16


@qd.func
def middle_typed(p: qd.i32):
    return (p * p) >> 16


@qd.func
def hashed(i, j):
    return (i * 73856093) ^ (j * 19349663)


@qd.func
def ratio(p):
    return p * p / p


@qd.func
def through(p):
    return middle(p + 1) + middle(-p)


@qd.func
def by_default(p, q=65535):
    return p + ((q * q) >> 16)


@qd.func
def of_pair(pair):
    return (pair[0] * pair[1]) >> 16


def test_integers_are_those_of_a_variable(both):
    def program():
        @qd.kernel
        def literal() -> qd.types.vector(8, qd.i32):
            pair = (65535, 65535)
            return qd.Vector([
                middle(65535), middle_typed(65535), hashed(100, 3), through(65534), by_default(1), middle(p=65535), of_pair((65535, 65535)),
                of_pair(pair),
            ])  # fmt: skip

        @qd.kernel
        def variable() -> qd.types.vector(8, qd.i32):
            x, i, j, one = 65535, 100, 3, 1
            before, pair = x - 1, (x, x)
            return qd.Vector([
                middle(x), middle_typed(x), hashed(i, j), through(before), by_default(one, x), middle(p=x), of_pair((x, x)), of_pair(pair),
            ])  # fmt: skip

        return literal().to_numpy(), variable().to_numpy()

    found, expected = both(program)
    np.testing.assert_array_equal(found, expected)
    assert found[0] == -2


def test_reals_are_rounded_at_each_step(both):
    @qd.func
    def steps(p):
        return (p + 1.0) * 3.0 - p, -p / 3, p // 0.3, p % 0.07, abs(-p), min(p, 1), max(p, 2, 0.5)

    def program():
        @qd.kernel
        def literal() -> qd.types.vector(8, qd.f32):
            return qd.Vector([ratio(1e30), *steps(0.1)])

        @qd.kernel
        def variable() -> qd.types.vector(8, qd.f32):
            x, y = 1e30, 0.1
            return qd.Vector([ratio(x), *steps(y)])

        return literal().to_numpy(), variable().to_numpy()

    found, expected = both(program)
    np.testing.assert_array_equal(found, expected)
    assert np.isinf(found[0])


def test_types_of_results_are_those_of_a_variable(both):
    @qd.func
    def quotients(p, q):
        return p // q + p / q, min(p, 2.5) / 2, int(q) * 65536 * 65536, (p > q) + (q > p), qd.cast(p, qd.i64) * 65536 * 65536

    def program():
        @qd.kernel
        def literal() -> qd.types.vector(5, qd.f64):
            return qd.Vector([*quotients(7, 2)])

        @qd.kernel
        def variable() -> qd.types.vector(5, qd.f64):
            x, y = 7, 2
            return qd.Vector([*quotients(x, y)])

        return literal().to_numpy(), variable().to_numpy()

    found, expected = both(program)
    np.testing.assert_array_equal(found, expected)


def test_loops_that_are_unrolled_and_templates(both):
    def program():
        @qd.kernel
        def f(n: qd.template()) -> qd.types.vector(3, qd.i32):
            v = qd.Vector([0, 0, middle(n)])
            for k in qd.static(range(2)):
                v[k] = middle(65535 + k)
            return v

        return f(65535).to_numpy()

    assert both(program).tolist() == [-2, 0, -2]


@qd.func
def far_shifted_and_raised(p):
    return qd.Vector([1 << p, p << p, 3**p])


def test_shifts_and_powers_that_would_be_too_large_for_constants(both):
    def program():
        @qd.kernel
        def literal() -> qd.types.vector(3, qd.i32):
            return far_shifted_and_raised(2147483647)

        @qd.kernel
        def variable() -> qd.types.vector(3, qd.i32):
            x = 2147483647
            return far_shifted_and_raised(x)

        return [literal().to_list(), variable().to_list()]

    found, expected = both(program)
    assert found == expected


@qd.func
def power(x, n):
    result = x * 0 + 1
    for _ in qd.static(range(n)):
        result *= x
    return result


@qd.func
def factorial(n):
    r = 1
    if qd.static(n > 1):
        r = n * factorial(n - 1)
    return r


@qd.func
def corner(v, k):
    table = [10, 20, 30]
    return v[k] + table[k] + qd.static({1: 100}[k])


@qd.func
def is_tenth(p, flag):
    out = 0
    if qd.static(p == 0.1 and flag):
        out = 1
    return out


def test_uses_that_need_a_constant_get_the_number(both):
    def program():
        @qd.kernel
        def k() -> qd.types.vector(5, qd.i32):
            v = qd.Vector([5, 6, 7])
            return qd.Vector([power(3, min(4, 9)), factorial(5), corner(v, 1), is_tenth(0.1, True), is_tenth(0.1, False)])

        return k().to_numpy()

    assert both(program).tolist() == [81, 120, 6 + 20 + 100, 1, 0]


def test_numbers_inside_static_are_python_numbers(both):
    @qd.func
    def f(p, q):
        return qd.static((p * p) >> 16), qd.static(q + q)

    def program():
        @qd.kernel
        def k() -> qd.types.vector(2, qd.f64):
            return qd.Vector([*f(65535, 0.1)])

        return k().to_numpy()

    assert both(program).tolist() == [65534, np.float32(0.2)]


def test_a_number_that_no_default_type_holds_can_still_get_one(both):
    @qd.func
    def wide(p):
        return qd.u64(p) >> 40

    @qd.func
    def cut(p):
        return qd.u8(p) + qd.f64(p) * 0

    def program():
        @qd.kernel
        def k() -> qd.types.vector(2, qd.f64):
            return qd.Vector([wide(1 << 41), cut(300)])

        return k().to_numpy()

    assert both(program).tolist() == [2, 44]


def test_a_number_that_does_not_fit_is_refused_where_it_is_used(arch):
    @qd.kernel
    def k() -> qd.i32:
        return middle(1 << 40)

    with pytest.raises(qd.QuadrantsTypeError, match="Integer literal 1099511627776 exceeded the range of default_ip: i32"):
        k()


def test_overflow_is_reported_in_debug_mode(arch, capfd):
    qd.init(arch=arch, debug=True, offline_cache=False, print_full_traceback=True)

    @qd.kernel
    def k() -> qd.i32:
        return middle(65535)

    assert k() == -2
    qd.sync()
    assert "Multiplication overflow detected" in capfd.readouterr().out


def test_a_real_is_printed_as_a_value(arch, capfd):
    @qd.func
    def show(p, n, flag):
        print(f"{p} {n} {flag} {p + p}")

    @qd.kernel
    def k():
        show(0.1, 3, True)

    lines = []
    for one in (arch, "python"):
        qd.init(arch=one, offline_cache=False)
        k()
        qd.sync()
        lines.append(capfd.readouterr().out.splitlines()[-1])
    assert lines == ["0.100000 3 1 0.200000"] * 2


def test_plain_functions_compute_as_python_does(arch):
    def plain(x, p):
        return x + ((p * p) >> 16)

    @qd.kernel
    def k(x: qd.i32) -> qd.i32:
        return plain(x, 65535)

    with pytest.warns(SyntaxWarning, match="Calling non-quadrants function"):
        assert k(1) == 65535
