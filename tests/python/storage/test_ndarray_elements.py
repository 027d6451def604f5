"""Element types of ndarrays: how arrays report them, and which ones parameters accept."""

import copy

import numpy as np
import pytest
import quadrants as qd

ARRAYS = (
    (lambda: qd.ndarray(qd.i32, (2, 3)), qd.i32, []),
    (lambda: qd.Vector.ndarray(3, qd.f32, 4), qd.f32, [3]),
    (lambda: qd.Matrix.ndarray(2, 3, qd.f64, 4), qd.f64, [2, 3]),
    (lambda: qd.ndarray(qd.types.vector(2, qd.u8), ()), qd.u8, [2]),
)


@pytest.mark.parametrize("make, dtype, element", ARRAYS)
def test_attributes_of_instances(make, dtype, element):
    for x in (make(), copy.deepcopy(make())):
        assert x.element_type.element_type() == dtype and x.element_type.shape() == element
        assert [getattr(x, name) for name in ("n", "m") if hasattr(x, name)] == element
        assert x.arr.total_shape() == [*x.shape, *element] and x.arr.shape == x.shape and x.arr == x.arr
    y = make()
    assert x.arr.device_allocation_ptr() != y.arr.device_allocation_ptr()
    assert not {"n", "m", "element_type", "arr"} & set(dir(type(x)))
    with pytest.raises(AttributeError, match="has no attribute 'no_such_name'"):
        x.no_such_name


@pytest.mark.parametrize("make, dtype, element", ARRAYS)
def test_after_the_end_of_the_program(make, dtype, element):
    x = make()
    qd.reset()
    assert x.arr is None and x.shape is None and qd.wrap(x).shape is None
    assert x.element_type.shape() == element and x.dtype == dtype and "ended" in repr(x)
    for use in (lambda: len(x), lambda: x.ndim, lambda: x.size, lambda: copy.deepcopy(x), lambda: x.copy_from(x), lambda: x.to_numpy(), lambda: x.__reduce_ex__(4), lambda: x.__reduce_ex__(5),
                lambda: x.from_numpy(np.zeros(3)), lambda: x[0], lambda: x.fill(1)):
        with pytest.raises(qd.QuadrantsRuntimeError, match="belongs to a runtime that"):
            use()


def kernel_with(annotation):
    @qd.kernel
    def k(x: annotation):
        pass

    return k


def kernel_and_func_with(annotation):
    @qd.func
    def f(x: annotation):
        pass

    @qd.kernel
    def k(x: qd.types.ndarray()):
        f(x)

    return k


t = qd.types
SCALAR, V2, V3, M23 = (lambda: qd.ndarray(qd.i32, 4)), *(lambda n=n: qd.Vector.ndarray(n, qd.f32, 4) for n in (2, 3)), (
    lambda: qd.Matrix.ndarray(2, 3, qd.f32, 4)
)
WRONG = (
    (lambda: t.NDArray[qd.f32, 1], SCALAR, "Expect element type f32 for argument x, but get i32"),
    (lambda: t.NDArray[qd.f32, 1], V3, r"Expect element type f32 for argument x, but get [Tensor (3) f32]"),
    (lambda: t.NDArray[qd.f32, 1], M23, r"Expect element type f32 for argument x, but get [Tensor (2, 3) f32]"),
    (lambda: t.NDArray[t.vector(2, qd.f32), 1], V3, "VectorType[2, f32], but [Tensor (3) f32] is provided"),
    (lambda: t.NDArray[t.vector(2, qd.i32), 1], V2, "VectorType[2, i32], but [Tensor (2) f32] is provided"),
    (lambda: t.NDArray[t.vector(2), 1], V3, "VectorType[2, f32], but [Tensor (3) f32] is provided"),
    (lambda: t.ndarray(t.matrix(3, 2, qd.f32)), M23, "MatrixType[3,2, f32], but [Tensor (2, 3) f32] is provided"),
    (lambda: t.ndarray(t.matrix(2, 3, qd.f32)), SCALAR, "MatrixType[2,3, f32], but i32 is provided"),
    (lambda: t.NDArray[t.vector(), 1], M23, "VectorType[any, f32], but [Tensor (2, 3) f32] is provided"),
    (lambda: t.ndarray(t.vector()), SCALAR, "VectorType[any, i32], but i32 is provided"),
    (lambda: t.ndarray(t.matrix()), V2, "MatrixType[any,any, f32], but [Tensor (2) f32] is provided"),
)


