"""Kernels with graph=True: do_while levels in every form, counters, Stop."""

import dataclasses
import os
import signal
import threading
import time
import warnings

import numpy as np
import pytest
import quadrants as qd
from quadrants.lang import impl

Flag = qd.types.ndarray(qd.i32, ndim=0)
Line = qd.types.ndarray(qd.i32, ndim=1)


def flag(value=0):
    made = qd.ndarray(qd.i32, ())
    made[()] = value
    return made


def line(n=4):
    return qd.ndarray(qd.i32, n)


def test_a_plain_graph_is_the_kernel(arch):
    def body(x: Line, s: qd.f32) -> qd.f32:
        for i in x:
            x[i] += 1
        for i in x:
            x[i] *= 2
        return s + 1

    x, y = line(), line()
    body.__annotations__ = {"x": Line, "s": qd.f32, "return": qd.f32}
    assert qd.kernel(graph=True)(body)(x, 2.5) == qd.kernel(body)(y, 2.5) == 3.5
    assert x.to_numpy().tolist() == y.to_numpy().tolist() == [2] * 4


def test_code_that_gpus_refuse_is_accepted():
    @qd.kernel(graph=True)
    def on_numpy(x: Line, c: Flag) -> qd.types.vector(2, qd.i32):
        while qd.graph.do_while(c):
            for i in x:
                x[i] += 1
            c[()] -= 1
        return qd.Vector([x[0], c[()]])

    x, c = np.zeros(3, np.int32), np.array(4, np.int32)
    # a kernel with levels may not contain a return statement
    with pytest.raises(qd.QuadrantsSyntaxError, match="the kernel body may not contain a Return statement"):
        on_numpy(x, c)

    @qd.kernel(graph=True)
    def counted(x: Line, c: Flag):
        while qd.graph.do_while(c):
            for i in x:
                x[i] += 1
            c[()] -= 1

    counted(x, c)
    assert x.tolist() == [4, 4, 4] and c == 0

    pair = qd.types.struct(a=qd.i32, b=qd.f32)

    @qd.kernel(graph=True)
    def struct(n: qd.i32) -> pair:
        return pair(n, 0.5)

    assert struct(3).a == 3 and struct(3).b == 0.5

    f = qd.field(qd.f32, (), needs_grad=True)
    y = qd.field(qd.f32, (), needs_grad=True)

    @qd.kernel(graph=True)
    def square():
        for _ in range(1):
            y[None] += f[None] ** 2

    f[None], y.grad[None] = 3, 1
    square.grad()
    assert f.grad[None] == 6


def test_counts():
    @qd.kernel(graph=True)
    def k(x: Line, c: Flag):
        while qd.graph.do_while(c):
            for i in x:
                x[i] += 1
            c[()] -= 1

    for turns, passes in ((5, 5), (1, 1)):
        x, c = line(), flag(turns)
        k(x, c)
        assert x.to_numpy().tolist() == [passes] * 4 and c[()] == 0


def test_the_body_runs_once_with_a_flag_of_0():
    @qd.kernel(graph=True)
    def k(x: Line, c: Flag):
        while qd.graph.do_while(c):
            for i in x:
                x[i] += 1

    x = line()
    k(x, flag(0))
    assert x.to_numpy().tolist() == [1] * 4


def test_any_flag_but_0_continues_the_loop():
    @qd.kernel(graph=True)
    def k(x: Line, c: Flag):
        while qd.graph.do_while(c):
            for i in x:
                x[i] += 1
            c[()] += 1

    x, c = line(), flag(-3)
    k(x, c)
    assert x.to_numpy().tolist() == [3] * 4 and c[()] == 0


