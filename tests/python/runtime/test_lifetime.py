"""qd.init and qd.reset, the objects that outlive them, options, and memory over thousands of cycles."""

import gc
import os
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest
import quadrants as qd
from quadrants import _native


@qd.kernel
def bump(x: qd.types.ndarray(qd.i32, ndim=1)):
    for i in x:
        x[i] += 1


def test_objects_of_an_ended_program(arch):
    x = qd.ndarray(qd.i32, 3)
    f = qd.field(qd.i32, 3)
    f[0] = 1
    bump(x)
    qd.init(arch=arch, offline_cache=False)
    with pytest.raises(RuntimeError, match="ndarray belongs to a runtime that"):
        x[0]
    with pytest.raises(RuntimeError, match="field belongs to a runtime that"):
        f[0]
    with pytest.raises(RuntimeError, match="ndarray belongs to a runtime that"):
        bump(x)

    @qd.kernel
    def uses_field():
        f[0] = 1

    with pytest.raises(RuntimeError, match="belongs to a runtime that"):
        uses_field()
    y = qd.ndarray(qd.i32, 3)
    bump(y)
    assert y[0] == 1
    del x, f
    gc.collect()
    bump(y)
    assert y[0] == 2


def test_fields_of_an_ended_program_that_never_had_memory(arch):
    """They are dead like other fields, whatever their elements are."""
    for each in (arch, qd.python):
        qd.init(arch=each, offline_cache=False)
        x, v, m = qd.field(qd.f32, ()), qd.Vector.field(3, qd.f32, 4), qd.Matrix.field(2, 2, qd.f32, 4, needs_grad=True)
        soa = qd.Vector.field(2, qd.f32, shape=4, layout=qd.Layout.SOA)
        s = qd.Struct.field({"a": qd.f32, "b": qd.types.vector(2, qd.f32)}, shape=3)
        y, z = qd.field(qd.f32), qd.field(qd.f32)
        level = qd.root.dense(qd.i, 3)
        level.place(y)
        builder = qd.FieldsBuilder()
        builder.dense(qd.i, 3).place(z)
        with_memory = qd.Vector.field(2, qd.f32, 2)
        with_memory[0] = [1, 2]

        @qd.kernel
        def read() -> qd.f32:
            return v[1].x

        qd.init(arch=each, offline_cache=False)
        w = qd.Vector.field(2, qd.f32)
        dead = [
            lambda: x[None], lambda: v[2], lambda: m[1], lambda: m.grad[1], lambda: soa[0], lambda: s[1], lambda: s.b[1],
            lambda: y[1], lambda: z[1], lambda: with_memory[0], lambda: v.fill(3), lambda: s.fill(0), lambda: v.to_numpy(),
            lambda: x.from_numpy(np.float32(1)), lambda: builder.finalize(), lambda: level.place(qd.field(qd.f32, name="late")), read,
            lambda: x.__setitem__(None, 1), lambda: v.__setitem__(0, [1, 2, 3]),
        ]  # fmt: skip
        qd.root.dense(qd.i, 3).place(w)
        for use in dead:
            with pytest.raises(RuntimeError, match="field belongs to a runtime that"):
                use()
        qd.root.lazy_grad()
        assert w[1].to_list() == [0, 0] and w.has_grad() and not v.has_grad()


def test_without_init():
    qd.reset()
    assert qd.cfg is None
    for use in (lambda: bump(np.zeros(3, np.int32)), lambda: qd.ndarray(qd.i32, 3), lambda: qd.field(qd.i32, 3)[0], qd.sync):
        with pytest.raises(RuntimeError, match="call qd.init"):
            use()


def test_memory_is_freed():
    core = _native.core()
    before = core.allocated_bytes()
    x = qd.ndarray(qd.f64, 100_000)
    f = qd.field(qd.f64, 100_000)
    f[0] = 1
    assert core.allocated_bytes() >= before + 1_600_000
    del x, f
    gc.collect()
    assert core.allocated_bytes() == before


def test_a_kernel_keeps_the_fields_it_uses():
    def make():
        f = qd.field(qd.i32, 4)

        @qd.kernel
        def k() -> qd.i32:
            f[0] += 1
            return f[0]

        return k

    k = make()
    k()
    gc.collect()
    others = [qd.field(qd.i32, 4) for _ in range(3)]
    for other in others:
        other.fill(100)
    assert k() == 2


def test_thousands_of_cycles(arch):
    def resident():
        with open("/proc/self/statm") as f:
            return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def cycles(n):
        for _ in range(n):
            qd.init(arch=arch, offline_cache=False)
            x = qd.ndarray(qd.f32, 1000)
            f = qd.field(qd.f32, 1000)
            f[3] = x[2]
            qd.reset()

    cycles(300)
    before = resident()
    cycles(700)
    assert resident() - before < 4 << 20


