"""The options of qd.init, the names in qd and its namespaces, logging, and the options of @qd.kernel."""

import enum
import json
import math
import os
import pathlib
import subprocess
import sys
import warnings

import numpy as np
import pytest
import quadrants as qd
from quadrants import _environment, _native, _options, _runtime

# Names


NAMESPACES = {
    "graph": "do_while parallel parallel_context",
    "ad": "FwdMode Tape clear_all_gradients grad_for grad_replaced memory_report no_grad",
    "algorithms": """PrefixSumExecutor exclusive_scan_add exclusive_scan_max exclusive_scan_min exclusive_scan_scratch_slots
        parallel_sort reduce_add reduce_by_key_add reduce_by_key_scratch_slots reduce_max reduce_min reduce_scratch_slots
        select select_scratch_slots sort sort_scratch_slots""",
    "interop": "get_mps_command_queue",
    "sparse": "grid usage",
}


@pytest.mark.parametrize("name", NAMESPACES)
def test_namespaces(name):
    assert [n for n in dir(getattr(qd, name)) if n[0] not in "_@"] == sorted(NAMESPACES[name].split())


def test_names_outside_dir(arch):
    hidden = "cfg outer __version__ __version_str__ _Tensor _VectorTensor _MatrixTensor _wrap _logging _lib _snode".split()
    for name in hidden:
        assert hasattr(qd, name), name
        assert name.startswith("_") or name not in dir(qd)
    assert qd._Tensor is qd.Tensor and qd._VectorTensor is qd.VectorTensor and qd._MatrixTensor is qd.MatrixTensor
    assert qd._wrap is qd.wrap and qd.__version_str__ == ".".join(map(str, qd.__version__))
    assert qd.cfg.arch.name in (arch, qd.cpu.name)
    qd.reset()
    assert qd.cfg is None


def test_formats_and_layouts():
    assert qd.Format.unknown == 0 and qd.Format.rgba8.name == "rgba8" and qd.Format.depth32f == 43
    assert qd.DeviceCapability.spirv_has_int8 == 2 and qd.DeviceCapability.spirv_has_shader_clock.name == "spirv_has_shader_clock"
    for name in "int8 int64 float64 atomic_float16 atomic_int64".split():
        assert hasattr(qd.DeviceCapability, "spirv_has_" + name)
    assert [layout.name for layout in qd.Layout] == ["AOS", "SOA", "NULL"]
    assert len({qd.Format.r8: 1, qd.DeviceCapability.spirv_version: 2}) >= 1


def test_axes():
    assert [a.value for a in qd.axes(0, 2, 5)] == [0, 2, 5]
    for name in "i j k l ij ik il jk jl kl ijk ijl ikl jkl ijkl".split():
        assert [a.value for a in getattr(qd, name)] == ["ijkl".index(letter) for letter in name]
    f = qd.field(qd.i32)
    qd.root.dense(qd.axes(0, 1), (2, 3)).place(f)
    f[1, 2] = 5
    assert f.shape == (2, 3) and f[1, 2] == 5
    with pytest.raises(qd.QuadrantsRuntimeError, match="at most 12"):
        qd.axes(12)


# Logging


def test_logging_levels(capfd):
    levels = [qd.TRACE, qd.DEBUG, qd.INFO, qd.WARN, qd.ERROR, qd.CRITICAL]
    assert levels == ["trace", "debug", "info", "warn", "error", "critical"]
    for n, level in enumerate(levels):
        qd.set_logging_level(level)
        assert [qd.is_logging_effective(each) for each in levels] == [m >= n for m in range(len(levels))]
        assert qd._logging.is_logging_effective(level)
    with pytest.raises(RuntimeError, match=r"Unknown logging level \[loud\]"):
        qd.set_logging_level("loud")
    with pytest.raises(RuntimeError, match=r"Unknown logging level \[loud\]"):
        qd.is_logging_effective("loud")
    qd.set_logging_level("warn")
    capfd.readouterr()
    qd._logging.info("not this")
    qd._logging.warn("this")
    assert "this" in capfd.readouterr().err
    with pytest.raises(RuntimeError, match="went wrong"):
        qd._logging.error("went wrong")


