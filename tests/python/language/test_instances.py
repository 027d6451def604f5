"""Instances of Python classes that a kernel creates, and operators that classes define."""

import dataclasses
import functools
import re
import typing

import pytest
import quadrants as qd

pytestmark = pytest.mark.filterwarnings("ignore:Calling non-quadrants function")


@pytest.fixture(params=[False, True], ids=["compiled", "python"])
def python(request):
    if request.param:
        qd.init(arch=qd.python)
    return request.param


class Complex:
    unit = 1

    def __init__(self, re, im=0):
        self.re = re
        self.im = im

    def __add__(self, o):
        return Complex(self.re + o.re, self.im + o.im)

    def __mul__(self, o):
        return Complex(self.re * o.re - self.im * o.im, self.re * o.im + self.im * o.re)

    def __rmul__(self, k):
        return Complex(k * self.re, k * self.im)

    def __neg__(self):
        return Complex(-self.re, -self.im)

    def __eq__(self, o):
        return self.re == o.re and self.im == o.im

    def __lt__(self, o):
        return self.norm < o.norm

    def __getitem__(self, i):
        return self.re if qd.static(i == 0) else self.im

    def __setitem__(self, i, v):
        self.im = v + i

    def __len__(self):
        return 2

    def __abs__(self):
        return self.norm

    def __call__(self, k, plus=0):
        return self.re * k + plus

    @property
    def norm(self):
        return self.re * self.re + self.im * self.im

    @norm.setter
    def norm(self, v):
        self.re = v

    @staticmethod
    def square(x):
        return x * x

    @classmethod
    def real(cls, x):
        return cls(x, cls.unit)

    def grow(self, by):
        self.re += by

    grow_by_three = functools.partialmethod(grow, 3)


class Add:
    def __init__(self, n=100):
        self.n = n

    def __add__(self, o):
        return o + self.n

    def __radd__(self, o):
        return o - self.n

    def __iadd__(self, o):
        self.n += o
        return self


class Point(Complex):
    def __init__(self, x, y, z):
        super().__init__(x, y)
        self.z = z

    def __neg__(self):
        made = super().__neg__()
        return Point(made.re, made.im, -self.z)


@dataclasses.dataclass
class Pair:
    a: int
    b: int = 7

    def total(self):
        return self.a + self.b


class Named(typing.NamedTuple):
    first: int
    second: int = 5

    def both(self):
        return self.first * 10 + self.second


class Walker:
    def __init__(self, v, steps):
        self.at = v
        self.length = 0.0
        for _ in range(steps):
            self.at = self.at * 2
            self.length += self.at.norm()


class Less:
    def __init__(self, n):
        self.n = n

    def __sub__(self, o):
        return Less(self.n - o)

    def __rsub__(self, o):
        return Less(o - self.n)


class Shared:
    unit = Less(7)


outer, add, shared = Complex(2, 3), Add(), Shared()


@qd.func
def grown(c, by):
    c.grow(by)
    return c.re


def body_accumulates(x):
    z = Complex(1, 0)
    for _ in range(x):
        z = z * Complex(1, 1)
    return z.re * 10 + z.im


def body_methods_change(x):
    c = Complex(x, 2)
    c.grow(5)
    c.grow_by_three()
    return c.re


def body_copies(x):
    c = Complex(x, 2)
    d = c
    grown(c, 5)
    return d.re * 100 + c.re


def body_updates(x):
    a = Add(x)
    a += 3
    z = Complex(x, 1)
    z += Complex(1, 1)
    z *= outer
    return a.n * 100 + z.re


def body_property_is_set(x):
    c = Complex(x, 1)
    c.norm = 9
    c[2] = 5
    return c.re * 10 + c.im


def body_unpacks(x):
    a, b = Named(x, 2)
    return a * 10 + b


def body_choice(x):
    c = Complex(x, 1) if x > 3 else Complex(0, 5)
    return c.re * 10 + c.im


def body_branch(x):
    c = Complex(x, 1)
    if x > 3:
        c = Complex(7, 8)
    return c.re * 10 + c.im


def body_of_tuple(x):
    both = (Complex(x, 1), Complex(2, x))
    return both[0].re * 10 + both[1].im


def body_of_python_objects(x):
    c = outer + Complex(x, 1)
    c.re = c.re * 10
    c = outer * c
    d = shared.unit - x
    d.n += 1
    e = x - shared.unit
    e.n += x
    return c.re + 1000 * d.n + 100000 * e.n


def body_nested(x):
    p = Pair(Complex(x, 1), 2)
    return p.a.re + p.b


def body_static(x):
    total = 0
    for i in qd.static(range(Complex(3).re)):
        total += i * x
    return total


