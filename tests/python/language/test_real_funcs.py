"""Real funcs: returns anywhere, parameters by reference; kinds of functions that are not inlined funcs."""

import numpy as np
import pytest
import quadrants as qd

vec3 = qd.types.vector(3, qd.f32)


@qd.real_func
def find(a: qd.types.ndarray(qd.i32, ndim=1), x: qd.i32) -> qd.i32:
    for i in range(a.shape[0]):
        if a[i] == x:
            return i
    return -1


def test_return_from_a_loop():
    @qd.kernel
    def k(a: qd.types.ndarray(qd.i32, ndim=1), x: qd.i32) -> qd.i32:
        return find(a, x)

    a = np.arange(10, dtype=np.int32) * 2
    assert [k(a, x) for x in (0, 6, 18, 7)] == [0, 3, 9, -1]


def test_return_from_nested_loops():
    @qd.real_func
    def search(n: qd.i32, x: qd.i32) -> (qd.i32, qd.i32):
        for i, j in qd.ndrange(n, n):
            k = 0
            while True:
                if k == 2:
                    break
                if 10 * i + j + k == x:
                    return i, j
                k += 1
            if i > 6:
                return -2, -2
        return -1, -1

    @qd.kernel
    def k(n: qd.i32, x: qd.i32) -> (qd.i32, qd.i32):
        i, j = search(n, x)
        return i, j

    def model(n, x):
        for i in range(n):
            for j in range(n):
                for k in range(2):
                    if 10 * i + j + k == x:
                        return i, j
                if i > 6:
                    return -2, -2
        return -1, -1

    for n, x in ((4, 0), (4, 23), (4, 33), (4, 34), (4, 99), (9, 55), (9, 1000)):
        assert k(n, x) == model(n, x)


def test_in_parallel_loops():
    @qd.real_func
    def collatz(n: qd.i32) -> qd.i32:
        steps = 0
        while n != 1:
            if steps > 200:
                return -1
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        return steps

    @qd.kernel
    def k(out: qd.types.ndarray(qd.i32, ndim=1)):
        for i in out:
            out[i] = collatz(i + 1) + 100 * collatz(i + 2)

    def model(n):
        steps = 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        return steps

    out = qd.ndarray(qd.i32, 50)
    k(out)
    assert out.to_numpy().tolist() == [model(i + 1) + 100 * model(i + 2) for i in range(50)]


def test_references():
    @qd.real_func
    def bump(x: qd.ref(qd.i32), v: qd.types.ref(vec3), by: qd.i32):
        if by < 0:
            return
        x += by
        v[1] = 5.0
        by = 100

    @qd.kernel
    def k(n: qd.i32) -> (qd.i32, vec3):
        x = n
        v = vec3(1.0, 2.0, 3.0)
        bump(x, v, 3)
        bump(x, v, -1)
        bump(x, v, n)
        return x, v

    x, v = k(10)
    assert x == 23 and v.to_list() == [1, 5, 3]


def test_reference_of_an_element():
    @qd.real_func
    def bump(x: qd.ref(qd.i32)):
        x += 1

    f = qd.field(qd.i32, 4)

    @qd.kernel
    def k(a: qd.types.ndarray(qd.i32, ndim=1)):
        bump(f[3])
        bump(a[1])
        bump(a[1])

    a = np.zeros(2, np.int32)
    k(a)
    assert f[3] == 1 and a[1] == 2


def test_vectors_and_nothing():
    @qd.real_func
    def scaled(a: vec3, i: qd.i32) -> vec3:
        while True:
            if i > 3:
                return a * i
            i += 1
        return a

    @qd.real_func
    def halves(n: qd.i32) -> qd.i32:
        if n > 3:
            return 1

    @qd.kernel
    def k(v: vec3, n: qd.i32) -> vec3:
        return scaled(v, n) + halves(n)

    assert k(vec3(1, 2, 3), 0).to_list() == [4, 8, 12]
    assert k(vec3(1, 2, 3), 5).to_list() == [6, 11, 16]


def test_parameters_must_be_typed():
    with pytest.raises(qd.QuadrantsSyntaxError, match="must be type annotated"):

        @qd.real_func
        def f(a):
            return a


def test_old_name_and_flag():
    with pytest.warns(DeprecationWarning, match="qd.experimental.real_func is deprecated because it is no longer experimental"):

        @qd.experimental.real_func
        def f(a: qd.i32) -> qd.i32:
            if a > 1:
                return 2
            return 1

    @qd.func(is_real_function=True)
    def g(a: qd.i32) -> qd.i32:
        if a > 1:
            return 20
        return 10

    @qd.kernel
    def k(a: qd.i32) -> qd.i32:
        return f(a) + g(a)

    assert k(1) == 11 and k(2) == 22