def test_level_from_the_environment(arch, monkeypatch):
    monkeypatch.setenv("QD_LOG_LEVEL", "error")
    qd.init(arch=arch, offline_cache=False)
    assert qd.is_logging_effective(qd.ERROR) and not qd.is_logging_effective(qd.WARN)
    monkeypatch.delenv("QD_LOG_LEVEL")
    qd.init(arch=arch, offline_cache=False)
    assert qd.is_logging_effective(qd.INFO) and not qd.is_logging_effective(qd.DEBUG)


# Options


def test_dump_compile_config(capsys, arch):
    qd.init(arch=arch, offline_cache=False, flatten_if=True, default_ip=qd.i64)
    capsys.readouterr()
    qd.dump_compile_config()
    lines = capsys.readouterr().out.splitlines()
    names = [line.partition("=")[0] for line in lines]
    assert names == sorted(names) and {"arch", "debug", "default_fp", "default_up", *_options.OPTIONS} <= set(names)
    assert {"flatten_if=True", "default_ip=i64", "default_up=u64", "debug_dump_path=/tmp/ir/"} <= set(lines)


def test_every_option_is_taken_from_both_sides(arch, monkeypatch):
    """Each option is set by keyword and from the environment to a value that is not the default."""
    other = {bool: lambda v: not v, int: lambda v: v + 1, float: lambda v: v + 0.5}
    special = {"offline_cache", "default_fp", "default_ip", "print_ir", "log_level", "debug", "debug_dump_path"}
    special |= {"external_metal_command_queue"}  # must be a valid pointer
    special |= {name for name, row in _environment.ROWS.items() if row[3] == "keyword"}
    options = {n: v for n, v in {**_options.OPTIONS, **_options.SPECIAL}.items() if n not in special and type(v) in other}
    assert len(options) > 60
    changed = {name: other[type(value)](value) for name, value in options.items()}
    quiet = {"offline_cache": False}
    qd.init(arch=arch, **quiet, **changed)
    read = lambda name: getattr(qd.cfg if name in _options.OPTIONS else qd._settings.special, name)  # noqa: E731
    assert {name: read(name) for name in changed} == changed
    for name, value in changed.items():
        monkeypatch.setenv("QD_" + name.upper(), str(int(value) if isinstance(value, bool) else value))
    qd.init(arch=arch, **quiet)
    assert {name: read(name) for name in changed} == changed


def test_every_option_reaches_the_core(arch, monkeypatch, tmp_path):
    """A value that is not the default reaches the core, whether the keyword or the variable sets it."""
    kept = {"arch", "QUADRANTS_LOAD_PTX", "load_ir", "target_cpu", "offline_cache", "collect", "kernel_coverage", "coverage_counts"}
    kept |= {"external_metal_command_queue", "share_little", "lanes"}
    texts = {"log_level": "warn", "offline_cache_cleaning_policy": "fifo", "debug_dump_path": str(tmp_path), "perfdispatch_force": ""}
    wanted, keywords = {}, {}
    for name, kind, default, by, *_ in _environment.ROWS.values():
        if name in kept:
            continue
        change = {"Flag": lambda d: not d, "Real": lambda d: d + 0.5, "Type": lambda d: d[0] + "64"}
        change["Text"] = lambda d, name=name: texts.get(name, str(tmp_path))
        value = wanted[name] = change.get(kind, lambda d: d + 1)(default)
        if by == "environment":
            monkeypatch.setenv(_environment.variable(name), str(int(value) if kind == "Flag" else value))
        else:
            keywords[name] = getattr(qd, value) if kind == "Type" else value
    assert len(wanted) > 80
    qd.init(arch=arch, offline_cache=False, **keywords)
    told = _native.core().options()
    codes = {name: getattr(qd, wanted[name])._qd_scalar_ for name in ("default_ip", "default_fp")}
    assert {name: told[name] for name in wanted} == {**wanted, **codes} and set(told) == set(_environment.ROWS)
    if qd.cfg is not None:
        qd.cfg.random_seed = 1 << 63
        _runtime.pass_options()
        assert _native.core().options()["random_seed"] == 1 << 63