@pytest.mark.parametrize(
    "call, wanted",
    [
        (lambda x: (Complex(x, 2) * Complex(1, 3)).re, -2),
        (lambda x: (Complex(x, 2) + Complex(1, 3)).im, 5),
        (lambda x: (Complex(1, 2) * Complex(1, 3)).re, -5),
        (lambda x: (3 * Complex(x, 2)).re, 12),
        (lambda x: (x * Complex(x, 2)).im, 8),
        (lambda x: (-Complex(x, 2)).im, -2),
        (lambda x: int(Complex(x, 2) == Complex(4, 2)), 1),
        (lambda x: int(Complex(x, 2) != Complex(4, 2)), 0),
        (lambda x: int(Complex(x, 2) > Complex(1, 2)), 1),
        (lambda x: Complex(x, 2)[0] * 10 + Complex(x, 2)[1], 42),
        (lambda x: len(Complex(x, 2)) + abs(Complex(x, 2)), 22),
        (lambda x: Complex(x, 2)(3, plus=1), 13),
        (lambda x: Complex(x, 2).norm, 20),
        (lambda x: Complex(x, 2).square(x), 16),
        (lambda x: Complex.real(x).im + Complex(x).unit, 2),
        (lambda x: (outer * Complex(x, 1)).re, 5),
        (lambda x: (Complex(x, 1) * outer).im, 14),
        (lambda x: Add() + x, 104),
        (lambda x: add + x, 104),
        (lambda x: x + add, -96),
        (lambda x: x + Add(), -96),
        (lambda x: (-Point(x, 2, 3)).z, -3),
        (lambda x: (-Point(x, 2, 3)).im, -2),
        (lambda x: int(isinstance(Point(x, 2, 3), Complex)) + int(isinstance(Complex(x), Point)), 1),
        (lambda x: Pair(x).total(), 11),
        (lambda x: Pair(b=x, a=1).total(), 5),
        (lambda x: Named(x).both() + Named(x)[0], 49),
        (lambda x: grown(Complex(x), 5), 9),
        (body_accumulates, -40),
        (body_methods_change, 12),
        (body_copies, 404),
        (body_updates, 704),
        (body_property_is_set, 97),
        (body_unpacks, 42),
        (body_choice, 41),
        (body_branch, 78),
        (body_of_tuple, 44),
        (body_of_python_objects, 108 + 4000 + 100000),
        (body_nested, 6),
        (body_static, 12),
    ],
)  # fmt: skip
def test_instances(python, call, wanted):
    @qd.kernel
    def k(x: qd.i32) -> qd.i32:
        return call(x)

    assert k(4) == wanted


def test_members_that_init_computes(python):
    @qd.kernel
    def k(n: qd.i32) -> qd.f32:
        w = Walker(qd.Vector([3.0, 4.0]), n)
        return w.length + w.at[0]

    assert k(2) == 10 + 20 + 12


def test_members_that_are_not_numbers(python):
    f = qd.field(qd.i32, 3)
    f.fill(6)

    class View:
        def __init__(self, field, i, name):
            self.field, self.i, self.name = field, i, name

        def read(self):
            return self.field[self.i]

    @qd.kernel
    def k(i: qd.i32) -> qd.i32:
        v = View(f, i, "text")
        v.i = 1
        return v.read() + v.i

    assert k(2) == 7


def test_in_parallel_loops(python):
    out = qd.field(qd.i32, 8)

    @qd.kernel
    def k():
        for i in out:
            c = Complex(i, 1)
            c = c * c
            out[i] = c.re + c.im

    k()
    assert out.to_numpy().tolist() == [i * i - 1 + 2 * i for i in range(8)]


def test_operators_that_are_funcs(python):
    class Shift:
        @qd.func
        def __init__(self, n):
            self.n = n

        @qd.func
        def __add__(self, o):
            return o * 100 + self.n

        @qd.func
        def __getitem__(self, i):
            return i * 2

    made = Shift.__new__(Shift)
    made.n = 3

    @qd.kernel
    def k(x: qd.i32) -> qd.i32:
        return (made + x) + (Shift(1) + x) + (made + 2) + made[x]

    assert k(4) == 403 + 401 + 203 + 8


def test_gradients_pass_through_instances():
    x, loss = qd.field(qd.f32, 2, needs_grad=True), qd.field(qd.f32, (), needs_grad=True)

    @qd.kernel
    def k():
        for i in range(1):
            z = Complex(x[0], x[1])
            loss[None] += (z * z).re

    x[0], x[1] = 3.0, 5.0
    with qd.ad.Tape(loss):
        k()
    assert (x.grad[0], x.grad[1]) == (6.0, -10.0)


class Late:
    def __init__(self, x):
        if x > 2:
            self.a = x


class Kept:
    def __init__(self, x):
        self.x = x
        self.me = self


def new_member(x):
    c = Complex(x, 1)
    c.other = 5
    return c.other


