"""`cloudpickle` of kernels that the other process cannot import: by value. A worker that does not have this module executes them."""

import dataclasses
import linecache
import os.path
import pickle
import sys
import textwrap

import cloudpickle
import numpy as np
import pytest
import quadrants as qd
from quadrants import _native, _source
from quadrants._language import pickling
from worker import Worker

pytestmark = pytest.mark.filterwarnings("ignore:Calling non-quadrants function")
vec = qd.types.vector(2, qd.f32)
SCALE = 3
TABLE = [10, 20, 30]


def helper(x):
    return deeper(x) * SCALE


def deeper(x):
    return x + 0.5


more = lambda x: x + 100  # noqa: E731


class Plain:
    def __init__(self, a):
        self.a = a

    def twice(self):
        return self.a * 2


plain = Plain(4)


@qd.func
def func(x):
    return helper(x) + 1


@qd.pyfunc
def both(x):
    return x - SCALE


@qd.real_func
def fib(n: qd.i32) -> qd.i32:
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


@qd.kernel
def everything(x: qd.types.NDArray[qd.f32, 1], n: int) -> qd.f32:
    total: qd.f32 = 0.0
    v: vec = vec(1, 2)
    for i in x:
        x[i] = func(x[i]) + fib(n) + more(0) + plain.twice() + v[1] + TABLE[2] + both(4) + qd.static(os.path.sep == "/")
    for i in range(x.shape[0]):
        total += x[i]
    return total


def test_a_kernel_takes_along_what_it_reads(worker):
    x = qd.ndarray(qd.f32, 3)
    result = worker.run(lambda: (everything(x, 5), x.to_numpy().tolist()))
    one = 0.5 * 3 + 1 + 5 + 100 + 8 + 2 + 30 + 1 + 1
    assert result == (3 * one, [one] * 3)
    assert x.to_numpy().tolist() == [0, 0, 0]
    assert everything(x, 5) == 3 * one
    assert worker.run(lambda: (both(5), everything.__name__, everything.__doc__, everything.__module__)) == (2, "everything", None, __name__)


def test_globals_are_those_of_the_time_of_pickling(worker, monkeypatch):
    x = qd.ndarray(qd.f32, 1)
    run = lambda: (x.fill(1), helping(x), x[0])[2]  # noqa: E731
    first = cloudpickle.dumps(run)
    monkeypatch.setitem(globals(), "SCALE", 5)
    assert worker.load(cloudpickle.dumps(run)) == 7.5
    assert worker.load(first) == 4.5 and worker.load(cloudpickle.dumps(run)) == 7.5


@qd.kernel
def helping(x: qd.types.NDArray[qd.f32, 1]):
    for i in x:
        x[i] = helper(x[i])


def made(k, inner):
    @qd.kernel
    def kernel(n: qd.i32) -> qd.i32:
        return inner(n) * k

    return kernel


def test_kernels_made_in_loops_and_closures(worker):
    @qd.func
    def plus(x):
        return x + 1

    @qd.real_func
    def down(n: qd.i32) -> qd.i32:
        if n == 0:
            return 0
        return down(n - 1) + 2

    kernels = [made(k, inner) for k in range(3) for inner in (plus, down)]
    assert worker.run(lambda: [kernel(7) for kernel in kernels]) == [kernel(7) for kernel in kernels] == [0, 0, 8, 14, 16, 28]


@qd.kernel
def of_template(f: qd.template(), n: qd.i32) -> qd.i32:
    return f(n)


def test_template_arguments(worker):
    assert worker.run(lambda: (of_template(fib, 6), of_template(func, 2))) == (8, 8)


@qd.dataclass
class Ball:
    r: qd.f32
    at: qd.math.vec2

    @qd.func
    def grown(self):
        return Ball(r=self.r * 2, at=self.at)

    def volume(self):
        return self.r**3


@qd.kernel
def grow(ball: Ball) -> Ball:
    return ball.grown()


