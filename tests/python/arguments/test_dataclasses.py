"""Standard dataclasses as arguments: flattened, and pruned to what a kernel and its funcs use."""

import dataclasses

import numpy as np
import pytest
import quadrants as qd

Ints = qd.types.ndarray(qd.i32, ndim=1)
Floats = qd.types.NDArray[qd.f32, 1]


@dataclasses.dataclass
class Parts:
    x: Ints
    y: Floats
    n: qd.i32
    scale: float
    v: qd.types.vector(3, qd.f32)


@dataclasses.dataclass(frozen=True)
class Frozen:
    x: Ints
    n: qd.i32


@dataclasses.dataclass
class Outer:
    parts: Parts
    frozen: Frozen
    field: qd.Template
    extra: Ints


def parts(n=4, **changes):
    given = {"x": qd.ndarray(qd.i32, n), "y": qd.ndarray(qd.f32, n), "n": n, "scale": 2.0, "v": qd.Vector([1.0, 2.0, 3.0])}
    return Parts(**{**given, **changes})


def passed(kernel):
    return [name for name, _, _ in kernel._passed()]


def test_members_are_read_and_written():
    @qd.kernel
    def k(p: Parts) -> qd.f32:
        for i in p.x:
            p.x[i] = i * p.n
        return p.scale + p.v[1]

    p = parts()
    assert k(p) == 4
    assert p.x.to_numpy().tolist() == [0, 4, 8, 12]
    assert sorted(passed(k)) == ["p.n", "p.scale", "p.v", "p.x"]


def test_unused_members_are_not_read():
    @qd.kernel
    def k(p: Parts) -> qd.i32:
        return p.n

    assert k(parts(x=None, y="nonsense")) == 4
    assert passed(k) == ["p.n"]


def test_rebinding_is_honoured_without_compiling_again():
    @qd.kernel
    def k(p: Parts):
        for i in p.x:
            p.x[i] = p.n

    p = parts()
    k(p)
    p.n, p.x = 7, qd.ndarray(qd.i32, 2)
    k(p)
    assert p.x.to_numpy().tolist() == [7, 7]
    p.x = np.zeros(3, np.int32)
    k(p)
    assert p.x.tolist() == [7] * 3
    assert k._specialisations() == 1


def test_nested_and_frozen():
    @qd.func
    def inner(f: Frozen, value):
        for i in f.x:
            f.x[i] = value * f.n

    @qd.func
    def middle(o: Outer, value):
        inner(o.frozen, value)
        inner(f=o.frozen, value=value + 1)

    @qd.kernel
    def k(o: Outer, value: qd.i32) -> qd.i32:
        middle(o=o, value=value)
        o.field[1] = o.parts.n
        return o.frozen.n

    f = qd.field(qd.i32, 4)
    o = Outer(parts(9), Frozen(qd.ndarray(qd.i32, 3), 5), f, None)
    assert k(o, 10) == 5
    assert o.frozen.x.to_numpy().tolist() == [55] * 3
    assert f[1] == 9
    assert sorted(passed(k)) == ["o.frozen.n", "o.frozen.x", "o.parts.n", "value"]
    o.frozen = Frozen(o.frozen.x, 6)
    assert k(o, 10) == 6
    assert o.frozen.x.to_numpy().tolist() == [66] * 3
    assert k._specialisations() == 1


def test_frozen_arguments_again_and_again():
    @qd.kernel
    def k(a: Frozen, b: Frozen, add: qd.i32):
        for i in a.x:
            a.x[i] += b.x[i] * b.n + add

    one, two = (Frozen(qd.ndarray(qd.i32, 3), n) for n in (1, 2))
    one.x.fill(1)
    two.x.fill(10)
    for step in range(3):
        k(one, two, step)
    assert one.x.to_numpy().tolist() == [1 + 3 * 20 + 3] * 3
    k(two, one, 0)
    k(one, two, 0)
    assert two.x.to_numpy().tolist() == [10 + 64] * 3
    assert one.x.to_numpy().tolist() == [64 + 74 * 2] * 3
    assert k._specialisations() == 1


def test_frozen_with_changing_contents():
    @dataclasses.dataclass(frozen=True)
    class Holder:
        p: Parts
        a: Ints

    @qd.kernel
    def k(h: Holder):
        for i in h.a:
            h.a[i] += h.p.n

    a = np.zeros(2, np.int32)
    h = Holder(parts(), a)
    k(h)
    h.p.n = 10
    k(h)
    assert a.tolist() == [14, 14]
    a.resize(3, refcheck=False)
    k(h)
    assert a.tolist() == [24, 24, 10]


def test_funcs_of_a_static_branch_use_more():
    @qd.func
    def f(p: Parts, which: qd.template()):
        if qd.static(which):
            p.x[0] = p.n
        else:
            p.y[0] = 1.5

    @qd.kernel
    def k(p: Parts, which: qd.template()):
        f(p, which)

    p = parts()
    k(p, True)
    assert sorted(passed(k)) == ["p.n", "p.x"]
    k(p, False)
    assert passed(k) == ["p.y"]
    assert p.x[0] == 4 and p.y[0] == 1.5


def test_two_arguments_of_one_object():
    @qd.func
    def take(p: Parts) -> qd.i32:
        return p.n

    @qd.kernel
    def k(a: Parts, b: Parts) -> qd.i32:
        return take(a) * 10 + take(b)

    p = parts()
    assert k(p, p) == 44
    assert k(p, parts(n=2)) == 42


