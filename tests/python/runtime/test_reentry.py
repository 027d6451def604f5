"""Python code that the package calls (conversions, comparisons, writes, destructors) and other threads may end the program, drop compiled
kernels, or change the objects being read: errors report it, and no freed memory is read or written."""

import sys
import threading
import time
from typing import Tuple

import pytest
import quadrants as qd

again = pytest.mark.parametrize("known", [False, True], ids=["new", "known"])
gone = pytest.raises(qd.QuadrantsRuntimeError, match="qd.init|qd.reset")


class Calling:
    """A number and index that runs code when it is read."""

    def __init__(self, what, value=1):
        self.what, self.value = what, value

    def __float__(self):
        self.what()
        return float(self.value)

    def __index__(self):
        self.what()
        return self.value


class Compared(int):
    """A number that runs code, once, when it is compared."""

    what = None

    def __eq__(self, other):
        if what := Compared.what:
            Compared.what = None
            what()
        return int(self) == int(other)

    __hash__ = int.__hash__


def restarting(arch, call, seconds=1.0):
    """Calls `call` repeatedly while another thread starts programs."""
    end = time.time() + seconds

    def restart():
        while time.time() < end:
            qd.init(arch=arch, offline_cache=False, log_level="error")
            time.sleep(1e-3)

    thread = threading.Thread(target=restart)
    thread.start()
    told = set()
    while time.time() < end:
        try:
            call()
        except qd.QuadrantsRuntimeError as error:
            told.add(str(error))
    thread.join()
    assert all("qd.init" in text for text in told), told


@again
def test_the_program_ends_while_an_argument_is_read(known):
    @qd.kernel
    def k(x: qd.f32) -> qd.f32:
        return x + 1

    if known:
        assert k(1.0) == 2
    with gone:
        k(Calling(qd.reset))


@again
def test_compiled_kernels_are_dropped_while_an_argument_is_read(known):
    @qd.kernel
    def k(x: qd.f32, y: qd.f32) -> qd.f32:
        return x + y

    if known:
        assert k(1.0, 1.0) == 2
    assert k(Calling(k._forget), 3.0) == 4
    assert k(1.0, 1.0) == 2


def test_the_program_ends_while_arguments_are_compared(arch):
    @qd.kernel
    def k(n: qd.template(), m: qd.template()) -> qd.i32:
        return n + m

    def restart():
        qd.init(arch=arch, offline_cache=False)
        k(8, 9)

    k(Compared(3), Compared(4))
    Compared.what = restart
    with gone:
        k(Compared(3), Compared(4))
    Compared.what = k._forget
    assert k(Compared(3), Compared(4)) == 7


def test_the_program_ends_while_a_label_is_looked_up():
    flag = qd.types.ndarray(qd.i32, ndim=0)

    @qd.kernel(graph=True, checkpoints=True)
    def k(a: flag, y: flag):
        for _ in range(1):
            a[()] += 1
        with qd.checkpoint(5, yield_on=y):
            for _ in range(1):
                a[()] += 1

    a, y = qd.ndarray(qd.i32, ()), qd.ndarray(qd.i32, ())
    a[()] = y[()] = 0
    k(a, y)
    Compared.what = qd.reset
    with gone:
        k.resume(a, y, from_checkpoint=Compared(5))


def test_programs_start_while_another_thread_compiles(arch):
    @qd.kernel
    def k(x: qd.f32) -> qd.f32:
        return x + 1

    restarting(arch, lambda: k(2.0))


def test_programs_start_while_another_thread_reads_results(arch):
    vector = qd.types.vector(3, qd.f32)

    @qd.kernel
    def k(x: qd.f32) -> Tuple[vector, vector, vector, vector]:
        return vector(x, x, x), vector(x, x, x), vector(x, x, x), vector(x, x, x)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        restarting(arch, lambda: k(2.0))
    finally:
        sys.setswitchinterval(before)


def test_programs_start_while_another_thread_publishes(arch):
    restarting(arch, qd.cache.publish, 0.5)


def test_arguments_that_die_call_their_kernel():
    @qd.kernel
    def k(n: qd.template()) -> qd.i32:
        return n

    class Last(int):
        def __del__(self):
            k(int(self))

    for r in range(3):
        for i in range(6):
            k(Last(i + 10 * r))
        k._forget()
    assert k(5) == 5


def test_older_arguments_die_while_a_newer_kernel_is_made_for_them():
    class Number(int):
        pass

    @qd.kernel
    def old(n: qd.template()) -> qd.i32:
        return n

    def hook():
        old._forget()
        return 1

    @qd.kernel
    def new(n: qd.template()) -> qd.i32:
        return n + qd.static(hook())

    for i in range(6):
        old(Number(1000 + i))
    assert new._compile_like(old) == 6
    assert new(1003) == 1004