def test_pyfunc():
    @qd.pyfunc
    def add(a, b):
        return a + b

    @qd.kernel
    def k(a: qd.i32) -> qd.i32:
        return add(a, b=3)

    assert add(1, 2) == 3 and k(4) == 7


def test_requires_top_level():
    @qd.func(requires_top_level=True)
    def fill(x: qd.template(), v):
        for i in x:
            x[i] = v

    x = qd.field(qd.i32, 3)

    @qd.kernel
    def good():
        fill(x, 4)

    @qd.kernel
    def bad():
        for i in range(3):
            fill(x, i)

    good()
    assert x.to_numpy().tolist() == [4] * 3
    with pytest.raises(qd.QuadrantsSyntaxError, match="requires_top_level"):
        bad()


def test_structs_among_the_results():
    @qd.dataclass
    class Item:
        at: vec3
        weight: qd.f32

    items = Item.field(shape=4)
    items.weight.from_numpy(np.array([1, 2, 4, 8], np.float32))

    @qd.real_func
    def pick(x: qd.f32) -> (Item, vec3, bool):
        found, at = 0, vec3(0)
        for i in range(4):
            if items[i].weight > x:
                found, at = i, vec3(i)
                break
        return items[found], at, at.x > 0

    @qd.kernel
    def k(x: qd.f32) -> qd.f32:
        item, at, moved = pick(x)
        return item.weight + 100 * at.y + 1000 * moved

    assert [k(x) for x in (0, 1, 3, 9)] == [1, 1102, 1204, 1]


def test_results_annotated_as_a_tuple_of_typing():
    import typing

    @qd.real_func
    def both(x: qd.f32) -> typing.Tuple[float, vec3]:
        if x > 1:
            return x, vec3(x)
        return -1, vec3(0)

    @qd.func
    def inlined(x: qd.f32) -> tuple[int, float]:
        return x, x

    @qd.kernel
    def k(x: qd.f32) -> qd.f32:
        a, b = both(x)
        c, d = inlined(x)
        return a + 10 * b.z + 100 * c + 1000 * d

    assert k(1.5) == 1.5 + 15 + 100 + 1500 and k(0.5) == -1 + 0 + 0 + 500


def test_a_method_of_a_data_oriented_class():
    @qd.data_oriented
    class Scene:
        def __init__(self, n):
            self.n = n
            self.x = qd.field(qd.i32, n)

        @qd.real_func
        def find(self, wanted: qd.i32) -> qd.i32:
            for i in range(self.n):
                if self.x[i] == wanted:
                    return i
            return -1

        @qd.kernel
        def run(self, wanted: qd.i32) -> qd.i32:
            return 100 * self.find(wanted) + self.find(wanted=10 * wanted)

    scene, other = Scene(4), Scene(2)
    for i in range(4):
        scene.x[i] = 10**i
    assert scene.run(10) == 102 and scene.run(1000) == 299 and other.run(3) == -101


def test_other_parameters_of_methods_are_annotated():
    with pytest.raises(qd.QuadrantsSyntaxError, match="must be type annotated: 'b'"):

        class Scene:
            @qd.real_func
            def add(self, a: qd.i32, b) -> qd.i32:
                return a + b


def test_requires_top_level_inside_unrolled_loops():
    x = qd.field(qd.i32, 4)

    @qd.func(requires_top_level=True)
    def add(v):
        for i in x:
            x[i] += v

    @qd.kernel
    def allowed():
        for i in qd.static(range(3)):
            for j in qd.static(range(2)):
                if qd.static(i != 1):
                    add(10 * i + j)

    @qd.kernel
    def below_a_loop():
        for i in range(3):
            for j in qd.static(range(2)):
                add(j)

    @qd.kernel
    def below_an_if(c: qd.i32):
        for j in qd.static(range(2)):
            if c:
                add(j)

    @qd.kernel
    def below_a_known_if():
        if True:
            add(1)

    allowed()
    assert x.to_numpy().tolist() == [0 + 1 + 20 + 21] * 4
    for kernel, args in ((below_a_loop, ()), (below_an_if, (1,)), (below_a_known_if, ())):
        with pytest.raises(qd.QuadrantsSyntaxError, match="requires_top_level"):
            kernel(*args)
