"""Struct values: qd.dataclass, qd.types.struct, qd.Struct, and fields of them."""

import numpy as np
import pytest
import quadrants as qd

vec2 = qd.types.vector(2, qd.f32)
vec3 = qd.types.vector(3, qd.f64)
mat2 = qd.types.matrix(2, 2, qd.f64)


@qd.dataclass
class Ball:
    center: vec3
    radius: qd.f64

    @qd.func
    def volume(self):
        return 4 * self.radius**3

    @qd.func
    def grow(self, by):
        old = self.radius
        self.radius += by
        return old

    @qd.func
    def grow_twice(self, by):
        self.grow(by)
        self.grow(by)

    def plain(self):
        return self.radius + 1


@qd.dataclass
class Pair:
    left: Ball
    right: Ball
    count: qd.i32


def test_members_are_converted_and_missing_ones_are_zero():
    out = qd.field(qd.f64, 6)

    @qd.kernel
    def f(x: qd.i32):
        a = Ball(radius=x)
        b = Ball([1, 2, 3], 4)
        c = Ball({"center": x, "radius": 5})
        out[0] = a.center.sum() + a.radius
        out[1] = b.center[1] / 4
        out[2] = c.center.z
        p = Pair(left=b)
        out[3] = p.left.radius + p.right.radius
        p.count = 7
        out[4] = p.count
        out[5] = Pair(b, c, 2).right.radius

    f(3)
    assert out.to_numpy().tolist() == [3, 0.5, 3, 4, 7, 5]


def test_methods_change_self_through_every_kind_of_place():
    balls = Ball.field(shape=2)

    @qd.kernel
    def f() -> qd.f64:
        a = Ball(radius=1)
        old = a.grow(2) * 100
        a.grow_twice(0.5)
        p = Pair(left=a)
        p.left.grow(10)
        balls[1] = p.left
        balls[1].grow(20)
        return old + p.left.radius + a.plain()

    assert f() == 100 + 14 + 5
    assert balls.radius.to_numpy().tolist() == [0, 34]


def test_assignment_copies():
    @qd.kernel
    def f() -> qd.f64:
        a = Pair(left=Ball(radius=1), count=1)
        b = a
        b.left.radius = 10
        b.left.center.x = 100
        a.right = b.left
        b.left.radius = 1000
        c = a.left
        c.radius = 1e6
        return a.left.radius + a.left.center.x + a.right.radius + a.right.center[0]

    assert f() == 1 + 0 + 10 + 100


def test_assignment_inside_control_flow():
    @qd.kernel
    def f(n: qd.i32) -> qd.f64:
        a = Ball(radius=1)
        for i in range(n):
            if i % 2:
                a = Ball(center=a.center + i, radius=a.radius * 2)
            else:
                a.center.y -= 1
        return a.radius + a.center.y

    radius, y = 1.0, 0.0
    for i in range(7):
        if i % 2:
            y, radius = y + i, radius * 2
        else:
            y -= 1
    assert f(7) == radius + y


def test_functions_take_copies_and_templates_take_places():
    @qd.func
    def by_value(b):
        b.radius = 50
        return b

    @qd.func
    def by_method(b):
        b.grow(7)
        return b.radius

    @qd.func
    def typed(b: Ball) -> Ball:
        b.center += 1
        return b

    @qd.func
    def in_place(b: qd.template()):
        b.radius += 5

    @qd.kernel
    def f() -> qd.types.vector(5, qd.f64):
        a = Ball(radius=1)
        b = by_value(a)
        c = by_method(a)
        d = typed(a)
        e = a.radius
        in_place(a)
        return qd.Vector([b.radius, c, d.center.sum(), e, a.radius])

    assert f().to_list() == [50, 8, 3, 1, 6]


def test_struct_return_annotation_converts():
    Small = qd.types.struct(x=qd.i32, v=vec2)
    Large = qd.types.struct(v=vec3, x=qd.f64)

    @qd.func
    def make(x) -> Small:
        return qd.Struct(x=x, v=qd.Vector([x, 1]))

    @qd.kernel
    def f(x: qd.f64) -> qd.f64:
        s = make(x)
        return s.x + s.v.x

    assert f(2.75) == 2 + 2.75
    with pytest.raises(qd.QuadrantsSyntaxError, match="Member 'v' is expected to be a Matrix with n 3, but got 2"):

        @qd.func
        def wrong() -> Large:
            return qd.Struct(x=1, v=qd.Vector([1, 2]))

        @qd.kernel
        def g() -> qd.f64:
            return wrong().x

        g()