def test_a_value_that_an_option_cannot_have_is_refused_by_its_name(arch):
    for name, value in (("random_seed", -1), ("opt_level", 1 << 70), ("cpu_max_num_threads", [2])):
        with pytest.raises((TypeError, ValueError), match=f"the option {name} must be an integer from 0"):
            qd.init(arch=arch, offline_cache=False, **{name: value})


def test_the_reference_page_is_that_of_the_table():
    page = pathlib.Path(__file__).resolve().parents[3] / "docs" / "reference" / "options.md"
    made = subprocess.run([sys.executable, page.parent.parent / "reference.py"], capture_output=True, text=True, check=True,
                          env={**os.environ, "ENABLE_QUADRANTS_HEADER_PRINT": "0"})
    assert page.read_text() == made.stdout, "make reference writes it"


def test_tests_have_a_cache_of_their_own(arch):
    qd.init(arch=arch, offline_cache=True)
    folder = pathlib.Path(qd.cfg.offline_cache_file_path)
    qd.init(arch=arch, offline_cache=False)
    home = pathlib.Path(os.environ["HOME"])
    assert folder.is_relative_to(os.environ["XDG_CACHE_HOME"]) and not folder.is_relative_to(home / ".cache")


def test_a_cache_that_others_may_write_is_left_alone(arch, tmp_path):
    def run():
        @qd.kernel
        def twice(n: qd.i32) -> qd.i32:
            return 2 * n

        return twice(21)

    folder = tmp_path / "cache"
    options = {"arch": arch, "offline_cache": True, "offline_cache_file_path": str(folder), "compile_tiers": False}
    qd.init(**options)
    assert run() == 42
    qd.reset()
    kept = sorted(folder.rglob("*"))
    assert len(kept) == 5 and {p.stat().st_mode & 0o777 for p in [folder, *kept]} == {0o700, 0o600}
    folder.chmod(0o777)
    qd.init(**options)
    with pytest.warns(RuntimeWarning, match="other users can write to it") as told:
        assert run() == run() == 42
    assert len(told) == 1 and str(folder) in str(told[0].message)
    qd.init(arch=arch, offline_cache=False)
    assert sorted(folder.rglob("*")) == kept


