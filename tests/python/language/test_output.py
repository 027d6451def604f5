"""print and assert."""

import pytest
import quadrants as qd


def output(capfd, kernel, *args):
    kernel(*args)
    qd.sync()
    return capfd.readouterr().out


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
