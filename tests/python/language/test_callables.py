"""Funcs called through Python callables: partials, wrappers, instances with `__call__`, map, reduce and others."""

import functools
import operator

import pytest
import quadrants as qd

pytestmark = pytest.mark.filterwarnings("ignore:Calling non-quadrants function")


@pytest.fixture(params=[False, True], ids=["compiled", "python"])
def python(request):
    if request.param:
        qd.init(arch=qd.python)
    return request.param


@qd.func
def fd(a, b=3):
    return a * 10 + b


@qd.func
def change(v: qd.template(), by):
    v += by


def wrapped(f):
    @functools.wraps(f)
    def wrapper(*args, **keywords):
        return f(*args, **keywords) + 1000

    return wrapper


def last_by_name(*args, b=7, **others):
    return fd(*args, b=b) + len(others)


class Tripled:
    @qd.func
    def __call__(self, x):
        return x * 3


class Plus:
    def __init__(self, n):
        self.n = n

    def __call__(self, x):
        return fd(x, self.n)


class Methods:
    k = 5

    @qd.func
    def of(self, a, b):
        return a * 100 + b * 10 + self.k

    with_two = functools.partialmethod(of, 2)
    by_name = functools.partialmethod(of, b=4)

    @staticmethod
    @qd.func
    def twice(x):
        return x * 2


@functools.singledispatch
def kind_of(x):
    return 1


@kind_of.register(int)
def _(x):
    return fd(x)


@kind_of.register(float)
def _(x):
    return x * 0.5


@functools.lru_cache
def cached(x):
    return fd(x) + 1


one, nested = functools.partial(fd, 1), functools.partial(functools.partial(fd, b=8), b=9)
tripled, plus, methods = Tripled(), Plus(4), Methods()
around = wrapped(fd)


@pytest.mark.parametrize(
    "call, wanted",
    [
        (lambda x: functools.partial(fd, 1)(x), 14),
        (lambda x: one(x), 14),
        (lambda x: nested(x), 49),
        (lambda x: functools.partial(fd, b=x)(2), 24),
        (lambda x: functools.partial(fd, x)(), 43),
        (lambda x: one(4), 14),
        (lambda x: around(x), 1043),
        (lambda x: around(x, b=1), 1041),
        (lambda x: around(4), 1043),
        (lambda x: last_by_name(x), 47),
        (lambda x: last_by_name(x, c=x, d=1), 49),
        (lambda x: last_by_name(x, b=x), 44),
        (lambda x: tripled(x), 12),
        (lambda x: tripled(4), 12),
        (lambda x: plus(x), 44),
        (lambda x: methods.with_two(x), 245),
        (lambda x: methods.by_name(x), 445),
        (lambda x: methods.twice(x), 8),
        (lambda x: functools.partial(methods.of, x)(1), 415),
        (lambda x: sum(map(fd, [x, 2, 3])), 99),
        (lambda x: list(map(fd, [x, 2], [1, x]))[1], 24),
        (lambda x: functools.reduce(fd, [x, 2, 3]), 423),
        (lambda x: functools.reduce(fd, [2, 3], x), 423),
        (lambda x: functools.reduce(fd, [4, 2, 3]), 423),
        (lambda x: operator.methodcaller("of", 1, b=2)(methods) + x, 129),
        (lambda x: operator.methodcaller("of", 4, 1)(methods) + x, 419),
        (lambda x: operator.attrgetter("k")(methods) + x, 9),
        (lambda x: kind_of(x), 43),
        (lambda x: kind_of(2.0) + x, 5),
        (lambda x: kind_of("text") + x, 5),
        (lambda x: cached(x), 44),
        (lambda x: list(filter(tripled, [0, 2]))[0] + x, 6),
    ],
)  # fmt: skip
def test_funcs_through_callables(python, call, wanted):
    @qd.kernel
    def k(x: qd.i32) -> qd.i32:
        return call(x)

    assert k(4) == wanted


def test_a_partial_as_template_argument(python):
    @qd.kernel
    def k(f: qd.template(), x: qd.i32) -> qd.i32:
        return f(x)

    assert k(functools.partial(fd, 1), 4) == 14
    assert k(functools.partial(fd, 2), 4) == 24
    assert k(functools.partial(fd, b=2), 4) == 42
    assert k(tripled, 4) == 12
    assert k(fd, 4) == 43


def test_lvalues_are_passed_through(python):
    by_two = functools.partial(change, by=2)

    def wrapper(*args):
        return change(*args)

    @qd.kernel
    def k() -> qd.i32:
        a = 1
        by_two(a)
        wrapper(a, 10)
        return a

    assert k() == 13


def test_members_of_arguments_with_call(python):
    @qd.data_oriented
    class Scale:
        def __init__(self, factor):
            self.factor = factor
            self.values = qd.field(qd.i32, 3)
            self.values.fill(factor)

        @qd.func
        def __call__(self, x):
            return self.values[1] * x + self.factor

        @qd.kernel
        def run(self, x: qd.i32) -> qd.i32:
            return self(x)

    assert Scale(3).run(4) == 15

    @qd.kernel
    def k(s: qd.template(), x: qd.i32) -> qd.i32:
        return s(x)

    assert k(Scale(5), 4) == 25


def test_gradients_pass_through_callables():
    x, loss = qd.field(qd.f32, (), needs_grad=True), qd.field(qd.f32, (), needs_grad=True)

    @qd.func
    def power(a, b):
        return a * a * b

    cubed = functools.partial(power, b=3.0)

    @qd.kernel
    def k():
        loss[None] += wrapped(power)(x[None], 2.0) + cubed(x[None])

    x[None] = 5.0
    with qd.ad.Tape(loss):
        k()
    assert x.grad[None] == 50.0


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda x: functools.partial(fd, 1, 2)(x), qd.QuadrantsSyntaxError, "Too many arguments"),
        (lambda x: functools.partial(fd, a=1)(x), qd.QuadrantsSyntaxError, "Multiple values for argument 'a'"),
        (lambda x: list(filter(fd, [x]))[0], qd.QuadrantsTypeError, "runs at compile time"),
        (lambda x: methods(x), qd.QuadrantsTypeError, "not callable"),
    ],
)
def test_mistakes_are_reported(call, error, words):
    @qd.kernel
    def k(x: qd.i32) -> qd.i32:
        return call(x)

    with pytest.raises(error, match=words):
        k(4)