def test_struct_types_are_recognised(worker):
    ball = Ball(r=3, at=[1, 2])
    first = worker.run(lambda: grow(ball))
    assert first.r == 6 and first._type is Ball and first.at.to_list() == [1, 2]
    assert worker.run(lambda: (ball.volume(), Ball(r=1).volume())) == (27, 1)
    packed = cloudpickle.dumps(ball)
    assert worker.run(lambda: grow(pickle.loads(packed)).r) == 6  # a value that came apart from the kernel
    assert worker.run(lambda: pickle.loads(packed)._type is Ball and grow.grad is not None)


@qd.data_oriented
class Sim:
    FACTOR = 5

    def __init__(self):
        self.x = qd.ndarray(qd.f32, 4, needs_grad=True)
        self.x.fill(2)
        self.loss = qd.ndarray(qd.f32, (), needs_grad=True)

    @staticmethod
    def three():
        return 3

    def next(self, a):
        return a + 1

    @qd.func
    def inner(self, a):
        return self.next(a) * Sim.FACTOR + self.three()

    @qd.kernel
    def __hidden(self):
        for i in self.x:
            self.x[i] = self.inner(self.x[i])

    @qd.kernel
    def lose(self):
        for i in self.x:
            self.loss[None] += self.x[i] ** 2

    def run(self):
        self.__hidden()
        return self.x.to_numpy().tolist()

    def slope(self):
        self.loss.grad.fill(1)
        self.lose.grad()
        return self.x.grad.to_numpy().tolist()


def test_objects_with_kernels(worker):
    sim = Sim()
    assert worker.run(sim.run) == [18] * 4 and sim.x[0] == 2
    assert worker.run(lambda: Sim().run()) == [18] * 4
    assert worker.run(sim.slope) == [4] * 4
    bound, gradient = sim.lose, sim.lose.grad
    assert worker.run(lambda: (bound(), bound.__self__.loss[None])) == (None, 16)
    assert worker.run(lambda: (gradient.__self__.loss.grad.fill(1), gradient(), gradient.__self__.x.grad[0])[2]) == 4

    @qd.data_oriented
    class Local:
        def plain(self, x):
            return x + 1

        @qd.kernel
        def both(self, n: qd.i32) -> qd.i32:
            return self.plain(n) + Local.K

        K = 30

    assert worker.run(lambda: Local().both(1)) == 32
    method = Local().both
    assert worker.run(lambda: method(2)) == 33


@dataclasses.dataclass(frozen=True)
class State:
    x: qd.types.NDArray[qd.f32, 1]
    n: qd.i32


@qd.kernel
def advance(s: State):
    for i in s.x:
        s.x[i] += s.n


def test_frozen_dataclasses(worker):
    state = State(qd.ndarray(qd.f32, 3), 4)
    assert worker.run(lambda: (advance(state), state.x.to_numpy().tolist())[1]) == [4] * 3
    packed = cloudpickle.dumps(state)
    assert worker.run(lambda: (advance(s := pickle.loads(packed)), s.x[0])[1]) == 4


@qd.kernel(graph=True, checkpoints=True)
def guarded(x: qd.types.NDArray[qd.i32, 1], flag: qd.types.NDArray[qd.i32, 0]):
    with qd.checkpoint(7, yield_on=flag):
        for i in x:
            x[i] += 1


def test_options_of_kernels(worker):
    x, flag = qd.ndarray(qd.i32, 2), qd.ndarray(qd.i32, ())
    flag.fill(1)
    status = worker.run(lambda: guarded(x, flag))
    assert status.yielded and status.checkpoint == 7

    @qd.kernel(fastcache=True, ad_stack_budget_bytes=4096)
    def quick():
        pass

    again = pickle.loads(cloudpickle.dumps(quick))._primal
    assert again.fastcache and again.ad_stack_budget_bytes == 4096 and not again.graph


def test_types_and_values(worker):
    values = [qd.f32, qd.math.vec3, vec, qd.types.struct(a=qd.i32), qd.types.NDArray[qd.f32, 2], qd.math.vec3(1, 2, 3), qd.Matrix([[1, 2], [3, 4]]),
              qd.Struct(a=1), qd.cpu, qd.Layout.SOA]  # fmt: skip
    for value, again in zip(values, worker.run(lambda: values)):
        assert type(again) is type(value) and repr(again) == repr(value)