def test_kernels_with_struct_arguments_are_collected(arch):
    """The argument's type references a method, which references the kernel."""
    kept = {}

    @qd.dataclass
    class Pair:
        n: qd.i32

        @qd.func
        def more(self):
            return self.n + qd.static(len(kept))

    @qd.kernel
    def k(p: Pair) -> Pair:
        return Pair(p.more())

    kept["k"] = k
    assert k(Pair(n=2)).n == 3
    known = weakref.ref(k)
    del Pair, k, kept
    gc.collect()
    assert known() is None


def test_options():
    with pytest.raises(KeyError, match="Unrecognized keyword argument.s. for qd.init: nonsense"):
        qd.init(nonsense=1)
    qd.init(arch="interp", debug=True, random_seed=7, offline_cache=False, flatten_if=True)
    assert qd.cfg.debug and qd.cfg.check_out_of_bound and qd.cfg.random_seed == 7 and qd.cfg.flatten_if
    assert qd.cfg.arch.name == "interp"
    for wrong in ({"default_fp": qd.i32}, {"default_ip": qd.f32}, {"default_ip": qd.i16}):
        with pytest.raises(AssertionError, match="must be one of qd"):
            qd.init(arch="interp", **wrong)
    with pytest.raises(Exception, match="requires version"):
        qd.init(arch="interp", require_version="99.0.0")
    with pytest.warns(UserWarning, match="falling back to CPU"):
        qd.init(arch=qd.vulkan, offline_cache=False)
    assert qd.cfg.arch == qd.cpu
    with pytest.raises(RuntimeError, match="is not supported"):
        qd.init(arch=qd.cuda, enable_fallback=False)


def test_options_from_the_environment(monkeypatch):
    monkeypatch.setenv("QD_DEFAULT_FP", "64")
    monkeypatch.setenv("QD_FAST_MATH", "0")
    monkeypatch.setenv("QD_RANDOM_SEED", "")
    monkeypatch.setenv("QD_ARCH", "interp")
    for name, text in (("DEFAULT_FP", "f32"), ("DEFAULT_IP", "16")):
        with monkeypatch.context() as wrong, pytest.raises(ValueError, match=f"Invalid QD_{name}={text}, should be 32 or 64"):
            wrong.setenv(f"QD_{name}", text)
            qd.init(arch=qd.cpu, offline_cache=False)
    qd.init(arch=qd.cpu, offline_cache=False)
    assert qd.cfg.default_fp == qd.f64 and qd.cfg.fast_math is False and qd.cfg.random_seed == 0
    assert qd.cfg.arch.name == "interp"
    qd.init(fast_math=True, offline_cache=False)
    assert qd.cfg.fast_math is True


def test_init_prints_where_it_runs(capsys):
    qd.init(arch=qd.cpu, offline_cache=False)
    assert capsys.readouterr().out == f"[Quadrants] Starting on arch={qd.cpu.name}\n"
    qd.init(arch=qd.cpu, offline_cache=False, log_level=qd.ERROR)
    assert capsys.readouterr().out == ""
    qd.init(arch=qd.cpu, offline_cache=False)
    assert capsys.readouterr().out != ""


def test_header_line():
    environment = {**os.environ, "ENABLE_QUADRANTS_HEADER_PRINT": "1"}
    run = lambda env: subprocess.run([sys.executable, "-c", "import quadrants"], env=env, capture_output=True, text=True)  # noqa: E731
    assert run(environment).stdout.startswith("[Quadrants] version 0.1.0, llvm ")
    assert run({**environment, "ENABLE_QUADRANTS_HEADER_PRINT": "0"}).stdout == ""
    for level in ("warn", "error", "critical", "off"):
        assert run({**environment, "QD_LOG_LEVEL": level}).stdout == ""
    for level in ("trace", "debug", "info"):
        assert run({**environment, "QD_LOG_LEVEL": level}).stdout.startswith("[Quadrants] version ")


@pytest.mark.parametrize("level", ["warn", "error", "critical", "off"])
def test_output_of_init_follows_its_level(level):
    """The line printed at import comes earlier, and depends only on the variable."""
    environment = {**os.environ, "ENABLE_QUADRANTS_HEADER_PRINT": "1"}
    program = f"import quadrants as qd; qd.init(arch=qd.cpu, log_level={level!r})"
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert [line.split()[1] for line in done.stdout.splitlines()] == ["version"], done.stdout + done.stderr


def test_windows_are_imported_when_they_are_used():
    program = (
        "import sys, quadrants as qd; qd.init(); dir(qd); "
        "print([m for m in sys.modules if m.startswith('quadrants._windows') or m in ('quadrants.ui', 'json', 'socket', 'mmap')])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "[]", done.stdout + done.stderr


def test_exit_without_reset():
    program = (
        "import quadrants as qd\nqd.init(arch=qd.cpu)\nx = qd.ndarray(qd.i32, 5)\nf = qd.field(qd.i32, 5)\nf[0] = 1\n"
        "print('done')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.endswith("done\n") and done.stderr == ""


def test_import_is_light():
    program = "import sys, quadrants as qd; qd.init(); heavy = {'numpy', 'inspect', 'ast', 're', 'dask', 'distributed', 'multiprocessing'} & set(sys.modules); print(heavy)"
    environment = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(qd.__file__))}
    done = subprocess.run([sys.executable, "-S", "-c", program], env=environment, capture_output=True, text=True)
    assert done.stdout.endswith("set()\n"), done.stdout + done.stderr


