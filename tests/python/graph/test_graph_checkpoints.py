"""Checkpoints of graphs: yielding, the parts that a resumed launch skips, labels, tables, kernels from the cache."""

import dataclasses
import enum
import os
import signal
import subprocess
import sys

import pytest
import quadrants as qd
from quadrants.lang import impl

Flag = qd.types.ndarray(qd.i32, ndim=0)


class Stage(enum.IntEnum):
    A = 1
    B = 2
    C = 3


ONE = 7


def flag(value=0):
    made = qd.ndarray(qd.i32, ())
    made[()] = value
    return made


def values(*flags):
    return [int(f[()]) for f in flags]


def last_yield():
    return impl.get_runtime().prog.get_graph_last_yield_cp_id_on_last_call()


@qd.kernel(graph=True, checkpoints=True)
def looped(a: Flag, b: Flag, c: Flag, y: Flag, armed: Flag, n: Flag):
    while qd.graph.do_while(n):
        for _ in range(1):
            a[()] += 1
        with qd.checkpoint(Stage.B, yield_on=y):
            for _ in range(1):
                b[()] += 1
                if armed[()]:
                    y[()] = 1
                    armed[()] = 0
        for _ in range(1):
            n[()] -= 1
            c[()] += 1


@qd.kernel(graph=True, checkpoints=True)
def looped_to_the_end(a: Flag, b: Flag, c: Flag, y: Flag, armed: Flag, n: Flag, never: Flag):
    while qd.graph.do_while(n):
        for _ in range(1):
            a[()] += 1
        with qd.checkpoint(Stage.B, yield_on=y):
            for _ in range(1):
                b[()] += 1
                if armed[()]:
                    y[()] = 1
                    armed[()] = 0
        with qd.checkpoint(Stage.C, yield_on=never):
            for _ in range(1):
                n[()] -= 1
                c[()] += 1


def test_resumed_at_the_one_that_yielded():
    a, b, c, y, armed, n = flag(), flag(), flag(), flag(), flag(1), flag(3)
    status = looped(a, b, c, y, armed, n)
    assert status.yielded is True and status.checkpoint is Stage.B
    assert repr(status) == "GraphStatus(yielded=True, checkpoint=<Stage.B: 2>)" and isinstance(status, qd.GraphStatus)
    assert values(a, b, c, y, n) == [1, 1, 0, 1, 3] and last_yield() == 1
    callbacks = 0
    while status.yielded:
        callbacks += 1
        y[()] = 0
        status = looped.resume(a, b, c, y, armed, n, from_checkpoint=status.checkpoint)
    assert values(a, b, c, n) == [3, 4, 3, 0] and callbacks == 1 and last_yield() == -1
    assert status.checkpoint is None and repr(status) == "GraphStatus(yielded=False)"


def test_resumed_at_a_later_one():
    a, b, c, y, armed, n, never = flag(), flag(), flag(), flag(), flag(1), flag(3), flag()
    assert looped_to_the_end(a, b, c, y, armed, n, never).yielded
    y[()] = 0
    status = looped_to_the_end.resume(a, b, c, y, armed, n, never, from_checkpoint=Stage.C)
    assert not status.yielded and values(a, b, c, n) == [3, 3, 3, 0]


def test_a_flag_that_stays_yields_again():
    a, b, c, y, armed, n = flag(), flag(), flag(), flag(-4), flag(), flag(2)
    for k in range(1, 4):
        assert looped.resume(a, b, c, y, armed, n, from_checkpoint=Stage.B).yielded
        assert values(a, b, c, y, n) == [0, k, 0, -4, 2]