def test_levels_in_levels():
    @qd.kernel(graph=True)
    def k(x: Line, a: Flag, b: Flag, c: Flag):
        while qd.graph.do_while(a):
            b[()] = 3
            while qd.graph.do_while(b):
                c[()] = 4
                for i in range(1):
                    x[1] += 1
                while qd.graph.do_while(c):
                    for i in range(1):
                        x[2] += 1
                    c[()] -= 1
                b[()] -= 1
            for i in range(1):
                x[0] += 1
            a[()] -= 1

    x = line()
    k(x, flag(2), flag(), flag())
    assert x.to_numpy().tolist() == [2, 6, 24, 0]
    levels = k._primal.graph_do_while_levels
    assert [(level.cond_arg_name, level.parent_id) for level in levels] == [("a", -1), ("b", 0), ("c", 1)]
    assert len({level.cond_cpp_arg_id for level in levels}) == 3 and min(level.cond_cpp_arg_id for level in levels) >= 0
    assert k._primal.graph_do_while_arg == "a"


def test_sibling_levels_and_the_code_between_them():
    @qd.kernel(graph=True)
    def k(x: Line, a: Flag, b: Flag):
        x[0] += 1
        while qd.graph.do_while(a):
            x[1] += 1
            for i in range(1):
                x[2] += 1
            a[()] = a[()] - 1
        x[0] += 10
        b[()] = x[2]
        while qd.graph.do_while(b):
            for i in range(1):
                x[3] += 1
            b[()] = b[()] - 1
        for i in range(1):
            x[0] += 100

    x = line()
    k(x, flag(4), flag())
    assert x.to_numpy().tolist() == [111, 4, 4, 4]


def test_a_flag_of_two_loops():
    @qd.kernel(graph=True)
    def k(x: Line, c: Flag):
        while qd.graph.do_while(c):
            for i in range(1):
                x[0] += 1
            c[()] -= 1
        c[()] = 2
        while qd.graph.do_while(c):
            for i in range(1):
                x[1] += 1
            c[()] -= 1

    x = line()
    k(x, flag(3))
    assert x.to_numpy().tolist() == [3, 2, 0, 0]


def test_limits_are_read_in_each_pass():
    @qd.kernel(graph=True)
    def k(x: Line, n: Flag, c: Flag):
        while qd.graph.do_while(c):
            for i in range(n[()]):
                x[i] += 1
            n[()] += 1
            c[()] -= 1

    x = line()
    k(x, flag(0), flag(4))
    assert x.to_numpy().tolist() == [3, 2, 1, 0]


def test_limits_are_read_in_each_pass_with_checks(arch):
    qd.init(arch=arch, offline_cache=False, debug=True)
    test_limits_are_read_in_each_pass()


def test_variables_live_through_the_turns():
    @qd.kernel(graph=True)
    def k(x: Line, c: Flag):
        total = 1
        while qd.graph.do_while(c):
            step = c[()] * 2
            for i in range(2):
                x[i] += step
            total = total + step
            c[()] -= 1
        x[3] = total

    x = line()
    k(x, flag(3))
    assert x.to_numpy().tolist() == [12, 12, 0, 13]


def test_funcs_in_and_around_levels():
    @qd.func
    def inner(x: qd.template()):
        for i in range(2):
            x[i] += 1
        for i in range(2):
            x[i] *= 2

    @qd.func
    def looped(x: qd.template(), c: qd.template()):
        while qd.graph.do_while(c):
            inner(x)
            c[()] -= 1

    @qd.kernel(graph=True)
    def k(x: Line, c: Flag, d: Flag):
        looped(x, c)
        while qd.graph.do_while(d):
            inner(x)
            d[()] -= 1

    x = line(2)
    k(x, flag(2), flag(1))
    assert x.to_numpy().tolist() == [14, 14]
    assert impl.get_runtime().prog.get_num_offloaded_tasks_on_last_call() >= 4


def test_fields_and_other_parameters():
    f, g = qd.field(qd.i32, 3), qd.field(qd.i32, 3)

    @qd.kernel(graph=True)
    def k(f: qd.template(), by: qd.i32, c: Flag):
        while qd.graph.do_while(c):
            for i in f:
                f[i] += by
            c[()] -= 1

    k(f, 2, flag(3))
    k(g, 5, flag(2))
    k(f, 1, flag(1))
    assert f.to_numpy().tolist() == [7] * 3 and g.to_numpy().tolist() == [10] * 3