def test_structs_written_in_a_kernel():
    @qd.kernel
    def f(x: qd.i32) -> qd.f32:
        s = qd.Struct(a=x, b=qd.Vector([1.0, 2.0]), inner=qd.Struct({"c": 0.5}))
        s.a += 1
        s.b[1] *= 4
        s.inner.c += s["a"]
        t = s
        t.inner.c = 100
        return s.a + s.b.sum() + s.inner.c

    assert f(3) == 4 + 9 + 4.5


def test_unpacking_and_static_members():
    T = qd.types.struct(a=qd.i32, b=qd.i32, c=qd.i32)

    @qd.kernel
    def f() -> qd.i32:
        a, b, c = T(1, 2, 3)
        s = T(10, 20, 30)
        total = a + b * 100 + c * 10000
        for name in qd.static(s.keys):
            total += s[name]
        for name, v in qd.static(s.items):
            total += v
        return total

    assert f() == 30201 + 120


def test_run_time_index_into_a_member():
    @qd.kernel
    def f(k: qd.i32) -> qd.f64:
        b = Ball([1, 2, 3], 0)
        b.center[k] += 10
        b.center.xy = b.center.yx
        s = qd.Struct(m=qd.Matrix([[1, 2], [3, 4]]), b=b)
        s.m[k, k] = 7
        return b.center[0] * 100 + s.m[k, k] + s.b.center[k - 1]

    assert f(1) == 1200 + 7 + 12


@pytest.mark.parametrize("layout", [qd.Layout.AOS, qd.Layout.SOA])
def test_fields(layout):
    pairs = Pair.field(shape=(2, 3), layout=layout)

    @qd.kernel
    def fill():
        for i, j in pairs:
            pairs[i, j].count = i * 3 + j
            pairs[i, j].left = Ball(center=[i, j, 1], radius=2)
            pairs[i, j].right.center[j] = 5
        for I in qd.grouped(pairs):
            pairs[I].left.radius += I.sum()
            p = pairs[I]
            p.count = -1
            pairs.count[I] += 10

    fill()
    got = pairs.to_numpy()
    np.testing.assert_array_equal(got["count"], np.arange(6).reshape(2, 3) + 10)
    np.testing.assert_array_equal(got["left"]["radius"], [[2, 3, 4], [3, 4, 5]])
    np.testing.assert_array_equal(got["left"]["center"][1, 2], [1, 2, 1])
    np.testing.assert_array_equal(got["right"]["center"][0], np.eye(3) * 5)
    assert pairs.keys == ["left", "right", "count"] and pairs.shape == (2, 3)


def test_updates_of_field_members_are_atomic():
    T = qd.types.struct(n=qd.i32, v=vec2, m=mat2)
    total = T.field(shape=())

    @qd.kernel
    def f():
        for i in range(10000):
            total[None].n += 1
            total[None].v += qd.Vector([1.0, 2.0])
            qd.atomic_max(total[None].m[0, 1], i)

    f()
    assert total[None].n == 10000
    assert total[None].v.to_list() == [10000, 20000]
    assert total[None].m[0, 1] == 9999


def test_manual_placement():
    T = qd.types.struct(n=qd.i32, v=vec2)
    f = T.field()
    g = qd.Struct.field({"n": qd.i32, "v": vec2}, shape=4, layout=qd.Layout.SOA)
    qd.root.dense(qd.i, 4).place(f)

    @qd.kernel
    def run():
        for i in f:
            f[i] = T(i, i)
            g[i] = f[i]
            g[i].n += 1

    run()
    assert g.n.to_numpy().tolist() == [1, 2, 3, 4] and g.v.to_numpy()[3].tolist() == [3, 3]


def test_host_structs_in_kernels():
    ball = Ball(center=[1, 2, 3], radius=0.1)
    loose = qd.Struct(a=1, b={"c": 2.5})

    @qd.kernel
    def f(b: qd.template()) -> qd.f64:
        mine = ball
        mine.grow(1)
        mine.center += ball.center
        return mine.radius + mine.center.z + ball.volume() + loose.a + loose.b.c + b.plain()

    assert f(ball) == pytest.approx(1.1 + 6 + 4 * 0.001 + 3.5 + 1.1, abs=1e-6)
    assert ball.radius == 0.1


def test_host_access():
    balls = Ball.field(shape=3)
    balls[1] = Ball([1, 2, 3], 4)
    balls[2].radius = 5
    balls[2].center[0] = 6
    balls[0] = {"center": [7, 7, 7], "radius": 8}
    assert balls.radius.to_numpy().tolist() == [8, 4, 5]
    assert balls[1].center.to_list() == [1, 2, 3] and balls.center[2].to_list() == [6, 0, 0]
    assert balls[1].to_dict() == {"center": [1, 2, 3], "radius": 4}
    assert balls[1].plain() == 5
    balls.fill(0)
    assert balls.radius.to_numpy().tolist() == [0, 0, 0]