def test_functions_with_custom_gradients(worker):
    def program():
        x, loss = (qd.field(qd.f32, shape=(), needs_grad=True) for _ in range(2))

        @qd.ad.grad_replaced
        def forward():
            loss[None] = 5.0

        @qd.ad.grad_for(forward)
        def backward():
            x.grad[None] = 2.0 * loss.grad[None]

        cloudpickle.dumps(qd.ad.grad_replaced(helper))
        with qd.ad.Tape(loss):
            forward()
        return x.grad[None]

    assert worker.run(program) == 2


def test_two_copies_share_the_compiled_code(arch):
    packed = cloudpickle.dumps(made(6, fib))
    kernels = [pickle.loads(packed) for _ in range(3)]
    assert kernels[0] is not kernels[1]

    def origins(kernel):
        _native.core().take_reports()
        assert kernel(5) == 30
        return [task["origin"] for report in _native.core().take_reports() for task in report["tasks"]]

    assert [set(origins(kernel)) for kernel in kernels] == [{"compiled"}, {"memory"}, {"memory"}]


def test_a_program_without_kernels_can_load():
    packed = cloudpickle.dumps(made(2, fib))
    qd.reset()
    again = pickle.loads(packed)
    qd.init(arch=qd.python)
    assert again(6) == 16


speed = None


def test_a_kernel_that_reads_a_field_is_refused():
    global speed
    speed = qd.field(qd.f32, shape=2)

    @qd.func
    def get(i):
        return speed[i]

    @qd.kernel
    def local() -> qd.f32:
        return speed[0]

    @qd.kernel
    def through() -> qd.f32:
        return get(0)

    hidden = [speed]

    @qd.kernel
    def listed() -> qd.f32:
        return hidden[0][0]

    for one, words in ((local, "the kernel `.*local` .* it reads the field `speed`, and fields stay in the process that made them\nHint: make `speed` a"),
                       (through, "the func `.*get` .* it reads the field `speed`"), (listed, "the field .*cannot be pickled")):  # fmt: skip
        with pytest.raises(Exception, match=words) as caught:
            cloudpickle.dumps(one)
        assert isinstance(caught.value, (TypeError, pickle.PicklingError))


@pytest.mark.parametrize("versions", [("3.99", pickling._VERSIONS[1]), (pickling._VERSIONS[0], "9.9.9")])
def test_versions_are_checked(versions, monkeypatch):
    kernel = made(1, fib)
    with monkeypatch.context() as changed:
        changed.setattr(pickling, "_VERSIONS", versions)
        packed = cloudpickle.dumps(kernel)
    with pytest.raises(qd.QuadrantsRuntimeError, match=r"kernel` was pickled by value with Python .*(3\.99|9\.9\.9).*\nHint: install the same versions"):
        pickle.loads(packed)
    with monkeypatch.context() as changed:
        changed.setattr(pickling, "_VERSIONS", versions)
        named = cloudpickle.dumps(by_name)
    assert pickle.loads(named) is by_name


@qd.kernel
def by_name():
    pass


CELL = """
import quadrants as qd
def halved(x):
    return x / 2
@qd.kernel
def checked(x: qd.types.NDArray[qd.f32, 1], n: qd.i32) -> qd.f32:
    for i in range(n):
        x[i] = halved(x[i]) + 1
    return x[0]
@qd.kernel
def wrong():
    x = missing
"""


@pytest.fixture
def cell():
    """The variables of a cell, which no other process can open."""
    name = "/nowhere/cell_file_41.py"
    linecache.cache[name] = (len(CELL), None, CELL.splitlines(True), name)
    _source.set_display_name(name, "cell 41")
    scope = {"__name__": "__main__"}
    exec(compile(CELL, name, "exec"), scope)
    yield scope
    del linecache.cache[name]