def test_without_a_loop():
    @qd.kernel(graph=True, checkpoints=True)
    def first(a: Flag, b: Flag, c: Flag, y: Flag):
        with qd.checkpoint(1, yield_on=y):
            for _ in range(1):
                a[()] += 1
        for _ in range(1):
            b[()] += 1
        for _ in range(1):
            c[()] += 1

    a, b, c, y = flag(), flag(), flag(), flag(1)
    status = first(a, b, c, y)
    assert status.checkpoint == 1 and type(status.checkpoint) is int and values(a, b, c) == [1, 0, 0]
    y[()] = 0
    assert not first.resume(a, b, c, y, from_checkpoint=1).yielded and values(a, b, c) == [2, 1, 1]

    @qd.kernel(graph=True, checkpoints=True)
    def middle(a: Flag, b: Flag, c: Flag, y: Flag, never: Flag):
        for _ in range(1):
            a[()] += 1
        with qd.checkpoint(1, yield_on=y):
            for _ in range(1):
                b[()] += 1
        with qd.checkpoint(2, yield_on=never):
            for _ in range(1):
                c[()] += 1

    a, b, c, y, never = flag(), flag(), flag(), flag(1), flag()
    assert middle(a, b, c, y, never).checkpoint == 1
    assert not middle.resume(a, b, c, y, never, from_checkpoint=2).yielded
    assert values(a, b, c) == [1, 1, 1]
    assert middle._primal.checkpoint_user_labels_by_cp_id == [None, 1, 2]
    assert middle._primal.checkpoint_yield_on_args == [None, "y", "never"]
    ids = middle._primal.checkpoint_yield_on_cpp_arg_ids
    assert ids[0] == -1 and ids[1] >= 0 and ids[2] >= 0 and ids[1] != ids[2]


def test_bare_statements_always_run():
    @qd.kernel(graph=True, checkpoints=True)
    def k(bare: Flag, after: Flag, work: Flag, y: Flag):
        bare[()] += 1
        with qd.checkpoint(1, yield_on=y):
            for _ in range(1):
                work[()] += 1
        after[()] += 1
        for _ in range(1):
            work[()] += 10
        if work[()] >= 0:
            after[()] += 10

    bare, after, work, y = flag(), flag(), flag(), flag(1)
    assert k(bare, after, work, y).yielded
    assert values(bare, after, work) == [1, 11, 1]
    y[()] = 0
    assert not k.resume(bare, after, work, y, from_checkpoint=1).yielded
    assert values(bare, after, work) == [2, 22, 12]


def test_all_loops_of_a_checkpoint_run_before_it_yields():
    @qd.kernel(graph=True, checkpoints=True)
    def k(a: Flag, y: Flag):
        with qd.checkpoint(0, yield_on=y):
            """A checkpoint may have a docstring."""
            for _ in range(1):
                y[()] = 1
                a[()] += 1
            for _ in range(1):
                a[()] += 10
            if a[()] > 0:
                a[()] += 100

    a, y = flag(), flag()
    assert k(a, y).checkpoint == 0 and a[()] == 111


def test_a_level_inside_of_a_checkpoint():
    @qd.kernel(graph=True, checkpoints=True)
    def k(a: Flag, b: Flag, n: Flag, y: Flag):
        for _ in range(1):
            a[()] += 1
        with qd.checkpoint(4, yield_on=y):
            while qd.graph.do_while(n):
                for _ in range(1):
                    b[()] += 1
                n[()] -= 1
        for _ in range(1):
            a[()] += 10

    a, b, n, y = flag(), flag(), flag(3), flag(1)
    assert k(a, b, n, y).checkpoint == 4 and values(a, b, n) == [1, 3, 0]
    n[()], y[()] = 2, 0
    assert not k.resume(a, b, n, y, from_checkpoint=4).yielded and values(a, b, n) == [11, 5, 0]


def test_enclosing_levels_end_after_the_pass():
    @qd.kernel(graph=True, checkpoints=True)
    def k(bare: Flag, work: Flag, outer: Flag, inner: Flag, y: Flag):
        while qd.graph.do_while(outer):
            while qd.graph.do_while(inner):
                with qd.checkpoint(1, yield_on=y):
                    for _ in range(1):
                        work[()] += 1
                        y[()] = 1
                inner[()] -= 1
            bare[()] += 1
            outer[()] -= 1

    bare, work, outer, inner, y = flag(), flag(), flag(3), flag(3), flag()
    assert k(bare, work, outer, inner, y).yielded
    assert values(bare, work, outer, inner) == [1, 1, 2, 2]


def test_implicit_checkpoints_alone():
    @qd.kernel(graph=True, checkpoints=True)
    def k(a: Flag) -> qd.i32:
        for _ in range(1):
            a[()] += 1
        for _ in range(1):
            a[()] += 1
        return a[()]

    @qd.kernel(graph=True, checkpoints=True)
    def none(a: Flag):
        for _ in range(1):
            a[()] += 1

    assert k(flag()) == 2 and none(flag()) is None
    assert k._primal.checkpoint_user_labels_by_cp_id == [None, None]
    assert k._primal.checkpoint_yield_on_cpp_arg_ids == [-1, -1]
    with pytest.raises(RuntimeError, match="`from_checkpoint=` is only valid for kernels that contain at least one qd.checkpoint"):
        k.resume(flag(), from_checkpoint=1)