def test_methods_and_class_constants():
    @dataclasses.dataclass
    class Rich:
        x: Ints
        n: qd.i32
        factor = 3

        @qd.func
        def scaled(self, i):
            return self.x[i] * self.n * self.factor

    @qd.kernel
    def k(r: Rich) -> qd.i32:
        return r.scaled(1)

    r = Rich(qd.ndarray(qd.i32, 2), 5)
    r.x.fill(2)
    assert k(r) == 30
    r.n = 6
    assert k(r) == 36


def test_vector_and_tuple_members_and_star_arguments():
    @qd.func
    def total(x, y, z):
        return x + y + z

    @qd.kernel
    def k(p: Parts) -> qd.f32:
        return total(*p.v) + total(1, *(2, 3))

    assert k(parts()) == 12


def test_wrong_arguments():
    @qd.kernel
    def k(p: Parts) -> qd.i32:
        return p.n + p.x[0]

    with pytest.raises(qd.QuadrantsRuntimeTypeError, match="Argument .0,. .type=<class 'int'>. cannot be converted"):
        k(3)
    with pytest.raises(qd.QuadrantsRuntimeTypeError, match="cannot be converted"):
        k(None)
    with pytest.raises(qd.QuadrantsRuntimeTypeError, match="Invalid type for argument p.x, got 3"):
        k(parts(x=3))
    with pytest.raises(TypeError, match="Expect element type i32 for argument p.x, but get f32"):
        k(parts(x=qd.ndarray(qd.f32, 3)))
    with pytest.raises(qd.QuadrantsRuntimeTypeError, match="cannot be converted into required type i32"):
        k(dataclasses.replace(parts(), n=1.5))
    assert k(parts()) == 4
    with pytest.raises(qd.QuadrantsRuntimeTypeError, match="cannot be converted into required type i32"):
        k(dataclasses.replace(parts(), n=1.5))
    with pytest.raises(qd.QuadrantsRuntimeTypeError, match="Invalid type for argument p.x, got 3"):
        k(parts(x=3))


def test_missing_member():
    @qd.kernel
    def k(p: Parts) -> qd.i32:
        return p.nothing

    with pytest.raises(qd.QuadrantsCompilationError, match="'Parts' object has no attribute 'nothing'"):
        k(parts())


def test_members_are_immutable():
    @qd.kernel
    def k(p: Parts):
        p.n = 3

    @qd.kernel
    def more(p: Parts):
        p.n += 3

    for kernel in (k, more):
        with pytest.raises(qd.QuadrantsSyntaxError, match='Kernel argument "p.n" is immutable in the kernel'):
            kernel(parts())


def test_static_use_of_a_number_member():
    @qd.kernel
    def k(p: Parts) -> qd.i32:
        s = 0
        for i in qd.static(range(p.n)):
            s += i
        return s

    with pytest.raises(qd.QuadrantsCompilationError, match="must be compile-time constants"):
        k(parts())


def test_template_members_specialise():
    @dataclasses.dataclass
    class T:
        n: qd.template()
        f: qd.template()

    @qd.kernel
    def k(t: T):
        for i in qd.static(range(t.n)):
            t.f[i] = t.n

    f = qd.field(qd.i32, 4)
    for n in (2, 3, 2):
        k(T(n, f))
        assert f[n - 1] == n
    assert k._specialisations() == 2


def test_values_are_not_kept_alive():
    import gc
    import weakref

    @qd.kernel
    def k(p: Frozen) -> qd.i32:
        return p.x[0] + p.n

    p = Frozen(qd.ndarray(qd.i32, 2), 1)
    alive = weakref.ref(p.x)
    k(p)
    k(p)
    del p
    gc.collect()
    assert alive() is None


def test_many_leaves():
    made = dataclasses.make_dataclass("Many", [(f"a{i}", Ints) for i in range(150)], frozen=True)
    text = "@qd.kernel\ndef k(m: made):\n" + "".join(f"    m.a{i}[0] += {i}\n" for i in range(150))
    scope = {"qd": qd, "made": made}
    exec(text, scope)
    m = made(*[qd.ndarray(qd.i32, 1) for _ in range(150)])
    for _ in range(2):
        scope["k"](m)
    assert [getattr(m, f"a{i}")[0] for i in range(150)] == [2 * i for i in range(150)]


def test_512_arguments():
    names = [f"a{i}" for i in range(512)]
    text = f"@qd.kernel\ndef k({', '.join(n + ': qd.i32' for n in names)}) -> qd.i32:\n    return a0 + a511\n"
    scope = {"qd": qd}
    exec(text, scope)
    assert scope["k"](*range(512)) == 511
    with pytest.raises(qd.QuadrantsCompilationError, match="at most 512 arguments"):
        exec(text.replace("k(", "k(more: qd.i32, "), scope)


def test_static_methods(both):
    def program():
        @dataclasses.dataclass
        class Pack:
            a: qd.i32

            @staticmethod
            @qd.func
            def next(x):
                return x + 1

            @qd.func
            def total(self, x):
                return self.a + self.next(x)

        @qd.kernel
        def k(p: Pack) -> qd.i32:
            return p.next(3) + p.total(10)

        return k(Pack(5))

    assert both(program) == 4 + 16