@pytest.mark.parametrize("annotation, make, text", WRONG)
def test_wrong_elements(annotation, make, text):
    scalar = text.startswith("Expect")
    text = text if scalar else f"Invalid value for argument x - required element type: {text}"
    for make_kernel, kind in (
        (kernel_with, TypeError if scalar else ValueError),
        (kernel_and_func_with, qd.QuadrantsTypeError if scalar else qd.QuadrantsCompilationError),
    ):
        with pytest.raises(kind) as caught:
            make_kernel(annotation())(make())
        assert str(caught.value).startswith(text)


@pytest.mark.parametrize("form", [lambda e: t.ndarray(e), lambda e: t.ndarray(dtype=e, ndim=1), lambda e: t.NDArray[e, 1]])
def test_elements_of_any_size(form):
    @qd.kernel
    def vectors(x: form(t.vector())):
        for i in x:
            for k in qd.static(range(2)):
                x[i][k] += k + 1

    @qd.kernel
    def matrices(x: form(t.matrix())):
        for i in x:
            x[i] += 1

    for n in (2, 3, 2):
        x = qd.Vector.ndarray(n, qd.f32, 2)
        vectors(x)
        assert x.to_numpy().tolist() == [[1, 2, 0][:n]] * 2
        y = qd.Matrix.ndarray(2, n, qd.i32, 2)
        matrices(y)
        assert (y.to_numpy() == 1).all()
    assert vectors._specialisations() == matrices._specialisations() == 2
    plain = np.zeros((2, 3), np.float64)
    vectors(plain)
    assert plain.tolist() == [[1, 2, 0]] * 2


def test_values_of_any_size_in_funcs():
    @qd.func
    def total(v: t.vector()):
        return v.sum()

    @qd.func
    def corner(m: t.matrix(dtype=qd.f32)):
        return m[0, 1]

    @qd.kernel
    def k() -> qd.f32:
        return total(qd.Vector([1, 2])) + total(qd.Vector([3, 4, 5])) + corner(qd.Matrix([[0, 100], [0, 0], [0, 0]]))

    assert k() == 115

    @qd.kernel
    def wrong() -> qd.f32:
        return total(qd.Matrix([[1, 2], [3, 4]]))

    with pytest.raises(qd.QuadrantsSyntaxError, match="is expected to be a Matrix with m 1, but got 2"):
        wrong()


def test_types_without_a_size_are_annotations_alone():
    for use in (
        lambda: t.vector()([1, 2]),
        lambda: t.matrix(dtype=qd.f32).field(shape=3),
        lambda: qd.ndarray(t.vector(dtype=qd.f32), 3),
        lambda: qd.field(t.vector(dtype=qd.f32), 3),
        lambda: qd.tensor(t.vector(dtype=qd.f32), 3),
        lambda: t.struct(a=t.vector(dtype=qd.f32)),
        lambda: kernel_with(t.vector(dtype=qd.f32)),
    ):
        with pytest.raises(qd.QuadrantsTypeError, match="does not say how many components there are"):
            use()


def test_numpy_arrays_of_another_type():
    """The dtype is checked for vectors and matrices as for scalars."""
    for annotation, shape in ((t.NDArray[qd.f32, 1], (3,)), (t.ndarray(qd.math.vec2), (3, 2)), (t.ndarray(qd.math.mat2), (2, 2, 2))):
        k = kernel_with(annotation)
        k(np.zeros(shape, np.float32))
        with pytest.raises(ValueError, match="required array has dtype=f32, array with dtype=i32 is provided"):
            k(np.zeros(shape, np.int32))


@pytest.mark.parametrize("annotation, make, text", WRONG)
def test_wrong_elements_on_the_python_backend(annotation, make, text, monkeypatch):
    """The errors are the same from the frontend and, without the frontend, from the backend."""
    from quadrants import _settings

    for checks in (True, False):
        monkeypatch.setattr(_settings, "checks_python", checks)
        qd.init(arch=qd.python, print_full_traceback=True)
        kind = qd.QuadrantsTypeError if text.startswith("Expect") else qd.QuadrantsCompilationError
        with pytest.raises(kind) as caught:
            kernel_and_func_with(annotation())(make())
        assert str(caught.value).endswith(text)
