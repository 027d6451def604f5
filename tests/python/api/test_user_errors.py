"""Errors as users see them: the place, the class, the message and the suggestion."""

import linecache
import os
import re
import subprocess
import sys

import numpy as np
import pytest
import quadrants as qd
from quadrants import _environment, _native

HERE = os.path.basename(__file__)


@pytest.fixture
def shown(arch):
    """Messages as users see them: with places and carets."""
    qd.init(arch=arch, offline_cache=False)


class Holder:
    @qd.kernel
    def foo(self: qd.template()):
        for i in range(1, 2, 3):
            a = 1
            b = 1


def test_a_frame_is_named_by_the_function_and_a_header_is_marked_to_its_colon(shown):
    with pytest.raises(qd.QuadrantsCompilationError) as error:
        Holder().foo()
    assert re.search(rf'{HERE}", line \d+, in foo:\n        for i in range\(1, 2, 3\):\n        \^{{24}}\n', str(error.value))
    assert "Range should have 1 or 2 arguments, found 3" in str(error.value)


def test_names_of_assertions_at_run_time_are_plain(arch):
    qd.init(arch=arch, offline_cache=False, debug=True)

    @qd.func
    def inner(x):
        assert x > 3, "small"

    @qd.kernel
    def outer(x: qd.i32):
        inner(x)

    with pytest.raises(AssertionError) as error:
        outer(1)
    assert ", in outer:\n" in str(error.value) and ", in inner:\n" in str(error.value)


def test_a_header_over_lines_and_with_a_comment(shown):
    @qd.kernel
    def loops(n: qd.i32):
        for i in range(
            n, n, 1  # three: too many
        ):  # fmt: skip
            pass

    with pytest.raises(qd.QuadrantsSyntaxError) as error:
        loops(3)
    assert re.search(r"        for i in range\(\n        \^{15}\n .*too many\n +\^+\n        \):.*\n        \^\^\n", str(error.value))


def test_tab_stops_are_multiples_of_four(shown):
    # fmt: off
    @qd.kernel
    def foo():
        unknown_name(11,	22,	33)  # noqa
    # fmt: on

    with pytest.raises(qd.QuadrantsNameError) as error:
        foo()
    assert re.search(r"in foo:\n        unknown_name\(11,    22, 33\).*\n        \^{12}\n", str(error.value))


def test_a_failed_static_assert_is_an_error_of_compilation_and_of_assertion(arch):
    @qd.kernel
    def wrong(n: qd.template()):
        qd.static_assert(n > 3, "n is small")

    with pytest.raises(AssertionError, match="^n is small$") as error:
        wrong(1)
    assert isinstance(error.value, qd.QuadrantsCompilationError)
    qd.init(arch=arch, offline_cache=False)
    with pytest.raises(qd.QuadrantsCompilationError, match="\nAssertionError: n is small$"):
        wrong(1)


@pytest.mark.parametrize("target", ["3", "[a, a]", "a + 1", "x[0] * 2", "n"])
@pytest.mark.parametrize("name", ["atomic_min", "atomic_add", "atomic_exchange"])
def test_an_atomic_needs_an_lvalue(make_kernel, target, name):
    x = qd.field(qd.i32, 3)
    kernel = make_kernel(f"def k(a: qd.i32):\n    qd.{name}({target}, 1)", x=x, n=5)
    with pytest.raises(qd.QuadrantsSyntaxError, match=f"cannot use a non-writable target as the first operand of '{name}'"):
        kernel(1)


@pytest.fixture
def make_kernel():
    def make(text, **names):
        made, file = {"qd": qd, **names}, f"<kernel {len(files)}>"
        source = "@qd.kernel\n" + text + "\n"
        linecache.cache[file] = (len(source), None, source.splitlines(True), file)
        files.append(file)
        exec(compile(source, file, "exec"), made)
        return made["k"]

    files = []
    yield make
    for file in files:
        del linecache.cache[file]


@pytest.mark.parametrize("statement", ["a = 1", "a += 1", "a: qd.i32 = 1", "a, b = 1, 2", "a = qd.static(3)", "b = (a := 2)"])
@pytest.mark.parametrize("annotation", ["qd.i32", "qd.template()", "qd.types.ndarray()"])
def test_no_parameter_is_assigned(make_kernel, statement, annotation):
    kernel = make_kernel(f"def k(a: {annotation}):\n    {statement}")
    with pytest.raises(qd.QuadrantsSyntaxError, match='Kernel argument "a" is immutable in the kernel'):
        kernel(np.zeros(3, np.int32) if "ndarray" in annotation else 3)


