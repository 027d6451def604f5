"""Misuse by programs: dead objects, memory that does not exist, changes during a call."""

import copy
import importlib
import os
import pickle
import resource
import subprocess
import sys
import threading

import numpy as np
import pytest
import quadrants as qd

ENDED = "belongs to a runtime that"


def test_every_kind_of_object_after_the_end_of_its_program(arch):
    point = qd.types.struct(x=qd.f32, v=qd.types.vector(2, qd.f32))
    vector = qd.Vector.field(2, qd.f32, shape=3)
    struct = point.field(shape=3)
    sparse = qd.field(qd.f32)
    level = qd.root.pointer(qd.i, 4)
    level.place(sparse)
    array = qd.Vector.ndarray(2, qd.f32, 3)
    tensor = qd.tensor(qd.f32, (3,))
    view = qd.BufferView(qd.ndarray(qd.f32, 8), 2, 4)
    sparse[1] = 1
    vector[0][1] = struct[1].x = 2

    @qd.data_oriented
    class Holder:
        def __init__(self):
            self.x = qd.ndarray(qd.i32, 3)

        @qd.kernel
        def total(self) -> qd.i32:
            s = 0
            for i in range(3):
                s += self.x[i]
            return s

    @qd.kernel
    def read(v: qd.BufferView[qd.f32]) -> qd.f32:
        return v[0]

    holder = Holder()
    assert holder.total() == 0 and read(view) == 0
    qd.init(arch=arch, offline_cache=False)
    for use in (
        lambda: vector[0],
        lambda: vector.fill(1),
        lambda: vector.to_numpy(),
        lambda: struct[1].x,
        lambda: struct.to_numpy(),
        lambda: sparse[1],
        lambda: level.deactivate_all(),
        lambda: array[0],
        lambda: array.to_numpy(),
        lambda: array.fill(0),
        lambda: tensor[0],
        lambda: tensor.copy_from(tensor),
        lambda: holder.total(),
        lambda: read(view),
        lambda: vector.copy_from(vector),
        lambda: qd.wrap(vector).copy_from(qd.wrap(array)),
        lambda: pickle.dumps(tensor),
        lambda: copy.deepcopy(tensor),
        lambda: tensor._impl[1:2],
        lambda: qd.BufferView(tensor, 0, 1),
        lambda: len(array),
        lambda: list(array),
        lambda: array.from_numpy(np.zeros((3, 2))),
        lambda: qd.algorithms.parallel_sort(tensor._impl),
    ):
        with pytest.raises(RuntimeError, match=ENDED):
            use()
    assert vector.shape == (3,) and array.shape is tensor.shape is None
    holder.x = qd.ndarray(qd.i32, 3)
    assert holder.total() == 0


def grown(made):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    made()
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024  # MiB


def test_memory_is_taken_when_it_is_used():
    def touch():
        f = qd.field(qd.i32, 10**9)
        a = qd.ndarray(qd.f32, 10**9)

        @qd.kernel
        def ends(a: qd.types.ndarray(qd.f32, ndim=1)) -> qd.f32:
            f[999999999] = 7
            a[999999999] = 0.5
            return f[5] + f[999999999] + a[999999999]

        assert ends(a) == 7.5

    assert grown(touch) < 500


def test_memory_that_no_machine_has():
    with pytest.raises(MemoryError, match=r"^Not enough memory: requested 16777216.0 GiB \(18014398501093376 bytes\), [\d.]+ GiB are") as caught:
        qd.ndarray(qd.f64, (2**31 - 1, 2**20))
    assert isinstance(caught.value, qd.QuadrantsRuntimeError) and "Hint: " in str(caught.value)
    with pytest.raises(MemoryError):
        qd.ndarray(qd.f64, (2**31 - 1, 2**31 - 1, 2**31 - 1))
    with pytest.raises(qd.QuadrantsRuntimeError, match=r"at most 2\^31 - 1 elements along an axis"):
        qd.field(qd.f64, 2**40)
    many = qd.field(qd.f64, 3)
    many.fill(2)
    assert many.to_numpy().tolist() == [2, 2, 2]


def test_too_many_cells_in_a_level(arch):
    f = qd.field(qd.f64, (2**20, 2**20))
    with pytest.raises(qd.QuadrantsRuntimeError, match="a field level of more than 2\\^32 cells"):
        f[0, 0]
    qd.init(arch=arch, offline_cache=False)
    g = qd.field(qd.f64, 3)
    assert g[0] == 0


def test_a_kernel_is_defined_again_while_the_one_before_runs():
    started, release = threading.Event(), threading.Event()

    def pause():
        started.set()
        release.wait(60)
        return 1

    def define(value):
        @qd.kernel
        def k() -> qd.i32:
            return value + qd.static(pause() if value == 10 else 2)

        return k

    results = []
    thread = threading.Thread(target=lambda: results.append(define(10)()))
    thread.start()
    assert started.wait(60)
    release.set()
    assert define(20)() == 22
    thread.join()
    assert results == [11] and qd.lang.impl.get_runtime().compiling_callable is None


def test_a_module_of_kernels_is_loaded_again(arch, tmp_path, monkeypatch):
    name = f"kernels_that_change_{arch}"
    monkeypatch.syspath_prepend(str(tmp_path))
    file = tmp_path / f"{name}.py"
    text = "import quadrants as qd\n@qd.func\ndef f(x):\n    return x * {}\n@qd.kernel\ndef k(x: qd.i32) -> qd.i32:\n    return f(x)\n"
    file.write_text(text.format(2))
    module = importlib.import_module(name)

    old = module.k
    assert old(5) == 10
    file.write_text(text.format(30))
    importlib.invalidate_caches()
    importlib.reload(module)
    assert module.k(5) == 150 and old(5) == 10