def test_which_loops_are_checkpoints():
    @qd.kernel(graph=True, checkpoints=True)
    def k(a: Flag, n: Flag, y: Flag):
        for _ in range(1):
            a[()] += 1
        if a[()] > 0:
            for _ in range(1):
                a[()] += 1
        while qd.graph.do_while(n):
            for _ in range(1):
                n[()] -= 1
            with qd.checkpoint(cp_id=5, yield_on=y):
                for _ in range(1):
                    a[()] += 1
                for _ in range(1):
                    a[()] += 1

    assert not k(flag(), flag(1), flag()).yielded
    assert k._primal.checkpoint_user_labels_by_cp_id == [None, None, 5]


def test_launches_begin_clean():
    a, b, c, y, armed, n = flag(), flag(), flag(), flag(1), flag(), flag(1)
    assert looped(a, b, c, y, armed, n).yielded and last_yield() == 1

    @qd.kernel(graph=True)
    def other(a: Flag, n: Flag):
        while qd.graph.do_while(n):
            for _ in range(1):
                a[()] += 1
            n[()] -= 1

    a = flag()
    other(a, flag(4))
    assert a[()] == 4 and last_yield() == 1
    a.to_numpy()
    assert last_yield() == 1
    y[()] = 0
    looped(flag(), flag(), flag(), y, flag(), flag(1))
    assert last_yield() == -1


def test_members_as_flags():
    @dataclasses.dataclass
    class Params:
        work: Flag
        stop: Flag

    @qd.kernel(graph=True, checkpoints=True)
    def k(params: Params):
        with qd.checkpoint(Stage.A, yield_on=params.stop):
            for _ in range(1):
                params.work[()] += 1

    params = Params(flag(), flag(1))
    assert k(params).checkpoint is Stage.A
    assert k.resume(params, from_checkpoint=Stage.A).yielded
    assert params.work[()] == 2 and k._primal.checkpoint_yield_on_args == ["__qd_params__qd_stop"]

    @qd.data_oriented
    class Solver:
        def __init__(self):
            self.work, self.stop = flag(), flag(1)

        @qd.kernel(graph=True, checkpoints=True)
        def step(self, more: qd.i32):
            with qd.checkpoint(ONE, yield_on=self.stop):
                for _ in range(1):
                    self.work[()] += more
            with qd.checkpoint(8, yield_on=self.stop):
                for _ in range(1):
                    self.work[()] += 100

    solver = Solver()
    assert solver.step(1).checkpoint == 7
    solver.stop[()] = 0
    assert not solver.step.resume(more=1, from_checkpoint=8).yielded
    assert solver.work[()] == 101
    assert Solver.step._primal.checkpoint_user_labels_by_cp_id == [7, 8]
    assert solver.step._primal.checkpoint_yield_on_args == ["self.stop"] * 2


def test_labels_are_compared_by_value():
    @qd.kernel(graph=True, checkpoints=True)
    def k(a: Flag, y: Flag):
        with qd.checkpoint(Stage.A, yield_on=y):
            for _ in range(1):
                a[()] += 1

    a, y = flag(), flag()
    for label in (Stage.A, 1, True):
        assert k.resume(a, y, from_checkpoint=label).yielded is False
    assert a[()] == 3
    for wrong in ("bad", 1.0, None):
        with pytest.raises(RuntimeError, match="from_checkpoint= must be an int or IntEnum value matching") as met:
            k.resume(a, y, from_checkpoint=wrong)
        assert f"got {wrong!r}." in str(met.value)
    with pytest.raises(RuntimeError) as met:
        k.resume(a, y, from_checkpoint=999)
    assert "from_checkpoint=999 does not match any qd.checkpoint(cp_id=...) in kernel 'k'." in str(met.value)
    assert "Available cp_id labels (source-declaration order): [<Stage.A: 1>]." in str(met.value)
    with pytest.raises(TypeError):
        k.resume(a, y)
    assert a[()] == 3


