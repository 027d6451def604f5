"""print: types, formats, order. assert."""

import math

import numpy as np
import pytest
import quadrants as qd

INTS = {"i8": -100, "i16": -30000, "i32": -7, "i64": -(2**40), "u8": 200, "u16": 60000, "u32": 2**32 - 1, "u64": 2**64 - 1}
FLOATS = ("f16", "f32", "f64")


def output(capfd, kernel, *args):
    kernel(*args)
    qd.sync()
    return capfd.readouterr().out


def made(source, scope):
    exec(source, scope)
    holder = source  # noqa: F841  found by the package: the text is a local of this frame
    return qd.kernel(scope["k"])


def test_print(capfd):
    @qd.kernel
    def f(a: qd.i32, x: qd.f32):
        print(a, x, 1.5, "word", sep=", ", end="!\n")
        print("100%", qd.Vector([1, a]), qd.Matrix([[1.0, 2.0], [3.0, x]]))
        print(f"{a:4d}|{x:.2f}|{x:e}|{a}")
        print("{} {k:.1f} {{}}".format(a, k=x))

    assert output(capfd, f, 7, 2.5) == (
        "7, 2.500000, 1.500000, word!\n"
        "100% [1, 7] [[1.000000, 2.000000], [3.000000, 2.500000]]\n"
        "   7|2.50|2.500000e+00|7\n"
        "7 2.5 {}\n"
    )


def test_constants_print_as_values_do(capfd):
    flag, count, ratio, names = True, 3, 0.25, ("a", 1)

    @qd.kernel
    def f():
        print(flag, count, ratio, None, "text", names, [1, 2.5], {"k": 3})
        print(f"{flag} {count:03d} {ratio:.1f} {count:x} {count:5}|{ratio:8.3}")
        print()
        print("a" + "b", "%d%%" % 5)

    # In an f-string Python formats constants, except those with a format.
    expected = "1 3 0.250000 None text ('a', 1) [1, 2.500000] {'k': 3}\nTrue 003 0.2 3     3|   0.250\n\nab 5%\n"
    assert output(capfd, f) == expected


@pytest.mark.parametrize("kind", INTS)
def test_integers(kind, capfd):
    sign = "d" if kind[0] == "i" else "u"
    specs = ["", sign, "5" + sign, "-25" + sign, "025" + sign, ".10" + sign, "+" + sign, " " + sign, "x", "X", "#x", "o", "30", ".12", "<25", ">25"]
    if kind[0] == "i":
        specs += ["i", "lli", "hhd"]
    line = "|".join(f"{{a:{s}}}" for s in specs)
    k = made(f'def k(a: T):\n    print(f"{line}")\n', {"T": getattr(qd, kind)})
    value = INTS[kind]
    words = []
    for spec in specs:
        if kind[0] == "u":  # C's unsigned conversions have no sign
            spec = spec.replace("+", "").replace(" ", "")
        plain = spec.replace("ll", "").replace("hh", "").replace("u", "d").replace("<", "-").replace(">", "")
        if plain[-1:] in ("x", "X", "o"):
            words.append(("%" + plain) % (value & 2 ** int(kind[1:]) - 1))
        else:
            words.append(("%" + (plain if plain[-1:] in ("d", "i") else plain + "d")) % value)
    expected = "|".join(words).replace("0o", "0")
    assert output(capfd, k, value) == expected + "\n"


def test_bits_of_negative_integers(capfd):
    @qd.kernel
    def f(a: qd.i8, b: qd.i16, c: qd.i32, d: qd.i64):
        print(f"{a:x} {b:o} {c:08X} {d:x} {c:d}")

    assert output(capfd, f, -19, -19, -19, -19) == "ed 177755 FFFFFFED ffffffffffffffed -19\n"


@pytest.mark.parametrize("kind", FLOATS)
def test_reals(kind, capfd):
    specs = ["", "f", ".2f", "12.3f", "-12.3f", "012.3f", "+.1f", "e", ".3e", "E", "g", ".3g", "G", ".2", "10", "F", "<12.3f"]
    line = "|".join(f"{{a:{s}}}" for s in specs)
    k = made(f'def k(a: T):\n    print(f"{line}")\n', {"T": getattr(qd, kind)})
    for value in (-2.75, 0.0, 123.25):
        words = ["%" + (s if s[-1:].isalpha() else s + "f") for s in (s.replace("<", "-") for s in specs)]
        assert output(capfd, k, value) == "|".join(w % value for w in words) + "\n"
    inf = made('def k(a: T):\n    print(a, -a, f"{a:.2f} {a:06.1f}")\n', {"T": getattr(qd, kind)})
    assert output(capfd, inf, math.inf) == "inf -inf inf    inf\n"


def test_bools_vectors_matrices_and_sequences(capfd):
    @qd.kernel
    def f(t: qd.u1, a: qd.i32, x: qd.f32):
        v = qd.Vector([x, 2 * x, a])
        m = qd.Matrix([[a, 2], [3, 4]])
        print(t, not t, a > 3)
        print(f"{t} {t:d} {v:.1f} {m:3d} {v}")
        print((a, x), [v, m], v.xy, m[0, :])
        print(a > qd.Vector([1, 100]))

    assert output(capfd, f, True, 7, 1.5) == (
        "1 0 1\n"
        "1 1 [1.5, 3.0, 7.0] [[  7,   2], [  3,   4]] [1.500000, 3.000000, 7.000000]\n"
        "(7, 1.500000) [[1.500000, 3.000000, 7.000000], [[7, 2], [3, 4]]] [1.500000, 3.000000] [7, 2]\n"
        "[1, 0]\n"
    )


