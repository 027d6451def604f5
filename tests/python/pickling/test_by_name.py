"""`pickle` and `copy` of objects that other processes can import: by name, as functions are pickled."""

import copy
import dataclasses
import enum
import pickle

import numpy as np
import pytest
import quadrants as qd
from quadrants import _exceptions


@qd.kernel
def step(n: qd.i32) -> qd.i32:
    return n + 1


@qd.kernel(graph=True)
def chain(x: qd.types.NDArray[qd.i32, 1]):
    for i in x:
        x[i] += 1


@qd.func
def plain(x):
    return x


@qd.pyfunc
def both(x):
    return x + 1


@qd.real_func
def real(x: qd.i32) -> qd.i32:
    return x


@qd.dataclass
class Ball:
    r: qd.f32

    @qd.func
    def grown(self):
        return self.r * 2


@qd.data_oriented
class Sim:
    def __init__(self, n):
        self.n = n

    @qd.kernel
    def run(self) -> qd.i32:
        return self.n

    @qd.kernel
    def __hidden(self) -> qd.i32:
        return self.n + 100

    @qd.func
    def inner(self):
        return self.n

    @qd.data_oriented
    class Part:
        @qd.kernel
        def run(self) -> qd.i32:
            return 3

    @property
    def hidden(self):
        return self.__hidden


class Label(enum.IntEnum):
    FIRST = 1


BY_NAME = [step, chain, step.grad, plain, both, real, Ball, Ball.grown, Sim.run, Sim._Sim__hidden, Sim.run.grad, Sim.inner, Sim.Part.run,
           step._primal]  # fmt: skip


@pytest.mark.parametrize("one", BY_NAME, ids=repr)
def test_the_object_itself_is_found(one):
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(one, protocol)) is one
        assert pickle._loads(pickle._dumps(one, protocol)) is one  # the implementation in Python
    assert len(pickle.dumps(one)) < 250


@pytest.mark.parametrize("one", [x for x in BY_NAME if x is not step._primal], ids=repr)
def test_a_copy_is_the_object_itself(one):
    assert copy.copy(one) is one and copy.deepcopy(one) is one and copy.deepcopy([one])[0] is one


def test_an_imported_copy_has_its_state():
    assert step(1) == 2
    assert pickle.loads(pickle.dumps(step))(4) == 5


COPIES = {"pickle": lambda x: pickle.loads(pickle.dumps(x)), "copy": copy.copy, "deepcopy": copy.deepcopy}


@pytest.mark.parametrize("way", COPIES)
def test_bound_kernels(way):
    sim = Sim(4)
    for bound, result in ((sim.run, 4), (sim.hidden, 104), (Sim.Part().run, 3)):
        again = COPIES[way](bound)
        assert again() == result and again.__func__ is bound.__func__
        assert (again.__self__ is bound.__self__) == (way == "copy")
    gradient = COPIES[way](sim.run.grad)
    assert gradient.__func__ is Sim.run.grad and type(gradient.__self__) is Sim


def test_local_objects_are_not_found():
    @qd.kernel
    def local():
        pass

    @qd.func
    def local_func(x):
        return x

    for one in (local, local_func, local.grad):
        with pytest.raises((pickle.PicklingError, AttributeError), match="local"):
            pickle.dumps(one)
        assert copy.deepcopy(one) is one


def test_another_object_of_that_name_is_not_taken(monkeypatch):
    packed, before = pickle.dumps(step), step
    monkeypatch.setitem(globals(), "step", chain)
    with pytest.raises(pickle.PicklingError, match="not the same object"):
        pickle.dumps(before)
    assert pickle.loads(packed) is chain


def test_struct_values_have_their_type():
    again = pickle.loads(pickle.dumps(Ball(3)))
    assert again.r == 3 and again._type is Ball


def every_error():
    found = [_exceptions.QuadrantsCompilationError, _exceptions.QuadrantsRuntimeError]
    for one in found:
        found += [below for below in one.__subclasses__() if below.__module__.startswith("quadrants") and below not in found]
    return found


@pytest.mark.parametrize("way", COPIES)
def test_every_class_of_errors(way):
    classes = every_error()
    assert len(classes) >= 14
    for one in classes:
        error = one("what is wrong")
        error.add_note("a note")
        error.place = ("file", 3)
        again = COPIES[way](error)
        assert type(again) is one and again.args == error.args and str(again) == str(error)
        assert again.__notes__ == ["a note"] and again.place == ("file", 3)


def test_errors_that_were_raised():
    x = qd.ndarray(qd.i32, 3)
    for wrong in (lambda: x[5], lambda: step("a"), lambda: step(), lambda: plain(1), lambda: qd.ndarray(qd.i32, -1)):
        with pytest.raises(Exception) as caught:
            wrong()
        again = pickle.loads(pickle.dumps(caught.value))
        assert type(again) is type(caught.value) and str(again) == str(caught.value)