def test_errors_name_the_cell(arch, cell, by_value, tmp_path):
    worker = Worker(arch, tmp_path, QD_DEBUG="1")
    checked, wrong = cell["checked"], cell["wrong"]
    x = qd.ndarray(qd.f32, 3)
    assert worker.run(lambda: checked(x, 3)) == 1
    with pytest.raises(qd.QuadrantsAssertionError, match='File "cell 41", line 8, in checked:\n        x.i. = halved') as caught:
        worker.run(lambda: checked(x, 4))
    assert isinstance(caught.value, IndexError) == isinstance(pickle.loads(pickle.dumps(caught.value)), IndexError)
    with pytest.raises(qd.QuadrantsNameError, match='File "cell 41", line 12, in wrong:\n    x = missing\n        \\^'):
        worker.run(wrong)
    worker.end()


def test_coverage_names_the_cell(arch, cell, by_value, tmp_path):
    worker = Worker(arch, tmp_path, QD_KERNEL_COVERAGE="1")
    checked = cell["checked"]
    x = qd.ndarray(qd.f32, 3)
    counts = worker.run(lambda: (checked(x, 3), dict(qd.coverage.snapshot()["cell 41"]))[1])
    assert counts == {4: 3, 7: counts[7], 8: 3, 9: 1} and counts[7] in (1, 3, 4), counts
    worker.end()
    (kept,) = (tmp_path / "_qd_kcov_sources").iterdir()
    assert kept.read_text() == CELL and kept.name.startswith("cell_41_")


def test_a_file_that_is_not_there(worker, tmp_path):
    path = tmp_path / "gone.py"
    path.write_text("\n" * 20 + textwrap.dedent(CELL))
    scope = {"__name__": "__main__"}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    packed = cloudpickle.dumps(scope["checked"]), cloudpickle.dumps(scope["wrong"])
    path.unlink()
    x = qd.ndarray(qd.f32, 3)
    assert worker.run(lambda: pickle.loads(packed[0])(x, 3)) == 1
    with pytest.raises(qd.QuadrantsNameError, match='gone.py", line 32, in wrong:\n    x = missing'):
        worker.load(packed[1])


def test_a_lambda_of_a_file_that_is_not_there(worker, tmp_path):
    path = tmp_path / "lambdas.py"
    text = """
    import quadrants as qd
    def made(k):
        plus, times = (
            lambda x: x + k,
            lambda x: x * k,
        )
        @qd.kernel
        def both(x: qd.i32) -> qd.i32:
            return plus(x) * 100 + times(x)
        return both
    """
    path.write_text(textwrap.dedent(text))
    scope = {"__name__": "__main__"}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    packed = cloudpickle.dumps([scope["made"](k) for k in (2, 3)])
    path.unlink()
    assert worker.run(lambda: [kernel(5) for kernel in pickle.loads(packed)]) == [710, 815]


def test_a_file_that_was_changed(worker, tmp_path):
    """Each kernel has the text of its time."""
    path, packed = tmp_path / "changed.py", []
    for number in (1, 2):
        path.write_text(f"import quadrants as qd\n@qd.kernel\ndef k() -> qd.i32:\n    return {number}\n")
        scope = {"__name__": "__main__"}
        exec(compile(path.read_text(), str(path), "exec"), scope)
        packed.append(cloudpickle.dumps(scope["k"]))
    path.write_text("")
    assert [worker.load(one) for one in (*packed, *packed)] == [1, 2, 1, 2]


def test_what_arrived_can_be_sent_on(worker):
    again = pickle.loads(cloudpickle.dumps(pickle.loads(cloudpickle.dumps(everything))))
    x = qd.ndarray(qd.f32, 1)
    assert worker.run(lambda: again(x, 5)) == everything(qd.ndarray(qd.f32, 1), 5) == again(x, 5)