def test_host_values():
    import copy
    import pickle

    b = Ball([1, 2, 3], 4)
    b.center.x = 9
    b["radius"] = 5
    assert b.to_dict() == {"center": [9, 2, 3], "radius": 5} and str(b) == str(b.to_dict())
    assert b.keys == ["center", "radius"] and dict(b.items)["radius"] == 5
    p = Pair(left=b, count=2)
    assert p.left.radius == 5 and p.right.center.to_list() == [0, 0, 0]
    nested = qd.Struct({"a": {"b": [1, 2]}})
    assert nested.a.b.to_list() == [1, 2]
    for wrong in (lambda: qd.Struct(3), lambda: qd.Struct({"a": 1}, b=2), lambda: qd.Struct({}, {})):
        with pytest.raises(qd.QuadrantsSyntaxError, match="initialized using either dictionary or keyword arguments"):
            wrong()
    assert copy.deepcopy(nested).to_dict() == nested.to_dict()
    assert pickle.loads(pickle.dumps(nested)).to_dict() == nested.to_dict()
    with pytest.raises(AttributeError):
        b.nothing
    with pytest.raises(AttributeError):
        b.nothing = 1
    with pytest.raises(qd.QuadrantsSyntaxError, match="cannot be called from Python-scope"):
        b.volume()
    with pytest.raises(qd.QuadrantsTypeError, match="cannot have the type"):
        qd.types.struct(a="f32x")


def test_default_values_are_refused():
    with pytest.raises(qd.QuadrantsSyntaxError, match=r"Default value in @dataclass is not supported\."):

        @qd.dataclass
        class A:
            a: qd.i32
            b: qd.i32 = 1


def test_print(capfd):
    @qd.kernel
    def f():
        print(Pair(count=3).count, qd.Struct(a=1, v=qd.Vector([1, 2])), f"{Ball(radius=0.5)}")

    f()
    qd.sync()
    expected = "3 {'a': 1, 'v': [1, 2]} {'center': [0.000000, 0.000000, 0.000000], 'radius': 0.500000}\n"
    assert capfd.readouterr().out.endswith(expected)


def test_types_compare_by_members():
    assert qd.types.struct(a=qd.i32) == qd.types.struct(a=qd.i32) != qd.types.struct(a=qd.f32)
    assert hash(qd.types.struct(a=qd.i32)) == hash(qd.types.struct(a=qd.i32))
    assert repr(qd.types.struct(a=qd.i32, v=vec2)) == "<qd.StructType a=i32, v=<VectorType[2, f32]>>"


@qd.dataclass
class Row:
    r: qd.types.vector(3, qd.f32, unpacked=True)
    k: qd.i32

    @qd.func
    def fill(self, first):
        for i in qd.static(range(3)):
            self.r[i] = first + i


def test_unpacked_vectors():
    f = Row.field(shape=3)

    @qd.kernel
    def use(n: qd.i32) -> (qd.f32, qd.f32, qd.i32, qd.types.vector(3, qd.f32)):
        s = Row(k=n)
        s.fill(n)
        s.r[1] += 0.5
        s.r[1 + 1] = s.r[0] * 10
        f[n].r[1] = s.r[2]
        f[n]._r0 = s._r1
        f[0] = s
        v = qd.Vector([x for x in s.r])
        s.r = v * 2
        return s.r[1], f[n].r[1] + len(s.r), s.k, v + s.r

    a, b, k, v = use(2)
    assert (a, b, k, v.to_list()) == (7, 23, 2, [6, 10.5, 60])
    assert f.keys == ["_r0", "_r1", "_r2", "k"] and (f[2]._r0, f[2]._r1) == (3.5, 20)
    assert f[0].to_dict() == {"_r0": 2, "_r1": 3.5, "_r2": 20, "k": 2}
    assert Row(_r0=1, k=4).to_dict() == {"_r0": 1, "_r1": 0, "_r2": 0, "k": 4}


def test_unpacked_vectors_are_members_alone():
    kind = qd.types.vector(3, qd.f32, unpacked=True)
    for use, what in ((kind, "instantiate"), (kind.field, "create a field of"), (kind.ndarray, "create an ndarray of")):
        with pytest.raises(qd.QuadrantsSyntaxError, match=f"cannot {what} a vector declared with unpacked=True"):
            use(1, 2, 3)
    with pytest.raises(qd.QuadrantsSyntaxError, match="a vector declared with unpacked=True"):

        @qd.kernel
        def k(v: kind):
            pass

    with pytest.raises(qd.QuadrantsSyntaxError, match="member name '_r1' collides with a synthetic field"):
        qd.types.struct(r=kind, _r1=qd.f32)


