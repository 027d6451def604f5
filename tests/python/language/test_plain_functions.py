"""Plain Python functions called in kernels with values known only at run time."""

import functools
import operator
import warnings

import pytest
import quadrants as qd


@pytest.fixture(params=[False, True], ids=["compiled", "python"])
def python(request):
    if request.param:
        qd.init(arch=qd.python)
    return request.param


def plain(a, b=10):
    c = a * 2
    return c + b


def of_numbers(x: float, y: int) -> float:
    return x * y


class Adder:
    def __init__(self, n):
        self.n = n

    def add(self, x):
        return x + self.n


twice = lambda x: x * 2  # noqa: E731
shifted, tripled = (lambda x, d=100: x + d), (lambda x: x * 3)
adder = Adder(7)
partly = functools.partial(plain, b=1)
first_given = functools.partial(plain, 5)


@pytest.mark.filterwarnings("ignore:Calling non-quadrants function")
def test_functions_lambdas_methods_and_partials(python):
    outer = 1000
    nested = lambda x: (lambda y: y + outer)  # noqa: E731

    @qd.kernel
    def k(a: qd.i32, x: qd.f32) -> (qd.i32, qd.i32, qd.f32, qd.i32, qd.i32, qd.i32, qd.i32, qd.i32, qd.i32):
        return (
            plain(a), plain(a, b=a), of_numbers(x, a), twice(a), shifted(a), tripled(a), adder.add(a), partly(a), first_given(b=a),
        )  # fmt: skip

    assert k(3, 1.5) == (16, 9, 4.5, 6, 103, 9, 10, 7, 13)
    enclosed = nested(0)

    @qd.kernel
    def closure(a: qd.i32) -> qd.i32:
        return enclosed(a)

    assert closure(3) == 1003


@pytest.mark.filterwarnings("ignore:Calling non-quadrants function")
def test_operators_of_numbers_and_matrices(python):
    m = qd.Matrix([[1, 2], [3, 4]])
    f = qd.Matrix.field(2, 2, qd.i32, 2)
    f[1] = [[5, 6], [7, 8]]

    @qd.kernel
    def k(a: qd.i32, b: qd.i32) -> (qd.i32, qd.i32, qd.i32, qd.i32, qd.i32, qd.i32):
        s = operator.add(m, f[1])
        d = operator.sub(f[1], m)
        p = operator.matmul(m, f[1])
        return (
            s[0, 0] + s[1, 1], d[0, 1], p[1, 0], operator.mul(a, b) + operator.neg(a) + operator.floordiv(a, b) + operator.mod(a, b),
            operator.lt(a, b) + 10 * operator.eq(a, a) + 100 * operator.not_(a), operator.xor(a, b) + operator.invert(a),
        )  # fmt: skip

    assert k(7, 3) == (6 + 12, 4, 3 * 5 + 4 * 7, 21 - 7 + 2 + 1, 10, (7 ^ 3) - 8)

    @qd.kernel
    def of_constants() -> qd.i32:
        return operator.add(m, m)[1, 1] + operator.matmul(m, m)[0, 0]

    assert of_constants() == 8 + 7


def test_a_warning_names_the_function():
    @qd.kernel
    def k(a: qd.i32) -> qd.i32:
        return plain(a)

    with pytest.warns(SyntaxWarning, match='Calling non-quadrants function "plain"'):
        assert k(1) == 12

    @qd.kernel
    def sums(a: qd.i32) -> qd.i32:
        return operator.add(a, 1)

    with pytest.warns(SyntaxWarning, match='Calling non-quadrants function "add"'):
        assert sums(1) == 2


def test_an_error_inside_is_placed(arch):
    def wrong(x):
        return x + missing  # noqa: F821

    @qd.kernel
    def k(a: qd.i32) -> qd.i32:
        return wrong(a)

    qd.init(arch=arch)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(qd.QuadrantsNameError, match=r"in k:\n(.*\n)+.* in wrong:\n        return x \+ missing"):
            k(1)


def test_functions_of_c_are_refused():
    import math

    @qd.kernel
    def k(x: qd.f32) -> qd.f32:
        return math.hypot(x, x)

    with pytest.raises(qd.QuadrantsTypeError, match="must be real number, not a run-time value"):
        k(1.0)


class Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b


@qd.func
def swapped(p):
    p.a, p.b = p.b, p.a
    return p.a - p.b


class Swapper:
    def __call__(self, b):
        return swapped(Pair(1, b))

    def method(self, b):
        return swapped(Pair(1, b))


def swaps(b):
    return swapped(Pair(1, b))


def test_a_function_that_calls_a_func_is_part_of_the_kernel_also_with_known_arguments(python):
    swapper = Swapper()

    @qd.kernel
    def k() -> (qd.i32, qd.i32, qd.i32):
        return swaps(4), swapper(5), swapper.method(6)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert tuple(k()) == (3, 4, 5)


def test_a_function_without_a_module(python):
    made = {}
    exec("def thrice(x):\n    return 3 * x", made)
    made["thrice"].__module__ = None
    thrice = made["thrice"]

    @qd.kernel
    def k() -> qd.i32:
        return thrice(4)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert k() == 12
