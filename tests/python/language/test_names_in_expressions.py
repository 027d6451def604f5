"""Names bound by `:=` where an expression may skip them, and operands of chained comparisons."""

import numpy as np
import pytest
import quadrants as qd

DEBUG, ONE = False, 1


@pytest.fixture(params=[False, True], ids=["", "debug"])
def each(arch, request):
    """Runs a function as Python and on the arch of the test, with and without debug mode, and asserts equal results."""

    def run(program, **options):
        results = []
        for one in ("python", arch):
            qd.init(arch=one, offline_cache=False, print_full_traceback=True, debug=request.param, **options)
            results.append(program())
        np.testing.assert_equal(*results)
        return results[0]

    return run


def on_each_number(body, result="i32"):
    """Returns the results of a kernel with this body for n from 0 to 5."""
    import linecache

    text = f"@qd.kernel\ndef k(n: qd.i32) -> qd.{result}:\n" + "".join(f"    {line}\n" for line in body)
    file = f"<{'; '.join(body)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names = {"qd": qd, "DEBUG": DEBUG, "ONE": ONE}
    exec(compile(text, file, "exec"), names)
    return [names["k"](n) for n in range(6)]


def in_python(body):
    names = {"DEBUG": DEBUG, "ONE": ONE}
    exec("def k(n):\n" + "".join(f"    {line}\n" for line in body), names)
    return [names["k"](n) for n in range(6)]


