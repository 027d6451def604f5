"""Programs that replace Kernel.launch_kernel and Kernel.materialize observe each launch and each specialisation."""

import inspect

import numpy as np
import pytest
import quadrants as qd
from quadrants.lang.kernel_impl import Kernel


@pytest.fixture
def told(monkeypatch):
    """The calls of the two methods: ("materialize", kernel) or ("launch", kernel, key, data, stream)."""
    calls = []
    launch, materialize = Kernel.launch_kernel, Kernel.materialize

    def launch_kernel(self, key, t_kernel, compiled_kernel_data, *args, qd_stream=None):
        calls.append(("launch", self.name, key, compiled_kernel_data, qd_stream))
        return launch(self, key, t_kernel, compiled_kernel_data, *args, qd_stream=qd_stream)

    def materialized(self, *args, **keywords):
        calls.append(("materialize", self.name))
        return materialize(self, *args, **keywords)

    monkeypatch.setattr(Kernel, "launch_kernel", launch_kernel)
    monkeypatch.setattr(Kernel, "materialize", materialized)
    yield calls
    monkeypatch.undo()
    assert Kernel.launch_kernel is launch and not Kernel.calls_in_python


@qd.kernel
def scale(x: qd.types.ndarray(ndim=2), by: qd.i32) -> qd.i32:
    for i, j in x:
        x[i, j] *= by
    return by + 1


def words(calls):
    return [call[0] for call in calls]


def test_each_launch_and_each_specialisation(told):
    x, y = qd.ndarray(qd.i32, (2, 3)), qd.ndarray(qd.f32, (2, 3))
    x.fill(1)
    assert [scale(x, 3), scale(x, by=2), scale(by=1, x=y)] == [4, 3, 2]
    assert words(told) == ["materialize", "launch", "launch", "materialize", "launch"]
    assert x[1, 2] == 6 and scale._specialisations() == 2
    keys = [call[2] for call in told if call[0] == "launch"]
    assert keys[0] == keys[1] != keys[2] == scale._primal._last_launch_key and set(keys) == set(scale._primal.materialized_kernels)
    assert all(call[3] is None and call[4] is None for call in told if call[0] == "launch")


def test_kernels_made_while_methods_are_replaced(told):
    @qd.data_oriented
    class A:
        @qd.kernel
        def three(self) -> qd.i32:
            return 3

    assert A().three() == 3 and words(told) == ["materialize", "launch"]

    @qd.kernel
    def nothing():
        pass

    nothing()
    assert told[-1][1].endswith("nothing")


def test_arrays_in_fortrans_order(told):
    x = np.asfortranarray(np.ones((2, 3), np.int32))
    assert scale(x, 5) == 6 and (x == 5).all() and words(told) == ["materialize", "launch"]
    assert scale(x, 2) == 3 and (x == 10).all() and words(told) == ["materialize", "launch", "launch"]


def test_streams(told):
    stream = qd.create_stream()
    x = qd.ndarray(qd.i32, (2, 2))
    assert scale(x, 2, qd_stream=stream) == 3 and told[-1][-1] is stream


def test_errors_are_those_of_a_call(told):
    x = qd.ndarray(qd.i32, (2, 2))
    with pytest.raises(qd.QuadrantsSyntaxError, match="Missing argument 'by'"):
        scale(x)
    with pytest.raises(qd.QuadrantsRuntimeTypeError, match="cannot be converted into required type i32"):
        scale(x, 1.5)
    with pytest.raises(ValueError, match="required ndim=2, but 1d"):
        scale(qd.ndarray(qd.i32, 2), 1)
    assert "launch" not in words(told)
    qd.reset()
    with pytest.raises(RuntimeError, match="call qd.init"):
        scale(x, 1)


def test_a_method_that_does_nothing(monkeypatch):
    monkeypatch.setattr(Kernel, "launch_kernel", lambda self, *args, **keywords: 77)
    x = qd.ndarray(qd.i32, (2, 2))
    x.fill(1)
    assert scale(x, 5) == 77 and x[0, 0] == 1
    monkeypatch.undo()
    assert scale(x, 5) == 6 and x[0, 0] == 5
    monkeypatch.setattr(Kernel, "materialize", lambda self, *args: None)
    y = qd.ndarray(qd.f64, (2, 2))
    assert scale(y, 5) == 6


def test_kernels_loaded_from_the_cache(told, tmp_path, arch):
    from quadrants._test_tools.load_kernel_string import import_kernel_from_file

    path = tmp_path / "program.py"
    path.write_text("import quadrants as qd\n@qd.kernel(fastcache=True)\ndef k() -> qd.i32:\n    return 3\n")
    for from_disk in (False, True):
        qd.init(arch=arch, offline_cache=True, offline_cache_file_path=str(tmp_path / "cache"))
        assert import_kernel_from_file(path, "k")() == 3
        assert (told[-1][3] is not None) == from_disk


def test_on_the_python_backend(told):
    qd.init(arch=qd.python)
    x = qd.ndarray(qd.i32, (2, 2))
    x.fill(2)
    assert scale(x, 3) == 4 and x[1, 1] == 6 and words(told) == ["materialize", "launch"]


def test_signature():
    parameters = inspect.signature(Kernel.launch_kernel).parameters
    assert list(parameters) == ["self", "key", "t_kernel", "compiled_kernel_data", "args", "qd_stream"]