@pytest.mark.parametrize("part", ["v[:-1]", "v[-1:]", "m[:-1, 0]", "m[0, -2:]", "b[:-1]", "b[-1:]"])
def test_bounds_of_slices_are_not_negative(make_kernel, part):
    v, m = qd.Vector([1, 2, 3]), qd.Matrix([[1, 2], [3, 4]])
    text = f"def k(b: qd.BufferView[qd.i32]):\n    v = qd.Vector([1, 2, 3])\n    m = qd.Matrix([[1, 2], [3, 4]])\n    c = {part}"
    kernel = make_kernel(text, v=v, m=m)
    with pytest.raises(qd.QuadrantsSyntaxError, match="Negative indices are not supported in Quadrants kernels."):
        kernel(qd.BufferView(qd.ndarray(qd.i32, 4), 0, 4))


def test_bounds_of_slices_of_python_lists_may_be_negative():
    @qd.kernel
    def last(t: qd.template()) -> qd.i32:
        a = [1, 2, 3]
        b = a[-2:]
        return b[0] * 10 + qd.static(t[:-1][1])

    assert last((4, 5, 6)) == 25


def test_a_choice_between_tensors_of_two_shapes():
    @qd.kernel
    def wrong(c: qd.i32):
        x = qd.Vector([1, 2]) if c else qd.Vector([1, 2, 3])  # noqa: F841

    with pytest.raises(qd.QuadrantsCompilationError, match="Cannot broadcast tensor to tensor"):
        wrong(1)


def test_a_returned_struct_has_the_members_of_the_annotation():
    vec2 = qd.types.vector(2, qd.f32)
    Wanted = qd.types.struct(a=qd.f32, v=vec2)
    Equal = qd.types.struct(a=qd.f32, v=vec2)
    others = [
        qd.types.struct(a=qd.i32, v=vec2), qd.types.struct(b=qd.f32, v=vec2), qd.types.struct(a=qd.f32),
        qd.types.struct(a=qd.f32, v=qd.types.vector(3, qd.f32)), qd.types.struct(a=qd.f32, v=qd.types.vector(2, qd.i32)),
    ]  # fmt: skip

    def returning(of):
        @qd.real_func
        def f() -> Wanted:
            return of()

        @qd.kernel
        def through() -> Wanted:
            return f()

        @qd.kernel
        def k() -> Wanted:
            return of()

        return k, through

    for k in returning(Equal):
        assert k().a == 0 and list(k().v) == [0, 0]
    for other in others:
        for k in returning(other):
            with pytest.raises(qd.QuadrantsCompilationError, match=r"Return \(type=.*\) cannot be converted into required type"):
                k()


@pytest.mark.parametrize("call", ["f(a, *values, 3)", "f(a, *values, d=3)", "f(*values, *values)"])
def test_starred_values_come_last(make_kernel, call):
    @qd.func
    def f(a, b, c, d):
        return a + b + c + d

    kernel = make_kernel(f"def k(a: qd.i32) -> qd.i32:\n    values = qd.static((1, 2))\n    return {call}", f=f)
    with pytest.raises(qd.QuadrantsSyntaxError, match=r"\* args can only be present as the last .*STARNOTLAST"):
        kernel(1)
    kernel = make_kernel("def k(a: qd.i32) -> qd.i32:\n    values = qd.static((1, 2))\n    return f(a, 7, *values)", f=f)
    assert kernel(1) == 11


def test_volatile_loads_of_local_values_are_refused(make_kernel):
    for value in ("1", "qd.Vector([1, 2])", "qd.Matrix([[1, 2], [3, 4]])"):
        kernel = make_kernel(f"def k():\n    x = {value}\n    y = qd.volatile_load(x)")
        with pytest.raises(qd.QuadrantsTypeError, match="local array"):
            kernel()


def test_volatile_loads_of_vectors():
    f = qd.Vector.field(3, qd.f32, 4)
    f[2] = [1, 2, 3]

    @qd.kernel
    def read(a: qd.types.ndarray(dtype=qd.types.matrix(2, 2, qd.i32), ndim=1)) -> qd.f32:
        return qd.volatile_load(f[2]).sum() + qd.volatile_load(a[1])[1, 0]

    a = qd.Matrix.ndarray(2, 2, qd.i32, 2)
    a[1] = [[1, 2], [30, 4]]
    assert read(a) == 36


def test_volatile_loads_change_nothing():
    f = {kind: qd.field(kind, 2) for kind in (qd.f16, qd.f32, qd.f64)}
    bits = {qd.f16: np.uint16, qd.f32: np.uint32, qd.f64: np.uint64}
    words = {qd.f16: 0x8000, qd.f32: 0x80000000, qd.f64: 0x8000000000000000}  # -0.0
    for kind, word in words.items():
        f[kind].from_numpy(np.array([word, 3], bits[kind]).view(kind.name.replace("f", "float")))

    @qd.kernel
    def read(x: qd.template()) -> qd.f64:
        return 1.0 / qd.cast(qd.volatile_load(x[0]), qd.f64)

    for kind, x in f.items():
        assert read(x) == -np.inf
        assert x.to_numpy().view(bits[kind])[0] == words[kind]