SAME = {
    "both arms": ["x = (y := n * 3) if n > 2 else (y := n * 5)", "return x * 1000 + y"],
    "and": ["s = 0", "if n > 2 and (m := n * 2) > 4:", "    s = m", "return s"],
    "or": ["s = 0", "if n < 3 or (m := n * 2) > 8:", "    s = 1", "else:", "    s = m", "return s"],
    "not": ["s = 0", "if not (n > 2 and (m := n * 2) > 4):", "    s = 1", "else:", "    s = m", "return s"],
    "operands behind": ["return n > 2 and (m := n * 2) > 4 and m < 10"],
    "operands of operands": ["return ((n > 1 and (m := n + 1)) and (n > 2 and (k := m + n))) and m + k > 11"],
    "an operand in brackets": ["s = 0", "if n > 0 and (n > 1 and (m := n * 2) > 4):", "    s = m", "return s"],
    "arm of a choice": ["return (m + 1) if n > 2 and (m := n * 2) > 4 else -1"],
    "nested arms": ["x = (y := 1) if n < 1 else ((y := 2) if n < 3 else (y := 3))", "return x * 10 + y"],
    "a known name": ["y = 7", "x = (y := n) if n > 2 else 1", "return x * 100 + y"],
    "a known name behind and": ["y = 7", "if n > 2 and (y := n * 2) > 8:", "    y += 1", "return y"],
    "while": ["s = 0", "while n > 2 and (m := n - s) > 1:", "    s += m", "return s"],
    "while, changed": ["s = 0", "while (m := n - s) > 0:", "    m = m + 1", "    s += m", "return s"],
    "a loop": ["s = 0", "for i in range(n):", "    x = (y := i * 3) if i % 2 else (y := i * 5)", "    s = s * 7 + x * 10 + y", "return s"],
    "a loop with and": ["s = 0", "for i in range(n):", "    if i % 2 and (m := i + n):", "        s += m", "return s"],
    "a comprehension": ["v = [(y := n + i) if n > i else (y := i) for i in (1, 2)]", "return v[0] * 100 + v[1] * 10 + y"],
    "a name of a comprehension": ["y = 0", "v = [(y := y + i + n) for i in (1, 2, 3)]", "return v[2] * 100 + y"],
    "a chain": ["s = 0", "if 1 < n < (m := n * 2) < 10:", "    s = m", "return s"],
    "a name of the middle": ["x = 1 < (m := n * 2) < 7", "return m * 2 + x"],
    "known, false": ["s = 1", "if DEBUG and (m := n * 2) > 4:", "    s = m", "return s"],
    "known, true": ["s = 1", "if ONE and (m := n * 2) > 4:", "    s = m", "return s"],
    "known choice": ["x = (y := n + 1) if ONE else (y := n)", "return x * 10 + y"],
    "twice": ["a = n > 1 and (m := n) > 2", "b = n > 0 and (m := n + 1) > 2", "x = (m := 1) if a else (m := 2)", "return x + 10 * m"],
    "an elif": ["s = 0", "if n < 2 and (a := n + 5) > 5:", "    s = a", "elif n > 3 and (b := n * 2):", "    s = b", "return s"],
    "an elif that reads": ["s = 0", "if n > 4 or (a := n + 5) < 7:", "    s = 1", "elif a > 8:", "    s = a", "return s"],
    "the value of a name of another type": ["y = 1", "return int((y := n * 0.75) * 4) * 10 + y"],
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*lose precision")
@pytest.mark.parametrize("form", SAME)
def test_names_mean_what_python_means(each, form):
    assert each(lambda: on_each_number(SAME[form])) == (
        in_python(SAME[form]) if form != "the value of a name of another type" else [int(n * 0.75 * 4) * 10 + int(n * 0.75) for n in range(6)]
    )


def test_a_name_has_the_type_of_both_arms(each):
    body = ["x = (y := n) if n > 2 else (y := 0.5)", "return x * 10 + y"]
    assert each(lambda: on_each_number(body, "f64")) == [5.5, 5.5, 5.5, 33.0, 44.0, 55.0]
    body = ["x = ((y := n) if n > 3 else (y := n + 1)) if n > 2 else (y := 0.5)", "y /= 2", "return x * 10 + y"]
    assert each(lambda: on_each_number(body, "f64")) == [5.25, 5.25, 5.25, 42.0, 42.0, 52.5]


def test_a_name_of_an_arm_that_did_not_run_has_its_type(each):
    body = ["return -1 if not (n > 2 and (w := qd.u32(n)) > 3) else w"]
    assert each(lambda: on_each_number(body, "i64")) == [2**32 - 1] * 4 + [4, 5]


def test_vectors_structs_and_tuples_in_arms(each):
    @qd.dataclass
    class Pair:
        a: qd.i32
        b: qd.f64

    @qd.func
    def scaled(v, n):
        w = (u := v * 2) if n > 2 else (u := v + 0.5)
        return w + u

    def program():
        @qd.kernel
        def k(n: qd.i32) -> (qd.f64, qd.f64, qd.i32):
            v = (a := qd.Vector([n, 2])) if n > 2 else (a := qd.Vector([0.5, n]))
            p = (q := Pair(n, 0.5)) if n > 3 else (q := Pair(1, n))
            t = (r := (n, 2)) if n > 1 else (r := (3, n))
            return (v + a).dot(scaled(qd.Vector([1.0, n]), n)), p.b + q.a, t[0] * 10 + r[1]

        return [k(n) for n in range(6)]

    results = each(program)

    def expected(n):
        a, v = ([n, 2] if n > 2 else [0.5, n]), [1.0, n]
        u = [x * 2 if n > 2 else x + 0.5 for x in v]
        q, r = ((n, 0.5) if n > 3 else (1, n)), ((n, 2) if n > 1 else (3, n))
        return sum(2 * x * 2 * y for x, y in zip(a, u)), q[1] + q[0], r[0] * 10 + r[1]

    np.testing.assert_allclose(results, [expected(n) for n in range(6)], rtol=1e-6)


def test_names_in_parallel_loops_and_stores(each):
    def program():
        out = qd.field(qd.i32, 40)

        @qd.kernel
        def k():
            for i in out:
                x = (y := i * 3) if i % 3 else (y := i * 5)
                if i > 4 and (m := i % 7) > 2:
                    y += m
                out[i] = x * 1000 + y

        k()
        return out.to_numpy().tolist()

    def expected(i):
        y = i * 3 if i % 3 else i * 5
        return y * 1000 + y + (i % 7 if i > 4 and i % 7 > 2 else 0)

    assert each(program) == [expected(i) for i in range(40)]


def test_names_in_funcs_that_call_themselves(each):
    @qd.real_func
    def down(n: qd.i32) -> qd.i32:
        r = 0
        if n > 0 and (m := down(n - 1) + 1) > 1:
            r = m
        x = (y := down(n // 2 - 1)) if n > 2 else (y := n)
        return r * 2 + x + y

    def python(n):
        r = 0
        if n > 0 and (m := python(n - 1) + 1) > 1:
            r = m
        x = (y := python(n // 2 - 1)) if n > 2 else (y := n)
        return r * 2 + x + y

    def program():
        @qd.kernel
        def k(n: qd.i32) -> qd.i32:
            return down(n)

        return [k(n) for n in range(8)]

    assert each(program) == [python(n) for n in range(8)]


@pytest.mark.parametrize(
    "body",
    [
        ["x = (y := 1) if n > 2 else n", "return y"],
        ["x = n > 2 and (y := n) > 3", "return y"],
        ["if n > 2 or (y := n) > 3:", "    return_ = y", "return 1"],
        ["if not (n > 2 and (y := n) > 3):", "    x = y", "return 1"],
        ["x = 1 < n < (k := n + 1) < (y := n + 2)", "return y"],
        ["x = n > 2 and (y := n) > 3", "y += 1", "return y"],
    ],
)
def test_a_name_of_one_arm_is_not_read_after_it(body):
    with pytest.raises(qd.QuadrantsNameError, match='Name "y" is not defined'):
        on_each_number(body)


# Chained comparisons


def test_operands_after_a_failed_comparison_are_not_evaluated(each):
    @qd.func
    def seen(a, k, x):
        a[k] += 1
        return x

    def program():
        a = qd.ndarray(qd.i32, 10)

        @qd.kernel
        def k(i: qd.i32, a: qd.types.ndarray(qd.i32, ndim=1)) -> (qd.i32, qd.i32, qd.i32):
            near = i < 10 <= a[i] + 5
            first = seen(a, 0, 1) < seen(a, 1, i) < seen(a, 2, 7) != seen(a, 3, 5)
            a[9] = 8
            return near, first, 0 <= i < 10 and a[i] < 100

        results = [k(i, a) for i in (0, 9, 12, 7, 1000000)]
        return results, a.to_numpy().tolist()

    results, counts = each(program)
    assert results == [(0, 0, 1), (1, 0, 1), (0, 0, 0), (0, 0, 1), (0, 0, 0)]
    assert counts[:4] == [5, 5, 4, 0]


def test_chains_of_every_kind(each):
    def program():
        @qd.kernel
        def k(i: qd.i32, x: qd.f64) -> (qd.i32, qd.i32, qd.i32, qd.i32, qd.i32):
            v = 0 < qd.Vector([i, 2, -i]) < 3
            return 1 < 0 < i // 0, 0 < 1 < i, 0.5 < x <= i + x < 9, v[0] + 2 * v[1] + 4 * v[2], i < 3 < qd.Vector([i, 4]).max()

        return [k(i, x) for i in range(5) for x in (0.25, 2.5)]

    expected = [
        (0, 1 < i, 0.5 < x <= i + x < 9, sum((0 < c < 3) << k for k, c in enumerate((i, 2, -i))), i < 3 < max(i, 4)) for i in range(5) for x in (0.25, 2.5)
    ]
    assert each(program) == [tuple(map(int, row)) for row in expected]


def test_eager_chains(each):
    @qd.func
    def seen(a, x):
        a[0] += 1
        return x

    def program():
        a = qd.ndarray(qd.i32, 1)

        @qd.kernel
        def k(i: qd.i32, a: qd.types.ndarray(qd.i32, ndim=1)) -> qd.i32:
            return i < seen(a, 3) < seen(a, 5)

        return k(1, a), k(4, a), a.to_numpy()[0]

    assert each(program, short_circuit_operators=False) == (1, 0, 4)
    assert each(program) == (1, 0, 3)


def test_gradients_through_names_and_chains():
    x = qd.field(qd.f32, 6, needs_grad=True)
    loss = qd.field(qd.f32, (), needs_grad=True)

    @qd.kernel
    def k():
        for i in x:
            s = (t := x[i] * x[i]) if i > 2 else (t := x[i] * 3)
            if 1 < i and (u := t * s) > 0 and 0 < u < 1000:
                loss[None] += u
            loss[None] += s

    x.from_numpy(np.arange(1, 7, dtype=np.float32))
    loss.grad[None] = 1
    k()
    k.grad()
    v = np.arange(1, 7)
    expected = np.where(v - 1 > 2, 2 * v, 3) + np.where(v - 1 > 2, np.where(v**4 < 1000, 4 * v**3, 0), np.where(v - 1 > 1, 18 * v, 0))
    np.testing.assert_allclose(x.grad.to_numpy(), expected)