def test_threads_may_launch_at_once():
    import threading

    @qd.kernel
    def work(x: qd.types.ndarray(qd.i32, ndim=1), n: qd.i32):
        for i in x:
            for _ in range(n):
                x[i] += 1

    arrays = [qd.ndarray(qd.i32, 200) for _ in range(4)]
    errors = []

    def run(a):
        try:
            for _ in range(20):
                work(a, 50)
        except BaseException as e:  # noqa: BLE001
            errors.append(e)

    threads = [threading.Thread(target=run, args=(a,)) for a in arrays]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not errors
    assert all((a.to_numpy() == 1000).all() for a in arrays)


def test_cfg_is_live():
    @qd.kernel
    def half() -> float:
        return 1 / 3

    @qd.kernel
    def half_again() -> float:
        return 1 / 3

    assert half() == float(np.float32(1 / 3))
    qd.cfg.default_fp = qd.f64
    assert half_again() == 1 / 3
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        qd.cfg.nonsense = 1
    with pytest.raises(TypeError, match="the option debug must be a bool"):
        qd.cfg.debug = "yes"


def test_floats_as_template_values(arch):
    @qd.kernel
    def k(a: qd.template()) -> float:
        return a

    assert k(1.5) == 1.5
    qd.init(arch=arch, raise_on_templated_floats=True, offline_cache=False)
    with pytest.raises(ValueError, match="template"):
        k(1.5)


def double(x):
    return x * 2


def made_now():
    return qd.func(double)


def holder_made_now():
    class Holder:
        func = qd.func(double)

    return Holder


@pytest.mark.filterwarnings("ignore:Calling non-quadrants function")
def test_funcs_made_while_a_kernel_is_compiled():
    """The compiler holds references to the objects it meets until it has finished."""

    @qd.kernel
    def called(x: qd.f32) -> qd.f32:
        return qd.func(double)(x) + qd.sin(qd.func(double)(x))

    @qd.kernel
    def returned(x: qd.f32) -> qd.f32:
        return made_now()(x) + made_now()(x)

    @qd.kernel
    def chosen(x: qd.f32) -> qd.f32:
        return qd.static(qd.func(double))(x) + qd.static([qd.func(double)])[0](x)

    @qd.kernel
    def held(x: qd.f32) -> qd.f32:
        return holder_made_now().func(x)

    @qd.kernel
    def bound(x: qd.f32) -> qd.f32:
        f = qd.static(made_now())
        s = 0.0
        for i in qd.static(range(3)):
            s += f(x)
        return s

    for _ in range(3):
        assert called(0.0) == 0 and returned(1.0) == 4 and chosen(1.0) == 4 and held(1.0) == 2 and bound(1.0) == 6
        gc.collect()


def test_numbers_that_are_arguments_of_funcs():
    """The objects are replaced by their values while the other arguments are matched."""

    @qd.func
    def three(a, b, c: qd.f32) -> qd.i32:
        return qd.i32(a + b + c)

    @qd.kernel
    def k(x: qd.f32) -> qd.i32:
        return three(qd.cast(1.25 + 2.5, qd.f32), three(x, 1.5, c=7.75), -0.25 * 2) + three(1e3 / 7, -0.3 * 5, 1.5 * 3)

    assert k(0.75) == 13 + 145


def _readers():
    from quadrants._coverage import counts
    from quadrants._gradients import memory
    from quadrants._inspect.graphs import Graphs
    from quadrants._live import activity, adstack, kept, tasks
    from quadrants._live.counts import unfinished_now

    return {
        "adstack": memory.memory_now, "report": memory.memory_report, "lines of gradients": kept.adstack_now, "adstacks": adstack.Adstack().take,
        "counts": counts._by_kernel, "stamp": counts._stamp, "unfinished": unfinished_now, "activity": activity.now, "tasks": tasks.Tasks().rows,
        "changed tasks": tasks.Tasks().take, "graphs": Graphs().take, "updates": lambda: _native.core().last_updates(),
        "task runs": lambda: _native.core().task_runs(),
    }  # fmt: skip


@pytest.mark.parametrize("name", _readers())
def test_views_of_other_threads_may_read_while_programs_begin_and_end(name):
    read, wrong, stopping = _readers()[name], [], threading.Event()

    def follow():
        while not stopping.is_set() and not wrong:
            try:
                read()
            except Exception as error:
                wrong.append(error)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    threads = [threading.Thread(target=follow) for _ in range(2)]
    try:
        for thread in threads:
            thread.start()
        for _ in range(30):
            qd.init(arch=qd.cpu, log_level=qd.ERROR, offline_cache=False)
            qd.reset()
    finally:
        stopping.set()
        for thread in threads:
            thread.join()
        sys.setswitchinterval(before)
    assert not wrong, repr(wrong[0])