@pytest.mark.parametrize("what", ["options", "program"])
def test_objects_change_while_they_are_shown(arch, what, monkeypatch):
    qd.init(arch=arch, offline_cache=False, log_level="error", print_preprocessed_ir=True, print_kernel_llvm_ir=True, print_kernel_asm=True)

    @qd.kernel
    def k(x: qd.f32) -> qd.f32:
        return x + 1

    @qd.kernel
    def other(x: qd.i32) -> qd.i32:
        return x + 1

    class Out:
        times = 0

        def write(self, text):
            if "frontend of" in text and not Out.times:
                Out.times += 1
                if what == "program":
                    return qd.reset()
                qd.cfg.print_kernel_asm = False
                other(1)

        def flush(self):
            pass

    monkeypatch.setattr(sys, "stdout", Out())
    if what == "program":
        with gone:
            k(1.0)
    else:
        assert k(1.0) == 2
    assert Out.times == 1


def test_the_program_ends_while_code_is_shown():
    on = False

    def hook():
        if on:
            qd.reset()
        return 1

    @qd.kernel
    def k(x: qd.i32) -> qd.i32:
        return x + qd.static(hook())

    assert k(1) == 2
    on = True
    with gone:
        k._show("ir")


def test_a_write_to_stdout_replaces_stdout(monkeypatch):
    @qd.kernel
    def k():
        print("hello")

    class Out:
        def write(self, text):
            sys.stdout = kept

        def flush(self):
            pass

    k()
    kept = sys.stdout
    for _ in range(50):
        monkeypatch.setattr(sys, "stdout", Out())
        k()
    assert sys.stdout is kept


def test_the_program_ends_while_an_element_is_named(arch):
    places = [
        lambda: qd.ndarray(qd.f32, 1 << 20),
        lambda: qd.field(qd.f32, shape=8),
        lambda: qd.Vector.ndarray(3, qd.f32, 4),
    ]
    for make in places:
        for use in (
            lambda x: x[Calling(qd.reset)],
            lambda x: x.__setitem__(Calling(qd.reset), [1.0, 2.0, 3.0] if x.shape == (4,) else 1.0),
            lambda x: x.__setitem__(1, [Calling(qd.reset), 2.0, 3.0] if x.shape == (4,) else Calling(qd.reset)),
            lambda x: x.fill([Calling(qd.reset), 2.0, 3.0] if x.shape == (4,) else Calling(qd.reset)),
        ):
            qd.init(arch=arch, offline_cache=False)
            x = make()
            with gone:
                use(x)


def test_lists_shrink_while_they_are_read():
    key = []

    def clear():
        key.clear()

    for x in (qd.ndarray(qd.f32, (4, 4)), qd.field(qd.f32, shape=(4, 4))):
        x[1, 2] = 5.0
        key[:] = [Calling(clear), 2]
        assert x[key] == 5

    matrix = qd.types.matrix(2, 2, qd.f32)

    @qd.kernel
    def k(m: matrix) -> qd.f32:
        return m[0, 0] + m[1, 1]

    m = []
    assert k([[1.0, 2.0], [3.0, 4.0]]) == 5
    for _ in range(20):
        m[:] = [[Calling(m.clear), 2.0], [3.0, 4.0]]
        with pytest.raises(qd.QuadrantsRuntimeTypeError):
            k(m)
    m[:] = [m]
    with pytest.raises(qd.QuadrantsRuntimeTypeError):
        k(m)


def test_lists_shrink_while_their_values_are_kept(arch, tmp_path):
    qd.init(arch=arch, offline_cache_file_path=str(tmp_path))

    class Value:
        def __getattr__(self, name):
            del values[1:]
            raise AttributeError(name)

    values = [Value(), *range(5000)]

    @qd.kernel
    def k() -> qd.i32:
        return qd.static(len(values))

    assert k() in (1, 5001)


def test_the_program_ends_while_a_cache_entry_is_compared(arch, tmp_path):
    qd.init(arch=arch, offline_cache_file_path=str(tmp_path))
    on = False

    @qd.data_oriented
    class Simulation:
        def __init__(self):
            self.n = 3

        def __getattribute__(self, name):
            nonlocal on
            if on and name == "n":
                on = False
                qd.reset()
            return object.__getattribute__(self, name)

    @qd.kernel(fastcache=True)
    def k(a: qd.template()) -> qd.i32:
        return a.n

    a = Simulation()
    assert k(a) == 3
    k._forget()
    on = True
    with gone:
        k(a)


@pytest.mark.parametrize("times", [1, 2])
def test_lists_without_end_as_members(times):
    @qd.data_oriented
    class Simulation:
        def __init__(self):
            self.values = [1]
            self.values += [self.values] * times

        @qd.kernel
        def first(self) -> qd.i32:
            return self.values[0]

    assert Simulation().first() == 1


def test_arguments_deeper_than_the_stack():
    @qd.kernel
    def k(t: qd.template()) -> qd.i32:
        return 1

    def deep():
        nested = (1,)
        for _ in range(300_000):
            nested = (nested,)
        return nested

    values = [deep(), deep()]
    assert [k(value) for value in values] == [1, 1]
    while values:  # destroying the whole nest at once would need a deep stack too
        value = values.pop()
        while isinstance(value, tuple):
            (value,) = value