def test_values_of_machine_options(arch, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    qd.init(arch=arch, offline_cache=False)
    assert qd.cfg.cpu_max_num_threads == _options.usable_cores() >= 1
    assert qd.cfg.offline_cache_file_path == f"{tmp_path}/quadrants/qdcache"
    qd.init(arch=arch, offline_cache=False, cpu_max_num_threads=3)
    assert qd.cfg.cpu_max_num_threads == 3


def test_one_thread(arch):
    """Without make_cpu_multithreading_loop the iterations run in order."""
    qd.init(arch=arch, offline_cache=False, make_cpu_multithreading_loop=False, cpu_max_num_threads=8)
    order = qd.ndarray(qd.i32, 20_000)
    count = qd.ndarray(qd.i32, 1)

    @qd.kernel
    def k(order: qd.types.ndarray(), count: qd.types.ndarray()):
        for i in range(20_000):
            order[qd.atomic_add(count[0], 1)] = i

    k(order, count)
    assert (order.to_numpy() == np.arange(20_000)).all()


def test_default_up_cannot_be_set():
    with pytest.raises(KeyError, match="default_up"):
        qd.init(default_up=qd.u64)


def test_loaded_ir_and_caches(arch, monkeypatch):
    """messages.md: error_load_ir_with_caching."""
    monkeypatch.setenv("QD_LOAD_IR", "1")
    for options in ({}, {"offline_cache": False}, {"src_ll_cache": False}):
        with pytest.raises(ValueError, match="Caching must be disabled when using QD_LOAD_IR"):
            qd.init(arch=arch, **options)
    monkeypatch.setenv("QUADRANTS_LOAD_PTX", "1")
    with pytest.raises(ValueError, match="QD_LOAD_IR and QUADRANTS_LOAD_PTX"):
        qd.init(arch=arch)
    monkeypatch.delenv("QD_LOAD_IR")
    with pytest.raises(ValueError, match="using QUADRANTS_LOAD_PTX"):
        qd.init(arch=arch)
    with pytest.warns(UserWarning, match="QUADRANTS_LOAD_PTX has no effect"):
        qd.init(arch=arch, offline_cache=False, src_ll_cache=False)


def test_shown_ir_and_caches(arch, monkeypatch, tmp_path):
    """messages.md: warn_print_dump_ir_with_caching."""
    place = {"offline_cache_file_path": str(tmp_path)}
    with pytest.warns(UserWarning, match="print_ir.*warning_code=DUMP_IR_CACHE_MISMATCH"):
        qd.init(arch=arch, print_ir=True, offline_cache=True, **place)
    monkeypatch.setenv("QD_DUMP_IR", "1")
    with pytest.warns(UserWarning, match="QD_DUMP_IR.*warning_code=DUMP_IR_CACHE_MISMATCH"):
        qd.init(arch=arch, offline_cache=True, **place)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        qd.init(arch=arch, print_ir=True, offline_cache=False)


def twice(arch, **options):
    qd.init(arch=arch, offline_cache=False, **options)

    @qd.kernel
    def doubled(x: qd.types.ndarray(qd.f32, ndim=1)):
        for i in x:
            x[i] *= 2

    return doubled


@pytest.mark.parametrize(
    "option, sign",
    [
        ("print_preprocessed_ir", "parallel"),
        ("print_kernel_llvm_ir", "define"),
        ("print_kernel_llvm_ir_optimized", "define"),
        ("print_kernel_asm", ".text"),
    ],
)
def test_printed_forms(option, sign, capfd):
    doubled = twice("cpu", **{option: True})
    capfd.readouterr()
    x = qd.ndarray(qd.f32, 3)
    doubled(x)
    out = capfd.readouterr().out
    assert "doubled" in out and sign in out
    doubled(x)
    assert capfd.readouterr().out == ""


def test_timeline(arch, tmp_path):
    from quadrants.lang.misc import timeline_clear, timeline_save

    def events():
        timeline_save(str(tmp_path / "timeline.json"))
        return json.loads((tmp_path / "timeline.json").read_text())

    timeline_clear()
    twice(arch)(qd.ndarray(qd.f32, 3))
    assert [e["ph"] for e in events()] == ["M"]
    doubled = twice(arch, timeline=True)
    for _ in range(2):
        doubled(qd.ndarray(qd.f32, 3))
    seen = [e for e in events() if e.get("cat") in ("compile", "launch")]
    assert [e["cat"] for e in seen] == ["compile", "launch", "launch"]
    assert all("doubled" in e["name"] and e["ph"] == "X" and e["dur"] >= 0 for e in seen)
    assert all(a["ts"] + a["dur"] <= b["ts"] + 0.1 for a, b in zip(seen, seen[1:]))
    timeline_clear()
    assert [e["ph"] for e in events()] == ["M"]


def test_dumped_ir(monkeypatch, tmp_path):
    monkeypatch.setenv("QD_DUMP_IR", "1")
    doubled = twice("cpu")
    qd.cfg.debug_dump_path = str(tmp_path / "dumps")
    doubled(qd.ndarray(qd.f32, 3))
    kinds = {path.suffix: path.read_text() for path in (tmp_path / "dumps").iterdir()}
    assert set(kinds) == {".qir", ".ll", ".s"} and "define" in kinds[".ll"]


def test_names_of_loops_in_dumped_ir(monkeypatch, tmp_path):
    qd.init(arch=qd.cpu, offline_cache=False)
    monkeypatch.setenv("QD_DUMP_IR", "1")
    qd.cfg.debug_dump_path = str(tmp_path)
    x = qd.field(qd.i32, 100)

    @qd.kernel
    def named():
        qd.loop_config(name="first")
        for i in x:
            x[i] = i
        qd.loop_config(name="second", serialize=True)
        for i in range(100):
            x[i] += x[i // 2]
        for i in x:
            x[i] += 1

    named()
    dumped = "".join(path.read_text() for path in tmp_path.glob("*after_offload*"))
    assert dumped.count("loop_name=first") == 1 and dumped.count("loop_name=second") == 1 and dumped.count("loop_name=") == 2


# @qd.kernel


def test_kernel_with_its_options():
    @qd.kernel
    def a() -> qd.i32:
        return 1

    @qd.kernel(fastcache=True)
    def b() -> qd.i32:
        return 2

    @qd.kernel()
    def c() -> qd.i32:
        return 3

    with pytest.warns(UserWarning, match="`pure` is deprecated. Please use parameter `fastcache`"):

        @qd.kernel(pure=True)
        def d() -> qd.i32:
            return 4

    assert (a(), b(), c(), d()) == (1, 2, 3, 4)
    assert [k._primal.fastcache for k in (a, b, c, d)] == [False, True, False, True]
    with pytest.raises(qd.QuadrantsSyntaxError, match="checkpoints=True. requires graph=True"):
        qd.kernel(checkpoints=True)(lambda: None)
    with pytest.raises(TypeError):
        qd.kernel(no_such_option=True)


def test_pure_marks_kernels():
    with pytest.warns(UserWarning, match="Use of @qd.pure is deprecated. Please use @qd.kernel.fastcache=True."):

        @qd.pure
        @qd.kernel
        def a() -> qd.i32:
            return n

        @qd.kernel
        @qd.pure
        def b() -> qd.i32:
            return n

        @qd.pure
        @qd.func
        def f(x):
            return x + 1

    n = 1
    for k in (a, b):
        with pytest.raises(qd.QuadrantsCompilationError, match=r"\[PURE.VIOLATION\].* global variable n <class 'int'>"):
            k()

    @qd.kernel
    def c() -> qd.i32:
        return f(n)

    assert c() == 2


class Colour(enum.IntEnum):
    RED = 5


LIMIT = 7
small = 2
numbers = [1, 2, 3]
vector = qd.Vector([1, 2, 3])
kind = qd.i32


@qd.func
def plus_one(x):
    return x + 1


def pure(body):
    return qd.kernel(fastcache=True)(body)


def test_values_that_pure_kernels_may_read():
    @pure
    def k(x: qd.types.ndarray(), n: qd.template()) -> qd.f32:
        return (
            x[0] + n + plus_one(Colour.RED) + math.pi + np.pi + numbers[1] + vector[2] + qd.cast(1.5, kind) + qd.math.pi
        )

    x = qd.ndarray(qd.f32, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert k(x, 10) == pytest.approx(10 + 6 + 3 * math.pi + 2 + 3 + 1, rel=1e-6)


def test_linear_algebra_in_pure_kernels():
    @pure
    def k() -> qd.f32:
        u, s, v = qd.svd(qd.Matrix([[3.0, 0.0], [0.0, 2.0]]))
        return s[0, 0]

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert k() == pytest.approx(3)


def test_violations_that_only_warn():
    @pure
    def upper() -> qd.i32:
        return LIMIT

    @pure
    def static() -> qd.i32:
        r = 0
        for i in qd.static(range(small)):
            r += i + 1
        return r

    with pytest.warns(UserWarning, match=r"\[PURE.VIOLATION\] WARNING: Accessing global variable LIMIT"):
        assert upper() == 7
    with pytest.warns(UserWarning, match=r"\[PURE.VIOLATION\] WARNING: Accessing global variable small"):
        assert static() == 3


def test_members_of_arguments_are_no_violation():
    @qd.data_oriented
    class A:
        n = 3

        @qd.kernel(fastcache=True)
        def k(self) -> qd.i32:
            return self.n

    assert A().k() == 3


def test_impure_kernels_are_reported(arch, capsys):
    qd.init(arch=arch, offline_cache=False, print_non_pure=True)

    @qd.kernel
    def k() -> qd.i32:
        return 1

    capsys.readouterr()
    k()
    assert capsys.readouterr().out == f"[NOT_PURE] Debug information: not pure: {k.__qualname__}\n"


def test_floats_as_templates_name_the_kernel(arch):
    qd.init(arch=arch, offline_cache=False, raise_on_templated_floats=True)

    @qd.kernel
    def k(a: qd.template()):
        pass

    with pytest.raises(ValueError) as raised:
        k(1.5)
    assert k.__qualname__ in str(raised.value)