def test_elements_of_fields(capfd):
    x = qd.field(qd.f16, 3)
    v = qd.Vector.field(2, qd.u8, 3)
    x[1] = 0.5
    v[2] = [3, 250]

    @qd.kernel
    def f():
        print(x[1], v[2], f"{v[2]:03u}", x[0])

    assert output(capfd, f) == "0.500000 [3, 250] [003, 250] 0.000000\n"


def test_strings_with_run_time_values(capfd):
    @qd.func
    def describe(x):
        print("func: %d" % x, end=";")
        return x + 1

    @qd.kernel
    def f(a: qd.i32, x: qd.f32):
        print("a=%d x=%.2f %s%%" % (a, x, a))
        print("sum: " + f"{a}" + " and {}".format(x))
        text = f"kept {a}"
        print(text, "{1}-{0}-{1:.1f}".format(a, x))
        print(describe(a))
        print(f"{a:{'0'}5d}", f"{{{a}}}", "{{}}", "{{{}}}".format(a), "%d {} %")

    assert output(capfd, f, 7, 0.5) == (
        "a=7 x=0.50 7%\nsum: 7 and 0.500000\nkept 7 0.500000-7-0.5\nfunc: 7;8\n00007 {7} {{}} {7} %d {} %\n"
    )


def test_sep_and_end(capfd):
    @qd.kernel
    def f(a: qd.i32):
        print(a, a, sep="")
        print(a, "b", a, sep="%d", end="{}|")
        print(a, None, sep=None, end=None, flush=True)

    assert output(capfd, f, 3) == "33\n3%db%d3{}|3 None\n"


def test_the_order_of_a_thread(capfd):
    """The output of one iteration is in order, and each call is contiguous."""

    @qd.kernel
    def f(n: qd.i32):
        print("before")
        for i in range(n):
            print("first", i)
            print("second", i, end="\n")
            for j in range(2):
                print(f"third {i}", j)
        print("after")

    lines = output(capfd, f, 500).splitlines()
    assert lines[0] == "before" and lines[-1] == "after"
    for i in range(500):
        own = [line for line in lines[1:-1] if line.split()[1] == str(i)]
        assert own == [f"first {i}", f"second {i}", f"third {i} 0", f"third {i} 1"]


def test_large_values_of_narrow_formats(capfd):
    @qd.kernel
    def f(x: qd.f64, n: qd.i64):
        print(f"{x:.3f} {n:200d}")

    assert output(capfd, f, 1e300, -5) == f"{1e300:.3f} {-5:200d}\n"


def test_assert(arch):
    qd.init(arch=arch, debug=True, print_full_traceback=True)

    @qd.kernel
    def f(x: qd.i32):
        assert x == 42, f"x expect=42 got={x}"

    @qd.kernel
    def g(x: qd.i32):
        assert x > 0

    f(42)
    with pytest.raises(AssertionError, match="x expect=42 got=7"):
        f(7)
    with pytest.raises(qd.QuadrantsAssertionError, match="x > 0"):
        g(-1)


def test_assertions_cost_nothing_without_debug():
    @qd.kernel
    def f(x: qd.i32):
        assert x > 0

    f(-1)


@pytest.mark.parametrize("python", [False, True])
def test_compile_time_values_in_strings(capfd, python):
    """Without a format Python formats them, with one they follow the kernel's rules."""
    if python:
        qd.init(arch=qd.python)
    name = "box"

    @qd.kernel
    def f(k: qd.f32, i: qd.i32):
        print(f"{k:.1f} {True} {1.23} {name} {None} {(1, 2.5)}")
        print("{:.1f} {} {}".format(k, False, 0.1))
        print(f"{True} {1.23}", "{} {}".format(True, 1e-7))
        print(True, 1.23)
        print(f"{3:i} {3:.10} {3:.10d} {2:.1} {1.5:.2} {name:>5}", "{:.4} {:i}".format(7, 7))
        print(f"{i} {3:i} {3:.10} {3:.10d} {2:.1} {1.5:.2} {name:>5} {-1:x} {0.1:.10}")
        print("%s %s %d" % (True, 1.23, i))

    capfd.readouterr()
    assert output(capfd, f, 233.3, 5) == (
        "233.3 True 1.23 box None (1, 2.5)\n233.3 False 0.1\nTrue 1.23 True 1e-07\n1 1.230000\n"
        "3 0000000003 0000000003 2 1.50   box 0007 7\n5 3 0000000003 0000000003 2 1.50   box ffffffff 0.1000000015\n"
        "True 1.23 5\n"
    )


@pytest.mark.parametrize("python", [False, True])
def test_automatic_and_numbered_fields_may_be_mixed(capfd, python):
    if python:
        qd.init(arch=qd.python)

    @qd.kernel
    def f(a: qd.i32):
        print("{2} {1} {}".format(3, 2, 1), "{2} {1} {}".format(3, a, 1), "{} {1} {}".format(a, 2), "{0!r}".format("text"))

    capfd.readouterr()
    assert output(capfd, f, 2) == "1 2 3 1 2 3 2 2 2 'text'\n"


def test_mistakes_in_formats_of_compile_time_values():
    @qd.kernel
    def letter():
        print(f"{3:.2f}")

    @qd.kernel
    def width():
        print(f"{3:.100000}")

    with pytest.raises(qd.QuadrantsTypeError, match="'.2f' doesn't match 'i32'."):
        letter()
    with pytest.raises(qd.QuadrantsTypeError, match="too large"):
        width()