def test_flags_that_are_members():
    @dataclasses.dataclass
    class Params:
        x: Line
        counter: Flag

    @qd.kernel(graph=True)
    def of_dataclass(params: Params):
        while qd.graph.do_while(params.counter):
            for i in params.x:
                params.x[i] += 1
            params.counter[()] -= 1

    params = Params(line(), flag(3))
    of_dataclass(params)
    assert params.x.to_numpy().tolist() == [3] * 4
    assert of_dataclass._primal.graph_do_while_arg == "__qd_params__qd_counter"

    @qd.data_oriented
    class Loop:
        def __init__(self):
            self.x, self.counter = line(), flag()
            self.n = 3

        @qd.kernel(graph=True)
        def step(self):
            while qd.graph.do_while(self.counter):
                for i in self.x:
                    self.x[i] += 1
                self.counter[()] -= 1

        @qd.kernel(graph=True)
        def by_number(self):
            while qd.graph.do_while(self.n):
                for i in self.x:
                    self.x[i] += 1

        @qd.kernel(graph=True)
        def by_nothing(self):
            while qd.graph.do_while(self.absent):
                for i in self.x:
                    self.x[i] += 1

    loop = Loop()
    loop.counter[()] = 6
    loop.step()
    assert loop.x.to_numpy().tolist() == [6] * 4
    assert Loop.step._primal.graph_do_while_arg == loop.step._primal.graph_do_while_arg == "self.counter"
    loop.counter = flag(2)
    loop.step()
    assert loop.x.to_numpy().tolist() == [8] * 4
    for wrong, shown in ((loop.by_number, "self.n"), (loop.by_nothing, "self.absent")):
        with pytest.raises(qd.QuadrantsSyntaxError, match=f"got '{shown}' which does not resolve to an ndarray kernel parameter"):
            wrong()


def test_flags_with_one_element():
    @qd.kernel(graph=True)
    def k(x: Line, c: Line):
        while qd.graph.do_while(c):
            for i in x:
                x[i] += 1
            c[0] -= 1

    x, c = line(), line(1)
    c[0] = 3
    k(x, c)
    assert x.to_numpy().tolist() == [3] * 4
    for elements, shown in ((0, "no"), (2, "2")):
        with pytest.raises(RuntimeError, match=f"an array used as the flag of a graph has {shown} elements; a flag must have one"):
            k(x, np.zeros(elements, np.int32))


def test_swapped_arrays_take_effect():
    @qd.kernel(graph=True)
    def k(x: Line, c: Flag):
        while qd.graph.do_while(c):
            for i in x:
                x[i] += 1
            c[()] -= 1

    x, one, other = line(), flag(2), flag(5)
    k(x, one)
    k(x, other)
    assert x.to_numpy().tolist() == [7] * 4 and one[()] == other[()] == 0
    k(line(9), flag(1))
    assert k._specialisations() == 1


def test_after_reset(arch):
    @qd.kernel(graph=True)
    def k(x: Line, c: Flag):
        while qd.graph.do_while(c):
            for i in x:
                x[i] += 1
            c[()] -= 1

    k(line(), flag(2))
    qd.init(arch=arch, offline_cache=False)
    x = line()
    k(x, flag(2))
    assert x.to_numpy().tolist() == [2] * 4


def test_at_python_scope():
    assert qd.graph.do_while(None) is True
    with qd.graph.parallel_context(), qd.graph.parallel(), qd.checkpoint(None, None), qd.checkpoint(1, yield_on=None):
        pass
    assert qd.graph_do_while is qd.graph.do_while
    assert qd.graph_parallel is qd.graph.parallel and qd.graph_parallel_context is qd.graph.parallel_context


