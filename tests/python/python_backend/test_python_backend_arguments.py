"""Arguments of kernels and funcs on qd.python are converted as in compiled code, according to the annotation."""

import dataclasses

import numpy as np
import pytest
import quadrants as qd


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


def test_templates_are_passed_on(both):
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


def test_template_parameters_that_are_numbers_may_be_updated(both):
    @qd.func
    def bump(o: qd.template(), v):
        o += v
        o *= 2
        return o

    @qd.kernel
    def integers(m: qd.i64) -> qd.i64:
        return bump(4, 3) * 1000 + bump(m + 0, 1)

    @qd.kernel
    def floats() -> qd.f32:
        return bump(2.0, 1) + bump(True, 1.5)

    assert both(lambda: [integers(7), floats()]) == [14016, 6]


def test_parameters_that_atomics_change_are_variables(both):
    """Numbers passed to a func wrap like those of a variable, also before the atomic and without one."""

    @qd.func
    def least(n):
        old = qd.atomic_min(n, n**2)
        return old * 1000 + n

    @qd.func
    def before(n):
        square = n**2
        qd.atomic_add(n, 1)
        return square - n

    @qd.func
    def by_keyword(n):
        square = n * 2
        qd.atomic_add(y=1, x=n)
        return square - n

    @qd.kernel
    def k(x: qd.types.ndarray(qd.i64, 1)):
        x[0], x[1], x[2], x[3] = least(2147483647), before(2147483647), by_keyword(2147483647), least(-7)

    @qd.func
    def known(n):
        return n**2

    @qd.kernel
    def unchanged() -> qd.i64:
        return known(2147483647)

    def run():
        x = qd.ndarray(qd.i64, 4)
        k(x)
        assert unchanged() == 1
        return x.to_numpy().tolist()

    assert both(run)[1] == 1 - 2**31


def test_parameters_are_variables_that_other_funcs_may_change(both):
    """A parameter passed by value is local to the func, and changes if it is passed to a template parameter."""

    @qd.func
    def bump(o: qd.template(), v):
        o += v
        o *= 2
        return o

    @qd.func
    def plain(n):
        return bump(n, 1) * 1000 + n

    @qd.func
    def typed(n: qd.i64):
        return bump(n, 1) * 1000 + n

    @qd.func
    def by_keyword(n):
        return bump(v=1, o=n) * 1000 + n

    @qd.func
    def between(o: qd.template()):
        return bump(o, 1)

    @qd.func
    def twice(n):
        return between(n) * 1000 + n

    @qd.func
    def component(v):
        return bump(v[0], 1) * 1000 + v[0]

    @qd.func
    def member(s):
        return bump(s.a, 1) * 1000 + s.a

    @qd.func
    def func_given(f: qd.template(), n):
        return f(n, 1) * 1000 + n

    @qd.func
    def in_loop(n):
        for _ in range(3):
            bump(n, 1)
        return n

    @qd.real_func
    def real(n: qd.i64) -> qd.i64:
        return bump(n, 1) * 1000 + n

    @qd.func
    def known(n, m):
        s = m
        for _ in qd.static(range(n)):  # passed to `bump` without being changed
            bump(s, n)
        return s

    @qd.data_oriented
    class Methods:
        @qd.func
        def bump(self, o: qd.template(), v):
            o += v
            o *= 2
            return o

        @qd.func
        def through(self, n):
            return self.bump(n, 1) * 1000 + n

        @qd.kernel
        def k(self, m: qd.i64) -> qd.i64:
            return self.through(m)

    record = qd.types.struct(a=qd.i64, b=qd.f32)

    @qd.kernel
    def all_ways(m: qd.i64, x: qd.types.ndarray(qd.i64, 1)):
        y = m
        x[0] = plain(5)
        x[1] = plain(m)
        x[2] = typed(m)
        x[3] = plain(y) + 0 * y
        x[4] = plain(m + 0)
        x[5] = by_keyword(m)
        x[6] = twice(m)
        x[7] = component(qd.Vector([m, m], dt=qd.i64))
        x[8] = member(record(m, 1.0))
        x[9] = func_given(bump, m)
        x[10] = real(m)
        x[11] = in_loop(m)
        x[12] = known(3, m)
        x[13] = y

    def program():
        x = np.zeros(14, np.int64)
        all_ways(5, x)
        return [*x.tolist(), Methods().k(5)]

    assert both(program) == [12012] * 11 + [54, 82, 5, 12012]


@pytest.mark.parametrize("value", [None, "x"])
def test_template_parameters_that_cannot_be_updated(arch, value):
    @qd.func
    def bump(o: qd.template()):
        o += 1
        return o

    for one in (arch, qd.python):
        qd.init(arch=one, print_full_traceback=True)

        @qd.kernel
        def k() -> qd.i32:
            return bump(value)

        with pytest.raises(qd.QuadrantsTypeError, match="Cannot assign to non-lvalue"):
            k()


class Number:
    def __init__(self, a, b=1.5):
        self.a = a
        self.b = b

    def __add__(self, other):
        return Number(self.a + other.a, self.b)

    def __sub__(self, other):
        return Number(other.a, self.b)

    def halved(self, a):
        return a // 2


class Holder:
    def __init__(self, number):
        self.number = number


@qd.func
def square(n):
    return n.a * n.a // 65535


@qd.func
def same(n):
    return n


@qd.func
def marked(n):
    square_of_it = n.a * n.a // 65535
    if n.b > 100.0:
        n.b = 3.0
    return square_of_it


@qd.func
def mark(n: qd.template()):
    n.b = 3.0


@qd.func
def marked_by_callee(n):
    mark(n)
    return n.a * n.a // 65535


@qd.func
def by_method(n):
    return n.halved(n.a * n.a // 65535)


def test_constant_members_have_no_type_before_the_instance_is_in_a_variable(both):
    def program():
        @qd.kernel
        def f(x: qd.i32) -> (qd.f32, qd.i32, qd.i32, qd.i32, qd.f32, qd.i32):
            return (
                (Number(x) - Number(65535**2)).b, square(Number(65535)), same(Number(65535**2)).a // 65535,
                square(Holder(Number(65535)).number), same(Holder(Number(65535**2))).number.b, Number(Number(65535**2), 1).b,
            )  # fmt: skip

        return f(2)

    assert both(program) == (1.5, 65535, 65535, 65535, 1.5, 1)


@pytest.mark.parametrize("func, result", [(marked, -3), (marked_by_callee, -3), (by_method, -2)])
def test_a_func_that_changes_an_instance_gives_its_members_types(both, func, result):
    def fits():
        @qd.kernel
        def f() -> qd.i32:
            return func(Number(65535))

        return f()

    def is_too_large():
        @qd.kernel
        def f() -> qd.i32:
            return func(Number(65535**2))

        with pytest.raises(qd.QuadrantsTypeError, match="Integer literal 4294836225 exceeded"):
            f()

    assert both(fits) == result
    both(is_too_large)
