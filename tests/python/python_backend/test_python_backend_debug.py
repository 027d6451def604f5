"""qd.python in debug mode: output and errors have the same text and the same places as compiled kernels."""

import pytest
import quadrants as qd

big = 2**31 - 1


def program():
    """Returns a list of (kernel, arguments) that overflow, go out of bounds, or fail in another way."""
    x = qd.field(qd.i32, shape=3, offset=(1,))
    m = qd.Matrix.field(2, 2, qd.i32, shape=(2,))
    a, b = qd.ndarray(qd.i32, (2, 2)), qd.ndarray(qd.i32, 3)

    @qd.func
    def changed(t: qd.template(), i):
        t += i
        return t * 2

    @qd.func
    def first(arr, i):
        return arr[i, 0]

    @qd.kernel
    def update(i: qd.i32):
        x[i] += big

    @qd.kernel
    def chained(i: qd.i32) -> qd.i32:
        y = big
        y += i
        z = (y * 2 +
             big + i)  # fmt: skip
        return z if z > 0 and changed(x[1 + i], i) > 3 else z << 31

    @qd.kernel
    def matrices(i: qd.i32, j: qd.i32):
        m[i][j, 0] = m[j][0, i] + 1

    @qd.kernel
    def arrays(u: qd.i32, t: qd.template(), arr: qd.types.ndarray(qd.i32, ndim=2)) -> qd.i32:
        for k in range(1):
            arr[0, k + u] = t
        return first(arr, u) if u > 0 else u

    @qd.kernel
    def atomics(i: qd.i32) -> qd.i32:
        old = qd.atomic_add(x[1], big) + qd.atomic_sub(x[i], 5)
        return old % (i - 2)

    @qd.kernel
    def power(i: qd.i32) -> qd.i32:
        return 2 ** (i - 9)

    @qd.kernel
    def comprehended(i: qd.i32) -> qd.i32:
        v = qd.Vector([x[j + i] for j in range(3)])
        return v.sum() + v[i]

    @qd.kernel
    def asserted(i: qd.i32):
        assert i > 0 and (
            i > 5), f"i is {i}"  # fmt: skip

    @qd.kernel
    def near(i: qd.i32) -> qd.i32:
        return qd.assume_in_range(i, 5, -1, 2)

    @qd.kernel
    def product(v: qd.types.vector(2, qd.i32)) -> qd.types.vector(2, qd.i32):
        w = v * v
        w -= v * 1000000
        return -w + v.dot(v) + v.cross(v)

    @qd.kernel
    def views(n: qd.i32, i: qd.i32, size: qd.i32, array: qd.types.ndarray(qd.i32, ndim=1)) -> qd.i32:
        view = qd.BufferView(array, 1, n)
        return view[1:size][i] + view.subview(0, size).size

    return [
        (update, 1), (update, 1), (update, 9), (chained, 1), (matrices, 0, 2), (matrices, 5, 1), (matrices, 1, 0), (arrays, 0, 3, a),
        (arrays, 2, 3, a), (atomics, 1), (atomics, 2), (power, 3), (comprehended, 1), (comprehended, 2), (asserted, 2), (near, 5),
        (near, 7), (product, qd.Vector([100000, 46340])), (views, 2, 0, 2, b), (views, 3, 0, 2, b), (views, 2, 1, 2, b), (views, 2, 0, 3, b),
    ]  # fmt: skip


def outcomes(arch, capfd, program=program):
    """Returns the result of each kernel or the text of its error, and the output."""
    qd.init(arch=arch, debug=True, offline_cache=False, cpu_max_num_threads=1)
    kernels = program()
    capfd.readouterr()
    results = []
    for kernel, *args in kernels:
        try:
            results.append(str(kernel(*args)))
        except qd.QuadrantsAssertionError as error:
            results.append(str(error))
    qd.sync()
    return results, capfd.readouterr().out


def test_messages_and_places_equal_those_of_compiled_kernels(arch, capfd):
    python, compiled = outcomes("python", capfd), outcomes(arch, capfd)
    assert python[0] == compiled[0] and python[1] == compiled[1]
    assert sum("\n" in text for text in python[0]) == 12 and python[1].count("overflow detected in File ") >= 8


def test_names_bound_in_a_failed_condition(arch, capfd):
    """A condition without a message shows its variables, and leaves out those that it did not bind."""

    def program():
        @qd.kernel
        def bound(x: qd.i32):
            assert (w := x) > 3 and x < 10

        @qd.kernel
        def skipped(x: qd.i32):
            assert x > 3 and (w := x) < 10

        @qd.kernel
        def inverted(x: qd.i32):
            assert not (w := x)

        @qd.kernel
        def comprehended(x: qd.i32):
            assert not (x == sum([z for z in qd.static(range(3))]))

        @qd.kernel
        def order(x: qd.i32, y: qd.i32):
            assert (x + y > 1 and y < 2) and x > 5

        return [(bound, 3), (skipped, 3), (inverted, 3), (comprehended, 3), (order, 3, 1)]

    python = outcomes("python", capfd, program)
    assert python == outcomes(arch, capfd, program)
    shown = ["w = 3, x = 3", "x = 3", "w = 3, x = 3", "x = 3", "x = 3, y = 1"]
    assert [text.strip().splitlines()[1] for text in python[0]] == ["with " + names for names in shown]


def test_a_launch_reports_a_place_a_limited_number_of_times(arch, capfd):
    def program():
        @qd.kernel
        def many(n: qd.i32):
            qd.loop_config(serialize=True)
            for i in range(n):
                s = 2147483647 + i
                print("user", s)
            assert n < 150, "fails"

        return [(many, 101), (many, 102), (many, 250), (many, 3)]

    python = outcomes("python", capfd, program)
    assert python == outcomes(arch, capfd, program)
    out = python[1]
    assert out.count("user") == 101 + 102 + 250 + 3
    assert out.count("Addition overflow detected") - out.count("more in this launch: Addition overflow detected") == 100 + 100 + 100 + 2
    assert [line.split(" more")[0] for line in out.splitlines() if " more in this launch: " in line] == ["and 1", "and 149"]


def test_nothing_is_reported_without_debug(capfd):
    qd.init(arch=qd.python)

    @qd.kernel
    def k(a: qd.i32) -> qd.i32:
        assert a < 0
        return a * a + 2 ** (-a)

    assert k(70000) == 605032704 and "overflow" not in capfd.readouterr().out


def test_places_of_deleted_functions(capfd):
    """Two functions have the same code, and one of them is deleted."""
    qd.init(arch=qd.python, debug=True)
    source = "@qd.kernel\ndef k(a: qd.i32) -> qd.i32:\n    return a + a\n"
    for _ in range(3):
        scope = {"qd": qd}
        exec(source, scope)
        assert scope["k"](big) == -2
    assert capfd.readouterr().out.count('overflow detected in File "<string>", line 3, in k:') == 3


def test_raw_mode_has_the_bare_message():
    qd.init(arch=qd.python, debug=True, print_full_traceback=True)

    @qd.kernel
    def k(a: qd.i32):
        assert a < 3, f"a is {a}"

    with pytest.raises(qd.QuadrantsAssertionError) as error:
        k(4)
    assert str(error.value) == "a is 4"
