"""Arguments of kernels: which are accepted, how they are converted, and which are refused with which message."""

import re
import sys
import threading
import time

import numpy as np
import pytest
import quadrants as qd


@qd.kernel
def scale(x: qd.types.ndarray(qd.f32, ndim=1), a: qd.f32):
    for i in x:
        x[i] = x[i] * a


@qd.data_oriented
class Scaler:
    @qd.kernel
    def scale(self, x: qd.types.ndarray(qd.f32, ndim=1), a: qd.f32):
        for i in x:
            x[i] = x[i] * a


@qd.kernel
def add(a: qd.i32, b: qd.i32) -> qd.i32:
    return a + b


def test_ndarray_and_numpy():
    x = qd.ndarray(qd.f32, 4)
    x.fill(2)
    scale(x, 3)
    assert x.to_numpy().tolist() == [6] * 4
    y = np.ones(5, np.float32)
    scale(y, np.float32(0.5))
    assert y.tolist() == [0.5] * 5


def test_scalars_of_many_kinds():
    assert add(1, 2) == 3
    assert add(True, np.int64(4)) == 5
    assert add(np.uint8(7), np.bool_(True)) == 8
    assert add(0xFFFFFFFF, 2) == 1


def test_keywords():
    assert add(b=1, a=10) == 11
    assert add(5, b=1) == 6
    with pytest.raises(qd.QuadrantsSyntaxError, match=r"^Missing argument 'b'\. The kernel is add\(a, b\)\.$"):
        add(1)
    with pytest.raises(qd.QuadrantsSyntaxError, match="Unexpected argument 'c'"):
        add(1, 2, c=3)
    with pytest.raises(qd.QuadrantsSyntaxError, match="Too many arguments"):
        add(1, 2, 3)
    with pytest.raises(qd.QuadrantsSyntaxError, match="Multiple values for argument 'a'"):
        add(1, a=2)


@pytest.mark.parametrize(
    ("call", "message"),
    [("f(1)", r"Missing argument 'b'\. The func is f\(a, b\)\.$"), ("f(1, 2, 3)", "Too many arguments"), ("f(1, 2, c=3)", "Unexpected argument 'c'"),
     ("f(1, 2, a=3)", "Multiple values for argument 'a'"), ("qd.cast(1, qd.i32, dtype=qd.i32)", "Multiple values for argument 'dtype'")],
)  # fmt: skip
@pytest.mark.parametrize("python", [False, True], ids=["compiled", "python"])
def test_a_wrong_call_in_a_kernel_is_a_type_error_too(tmp_path, monkeypatch, call, message, python):
    """The error is a TypeError, as in Python, and also a QuadrantsSyntaxError, which programs catch."""
    (tmp_path / "wrong_calls.py").write_text(
        f"import quadrants as qd\n@qd.func\ndef f(a, b):\n    return a + b\n@qd.kernel\ndef k() -> qd.i32:\n    return {call}\n"
    )
    if python:
        qd.init(arch=qd.python)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "wrong_calls", raising=False)
    import wrong_calls

    with pytest.raises(TypeError, match=message) as caught:
        wrong_calls.k()
    assert isinstance(caught.value, qd.QuadrantsSyntaxError) and type(caught.value).__name__ == "QuadrantsArgumentError"


def test_wrong_scalar():
    with pytest.raises(qd.QuadrantsRuntimeTypeError) as error:
        add(1.5, 2)
    assert "Argument (0,) (type=<class 'float'>) cannot be converted into required type i32" in str(error.value)
    with pytest.raises(qd.QuadrantsRuntimeTypeError, match="cannot be converted"):
        scale(np.ones(3, np.float32), "text")


def test_integers_beyond_the_type_wrap_and_those_beyond_64_bits_are_refused():
    @qd.kernel
    def small(a: qd.i32, b: qd.u8) -> (qd.i32, qd.u8):
        return a, b

    @qd.kernel
    def large(a: qd.u64) -> qd.u64:
        return a

    assert small(2**31, 300) == (-(2**31), 44) and small(2**40 + 5, -1) == (5, 255)
    assert large(2**64 - 1) == 2**64 - 1 and large(-1) == 2**64 - 1
    for value in (2**64, 2**70, -(2**63) - 1):
        for kernel in (lambda v: small(v, 1), large):
            with pytest.raises(qd.QuadrantsRuntimeTypeError, match=r"Argument \(0,\) .* cannot be converted into required type"):
                kernel(value)