def test_resume_without_checkpoints():
    @qd.kernel(graph=True)
    def graph(a: Flag):
        for _ in range(1):
            a[()] += 1

    @qd.kernel
    def plain(a: Flag):
        for _ in range(1):
            a[()] += 1

    a = flag()
    for k in (graph, plain):
        with pytest.raises(RuntimeError, match="`from_checkpoint=` is only valid for kernels that contain at least one"):
            k.resume(a, from_checkpoint=1)
        with pytest.raises(RuntimeError, match="must be an int or IntEnum value"):
            k.resume(a, from_checkpoint="x")
    assert a[()] == 0


def test_status_has_two_names():
    status = qd.GraphStatus(True, 3)
    assert status.yielded and status.checkpoint == 3
    with pytest.raises(AttributeError):
        status.other = 1


def test_specialisations_have_their_own_checkpoints():
    @qd.kernel(graph=True, checkpoints=True)
    def k(both: qd.template(), a: Flag, y: Flag):
        if qd.static(both):
            with qd.checkpoint(1, yield_on=y):
                for _ in range(1):
                    a[()] += 1
        with qd.checkpoint(2, yield_on=y):
            for _ in range(1):
                a[()] += 10

    a, y = flag(), flag()
    k(True, a, y)
    assert k._primal.checkpoint_user_labels_by_cp_id == [1, 2]
    k(False, a, y)
    assert k._primal.checkpoint_user_labels_by_cp_id == [2]
    with pytest.raises(RuntimeError, match="does not match any"):
        k.resume(False, a, y, from_checkpoint=1)
    k.resume(True, a, y, from_checkpoint=2)
    assert a[()] == 31


def test_the_derivative_of_a_kernel_with_checkpoints():
    x, y = qd.field(qd.f32, (), needs_grad=True), qd.field(qd.f32, (), needs_grad=True)

    @qd.kernel(graph=True, checkpoints=True)
    def k(stop: Flag):
        with qd.checkpoint(1, yield_on=stop):
            for _ in range(1):
                y[None] += x[None] ** 2
        for _ in range(1):
            y[None] += x[None]

    x[None], y.grad[None] = 3, 1
    k.grad(flag())
    assert x.grad[None] == 7


CHILD = '''
import enum, sys
import quadrants as qd

class Stage(enum.IntEnum):
    FIRST = 0

Flag = qd.types.ndarray(qd.i32, ndim=0)

@qd.data_oriented
class Solver:
    def __init__(self):
        self.work, self.flag, self.n = (qd.ndarray(qd.i32, ()) for _ in range(3))

    @qd.kernel(graph=True, checkpoints=True, fastcache={fastcache})
    def step(self):
        while qd.graph.do_while(self.n):
            with qd.checkpoint(Stage.FIRST, yield_on=self.flag):
                for _ in range(1):
                    self.work[()] += 1
            for _ in range(1):
                self.n[()] -= 1

qd.init(arch=sys.argv[1], offline_cache=True, offline_cache_file_path=sys.argv[2], src_ll_cache=True)
solver = Solver()
solver.flag[()], solver.n[()] = 1, 2
status = solver.step()
own = type(solver).step._primal
assert status.yielded and status.checkpoint is Stage.FIRST, status
assert own.checkpoint_user_labels_by_cp_id == [Stage.FIRST, None] and own.checkpoint_user_labels_by_cp_id[0] is Stage.FIRST
assert "flag" in own.checkpoint_yield_on_args[0] and own.checkpoint_yield_on_cpp_arg_ids[0] >= 0
assert [(level.cond_arg_name, level.parent_id) for level in own.graph_do_while_levels] == [("self.n", -1)]
assert own.graph_do_while_levels[0].cond_cpp_arg_id >= 0
solver.flag[()] = 0
assert not solver.step.resume(from_checkpoint=status.checkpoint).yielded
assert (solver.work[()], solver.n[()]) == (3, 0)
print(own.src_ll_cache_observations.cache_loaded, solver.step._plans()[-1][2]["recalled"])
sys.exit(42)
'''


