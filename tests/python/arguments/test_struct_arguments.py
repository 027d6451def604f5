"""Structs as arguments and results of kernels, and as members of dataclasses."""

import dataclasses

import pytest
import quadrants as qd

vec3 = qd.types.vector(3, qd.f32)


@qd.dataclass
class Ball:
    center: vec3
    radius: qd.f32
    hits: qd.i32

    @qd.func
    def volume(self):
        return self.radius * self.radius * self.radius

    @qd.func
    def grow(self, by):
        self.radius += by


Pair = qd.types.struct(a=Ball, b=Ball, m=qd.types.matrix(2, 2, qd.i64), big=qd.i64)


def ball(**changes):
    return Ball(**{"center": [1, 2, 3], "radius": 2.0, "hits": 7, **changes})


def test_struct_argument():
    @qd.kernel
    def k(before: qd.i32, b: Ball, after: qd.f32) -> qd.f32:
        return b.center[1] * 100 + b.hits * 10 + b.volume() + before + after

    assert k(1000, ball(), 0.5) == 200 + 70 + 8 + 1000 + 0.5
    assert k(0, {"center": [0, 1, 0], "radius": 1, "hits": 2}, 0) == 100 + 20 + 1
    assert k._specialisations() == 1


def test_struct_result():
    @qd.kernel
    def k(b: Ball) -> Ball:
        c = b
        c.grow(3)
        c.hits = b.hits + 1
        return c

    made = k(ball())
    assert made.center.to_list() == [1, 2, 3] and made.radius == 5 and made.hits == 8
    assert made.to_dict() == {"center": [1, 2, 3], "radius": 5, "hits": 8}
    assert k(made).radius == 8


def test_nested_and_wide():
    @qd.kernel
    def swap(p: Pair) -> Pair:
        return Pair(a=p.b, b=p.a, m=p.m + 1, big=p.big * 2)

    p = Pair(a=ball(hits=1), b=ball(hits=2), m=[[1, 2], [3, 4]], big=1 << 40)
    q = swap(p)
    assert q.a.hits == 2 and q.b.hits == 1 and q.m.to_list() == [[2, 3], [4, 5]] and q.big == 1 << 41


def test_struct_among_other_results():
    @qd.kernel
    def k(b: Ball) -> (qd.i32, Ball, vec3, qd.f64):
        return 1, b, b.center * 2, 0.5

    n, b, v, x = k(ball())
    assert n == 1 and b.hits == 7 and v.to_list() == [2, 4, 6] and x == 0.5


def test_struct_in_a_dataclass():
    @dataclasses.dataclass(frozen=True)
    class Scene:
        ball: Ball
        x: qd.types.NDArray[qd.f32, 1]

    @qd.kernel
    def k(s: Scene):
        for i in s.x:
            s.x[i] = s.ball.radius + i

    x = qd.ndarray(qd.f32, 3)
    b = ball()
    s = Scene(b, x)
    for _ in range(2):
        k(s)
    assert x.to_numpy().tolist() == [2, 3, 4]
    b.radius = 10
    k(s)
    assert x.to_numpy().tolist() == [10, 11, 12]


def test_wrong_structs():
    @qd.kernel
    def k(b: Ball) -> qd.i32:
        return b.hits

    message = r"Argument <class 'quadrants.lang.struct.Struct'> cannot be converted into required type <qd.StructType center=<"
    with pytest.raises(qd.QuadrantsRuntimeTypeError, match=message):
        k(qd.types.struct(a=qd.i32)(a=1))
    for wrong in (3, {"center": [1, 2], "radius": 1.0, "hits": 1}, {"center": [1, 2, 3], "radius": 1.0, "hits": 1.5}):
        with pytest.raises(qd.QuadrantsRuntimeTypeError, match="cannot be converted into required type <qd.StructType"):
            k(wrong)


def test_real_funcs_return_structs():
    @qd.real_func
    def first(a: Ball, b: Ball) -> Ball:
        if a.hits > b.hits:
            return a
        return b

    @qd.kernel
    def k(a: Ball, b: Ball) -> qd.i32:
        return first(a, b).hits

    assert k(ball(hits=3), ball(hits=9)) == 9 and k(ball(hits=30), ball(hits=9)) == 30


def test_kernels_change_copies():
    @qd.kernel
    def stored(b: Ball) -> qd.f32:
        b.radius = 5.0
        b.center[1] += 1
        return b.radius * 100 + b.center[1]

    @qd.kernel
    def called(b: Ball, n: qd.i32) -> qd.f32:
        for _ in range(1):
            b.grow(n)
            b.grow(1)
        return b.radius

    given = ball()
    assert stored(given) == 503 and called(given, 2) == 5
    assert given.radius == 2 and given.center[1] == 2

    @qd.kernel
    def rebound(b: Ball):
        b = Ball(hits=1)  # noqa: F841

    with pytest.raises(qd.QuadrantsSyntaxError, match='Kernel argument "b" is immutable in the kernel'):
        rebound(given)