def test_exceptions_of_static_code_pass_through():
    class Mine(Exception):
        pass

    calls = []

    def fails(error):
        calls.append(error)
        raise error

    for error in (Mine("mine"), ZeroDivisionError("by zero"), SystemExit(3), KeyboardInterrupt()):

        @qd.kernel
        def k() -> qd.i32:
            return qd.static(fails(error))

        for _ in range(2):
            with pytest.raises(type(error)):
                k()
    assert len(calls) == 8

    @qd.kernel
    def good() -> qd.i32:
        return 5

    assert good() == 5


def test_exceptions_of_static_code_name_the_line(arch):
    qd.init(arch=arch, offline_cache=False, print_full_traceback=False)

    def fails():
        raise KeyError("no such thing")

    @qd.kernel
    def k() -> qd.i32:
        return qd.static(fails())

    with pytest.raises(qd.QuadrantsCompilationError, match=r"(?s)in .*k:.*qd\.static\(fails\(\)\).*no such thing"):
        k()


class Fails(list):
    """A list of which every method fails."""

    def fail(self, *args):
        raise OSError("the list is gone")

    __iter__ = __len__ = __getitem__ = __bool__ = __eq__ = fail


class FailsLater(Fails):
    """A list with items, but without a length and a truth value."""

    __iter__ = list.__iter__


def test_sequences_that_fail_when_they_are_read(arch):
    gone, later, endless = Fails([1, 2]), FailsLater([1, 2]), [1]
    endless.append(endless)
    for arch_of_test in (arch, qd.python):
        qd.init(arch=arch_of_test, offline_cache=False)
        for given in (gone, later):

            @qd.kernel
            def test_of_if():
                if given:
                    pass

            @qd.kernel
            def test_of_while():
                while given:
                    pass

            @qd.kernel
            def test_of_static():
                if qd.static(given):
                    pass

            @qd.kernel
            def negation():
                a = not given  # noqa: F841

            @qd.kernel
            def length():
                a = len(given)  # noqa: F841

            @qd.kernel
            def filter_of_comprehension():
                a = [1 for _ in range(1) if given]  # noqa: F841

            for k in (test_of_if, test_of_while, test_of_static, negation, length, filter_of_comprehension):
                with pytest.raises(qd.QuadrantsCompilationError, match="OSError: the list is gone") as error:
                    k()
                assert "test_bad_input.py" in str(error.value) and ", line " in str(error.value)

        for given, words in ((gone, "OSError: the list is gone"), (endless, "nested too deeply, or holds itself")):

            @qd.kernel
            def vector():
                v = qd.Vector(given)  # noqa: F841

            @qd.kernel
            def unpacked():
                a, b = given  # noqa: F841

            @qd.kernel
            def loop():
                for i in qd.static(given):
                    pass

            for k in (vector, unpacked, loop):
                with pytest.raises(qd.QuadrantsCompilationError, match=words) as error:
                    k()
                assert ", line " in str(error.value)


@pytest.mark.parametrize("again", [True, False])
def test_static_code_ends_the_program(arch, again):
    def end():
        qd.reset()
        if again:
            qd.init(arch=arch, offline_cache=False)
        return 3

    f = qd.field(qd.i32, 3)

    @qd.kernel
    def k() -> qd.i32:
        f[0] = 1
        return qd.static(end())

    with pytest.raises(qd.QuadrantsRuntimeError, match="ran while the kernel was compiled"):
        k()
    qd.init(arch=arch, offline_cache=False)

    @qd.kernel
    def good() -> qd.i32:
        return 5

    assert good() == 5


def test_static_code_calls_kernels():
    @qd.kernel
    def inner() -> qd.i32:
        return 4

    @qd.kernel
    def outer() -> qd.i32:
        return qd.static(inner())

    with pytest.raises(qd.QuadrantsSyntaxError, match="Kernels cannot call other kernels"):
        outer()
    assert inner() == 4


FORKS = """
import os, sys
import quadrants as qd

qd.init(arch=sys.argv[1], offline_cache=False, cpu_max_num_threads=4)
f = qd.field(qd.i32, 100000)


@qd.kernel
def bump():
    for i in f:
        f[i] += 1


bump()
child = os.fork()
if child == 0:
    bump()

    @qd.kernel
    def total() -> qd.i64:
        s = qd.i64(0)
        for i in f:
            s += f[i]
        return s

    os._exit(0 if total() == 200000 else 1)
status = os.waitpid(child, 0)[1]
bump()
print(os.waitstatus_to_exitcode(status), f.to_numpy().sum())
"""


def test_fork_after_init(arch, tmp_path):
    program = tmp_path / "forks.py"
    program.write_text(FORKS)
    done = subprocess.run([sys.executable, str(program), arch], capture_output=True, text=True, timeout=120)
    assert done.stdout.split()[-2:] == ["0", "200000"], done.stdout + done.stderr


def test_threads_compile_and_launch_one_kernel_at_once():
    @qd.kernel
    def scaled(x: qd.types.ndarray(qd.f64, ndim=1), by: qd.template(), n: qd.i32):
        for i in x:
            for _ in range(n):
                x[i] += by

    arrays = [qd.ndarray(qd.f64, 300) for _ in range(6)]
    gate, errors = threading.Barrier(len(arrays)), []

    def run(k):
        try:
            gate.wait(60)
            for _ in range(5):
                scaled(arrays[k], k % 3 + 1, 10)
                qd.sync()
        except BaseException as e:  # noqa: BLE001
            errors.append(e)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(len(arrays))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not errors and qd.lang.impl.get_runtime().compiling_callable is None
    for k, a in enumerate(arrays):
        np.testing.assert_array_equal(a.to_numpy(), 50 * (k % 3 + 1))