RATE = 0.5


def test_floats_from_outside_are_refused_where_they_would_be_templates(arch, make_kernel):
    import math

    local = 0.25

    @qd.func
    def in_func():
        return RATE

    class Data:
        rate = 2.0

    @qd.data_oriented
    class Scene:
        def __init__(self):
            self.rate = 3.0

        @qd.kernel
        def run(self, xs: qd.template()) -> qd.f32:
            return self.rate + math.pi + qd.math.pi + xs[0] + 1.5

    @qd.kernel
    def by_name() -> qd.f32:
        return RATE

    @qd.kernel
    def enclosing() -> qd.f32:
        return local

    @qd.kernel
    def static() -> qd.f32:
        return qd.static(RATE + 1)

    @qd.kernel
    def through_func() -> qd.f32:
        return in_func()

    refused = (by_name, enclosing, static, through_func)
    for kernel in refused:
        kernel()
    qd.init(arch=arch, offline_cache=False, print_full_traceback=True, raise_on_templated_floats=True)
    assert abs(Scene().run([0.5]) - (3 + 2 * math.pi + 2)) < 1e-5
    for kernel in refused:
        with pytest.raises(ValueError, match="Not permitted to access floats as global values"):
            kernel()
    qd.init(arch=arch, offline_cache=False, raise_on_templated_floats=True)
    for kernel in refused:
        with pytest.raises(qd.QuadrantsCompilationError, match="Not permitted to access floats as global values"):
            kernel()


def test_keywords_of_tensors_of_vectors():
    for make in (lambda **k: qd.Vector.tensor(3, qd.f32, (3, 4), **k), lambda **k: qd.Matrix.tensor(3, 2, qd.f32, (3, 4), **k)):
        with pytest.raises(TypeError, match=re.escape("got unexpected keyword argument(s) ['layout']")):
            make(layout=(1, 0))
        with pytest.raises(TypeError, match=r"does not accept order=.*layout=") as error:
            make(order="ji")
        assert "pass layout=" not in str(error.value)


def test_the_size_of_a_matrix_is_checked_first(make_kernel):
    m = qd.Matrix.field(1, 1, qd.f32, ())
    for argument in ("m", "m[None]", "qd.Matrix([[1.0]])"):
        for rest in ("", ", qd.f32", ", qd.i32"):
            kernel = make_kernel(f"def k():\n    u, p = qd.polar_decompose({argument}{rest})", m=m)
            with pytest.raises(qd.QuadrantsCompilationError, match="Polar decomposition only supports 2×2 and 3×3 matrices."):
                kernel()


def test_struct_types_name_the_types_of_their_members(arch):
    Ball = qd.types.struct(center=qd.types.vector(3, qd.f32), radius=float, count=int, seen=bool)
    assert repr(Ball) == "<qd.StructType center=<VectorType[3, f32]>, radius=f32, count=i32, seen=u1>"
    qd.init(arch=arch, default_fp=qd.f64, default_ip=qd.i64)
    assert "radius=f64, count=i64" in repr(Ball)


# Suggestions


def test_unknown_names(make_kernel, shown):
    def message(text):
        with pytest.raises(qd.QuadrantsNameError) as error:
            make_kernel(text, table=3)(1)
        return str(error.value)

    gone = "names first assigned inside an if, for or while body are gone after it"
    assert gone in message("def k(a: qd.i32):\n    if a:\n        late = 1\n    b = late")
    assert gone in message("def k(a: qd.i32):\n    for late in range(3):\n        pass\n    b = late")
    assert "did you mean `table`?" in message("def k(a: qd.i32):\n    b = tabel")
    assert "did you mean `counter`?" in message("def k(a: qd.i32):\n    counter = 1\n    b = countre")
    assert "did you mean `range`?" in message("def k(a: qd.i32):\n    for i in rnage(3):\n        pass")
    assert "Hint" not in message("def k(a: qd.i32):\n    b = qqqqq")


def test_unknown_attributes(make_kernel, shown):
    with pytest.raises(qd.QuadrantsCompilationError, match=r"module 'quadrants' has no attribute 'sqr'\nHint: did you mean `sqrt`\?"):
        make_kernel("def k(a: qd.f32):\n    b = qd.sqr(a)")(1)


def test_unknown_names_of_the_package():
    with pytest.raises(AttributeError, match="module 'quadrants' has no attribute 'sqr'$"):
        qd.sqr(2.0)
    shown = subprocess.run([sys.executable, "-c", "import quadrants as qd\nqd.sqr(2.0)"], capture_output=True, text=True).stderr
    assert shown.rstrip().endswith("Did you mean: 'sqrt'?")


