"""Instances as arguments: arrays are passed at every launch, everything else is a constant of the kernel."""

import dataclasses

import numpy as np
import pytest
import quadrants as qd


@qd.data_oriented
class Inner:
    def __init__(self, k):
        self.k = k
        self.x = qd.ndarray(qd.i32, 4)

    @qd.func
    def put(self, i, value):
        self.x[i] = value * self.k


@dataclasses.dataclass
class Data:
    x: qd.types.NDArray[qd.i32, 1]
    n: qd.i32


@qd.data_oriented
class Outer:
    def __init__(self):
        self.n = 5
        self.x = qd.ndarray(qd.i32, 4)
        self.f = qd.field(qd.i32, 4)
        self.inner = Inner(3)
        self.data = Data(qd.ndarray(qd.i32, 4), 7)
        self.list = [qd.ndarray(qd.i32, 2), qd.ndarray(qd.i32, 3)]
        self.names = {"a": qd.ndarray(qd.i32, 1)}
        self.me = self  # a cycle

    @qd.kernel
    def fill(self, value: qd.i32):
        for i in self.x:
            self.x[i] = value * self.n

    @qd.kernel
    def fill_inner(self, value: qd.i32):
        for i in range(4):
            self.inner.put(i, value)
            self.f[i] = value

    @qd.kernel
    def fill_data(self) -> qd.i32:
        for i in self.data.x:
            self.data.x[i] = self.data.n
        return self.data.n

    @qd.kernel
    def fill_lists(self):
        self.list[0][1] = 10
        for i in qd.static(range(2)):
            self.list[i][0] = i + 1
        for x in qd.static(self.list):
            x[1] += 5
        self.names["a"][0] = 4
        self.me.me.x[0] = 9

    @staticmethod
    @qd.kernel
    def static(a: qd.i32) -> qd.i32:
        return a + 1

    @classmethod
    @qd.kernel
    def of_class(cls, a: qd.i32) -> qd.i32:
        return a + 2

    @property
    def double(self):
        return 2 * self.n

    @qd.kernel
    def read_property(self) -> qd.i32:
        return self.double


def test_arrays_are_passed_at_every_launch():
    o = Outer()
    o.fill(2)
    assert o.x.to_numpy().tolist() == [10] * 4
    o.x = qd.ndarray(qd.i32, 6)
    o.fill(3)
    assert o.x.to_numpy().tolist() == [15] * 6
    assert Outer.fill._specialisations() == 1
    o.x = qd.ndarray(qd.f32, 2)
    o.fill(4)
    assert o.x.to_numpy().tolist() == [20] * 2
    assert Outer.fill._specialisations() == 2


def test_kernels_of_the_class_and_of_none():
    assert Outer.of_class(3) == 5 and Outer().of_class(4) == 6
    assert Outer.static(3) == 4 and Outer().static(4) == 5

    @qd.data_oriented
    class Scaled:
        factor = 3

        @qd.func
        def twice(x):
            return 2 * x

        @classmethod
        @qd.kernel
        def scale(cls, x: qd.i32) -> qd.i32:
            return cls.twice(x) * cls.factor

    class Other(Scaled):
        factor = 5

    assert (Scaled.scale(2), Other.scale(2), Other().scale(1)) == (12, 20, 10)

    class Plain:
        @classmethod
        @qd.kernel
        def f(cls, x: qd.i32) -> qd.i32:
            return x

    with pytest.raises(qd.QuadrantsSyntaxError, match="Please decorate class Plain with @qd.data_oriented"):
        Plain.f(1)


def test_numbers_are_constants_of_the_instance():
    a, b = Outer(), Outer()
    b.n = 7
    a.fill(1)
    b.fill(1)
    assert a.x[0] == 5 and b.x[0] == 7
    assert Outer.fill._specialisations() == 2


def test_nested_objects():
    o = Outer()
    o.fill_inner(2)
    assert o.inner.x.to_numpy().tolist() == [6] * 4
    assert o.f.to_numpy().tolist() == [2] * 4
    o.inner.x = qd.ndarray(qd.i32, 5)
    o.fill_inner(1)
    assert o.inner.x.to_numpy().tolist() == [3, 3, 3, 3, 0]
    assert Outer.fill_inner._specialisations() == 1
    o.inner = Inner(10)
    o.fill_inner(1)
    assert o.inner.x.to_numpy().tolist() == [10] * 4