def test_other_spellings():
    from quadrants import graph
    from quadrants import graph_do_while

    @qd.kernel(graph=True)
    def new(x: Line, c: Flag, d: Flag):
        while graph.do_while(c):
            for i in x:
                x[i] += 1
            c[()] -= 1
        while qd.graph.do_while(d):
            for i in x:
                x[i] += 1
            d[()] -= 1

    @qd.kernel(graph=True)
    def old(x: Line, c: Flag, d: Flag):
        while qd.graph_do_while(c):
            for i in x:
                x[i] += 1
            c[()] -= 1
        while graph_do_while(d):
            for i in x:
                x[i] += 1
            d[()] -= 1
        with qd.graph_parallel_context():
            with qd.graph_parallel():
                for i in x:
                    x[i] += 1

    x = line()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        new(x, flag(2), flag(1))
    with warnings.catch_warnings(record=True) as met:
        warnings.simplefilter("always")
        old(x, flag(2), flag(1))
        old(x, flag(1), flag(1))
    assert x.to_numpy().tolist() == [3 + 4 + 3] * 4
    met = [str(w.message) for w in met if w.category is DeprecationWarning]
    assert len(met) == 4
    for n, word in enumerate(("do_while", "do_while", "parallel_context", "parallel")):
        assert f"qd.graph_{word}() is deprecated and will be removed in a future release; use qd.graph.{word}() instead." == met[n]


def test_the_module_of_spellings():
    import ast

    from quadrants.lang.ast.ast_transformers import graph_api

    def node(text):
        return ast.parse(text, mode="eval").body

    for text in ("qd.graph.do_while", "graph.do_while", "qd.graph_do_while", "graph_do_while", "q.graph.do_while"):
        assert graph_api.matches(node(text), "do_while"), text
        assert graph_api.is_deprecated_spelling(node(text), "do_while") == ("graph_" in text)
        assert not graph_api.matches(node(text), "parallel")
    for text in ("do_while", "qd.do_while", "other.thing.do_while", "f().do_while", "qd.graph"):
        assert not graph_api.matches(node(text), "do_while"), text
    with pytest.warns(DeprecationWarning, match=r"qd.graph_parallel\(\) is deprecated .* use qd.graph.parallel\(\)"):
        graph_api.warn_if_deprecated(node("qd.graph_parallel"), "parallel")


def test_launcher_counters():
    prog = impl.get_runtime().prog

    @qd.kernel(graph=True)
    def k(x: Line):
        for i in x:
            x[i] += 1
        for i in x:
            x[i] += 1

    assert prog.get_graph_last_yield_cp_id_on_last_call() == -1
    k(line())
    assert prog.get_num_offloaded_tasks_on_last_call() == 2
    for name in ("cache_size", "num_nodes_on_last_call", "num_checkpoints_on_last_call", "total_builds"):
        assert getattr(prog, f"get_graph_{name}")() == 0
    assert prog.get_graph_cache_used_on_last_call() is False


def test_streams_are_refused():
    @qd.kernel(graph=True)
    def k(x: Line):
        for i in x:
            x[i] += 1

    with pytest.raises(RuntimeError, match="qd_stream is not compatible with graph=True kernels"):
        k(line(), qd_stream=qd.create_stream())


def test_a_failed_assertion_ends_the_loop(arch):
    qd.init(arch=arch, offline_cache=False, debug=True)

    @qd.kernel(graph=True)
    def k(x: Line, c: Flag):
        while qd.graph.do_while(c):
            for i in range(1):
                x[0] += 1
                assert x[0] < 3

    x = line()
    with pytest.raises(AssertionError):
        k(x, flag(1))
    assert x[0] == 3
    k(x_ok := line(), flag(0))
    assert x_ok[0] == 1


def test_stop_in_an_endless_loop():
    @qd.kernel(graph=True)
    def k(x: Line, c: Flag):
        while qd.graph.do_while(c):
            for i in x:
                x[i] += 1

    x, c = line(), flag(0)
    k(x, c)
    c[()] = 1
    pressed = []

    def press():
        time.sleep(0.3)
        pressed.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        k(x, c)
    late = time.monotonic() - pressed[0]
    print(f"Stop ends the launch within {1e3 * late:.0f} ms")
    thread.join()
    assert late < 0.5
    before = int(x[0])
    assert before > 1
    c[()] = 0
    k(x, c)
    assert x[0] == before + 1