def test_a_loop_before_the_label_is_skipped():
    @qd.kernel(graph=True, checkpoints=True)
    def k(stop: Flag, n: Flag, loop: Flag):
        while qd.graph.do_while(loop):
            with qd.checkpoint(1, yield_on=stop):
                for _ in range(1):
                    n[()] += 1
            for _ in range(1):
                n[()] += 100
                loop[()] -= 1
        with qd.checkpoint(3, yield_on=stop):
            for _ in range(1):
                n[()] += 10000

    def launched(loop, label):
        stop, n, flag = (qd.ndarray(qd.i32, ()) for _ in range(3))
        flag[()] = loop
        assert not k.resume(stop, n, flag, from_checkpoint=label).yielded
        return n[()], flag[()]

    assert launched(3, 3) == (10000, 3) and launched(0, 3) == (10000, 0)
    assert launched(3, 1) == (10303, 0)


LOCAL = """
import enum, sys
import quadrants as qd

Flag = qd.types.ndarray(qd.i32, ndim=0)
qd.init(arch=sys.argv[1], offline_cache=True, offline_cache_file_path=sys.argv[2])


def main():
    class Local(enum.IntEnum):
        ONLY = 9

    @qd.kernel(graph=True, checkpoints=True)
    def k(f: Flag, n: Flag):
        with qd.checkpoint(Local.ONLY, yield_on=f):
            for _ in range(1):
                n[()] += 3

    f, n = qd.ndarray(qd.i32, ()), qd.ndarray(qd.i32, ())
    f[()] = 1
    assert k(f, n).checkpoint is Local.ONLY
    print(k._plans()[-1][2]["recalled"])


main()
"""