@pytest.mark.parametrize("way", COPIES)
def test_results_of_graphs(way):
    for status in (qd.GraphStatus(True, Label.FIRST), qd.GraphStatus(False, None), qd.GraphStatus(True, 7)):
        again = COPIES[way](status)
        assert (again.yielded, again.checkpoint) == (status.yielded, status.checkpoint) and type(again.checkpoint) is type(status.checkpoint)


@dataclasses.dataclass(frozen=True)
class State:
    x: qd.types.NDArray[qd.f32, 1]
    n: qd.i32


@qd.kernel
def advance(s: State):
    for i in s.x:
        s.x[i] += s.n


@pytest.mark.parametrize("way", ["pickle", "deepcopy"])
def test_arrays_go_by_value(way):
    x = qd.ndarray(qd.f32, (2, 3), needs_grad=True)
    x.from_numpy(np.arange(6, dtype=np.float32).reshape(2, 3))
    x.grad.fill(2)
    for one in (x, qd.ndarray(qd.i32, ()), qd.Matrix.ndarray(2, 2, qd.f64, shape=3), qd.tensor(qd.i64, shape=(2, 4), layout=(1, 0)), qd.ndarray(qd.u8, 2)):
        again = COPIES[way](one)
        assert type(again) is type(one) and again.dtype is one.dtype and again.layout == one.layout
        np.testing.assert_array_equal(again.to_numpy(), one.to_numpy())
        again.fill(9)
        assert not (one.to_numpy() == 9).any()
    again = COPIES[way](x)
    assert (again.grad.to_numpy() == 2).all() and again.grad.shape == (2, 3)
    state = State(qd.ndarray(qd.f32, 3), 4)
    again = COPIES[way](state)
    advance(again)
    assert again.x.to_numpy().tolist() == [4] * 3 and state.x.to_numpy().tolist() == [0] * 3


def test_memory_outside_of_the_pickle_is_not_copied(memory_in_reach):
    x = qd.ndarray(qd.f32, 1 << 18, needs_grad=True)
    x.fill(1)
    x.grad.fill(2)
    buffers = []
    packed = pickle.dumps(x, protocol=5, buffer_callback=buffers.append)
    assert len(packed) < 1000 and [buffer.raw().nbytes for buffer in buffers] == [1 << 20, 1 << 20]
    x.fill(3)
    again = pickle.loads(packed, buffers=buffers)
    assert (again.to_numpy() == 3).all() and (again.grad.to_numpy() == 2).all()  # the buffers are the memory of x
    again.fill(5)
    assert (x.to_numpy() == 3).all()


def test_memory_outside_of_the_pickle_outlives_the_program(arch, memory_in_reach):
    x = qd.ndarray(qd.f32, 1000)
    x.fill(7)
    buffers = []
    packed = pickle.dumps(x, protocol=5, buffer_callback=buffers.append)
    qd.init(arch=arch, offline_cache=False)
    del x
    assert (pickle.loads(packed, buffers=buffers).to_numpy() == 7).all()


@pytest.mark.parametrize("arch", ["cpu"], indirect=True)
def test_a_gibibyte_travels_outside_of_the_pickle(arch):
    x = qd.ndarray(qd.f32, 1 << 28)
    x[(1 << 28) - 1] = 5
    buffers = []
    packed = pickle.dumps(x, protocol=5, buffer_callback=buffers.append)
    assert len(packed) < 1000
    assert pickle.loads(packed, buffers=buffers)[(1 << 28) - 1] == 5


def test_without_a_program_arrays_cannot_arrive():
    packed = pickle.dumps(qd.ndarray(qd.f32, 3))
    qd.reset()
    with pytest.raises(qd.QuadrantsRuntimeError, match="qd.init"):
        pickle.loads(packed)


velocity = None


def test_fields_stay_in_their_process():
    global velocity
    velocity = qd.field(qd.f32, shape=2)
    sim = Sim(3)
    sim.velocity = velocity
    for one in (velocity, sim, [velocity], qd.Struct.field({"a": qd.f32}, shape=2), qd.Vector.field(2, qd.f32, shape=2)):
        for protocol in (2, 5):
            with pytest.raises(TypeError, match="fields stay in the process that made them\nHint: send an array of qd.ndarray"):
                pickle.dumps(one, protocol)
    with pytest.raises(TypeError, match="the field `velocity`"):
        pickle.dumps(sim)
    shallow = copy.copy(velocity)
    velocity.fill(2)
    assert shallow[0] == 2
    with pytest.raises(TypeError, match="`velocity` cannot be copied with its memory\nHint: make another field"):
        copy.deepcopy(sim)