def test_dataclass_inside():
    o = Outer()
    assert o.fill_data() == 7
    old = o.data.x
    o.data = Data(qd.ndarray(qd.i32, 2), 7)
    assert o.fill_data() == 7
    assert o.data.x.to_numpy().tolist() == [7, 7] and old.to_numpy().tolist() == [7] * 4
    assert Outer.fill_data._specialisations() == 1


def test_containers_and_cycles():
    o = Outer()
    o.fill_lists()
    assert o.list[0].to_numpy().tolist() == [1, 15]
    assert o.list[1].to_numpy().tolist() == [2, 5, 0]
    assert o.names["a"][0] == 4 and o.x[0] == 9


def test_static_class_and_property():
    o = Outer()
    assert Outer.static(3) == 4 and o.static(3) == 4
    assert o.read_property() == 10


def test_as_template_argument():
    @qd.kernel
    def k(o: qd.template(), value: qd.i32) -> qd.i32:
        o.x[1] = value
        o.inner.put(2, value)
        return o.n

    o = Outer()
    assert k(o, 4) == 5
    assert o.x[1] == 4 and o.inner.x[2] == 12


@qd.data_oriented(template_primitives=False)
class Lifted:
    def __init__(self):
        self.n = 5
        self.scale = 1.5
        self.flag = True
        self.word = "abc"
        self.inner = None

    @qd.kernel
    def count(self) -> qd.i32:
        return self.n

    @qd.kernel
    def mix(self) -> qd.f32:
        return self.scale * self.n + self.flag

    @qd.kernel
    def word_is(self) -> qd.i32:
        r = 1
        if qd.static(self.word == "abc"):
            r = 2
        return r

    @qd.kernel
    def unrolled(self) -> qd.i32:
        s = 0
        for i in qd.static(range(self.n)):
            s += i
        return s

    @qd.kernel
    def chosen(self) -> qd.i32:
        s = 0
        if qd.static(self.flag):
            s = 1
        return s


def test_runtime_numbers():
    o = Lifted()
    assert o.count() == 5 and o.mix() == 8.5
    o.n, o.scale, o.flag = 6, 2.5, False
    assert o.count() == 6 and o.mix() == 15
    o.scale = 3
    assert o.mix() == 18
    assert o.word_is() == 2
    assert Lifted.count._specialisations() == 1 and Lifted.mix._specialisations() == 1
    with pytest.raises(TypeError, match="truncate"):
        o.n = 7.5
        o.count()


def test_runtime_numbers_are_not_static():
    o = Lifted()
    for kernel in (o.unrolled, o.chosen):
        with pytest.raises(qd.QuadrantsCompilationError, match="runtime kernel argument"):
            kernel()


def test_dataclass_as_template():
    @qd.kernel
    def k(d: qd.template()) -> qd.i32:
        d.x[0] = 123
        return d.n

    d = Data(qd.ndarray(qd.i32, 2), 4)
    with pytest.warns(DeprecationWarning, match="qd.Template-annotated kernel parameter"):
        assert k(d) == 4
    assert d.x[0] == 123


def test_numpy_attribute_is_a_constant():
    @qd.data_oriented
    class Table:
        def __init__(self):
            self.values = np.array([3, 4, 5])

        @qd.kernel
        def second(self) -> qd.i32:
            return self.values[1]

    assert Table().second() == 4


def test_stable_members_are_accepted():
    @qd.data_oriented(stable_members=True)
    class Holder:
        def __init__(self):
            self.x = qd.ndarray(qd.i32, 3)

        @qd.kernel
        def first(self) -> qd.i32:
            return self.x[0]

    holder = Holder()
    holder.x[0] = 5
    assert holder.first() == 5


def test_as_an_annotation():
    with pytest.raises(qd.QuadrantsSyntaxError, match=r"data_oriented.*qd.template\(\)"):

        @qd.kernel
        def k(o: Outer):
            pass

    @dataclasses.dataclass
    class Holder:
        o: Outer

    @qd.kernel
    def inside(h: Holder) -> qd.i32:
        return h.o.n

    with pytest.raises(qd.QuadrantsSyntaxError, match=r"data_oriented.*qd.template\(\)"):
        inside(Holder(Outer()))