@pytest.mark.parametrize(
    "make, words, advice",
    [
        (lambda: np.ones(3), "Invalid value for argument x - required array has dtype=f32, array with dtype=f64", r"x.astype\(np.float32\).*qd.f64"),
        (lambda: np.ones(3, bool), "required array has dtype=f32, array with dtype=u1", r"x.astype\(np.float32\).*qd.u1"),
        (lambda: np.ones(3, ">f4"), r"array with dtype=dtype\('>f4'\)", r"x.astype\(np.float32\)"),
        (lambda: np.ones((3, 3), np.float32), "required array has ndim=1, array with 2 dimensions is provided", "ndim=2"),
        (lambda: np.ones(8, np.float32)[::2], "Non contiguous numpy arrays are not supported.*argument x", "np.ascontiguousarray"),
        (lambda: qd.ndarray(qd.i32, 3), "Expect element type f32 for argument x, but get i32", "annotate"),
        (lambda: qd.ndarray(qd.f32, (12, 13)), r"required ndim=1, but 2d ndarray with shape \(12, 13\)", "ndim=2"),
        (lambda: qd.Vector.ndarray(2, qd.f32, 3), r"but get \[Tensor \(2\) f32\]", "annotate"),
        (lambda: np.frombuffer(bytes(12), np.float32), "the numpy array of argument x is read-only", r"np.array\(x\)"),
    ],
)
def test_arrays_that_do_not_suit(make, words, advice):
    """All raise one class, a ValueError too. The message names the kernel and says what to write instead."""
    kernels = [scale, Scaler().scale]
    for kernel in kernels:
        for _ in range(2):
            with pytest.raises(qd.QuadrantsRuntimeTypeError, match=words) as caught:
                kernel(make(), 1.0)
            first, hint = str(caught.value).split("\nHint: ")
            assert isinstance(caught.value, ValueError) and isinstance(caught.value, TypeError)
            assert re.search(r"\(in a call of the kernel `[\w.<>]*scale`\)$", first) and re.search(advice, hint)


def test_wrong_types_name_the_kernel():
    for value in (1.2, [1.0], "x", None):
        with pytest.raises(qd.QuadrantsRuntimeTypeError, match="Invalid type for argument x, got .*in a call of the kernel `scale`"):
            scale(value, 1.0)
    for _ in range(2):
        with pytest.raises(qd.QuadrantsRuntimeTypeError, match="cannot be converted into required type f32 .*the kernel `scale`"):
            scale(np.ones(3, np.float32), "x")
        scale(np.ones(3, np.float32), 1.0)


def test_wrong_elements():
    @qd.kernel
    def k(a: qd.types.ndarray(qd.types.vector(2, qd.i32), ndim=1)):
        for i in a:
            a[i] = [i, 1]

    with pytest.raises(ValueError, match=r"required element type: VectorType\[2, i32\], but \[Tensor \(3\) i32\] is provided"):
        k(qd.Vector.ndarray(3, qd.i32, 4))
    with pytest.raises(ValueError, match=r"required element_shape=\(2,\), array with element shape of \(3,\)"):
        k(np.zeros((4, 3), np.int32))
    with pytest.raises(ValueError, match="ndim=1 element_dim=1, array with 3 dimensions is provided"):
        k(np.zeros((4, 2, 2), np.int32))
    a = np.zeros((4, 2), np.int32)
    k(a)
    assert a.tolist() == [[i, 1] for i in range(4)]


def test_read_only_numpy_is_fine_for_reading():
    @qd.kernel
    def total(x: qd.types.ndarray(qd.f32, ndim=1)) -> qd.f32:
        s = 0.0
        for i in x:
            s += x[i]
        return s

    x = np.ones(10, np.float32)
    x.flags.writeable = False
    assert total(x) == 10


def test_fortran_order_is_copied_and_written_back():
    @qd.kernel
    def k(x: qd.types.ndarray(qd.i32, ndim=2)):
        for i, j in x:
            x[i, j] += 10 * i + j

    x = np.asfortranarray(np.ones((3, 4), np.int32))
    k(x)
    i, j = np.mgrid[0:3, 0:4]
    assert (x == 1 + 10 * i + j).all()
    assert x.flags.f_contiguous


def test_any_array_specialises():
    @qd.kernel
    def k(x: qd.types.ndarray()):
        for I in qd.grouped(x):
            x[I] += 1

    for shape, kind in (((4,), np.int32), ((2, 3), np.float64), ((2, 2, 2), np.uint8)):
        x = np.zeros(shape, kind)
        k(x)
        k(x)
        assert (x == 2).all()
    assert k._specialisations() == 3


def test_shapes_and_scalar_values_do_not_specialise():
    for n in (1, 5, 100):
        scale(np.ones(n, np.float32), n)
        scale(qd.ndarray(qd.f32, n), 1)
    assert scale._specialisations() == 1


def test_overlapping_arrays():
    @qd.kernel
    def shift(a: qd.types.ndarray(qd.i32, ndim=1), b: qd.types.ndarray(qd.i32, ndim=1)):
        qd.loop_config(serialize=True)
        for i in range(a.shape[0]):
            b[i] = a[i] + 1

    x = np.zeros(100, np.int32)
    shift(x[:-1], x[1:])
    assert (x == np.arange(100)).all()