def another_class(x):
    c = Complex(x, 1)
    c = Pair(1, 2)
    return c.re


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda x: Late(x).a, qd.QuadrantsCompilationError, "is first assigned inside a run-time if"),
        (lambda x: Kept(x).x, qd.QuadrantsTypeError, "is still being constructed"),
        (new_member, qd.QuadrantsCompilationError, "object has no attribute 'other'"),
        (another_class, qd.QuadrantsTypeError, "cannot assign 'Pair' to 'Complex'"),
        (lambda x: Complex(x, 2).missing, qd.QuadrantsCompilationError, "object has no attribute 'missing'"),
        (lambda x: Complex(x, 2) @ x, qd.QuadrantsTypeError, "unsupported operand type"),
        (lambda x: Complex(x, 1, 2).re, qd.QuadrantsSyntaxError, "Too many arguments"),
        (lambda x: Pair(x, 1, 2).a, TypeError, "takes 2 positional arguments but 3 were given"),
    ],
)
def test_mistakes_are_reported(call, error, words):
    @qd.kernel
    def k(x: qd.i32) -> qd.i32:
        return call(x)

    with pytest.raises(error, match=words):
        k(4)


class Amount:
    def __init__(self, a):
        self.a = a

    def __bool__(self):
        return self.a > 3

    def __contains__(self, v):
        return v == self.a

    def __pow__(self, n):
        return Amount(self.a**n)

    def __getitem__(self, i):
        return self.a + i

    def __setitem__(self, i, v):
        self.a = v * i

    def doubled(self):
        return self.a * 2

    @property
    def half(self):
        return self.a // 2

    @half.setter
    def half(self, v):
        self.a = v * 2


class Larger(Amount):
    def __len__(self):
        return self.a

    def doubled(self):
        return super(Larger, self).doubled() + 1


class Sized:
    def __init__(self, a):
        self.a = a

    def __len__(self):
        return self.a


def test_truth_of_instances(both):
    def program():
        @qd.kernel
        def f(n: qd.i32) -> qd.i32:
            found = 0
            a, s = Amount(n), Sized(n)
            if a:
                found += 1
            if not a:
                found += 10
            found += 100 if s else 200
            while a:
                a.a -= 1
                found += 1000
            assert Sized(1)
            return found

        return f(5), f(0), f(3)

    assert both(program) == (2101, 210, 110)


def test_membership_of_instances(both):
    def program():
        @qd.kernel
        def f(n: qd.i32) -> qd.i32:
            a = Amount(n)
            return int(5 in a) + int(n not in a) * 10 + int(n + 1 not in a) * 100

        return f(5), f(4)

    assert both(program) == (101, 100)


def test_updates_of_properties_and_items(both):
    def program():
        @qd.kernel
        def f(n: qd.i32) -> qd.i32:
            a = Amount(n)
            a.half += 3
            b = Amount(n)
            b[2] -= 1
            return a.a * 1000 + b.a

        return f(8)

    assert both(program) == 14018


def test_super_with_arguments_and_pow(both):
    def program():
        @qd.kernel
        def f(n: qd.i32) -> qd.i32:
            return Larger(n).doubled() * 1000 + pow(Amount(n), 2).a

        return f(8)

    assert both(program) == 17064


@dataclasses.dataclass(order=True)
class Ordered:
    a: int


@pytest.mark.parametrize("expression, words", [
    ("Ordered(n) == Ordered(n)", "Ordered.__eq__ has no source that a kernel can read: a decorator such as @dataclass made it"),
    ("Ordered(n) < Ordered(n)", "Ordered.__lt__ has no source that a kernel can read"),
    ("Sized(n) == Sized(n)", "Hint: compare the members, such as `a.x == b.x`"),
    ("divmod(n, 2)[0]", "Hint: write `x // y` and `x % y`"),
    ("sorted([n, 2])[0]", "Hint: compare the values"),
    ("hash(n)", "Hint: call it outside of the kernel, or with values known at compile time"),
    ("sum([v for v in qd.static(map(plain, [n, n]))])", "Hint: decorate it with @qd.func"),
    ("sum(map(twice, range(n)))", "Hint: its length is known only at run time: loop over it"),
])  # fmt: skip
def test_what_instances_and_builtins_cannot_do(arch, expression, words, tmp_path):
    qd.init(arch=arch)
    path = tmp_path / "refused.py"
    path.write_text(f"import quadrants as qd\n@qd.kernel\ndef f(n: qd.i32) -> qd.i32:\n    return {expression}\n")
    names = {"Ordered": Ordered, "Sized": Sized, "plain": lambda v: v * 2, "twice": qd.func(Amount.doubled)}
    exec(compile(path.read_text(), str(path), "exec"), names)
    with pytest.raises(qd.QuadrantsCompilationError, match=re.escape(words)):
        names["f"](3)