def test_gradients_of_members():
    vec = qd.types.vector(2, qd.f32)
    inner = qd.types.struct(v=vec, w=qd.f64)
    x = qd.Struct.field({"a": qd.f32, "s": inner}, shape=3, needs_grad=True)

    @qd.kernel
    def k():
        for i in x:
            x.a.grad[i] = i + 1.0
            x.grad[i].s.v = vec(i, 2)
            x.s.v.grad[i][1] += 3
            x.grad[i].s.w += x.grad[i].a

    k()
    assert x.grad.keys == ["a", "s"] and x.grad.shape == (3,) and x.has_grad() and not x.has_dual()
    found = x.grad.to_numpy()
    assert found["a"].tolist() == [1, 2, 3] == found["s"]["w"].tolist()
    assert x.s.v.grad.to_numpy().tolist() == [[0, 5], [1, 5], [2, 5]]
    assert x.a.to_numpy().tolist() == [0, 0, 0] and x.s.has_grad()
    for layout in (qd.Layout.AOS, qd.Layout.SOA):
        y = inner.field(shape=(2, 2), needs_grad=True, needs_dual=True, layout=layout, order="ji", offset=(1, 1))
        y.grad[1, 2].w, y.dual[2, 1].v = 5.0, [1, 2]
        assert y.w.grad[1, 2] == 5 and y.v.dual[2, 1].to_list() == [1, 2] and y.w.grad.to_numpy().sum() == 5
    with pytest.raises(qd.QuadrantsRuntimeError, match="i32 is not supported for field with `needs_grad=True`"):
        qd.Struct.field({"a": qd.i32}, shape=2, needs_grad=True)


def test_lazy_gradients_of_members():
    x, y = qd.Struct.field({"a": qd.f32, "n": qd.i32}), qd.Struct.field({"a": qd.f32}, needs_grad=True)
    qd.root.dense(qd.i, 2).place(x)
    qd.root.lazy_grad()
    assert x.has_grad() and x.grad.keys == ["a"] and x.a.grad.shape == (2,)
    qd.root.dense(qd.i, 3).place(y, y.grad)
    y.grad[2].a = 4
    assert y.a.grad.to_numpy().tolist() == [0, 0, 4]


@pytest.mark.parametrize("python", [False, True])
def test_methods_through_the_struct_type(python):
    if python:
        qd.init(arch=qd.python)

    @qd.dataclass
    class Ball:
        radius: qd.f32
        count: qd.i32

        @qd.func
        def grow(self, by):
            self.radius += by
            self.count += 1

        @qd.func
        def size(self, factor=2.0):
            return self.radius * factor

    balls = Ball.field(shape=2)

    @qd.kernel
    def k() -> qd.f32:
        b = Ball(1.0, 0)
        Ball.grow(b, 2.0)
        Ball.grow(balls[1], by=5.0)
        return Ball.size(b) + 10 * b.count + 100 * Ball.size(balls[1], factor=3.0)

    assert k() == 6 + 10 + 1500
    assert balls[1].radius == 5 and balls[1].count == 1


@pytest.mark.parametrize("python", [False, True])
def test_a_number_in_the_place_of_a_struct_is_its_first_member(python):
    if python:
        qd.init(arch=qd.python)
    vec2 = qd.types.vector(2, qd.f32)
    inner = qd.types.struct(p=vec2, n=qd.i32)
    outer = qd.types.struct(i=inner, w=qd.f32)
    S = qd.types.struct(a=qd.f32, o=outer, z=qd.i32)

    @qd.kernel
    def k(x: qd.f32) -> (qd.f32, qd.f32, qd.f32, qd.f32, qd.i32, qd.f32):
        o = outer(1)
        s = S(1.5, 2, 3)
        t = S(a=x, o=x)
        return o.i.p[0] + o.i.p[1] + o.w + o.i.n, s.a, s.o.i.p[1] * 10 + s.o.w, s.o.i.n, s.z, t.o.i.p[0] + t.a

    assert k(0.25) == (2, 1.5, 20, 0, 3, 0.5)
    assert outer(1).i.p[0] == 1 and S(1.5, 2, 3).o.i.p[1] == 2  # as in Python scope


@pytest.mark.parametrize("python", [False, True])
def test_a_number_is_not_a_struct_elsewhere(python):
    inner = qd.types.struct(n=qd.i32)

    @qd.func
    def takes(s: inner):
        return s.n

    @qd.kernel
    def k(a: qd.i32) -> qd.i32:
        return takes(a)

    with pytest.raises(qd.QuadrantsTypeError, match="cannot be converted into required type"):
        k(1)