def test_threads_launch_the_same_graph():
    @qd.kernel(graph=True)
    def k(x: Line, c: Flag):
        while qd.graph.do_while(c):
            for i in x:
                x[i] += 1
            c[()] -= 1

    arrays = [(line(), flag()) for _ in range(3)]
    k(line(), flag(1))

    def work(x, c):
        for _ in range(20):
            c[()] = 7
            k(x, c)

    threads = [threading.Thread(target=work, args=pair) for pair in arrays]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(x.to_numpy().tolist() == [140] * 4 for x, _ in arrays)


def test_many_turns_without_growth(arch):
    if arch == "far":
        pytest.skip("each turn opens and closes the memory of the device")
    import resource

    @qd.kernel(graph=True)
    def k(x: Line, c: Flag):
        while qd.graph.do_while(c):
            for i in range(1):
                x[0] += 1
            c[()] -= 1

    turns = 1_000_000 if arch == "cpu" else 20_000
    x = line()
    k(x, flag(1000))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    k(x, flag(turns))
    assert x[0] == turns + 1000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 4096  # kB


def test_without_recorded_graphs():
    """With QD_GRAPH=0, devices with native graphs launch task by task; the kernel is the same."""
    import subprocess
    import sys

    program = (
        "import quadrants as qd; qd.init(offline_cache=False)\n"
        "import test_graph as t; t.test_counts(); t.test_levels_in_levels(); print('right')"
    )
    environment = {**os.environ, "QD_GRAPH": "0", "PYTHONPATH": os.path.dirname(__file__)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=120)
    assert done.stdout.endswith("right\n"), done.stderr


def test_as_python(both):
    """qd.python runs levels and regions too, and refuses checkpoints."""

    def program():
        @qd.kernel(graph=True)
        def k(x: Line, a: Flag, b: Line):
            while qd.graph.do_while(a):
                b[0] = 2
                while qd.graph.do_while(b):
                    with qd.graph.parallel_context():
                        with qd.graph.parallel():
                            for i in x:
                                x[i] += i
                        with qd.graph.parallel():
                            for i in range(1):
                                x[0] += 1
                    b[0] -= 1
                a[()] -= 1

        x = line()
        k(x, flag(3), line(1))
        return x.to_numpy()

    assert both(program).tolist() == [6, 6, 12, 18]

    @qd.kernel(graph=True, checkpoints=True)
    def k(a: Flag):
        with qd.checkpoint(1, yield_on=a):
            for i in range(1):
                a[()] = 1

    assert k(flag()).yielded
    qd.init(arch=qd.python)
    with pytest.raises(qd.QuadrantsRuntimeError, match="qd.checkpoint needs an arch that compiles kernels"):
        k(flag())


def test_stop_while_another_thread_loops_for_ever(arch):
    """Reading an array may have to wait for the endless loop; Ctrl-C ends both."""

    @qd.kernel(graph=True)
    def k(x: Line, n: Flag):
        while qd.graph.do_while(n):
            for i in x:
                x[i] += 1

    x, n, other = qd.ndarray(qd.i32, 4), flag(), qd.ndarray(qd.i32, 4)
    k(x, n)
    n[()] = 1
    ended = []

    def endless():
        try:
            k(x, n)
        except qd.QuadrantsInterruptedError:
            ended.append(time.monotonic())

    thread = threading.Thread(target=endless)
    thread.start()
    time.sleep(0.2)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    pressed = time.monotonic() + 0.3
    try:
        while time.monotonic() < pressed + 20:
            other[0]
            time.sleep(0.001)
    except KeyboardInterrupt:
        pass
    assert time.monotonic() < pressed + 5
    thread.join(20)
    assert not thread.is_alive() and len(ended) == 1
    assert other.to_numpy().tolist() == [0] * 4