def test_bounds_name_the_field_and_the_array(arch):
    qd.init(arch=arch, offline_cache=False, print_full_traceback=True, debug=True)
    f1, named = qd.field(qd.f32, 3), qd.Vector.field(2, qd.f32, 3, name="velocity")

    @qd.kernel
    def first(i: qd.i32):
        f1[i] = 1

    @qd.kernel
    def second(i: qd.i32):
        named[i] += 1

    @qd.kernel
    def third(a: qd.types.ndarray(ndim=2), i: qd.i32):
        a[i, 0] = 1

    with pytest.raises(AssertionError, match=r"Accessing field \(f1\) of size \(3\) with indices \(7\)"):
        first(7)
    with pytest.raises(AssertionError, match=r"Accessing field \(velocity\) of size \(3\) with indices \(7\)"):
        second(7)
    with pytest.raises(AssertionError, match=r"ndarray at arg 0 with indices \[5, 0\]: `a` has the shape \(2, 3\)"):
        third(np.zeros((2, 3), np.float32), 5)


def test_arguments_that_do_not_suit_name_the_parameter():
    @qd.kernel
    def k(count: qd.i32, xs: qd.types.ndarray()):
        xs[0] = count

    xs = np.zeros(3, np.float32)
    text = r"Argument \(0,\) \(type=<class 'float'>\) cannot be converted into required type i32 of the parameter `count`"
    with pytest.raises(qd.QuadrantsRuntimeTypeError, match=text):
        k(1.5, xs)
    with pytest.raises(qd.QuadrantsRuntimeTypeError, match=r"Invalid type for argument xs, got \[1, 2\](.|\n)*Hint: convert it to an array: `np.array\(xs\)`"):
        k(1, [1, 2])
    for call in (lambda: k(1), lambda: k(1, xs, 3), lambda: k(1, xs, xs=xs), lambda: k(1, xs, foo=3)):
        with pytest.raises(TypeError) as error:
            call()
        assert isinstance(error.value, qd.QuadrantsSyntaxError)


# Switches in the environment


@pytest.mark.parametrize("text,value", [("1", True), ("true", True), ("On", True), ("yes", True), ("0", False), ("FALSE", False), ("off", False), ("no", False)])
def test_booleans_of_the_environment(monkeypatch, text, value):
    for name in ("verify", "coverage_counts"):  # off and on by default
        assert _environment.value(name, {_environment.variable(name): text}) is value
    monkeypatch.setenv("QD_DEBUG", text)
    qd.init(arch=qd.cpu)
    assert qd.cfg.debug is value


def test_an_invalid_boolean_names_its_variable(monkeypatch):
    assert _environment.value("verify", {}) is False and _environment.value("coverage_counts", {"QD_COVERAGE_COUNTS": " "}) is True
    for name in ("QD_DEBUG", "QD_VERIFY", "QD_DUMP_IR"):
        with monkeypatch.context() as patch:
            patch.setenv(name, "maybe")
            with pytest.raises(ValueError, match=f"Invalid {name}=maybe, should be one of 1, true, on, yes, 0, false, off, no"):
                qd.init(arch=qd.cpu)
    for name, wanted in (("QD_CPU_MAX_NUM_THREADS", "an integer"), ("QD_DEVICE_MEMORY_GB", "a number")):
        with monkeypatch.context() as patch:
            patch.setenv(name, "many")
            with pytest.raises(ValueError, match=f"Invalid {name}=many, should be {wanted}"):
                qd.init(arch=qd.cpu)


def test_verify_is_off_for_every_no(monkeypatch):
    for text, on in (("false", False), ("off", False), ("0", False), ("", False), ("true", True), ("1", True)):
        monkeypatch.setenv("QD_VERIFY", text)
        qd.init(arch="interp", offline_cache=False)
        assert _native.core().options()["verify"] is on


SHOWS = """
import quadrants as qd
qd.init(arch=qd.cpu, offline_cache=False)
x = qd.field(qd.f32, 1024)
@qd.kernel
def k():
    for i in x:
        x[i] = x[i] * 2 + 1
k()
print(k._show("asm"))
"""


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="levels of x86-64")
def test_code_is_shown_for_the_processor_that_it_is_made_for(arch, tmp_path):
    if arch != "cpu":
        return
    file = tmp_path / "shows.py"
    file.write_text(SHOWS)
    environment = {**os.environ, "QD_TARGET_CPU": "x86-64", "ENABLE_QUADRANTS_HEADER_PRINT": "0"}
    shown = subprocess.run([sys.executable, file], env=environment, capture_output=True, text=True, check=True).stdout
    assert "mulps" in shown or "addps" in shown
    assert not re.search(r"\bv(mul|add|mov|fmadd)\w*p[sd]\b|%[yz]mm", shown)