def test_labels_of_a_function_from_the_cache(arch, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(LOCAL)
    for recalled in (False, True):
        command = [sys.executable, str(program), arch, str(tmp_path / "cache")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, env={**os.environ})
        assert done.returncode == 0, done.stderr
        assert done.stdout.split()[-1] == str(recalled)


EXECUTED = """import enum, linecache, sys
import quadrants as qd

class Stage(enum.IntEnum):  # of the module, and not of the code below
    OTHER = 1

SOURCE = '''
import enum
import quadrants as qd

class Stage(enum.IntEnum):
    GROW = 1

def made():
    class Inner(enum.IntEnum):
        LAST = 2
    return Inner

Made = made()
LAST = Made.LAST
Flag = qd.types.ndarray(qd.i32, ndim=0)

class Held:
    class Stage(enum.IntEnum):
        DEEP = 3

@qd.kernel(graph=True, checkpoints=True)
def k(f: Flag, g: Flag, h: Flag, n: Flag):
    with qd.checkpoint(Stage.GROW, yield_on=f):
        for _ in range(1):
            n[()] += 1
    with qd.checkpoint(LAST, yield_on=g):
        for _ in range(1):
            n[()] += 1
    with qd.checkpoint(Held.Stage.DEEP, yield_on=h):
        for _ in range(1):
            n[()] += 1

f, g, h, n = (qd.ndarray(qd.i32, ()) for _ in range(4))
for flag, label in ((f, Stage.GROW), (g, Made.LAST), (h, Held.Stage.DEEP)):
    flag[()] = 1
    found = k(f, g, h, n).checkpoint
    assert found is label, (found, label)
    flag[()] = 0
print(k._plans()[-1][2]["recalled"])
'''

qd.init(arch=sys.argv[1], offline_cache=True, offline_cache_file_path=sys.argv[2])
linecache.cache["<code>"] = len(SOURCE), None, SOURCE.splitlines(True), "<code>"
exec(compile(SOURCE, "<code>", "exec"), {"__name__": "__main__"})
"""


def test_labels_of_executed_code_from_the_cache(arch, tmp_path):
    """The code has the name of a module, but its names are not those of the module."""
    program = tmp_path / "program.py"
    program.write_text(EXECUTED)
    for recalled in (False, True):
        command = [sys.executable, str(program), arch, str(tmp_path / "cache")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, env={**os.environ})
        assert done.returncode == 0, done.stderr
        assert done.stdout.split()[-1] == str(recalled)


@pytest.mark.parametrize("fastcache", (True, False))
def test_kernels_from_the_cache(arch, tmp_path, fastcache):
    program = tmp_path / "solver.py"
    program.write_text(CHILD.replace("{fastcache}", str(fastcache)))
    for recalled in (False, True):
        command = [sys.executable, str(program), arch, str(tmp_path / "cache")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, env={**os.environ})
        assert done.returncode == 42, done.stderr
        assert done.stdout.split()[-2:] == [str(recalled and fastcache), str(recalled)]


def test_labels_that_are_gone_are_ints():
    from quadrants._language.graph import restore_label

    assert restore_label(__name__, "Stage", "2", test_labels_that_are_gone_are_ints) is Stage.B
    assert restore_label(__name__, "Stage", "9", test_labels_that_are_gone_are_ints) == 9 and restore_label("no.such", "Stage", "2", test_labels_that_are_gone_are_ints) == 2
    assert type(restore_label("", "", "3", test_labels_that_are_gone_are_ints)) is int


KILLED = """
import os, signal, sys
import numpy as np
import quadrants as qd

Flag = qd.types.ndarray(qd.i32, ndim=0)
Line = qd.types.ndarray(qd.i32, ndim=1)
qd.init(arch=sys.argv[1], offline_cache=True, offline_cache_file_path=sys.argv[2])


@qd.kernel(graph=True, checkpoints=True)
def k(x: Line, stop: Flag, n: Flag):
    while qd.graph.do_while(n):
        for i in x:
            x[i] += 1
        with qd.checkpoint(7, yield_on=stop):
            for _ in range(1):
                if n[()] == 2 and x[1] < 1000:
                    stop[()] = 1
        for i in x:
            x[i] *= 2
        for _ in range(1):
            n[()] -= 1


x, stop, n = qd.ndarray(qd.i32, 4), qd.ndarray(qd.i32, ()), qd.ndarray(qd.i32, ())
kept = sys.argv[3]
if not os.path.exists(kept):
    n[()] = 3
    assert k(x, stop, n).checkpoint == 7
    np.savez(kept, x=x.to_numpy(), n=n.to_numpy())
    k.resume(x, stop, n, from_checkpoint=7)  # what it does is lost, and its flag yields again
    print("killed", flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
held = np.load(kept)
x.from_numpy(held["x"] + 1000)
n.from_numpy(held["n"])
status = k.resume(x, stop, n, from_checkpoint=7)
assert not status.yielded
print(x.to_numpy().tolist(), n[()], k._plans()[-1][2]["recalled"])
"""


def test_a_process_killed_between_yield_and_resume(arch, tmp_path):
    """The state is in arrays. The cache entries that the killed process left are valid, and the next process continues from the
    checkpoint."""
    program = tmp_path / "program.py"
    program.write_text(KILLED)
    command = [sys.executable, str(program), arch, str(tmp_path / "cache"), str(tmp_path / "kept.npz")]
    first = subprocess.run(command, capture_output=True, text=True, timeout=120, env={**os.environ})
    assert first.returncode == -signal.SIGKILL and first.stdout.endswith("killed\n"), first.stderr
    for recalled in (None, True):  # the first of these may run before the cache entry was written
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, env={**os.environ})
        assert done.returncode == 0, done.stderr
        # [2, 2, 2, 2] after a pass, 3 where it yielded; 1000 more; then twice, and the last pass
        *values, left, found = done.stdout.splitlines()[-1].rsplit(" ", 2)
        assert (values, left) == ([str([(1003 * 2 + 1) * 2] * 4)], "0") and (recalled is None or found == "True")


def test_expressions_that_do_nothing_in_a_checkpoint():
    @qd.kernel(graph=True, checkpoints=True)
    def k(x: qd.types.NDArray[qd.i32, 1], flag: qd.types.NDArray[qd.i32, 0]):
        with qd.checkpoint(1, yield_on=flag):
            "what it does"
            5
            ...
            for i in x:
                x[i] += 1

    x, flag = qd.ndarray(qd.i32, 3), qd.ndarray(qd.i32, ())
    assert not k(x, flag).yielded and x.to_numpy().tolist() == [1] * 3
    assert k._primal.use_graph is True and k._primal.use_checkpoints is True


def test_names_of_checkpoints():
    from quadrants.lang import misc

    @qd.kernel
    def plain():
        pass

    assert misc.checkpoint is qd.checkpoint and misc.GraphStatus is qd.GraphStatus
    assert plain._primal.use_graph is False and plain._primal.use_checkpoints is False
    assert "xperimental" in qd.checkpoint.__doc__ and "xperimental" in qd.GraphStatus.__doc__
