"""Exception classes and the shape of their messages."""

import re

import pytest
import quadrants as qd
from quadrants.lang import exception


def test_hierarchy():
    assert issubclass(qd.QuadrantsSyntaxError, (qd.QuadrantsCompilationError,)) and issubclass(qd.QuadrantsSyntaxError, SyntaxError)
    assert issubclass(qd.QuadrantsNameError, NameError) and issubclass(qd.QuadrantsTypeError, TypeError)
    assert issubclass(exception.QuadrantsIndexError, IndexError)
    assert issubclass(qd.QuadrantsAssertionError, AssertionError) and issubclass(qd.QuadrantsAssertionError, RuntimeError)
    assert issubclass(qd.QuadrantsRuntimeTypeError, qd.QuadrantsRuntimeError) and issubclass(qd.QuadrantsRuntimeTypeError, TypeError)
    assert exception.QuadrantsTypeError is qd.QuadrantsTypeError


def test_classes_in_the_native_module():
    from quadrants._lib import core

    for name in "Compilation Syntax Name Index Type Runtime Assertion RuntimeType".split():
        assert getattr(core, f"Quadrants{name}Error") is getattr(exception, f"Quadrants{name}Error")
    with pytest.raises(AttributeError):
        core.QuadrantsNoSuchError


@qd.func
def inner(x):
    return x + missing_name  # noqa: F821


@qd.kernel
def outer() -> qd.i32:
    return inner(3)


def test_position_of_compile_errors(arch):
    qd.init(arch=arch, offline_cache=False)
    with pytest.raises(qd.QuadrantsNameError) as error:
        outer()
    text = str(error.value)
    assert 'Name "missing_name" is not defined' in text
    assert re.search(r'File ".*test_errors.py", line \d+, in outer:\n +return inner\(3\)\n +\^+', text)
    assert re.search(r'line \d+, in inner:\n +return x \+ missing_name.*\n +\^+', text)
    line = int(re.search(r"line (\d+), in inner", text).group(1))
    assert "missing_name" in open(__file__).read().splitlines()[line - 1]


def test_raw_mode_has_the_bare_message():
    with pytest.raises(qd.QuadrantsNameError) as error:
        outer()
    assert str(error.value).startswith('Name "missing_name" is not defined')


def test_exceptions_of_user_code_at_compile_time(arch):
    def fails():
        raise ZeroDivisionError("from user code")

    @qd.kernel
    def k():
        for _ in qd.static(fails()):
            pass

    with pytest.raises(ZeroDivisionError, match="from user code"):
        k()
    qd.init(arch=arch, offline_cache=False)
    with pytest.raises(qd.QuadrantsCompilationError, match="ZeroDivisionError: from user code") as error:
        k()
    assert isinstance(error.value.__cause__, ZeroDivisionError)


def test_assertions_in_debug_mode(arch):
    qd.init(arch=arch, debug=True, offline_cache=False)

    @qd.kernel
    def k(x: qd.types.ndarray(qd.i32, ndim=1), limit: qd.i32):
        for i in x:
            assert x[i] < limit, f"x[{i}] is {x[i]}"

    x = qd.ndarray(qd.i32, 5)
    x[3] = 10
    k(x, 20)
    with pytest.raises(qd.QuadrantsAssertionError, match=r"x\[3\] is 10"):
        k(x, 10)
    k(x, 20)


def test_the_message_of_an_assertion_that_holds_is_not_computed(arch):
    qd.init(arch=arch, debug=True, offline_cache=False)

    @qd.func
    def told(seen: qd.template()):
        seen[None] += 1
        return 7

    @qd.kernel
    def k(bad: qd.types.ndarray(qd.i32, ndim=1), n: qd.i32, seen: qd.template()):
        assert n == 0, f"the first of {n} is {bad[n - 1]}, {told(seen)}"

    bad, seen = qd.ndarray(qd.i32, 4), qd.field(qd.i32, ())
    bad[0] = 5
    k(bad, 0, seen)
    assert seen[None] == 0
    with pytest.raises(qd.QuadrantsAssertionError, match="the first of 1 is 5, 7"):
        k(bad, 1, seen)
    assert seen[None] == 1


def test_bounds_in_debug_mode(arch):
    qd.init(arch=arch, debug=True, offline_cache=False)
    f = qd.field(qd.i32, 4)

    @qd.kernel
    def k(x: qd.types.ndarray(qd.i32, ndim=1), i: qd.i32, j: qd.i32):
        x[i] = f[j]

    x = qd.ndarray(qd.i32, 3)
    k(x, 2, 3)
    with pytest.raises(AssertionError, match="Out of bound access"):
        k(x, 3, 0)
    with pytest.raises(AssertionError, match="Accessing field"):
        k(x, 0, 4)
    k(x, 2, 3)


def test_source_that_cannot_be_found():
    scope = {}
    exec(compile("\n".join(["def k():", "    pass", ""]), "<somewhere>", "exec"), scope)
    k = qd.kernel(scope["k"])
    with pytest.raises(qd.QuadrantsSyntaxError, match="source of k cannot be found"):
        k()


def test_kernel_in_front_of_another_decorator():
    with pytest.raises(qd.QuadrantsSyntaxError, match="KERNEL_ANNOTATION_ORDER"):
        qd.kernel(object())


def test_names_that_need_a_gpu():
    qd.init(arch=qd.cpu)

    @qd.kernel
    def k():
        qd.simt.block.sync()

    @qd.kernel
    def block():
        with qd.simt.block.sync():
            pass

    for refused in (k, block):
        with pytest.raises(qd.QuadrantsSyntaxError, match="qd.simt.block.sync is not supported for arch"):
            refused()


def test_nodes_that_the_language_does_not_have(arch):
    outside = 0

    @qd.kernel
    def deletes(x: qd.i32):
        del x

    @qd.kernel
    def nonlocals():
        nonlocal outside

    @qd.kernel
    def matches(x: qd.i32):
        match x:
            case 1:
                pass

    @qd.kernel
    def lambdas():
        f = lambda: outside  # noqa: E731, F841

    @qd.kernel
    def generators():
        s = sum(i for i in range(3))  # noqa: F841

    kernels = {
        "Delete": lambda: deletes(1), "Nonlocal": nonlocals, "Match": lambda: matches(1),
        "Lambda": lambdas, "GeneratorExp": generators,
    }  # fmt: skip
    for arch_of_test in (arch, qd.python):
        qd.init(arch=arch_of_test, print_full_traceback=True)
        for node, k in kernels.items():
            with pytest.raises(qd.QuadrantsSyntaxError, match=f'Unsupported node "{node}"'):
                k()


def test_a_warning_of_a_line_is_given_once(arch):
    """With Python's default filter a warning is not repeated for other types or for derivatives."""
    import warnings

    x = qd.field(qd.f64, shape=3, needs_grad=True)
    loss = qd.field(qd.f32, shape=(), needs_grad=True)

    @qd.kernel
    def f(a: qd.template()):
        for i in x:
            loss[None] += x[i] * a

    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("default")
        f(1)
        f(2)
        f.grad(1)
    assert len([w for w in seen if "may lose precision" in str(w.message)]) == 1