def test_templates():
    @qd.kernel
    def k(n: qd.template(), x: qd.template()):
        for i in qd.static(range(n)):
            x[i] = n

    a, b = qd.field(qd.i32, 8), qd.field(qd.i32, 8)
    k(3, a)
    k(5, b)
    k(3, b)
    k(3, a)
    assert a.to_numpy().tolist() == [3] * 3 + [0] * 5
    assert b.to_numpy().tolist() == [3] * 3 + [5] * 2 + [0] * 3
    assert k._specialisations() == 3
    with pytest.raises(qd.QuadrantsRuntimeTypeError, match="Ndarray shouldn't be passed in via"):
        k(3, qd.ndarray(qd.i32, 4))


def test_vector_and_matrix_values():
    @qd.kernel
    def k(v: qd.types.vector(3, qd.f32), m: qd.types.matrix(2, 2, qd.i32)) -> qd.f32:
        return v[0] + v[1] * 10 + v[2] * 100 + m[0, 1] * 1000 + m[1, 0] * 10000

    assert k(qd.Vector([1, 2, 3]), [[0, 4], [5, 0]]) == 54321
    assert k(np.array([1, 2, 3]), qd.Matrix([[0, 4], [5, 0]])) == 54321
    with pytest.raises(qd.QuadrantsRuntimeTypeError, match="cannot be converted"):
        k([1, 2], [[0, 4], [5, 0]])


def test_signatures():
    with pytest.raises(qd.QuadrantsSyntaxError, match="variable keyword parameters"):

        @qd.kernel
        def a(**k):
            pass

    with pytest.raises(qd.QuadrantsSyntaxError, match="variable positional parameters"):

        @qd.kernel
        def b(*k):
            pass

    with pytest.raises(qd.QuadrantsSyntaxError, match="default values"):

        @qd.kernel
        def c(k: qd.i32 = 1):
            pass

    with pytest.raises(qd.QuadrantsSyntaxError, match="must be type annotated"):

        @qd.kernel
        def d(k):
            pass

    with pytest.raises(qd.QuadrantsSyntaxError, match="Invalid type annotation"):

        @qd.kernel
        def e(k: "nonsense"):  # noqa: F821
            pass


def test_methods_of_data_oriented_classes():
    @qd.data_oriented
    class Grid:
        def __init__(self, n, step):
            self.n = n
            self.step = step
            self.x = qd.field(qd.f32, n)

        @qd.func
        def at(self, i):
            return i * self.step

        @qd.kernel
        def run(self, scale: qd.f32):
            for i in self.x:
                self.x[i] = self.at(i) * scale

    a, b = Grid(4, 1.0), Grid(5, 2.0)
    a.run(10.0)
    b.run(1.0)
    assert a.x.to_numpy().tolist() == [0, 10, 20, 30]
    assert b.x.to_numpy().tolist() == [0, 2, 4, 6, 8]


def test_methods_of_other_classes():
    class Plain:
        @qd.kernel
        def run(self):
            pass

    with pytest.raises(qd.QuadrantsSyntaxError, match="Please decorate class Plain with @qd.data_oriented"):
        Plain().run()


def test_plan_of_a_dead_template_is_dropped():
    import gc

    @qd.data_oriented
    class One:
        @qd.kernel
        def run(self) -> qd.i32:
            return 1

    for _ in range(5):
        One().run()
        gc.collect()
    assert One.run._specialisations() <= 2


def test_compiled_before_the_call():
    @qd.kernel
    def add(a: qd.types.ndarray(dtype=qd.f64, ndim=1), b: qd.types.ndarray(dtype=qd.f64, ndim=1), c: qd.f64):
        for i in range(a.shape[0]):
            a[i] += b[i] * c

    assert add._compile_like(None) == 1
    a, b = np.zeros(5), np.arange(5.0)
    add(a, b, 2.0)
    assert add._specialisations() == 1
    np.testing.assert_array_equal(a, 2 * b)


def test_other_threads_run_during_nested_loops(arch):
    """Each inner loop is short, but all of them together are not."""
    if arch != "cpu":
        pytest.skip("the compiled code reads the array itself, at every trip")

    @qd.kernel
    def spin(x: qd.types.ndarray(qd.i32, ndim=1)):
        for i in range(1):
            for a in range(1000):
                for b in range(1000):
                    if qd.volatile_load(x[0]):
                        break
                    for c in range(300):
                        if qd.volatile_load(x[0]):
                            break
                        x[1] += 1

    x = np.ones(2, np.int32)
    spin(x)
    x[:] = 0
    about_to_start = threading.Event()

    def stop():
        about_to_start.wait(60)
        x[0] = 1

    thread = threading.Thread(target=stop)
    thread.start()
    about_to_start.set()
    spin(x)
    thread.join()
    assert x[1] < 1000 * 1000 * 300


def test_arguments_may_be_compared_by_code_that_lets_other_threads_compile():
    class Number(int):
        __hash__ = int.__hash__

        def __eq__(self, other):
            time.sleep(1e-5)
            return int.__eq__(self, other)

    @qd.kernel
    def same(n: qd.template()) -> qd.i32:
        return n

    wrong = []

    def call(first):
        for i in range(40):
            wrong.extend(value for value in (first + i, first) if same(Number(value)) != value)

    threads = [threading.Thread(target=call, args=(1000 * number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