def test_objects_with_dynamic_attributes(arch):
    """No backend is disturbed by an exception of __getattr__ for a name that the program does not use."""

    class Options:
        def __init__(self, **known):
            self.__dict__["known"] = known

        def __getattr__(self, name):
            return self.known[name]

    for arch_of_test in (arch, qd.python):
        qd.init(arch=arch_of_test)
        options = Options(a=3, f=qd.field(qd.i32, shape=4))

        @qd.func
        def of_template(t: qd.template()):
            return t.a

        @qd.kernel
        def k(t: qd.template()) -> qd.i32:
            for i in range(4):
                options.f[i] = options.a
            return of_template(t) * 100 + t.f[1] * 10 + qd.static(options).a

        assert k(options) == 333


@qd.data_oriented
class Params:
    def __init__(self, nt):
        self.nt = nt
        self.deep = Deep(2.0, True)


@dataclasses.dataclass
class Deep:
    factor: float
    on: bool


@qd.data_oriented(template_primitives=False)
class Simulation:
    def __init__(self):
        self.params = Params(3)

    @qd.kernel
    def steps(self) -> qd.f32:
        n = 0.0
        for i in range(self.params.nt):
            if self.params.deep.on:
                n += self.params.deep.factor
        return n


@qd.kernel
def step(sim: qd.template()) -> qd.f32:
    n = 0.0
    for i in range(sim.params.nt):
        if sim.params.deep.on:
            n += sim.params.deep.factor
    return n


def test_runtime_numbers_of_nested_objects(arch):
    for each in (arch, qd.python):
        qd.init(arch=each, offline_cache=False, print_full_traceback=True)
        sim = Simulation()
        assert step(sim) == sim.steps() == 6
        sim.params.nt = 5
        sim.params.deep.factor = 0.5
        assert step(sim) == sim.steps() == 2.5
        sim.params.deep.on = False
        assert step(sim) == sim.steps() == 0
        if each is arch:
            assert step._specialisations() == Simulation.steps._specialisations() == 1
        sim.params.deep = Deep(3.0, True)
        assert step(sim) == sim.steps() == 15
        sim.params = Params(7)
        assert step(sim) == sim.steps() == 14
        sim.params.nt = 1
        assert step(sim) == sim.steps() == 2


def test_the_outermost_class_decides_whether_numbers_are_lifted(arch):
    @qd.data_oriented
    class Around:
        def __init__(self):
            self.inner = Lifted()

        @qd.kernel
        def count(self) -> qd.i32:
            s = 0
            for i in qd.static(range(self.inner.n)):
                s += 1
            return s

    for each in (arch, qd.python):
        qd.init(arch=each, offline_cache=False, print_full_traceback=True)
        assert Around().count() == 5


def test_subclasses_inherit_the_mark_and_its_choice():
    @qd.data_oriented(template_primitives=False)
    class Base:
        def __init__(self):
            self.n = 3

        @qd.kernel
        def count(self) -> qd.i32:
            return self.n

    class Inherits(Base):
        @qd.kernel
        def more(self) -> qd.i32:
            return self.n + 1

    @qd.data_oriented
    class Marked(Base):
        @qd.kernel
        def more(self) -> qd.i32:
            return self.n + 1

    for made, later in ((Inherits(), (7, 8)), (Marked(), (3, 4))):
        assert (made.count(), made.more()) == (3, 4)
        made.n = 7
        assert (made.count(), made.more()) == later


def test_super_without_arguments(both):
    def program():
        @qd.data_oriented
        class Base:
            @qd.func
            def f(self, x):
                return x + 2

            @qd.func
            def g(self, x):
                return x * 3

        class Heir(Base):
            @qd.func
            def f(self, x):
                return super().f(x) * 10 + super().g(x)

            @qd.kernel
            def run(self, n: qd.i32) -> qd.i32:
                return self.f(n) + super().f(n)

        return Heir().run(3)

    assert both(program) == 5 * 10 + 9 + 5