def test_submodules_are_imported(worker, tmp_path, monkeypatch):
    assert worker.run(lambda: "xml.dom.minidom" not in sys.modules)
    import xml.dom.minidom as imported

    assert imported
    scope = {"__name__": "__main__", "xml": sys.modules["xml"]}
    path = tmp_path / "of_submodule.py"
    path.write_text("import quadrants as qd\n@qd.kernel\ndef k() -> qd.i32:\n    return xml.dom.Node.TEXT_NODE\n")
    exec(compile(path.read_text(), str(path), "exec"), scope)
    assert worker.load(cloudpickle.dumps(scope["k"])) == 3


def test_nothing_is_kept_alive():
    import gc
    import weakref

    kernels = [pickle.loads(cloudpickle.dumps(made(k, fib))) for k in range(3)]
    alive = [weakref.ref(kernel) for kernel in kernels]
    assert kernels[2](3) == 4
    for kernel in kernels:
        cloudpickle.dumps(kernel)
    del kernels, kernel
    gc.collect()
    assert [one() for one in alive] == [None] * 3


def test_large_arrays_in_a_closure(worker):
    x = qd.ndarray(qd.f32, 1 << 20)
    x.fill(2)
    assert worker.run(lambda: x.to_numpy().sum(dtype=np.float64)) == 2 << 20


LATER = """
from __future__ import annotations
import dataclasses
import quadrants as qd

@dataclasses.dataclass(frozen=True)
class Inner:
    y: Floats

@dataclasses.dataclass(frozen=True)
class Outer:
    n: Number
    inner: Inner

Floats, Number = qd.types.NDArray[qd.f32, 1], qd.i32

@qd.func
def add(x: Number) -> Number:
    return x + 1

@qd.kernel
def k(s: Outer, t: qd.types.NDArray[qd.f32, 1] | None) -> Number:
    for i in s.inner.y:
        s.inner.y[i] = add(s.n)
    return qd.static(0 if t is None else 1)
"""


@pytest.mark.parametrize("arch", ["cpu", "python"], indirect=True)
def test_annotations_that_are_strings(worker, tmp_path):
    path, scope = tmp_path / "later.py", vars(sys.modules["__main__"])
    path.write_text(LATER)
    before = set(scope)
    exec(compile(LATER, str(path), "exec"), scope)
    kernel, state = scope["k"], scope["Outer"](4, scope["Inner"](qd.ndarray(qd.f32, 2)))
    try:
        assert worker.run(lambda: (kernel(state, None), kernel(state, state.inner.y), state.inner.y[1])) == (0, 1, 5)
        assert worker.run(lambda: pickle.loads(cloudpickle.dumps(kernel))(state, None)) == 0
    finally:
        for name in set(scope) - before:
            del scope[name]


@qd.data_oriented
class Circular:
    number = 4

    @qd.kernel
    def of_class(self, n: qd.i32) -> qd.i32:
        return Circular.number + n

    @qd.func
    def other(self, n):
        return Circular.number * n

    @qd.kernel
    def through(self, n: qd.i32) -> qd.i32:
        return self.other(n)


class Child(Circular):
    @qd.kernel
    def more(self, n: qd.i32) -> qd.i32:
        return super().other(n) + 1


def test_kernels_that_refer_to_their_class(worker):
    kernel, child = Child.more, Child()
    assert worker.run(lambda: (kernel(child, 3), child.more(4))) == (13, 17)
    assert pickle.loads(cloudpickle.dumps(kernel))(child, 3) == 13
    for one in (Circular.of_class, Circular.through):
        again = pickle.loads(cloudpickle.dumps(one))
        assert again is not one and again(Circular(), 3) == one(Circular(), 3)
    kernel, method = Circular.of_class, Circular().through
    assert worker.run(lambda: (kernel(Circular(), 3), method(3))) == (7, 12)


def test_threads_may_load_at_once(worker):
    import threading

    packed, loaded = [cloudpickle.dumps(one) for one in (everything, grow, Ball, Circular.through)], []

    def load():
        loaded.extend(pickle.loads(one) for _ in range(50) for one in packed)

    threads = [threading.Thread(target=load) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(loaded) == 800 and sum(one is Ball for one in loaded) == 200
