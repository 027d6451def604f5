"""Internal names that published programs use: they exist, import cheaply and report the actual state."""

import copy
import dataclasses
import gc
import importlib
import os
import pathlib
import pickle
import re
import subprocess
import sys

import numpy as np
import pytest
import quadrants as qd
from quadrants import _arch
from quadrants._lib import core
from quadrants.lang import impl
from quadrants.lang._kernel_types import KernelBatchedArgType
from quadrants.types.enums import AutodiffMode

MODULES = """
_lib.core _lib.utils _logging _tensor _test_tools _test_tools.load_kernel_string lang lang._fast_caching
lang._fast_caching.args_hasher lang._kernel_types
lang._ndrange lang._perf_dispatch lang._template_mapper lang.ast lang.exception lang.graph lang.impl lang.kernel_impl lang.matrix
lang.mesh lang.misc lang.ops lang.simt lang.simt._tile lang.simt.block lang.simt.grid lang.simt.subgroup lang.simt.warp lang.stream lang.util types.annotations types.enums types.primitive_types
"""


@pytest.mark.parametrize("name", MODULES.split())
def test_modules(name):
    module = importlib.import_module("quadrants." + name)
    assert module.__doc__
    with pytest.raises(AttributeError):
        module.no_such_name


def test_simt_and_streams():
    from quadrants.lang import simt, stream

    assert simt.block is qd.simt.block and simt.subgroup is qd.simt.subgroup and simt._tile.outer is qd.outer
    assert simt.__path__ and importlib.import_module("quadrants.lang.simt.subgroup") is qd.simt.subgroup
    assert stream.Stream is qd.Stream and stream.Event is qd.Event


def test_imports_are_cheap():
    program = "import sys, quadrants as qd; before = set(sys.modules); qd.lang.impl, qd.types.enums; from quadrants.lang import misc, util, ops; from quadrants._lib import core; core.Arch; heavy = {'numpy', 'inspect', 'ast', 're', 'torch'} & set(sys.modules); print(heavy, any('lang.' in m for m in before))"
    environment = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(qd.__file__)), "ENABLE_QUADRANTS_HEADER_PRINT": "0"}
    done = subprocess.run([sys.executable, "-S", "-c", program], env=environment, capture_output=True, text=True)
    assert done.stdout == "set() False\n", done.stdout + done.stderr


def test_nothing_else_imports_from_the_layer():
    """The package itself does not import quadrants.lang, _test_tools or those parts of _lib and types that only programs use."""
    package = pathlib.Path(qd.__file__).parent
    layer = re.compile(r"quadrants\.(lang|_test_tools|_lib\.(utils|_core_names)|types\.\w+)\b|from quadrants import .*\blang\b")
    outside = [
        path
        for path in package.rglob("*.py")
        if path.relative_to(package).parts[0] not in ("lang", "_lib", "types", "_test_tools", "__init__.py")
    ]
    assert len(outside) > 20
    found = [f"{path.name}: {line}" for path in outside for line in path.read_text().splitlines() if layer.search(line)]
    assert [line for line in found if "import" in line] == []


# Arch, Extension and other enumerations


def test_arch_is_in_integer_order():
    names = "x64 arm64 js python cuda metal opencl amdgpu vulkan".split()
    assert [core.Arch(n).name for n in range(len(names))] == names
    assert qd.x64 == 0 and qd.x64 < qd.cuda < qd.vulkan and not qd.x64 and qd.arm64
    assert {qd.x64: "a"}[core.Arch.x64] == "a" and core.arch_from_name("cuda") is qd.cuda
    with pytest.raises(ValueError):
        core.arch_from_name("abacus")


def test_cpu_and_gpu():
    assert qd.cpu is (qd.arm64 if os.uname().machine in ("arm64", "aarch64") else qd.x64)
    assert qd.gpu == [qd.cuda, qd.metal, qd.vulkan, qd.amdgpu]
    assert qd.lang.cpu is qd.cpu and qd.lang.gpu is qd.gpu and qd.lang.cuda is qd.cuda


OFFERED = """
x64    sparse quant quant_basic mesh data64 adstack assertion extfunc
arm64  sparse quant quant_basic mesh data64 adstack assertion
cuda   sparse quant quant_basic mesh data64 adstack bls assertion
amdgpu quant quant_basic data64 adstack assertion
metal  adstack
vulkan adstack
"""


def test_extensions():
    assert [e.name for e in qd.extension] == "sparse quant mesh quant_basic data64 adstack bls assertion extfunc".split()
    for arch, *offered in map(str.split, OFFERED.split("\n")[1:-1]):
        for extension in core.Extension:
            assert core.is_extension_supported(_arch.Arch[arch], extension) == (extension.name in offered), (arch, extension)
    assert qd.is_extension_enabled(qd.extension.sparse) and qd.is_extension_enabled(qd.extension.quant)
    assert not qd.is_extension_enabled(qd.extension.bls)
    assert core.is_extension_supported(qd.x64, qd.extension.extfunc)  # tests/python/language/test_external_functions.py


def test_stacks_are_there_when_asked_for(arch):
    assert not qd.is_extension_enabled(qd.extension.adstack)
    qd.init(arch=arch, offline_cache=False, ad_stack_experimental_enabled=True)
    assert qd.is_extension_enabled(qd.extension.adstack)


def test_enumerations_are_values():
    options = {"arch": qd.x64, "types": [qd.f32, qd.u1], qd.i32: AutodiffMode.NONE, "e": qd.extension.sparse}
    for other in (copy.deepcopy(options), pickle.loads(pickle.dumps(options))):
        assert other == options and hash(other["arch"]) == hash(qd.x64)
        assert other["arch"] is qd.x64 and other["types"][0].name == "f32"
    assert not bool(qd.x64) and qd.x64.name == "x64" and str(qd.x64) == "Arch.x64"
    assert len({qd.x64, _arch.Arch(0), qd.cpu, qd.x86_64}) == len({qd.x64, qd.cpu})


def test_architectures_of_this_build():
    from quadrants.lang import misc

    assert misc.get_host_arch_list() == [qd.cpu]
    assert misc.is_arch_supported(qd.cpu) and misc.is_arch_supported(qd.cpu.name) and misc.is_arch_supported("interp")
    for arch in (*qd.gpu, "abacus", None, 99, object()):
        assert misc.is_arch_supported(arch) is False
    assert not core.with_cuda() and not core.with_metal() and not core.with_vulkan() and not core.with_amdgpu()


def test_native_names():
    from quadrants._lib.utils import import_qd_python_core

    assert import_qd_python_core() is core
    assert core.get_max_num_indices() == 12
    assert [core.data_type_size(t) for t in (qd.i8, qd.f16, qd.u32, qd.f64)] == [1, 2, 4, 8]
    version = (core.get_version_major(), core.get_version_minor(), core.get_version_patch())
    assert version == qd.__version__
    assert core.QuadrantsRuntimeError is qd.QuadrantsRuntimeError and core.QuadrantsTypeError is qd.QuadrantsTypeError
    with pytest.raises(core.QuadrantsRuntimeError, match="Every dimension of a Quadrants field should be positive"):
        qd.field(qd.i32, 0)


def test_repo_dir(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert core.get_repo_dir() == f"{tmp_path}/quadrants/"
    os.putenv("XDG_CACHE_HOME", "/elsewhere")  # os.environ does not change
    assert core.get_repo_dir() == "/elsewhere/quadrants/"
    monkeypatch.setenv("HOME", "/somewhere")
    for ignored in ("", "relative", "./relative"):
        monkeypatch.setenv("XDG_CACHE_HOME", ignored)
        assert core.get_repo_dir() == "/somewhere/.cache/quadrants/"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert core.get_repo_dir() == "/somewhere/.cache/quadrants/"


def test_exceptions():
    from quadrants.lang import exception

    names = [n for n in dir(exception) if n.startswith("Quadrants")]
    assert len(names) == 10  # the reference lists eight; those of stopped threads and of wrong arguments are added
    for name in names:
        assert getattr(exception, name) is getattr(core, name)
        assert getattr(qd, name, getattr(core, name)) is getattr(core, name)


def test_native_names_without_an_import():
    program = "import quadrants as qd; print(qd._lib.utils.import_qd_python_core() is qd._lib.core, qd._lib.core.test_threading(), '_lib' in dir(qd))"
    environment = {**os.environ, "ENABLE_QUADRANTS_HEADER_PRINT": "0"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert done.stdout == "True True False\n", done.stderr
    with pytest.raises(AttributeError):
        qd._lib.no_such_name


def test_the_name_of_the_graph_module():
    from quadrants.lang import graph

    assert qd.graph is graph and qd.graph.__name__ == "quadrants.lang.graph"


def test_swizzle_patterns():
    from quadrants.lang.matrix import _generate_swizzle_patterns

    names = _generate_swizzle_patterns("xyzw")
    assert len(names) == len(set(names)) == 340 and names[:6] == ["x", "y", "z", "w", "xx", "xy"] and names[-1] == "wwww"
    assert [len(name) for name in names] == sorted(len(name) for name in names)
    assert _generate_swizzle_patterns("rg", 2) == ["r", "g", "rr", "rg", "gr", "gg"]
    assert all(hasattr(qd.Matrix, name) for name in names)


def test_types():
    from quadrants.types import annotations, primitive_types

    def listed(text):
        return [{"bool": bool, "int": int, "float": float}.get(name) or getattr(qd, name) for name in text.split()]

    assert primitive_types.all_types == listed("f16 f32 f64 bool i8 i16 i32 i64 u1 u8 u16 u32 u64 int float")
    assert primitive_types.real_types == listed("f16 f32 f64 float")
    assert primitive_types.integer_types == listed("bool i8 i16 i32 i64 u1 u8 u16 u32 u64 int")
    for dtype in primitive_types.all_types:
        x = qd.ndarray(dtype, 2)
        x[0] = 1
        assert x[0] == 1 and qd.field(dtype, 2)[0] == 0
    assert annotations.template is qd.template and primitive_types.float32 is qd.f32
    assert qd.types.primitive_types is primitive_types


def test_util():
    from quadrants.lang import util

    assert util.to_numpy_type(qd.f32) is np.float32 and util.to_numpy_type(qd.u1) is np.bool_
    assert util.has_pytorch() == (importlib.util.find_spec("torch") is not None)
    assert isinstance(util.has_clangpp(), bool)


def test_torch_can_be_hidden(monkeypatch):
    from quadrants.lang import util

    monkeypatch.setenv("QD_ENABLE_TORCH", "0")
    assert not util.has_pytorch()


# The running program


def test_current_cfg(arch):
    cfg = impl.current_cfg()
    assert cfg is qd.cfg and cfg.arch.name in (arch, qd.cpu.name)
    assert (cfg.default_fp, cfg.default_ip, cfg.debug, cfg.fast_math) == (qd.f32, qd.i32, False, True)
    assert (cfg.advanced_optimization, cfg.print_ir) == (True, False)
    cfg.debug_dump_path = "elsewhere"
    assert qd.cfg.debug_dump_path == "elsewhere"
    qd.reset()
    assert impl.current_cfg().arch is qd.cpu and qd.cfg is None


def test_runtime():
    runtime = impl.get_runtime()
    before = runtime.get_num_compiled_functions()

    @qd.kernel
    def k(x: qd.types.ndarray()):
        for i in x:
            x[i] = 1
        for i in x:
            x[i] += 1

    x = qd.ndarray(qd.i32, 4)
    y = qd.ndarray(qd.f32, 4)
    assert runtime.get_num_compiled_functions() == before
    k(x)
    k(y)
    k(x)
    assert runtime.get_num_compiled_functions() == before + 2
    assert runtime.prog.get_num_offloaded_tasks_on_last_call() == 2
    assert k._primal in runtime.kernels and isinstance(k._primal, impl.Kernel)
    assert x in list(runtime.ndarrays) and runtime.compiling_callable is None
    assert runtime.prog.config() is qd.cfg and runtime.prog is runtime.prog
    runtime.prog.synchronize()
    old = runtime.prog
    qd.reset()
    assert runtime.prog is None
    qd.init(arch="interp", offline_cache=False)
    assert runtime.prog is not old and runtime.get_num_compiled_functions() == 0


def test_number_of_arrays():
    prog = impl.get_runtime().prog
    before = prog._get_num_ndarrays()
    x = qd.ndarray(qd.i32, 4)
    y = qd.ndarray(qd.f32, 4)
    assert prog._get_num_ndarrays() == before + 2
    del x, y
    assert prog._get_num_ndarrays() == before


def test_arrays_of_ended_programs_are_not_counted(arch):
    of_the_first = qd.ndarray(qd.i32, 4)
    qd.init(arch=arch, offline_cache=False)
    prog = impl.get_runtime().prog
    assert prog._get_num_ndarrays() == 0
    y = qd.ndarray(qd.i32, 4)
    del of_the_first
    assert prog._get_num_ndarrays() == 1 and y.shape == (4,)


def test_compiling_callable():
    seen = []

    def look():
        seen.append(impl.get_runtime().compiling_callable)
        return 1

    @qd.kernel
    def k() -> qd.i32:
        return qd.static(look())

    assert k() == 1 and seen == [k._primal] and impl.get_runtime().compiling_callable is None


def test_the_compiler_gives_no_tokens():
    def look():
        return impl.get_runtime().compiling_callable.ast_builder()

    @qd.kernel
    def k():
        qd.static(look())

    with pytest.raises(AttributeError, match="has no 'ast_builder'; what can be looked up"):
        k()


def test_nothing_is_kept_by_identity():
    @qd.kernel
    def k():
        pass

    k()
    with pytest.raises(AttributeError, match="kept by the identities of arguments"):
        k._primal.mapper._mapping_cache


def test_default_types_of_the_runtime():
    runtime = impl.get_runtime()
    assert (runtime.default_fp, runtime.default_ip) == (qd.f32, qd.i32)
    runtime.set_default_fp(qd.f64)
    runtime.set_default_ip(qd.i64)

    @qd.kernel
    def third() -> float:
        return 1 / 3

    assert third() == 1 / 3 and (qd.cfg.default_fp, runtime.default_ip) == (qd.f64, qd.i64)
    for name, wrong in (("default_fp", qd.i32), ("default_ip", qd.f32), ("default_ip", qd.u8)):
        with pytest.raises(ValueError, match=f"{name} must be one of"):
            setattr(runtime, name, wrong)


BIG = 4_000_000_000


@pytest.mark.parametrize("default, most", [(qd.u32, 2**32 - 1), (qd.u64, 2**64 - 1), (qd.i64, 2**63 - 1)])
def test_integer_defaults_without_a_sign(default, most):
    runtime = impl.get_runtime()
    runtime.default_ip = default
    captured = BIG

    @qd.kernel
    def k(x: qd.types.ndarray(), i: int) -> int:
        x[0] = 4_000_000_000
        x[1] = captured
        y = 3_999_999_999
        y += 1
        return y + i // 2

    for dtype in (qd.u32, qd.i64):
        x = qd.ndarray(dtype, 2)
        assert k(x, 5) == BIG + 2 and x.to_numpy().tolist() == [BIG, BIG]
    assert runtime.default_ip == qd.cfg.default_ip == default and qd.ndarray(int, 1).dtype == default
    assert qd.cfg.default_up == (qd.u32 if default is qd.u32 else qd.u64)

    @qd.kernel
    def too_much() -> int:
        return qd.static(most + 1)

    with pytest.raises(qd.QuadrantsTypeError, match=f"exceeded the range of default_ip: {default}"):
        too_much()


def test_half_as_the_default_of_reals():
    impl.get_runtime().default_fp = qd.f16

    @qd.kernel
    def third() -> float:
        return 1.0 / 3.0

    assert third() == np.float16(1 / 3)


def test_materialize():
    x = qd.field(qd.i32)
    qd.root.dense(qd.i, 4).place(x)
    impl.get_runtime().materialize_root_fb(True)
    assert len(qd.FieldsBuilder._finalized_roots()) == 1
    x[3] = 2
    impl.get_runtime().materialize()
    assert x[3] == 2


def test_replaced_materialize_and_clear(monkeypatch):
    """Programs replace methods of the runtime to fill fields as soon as they have memory."""
    waiting, cleared = [], []
    materialize, clear = impl.PyQuadrants.materialize, impl.PyQuadrants.clear

    def then_fill(self):
        materialize(self)
        found = waiting.copy()
        waiting.clear()
        for field, value in found:
            field.fill(value)
        if found:
            self.prog.synchronize()

    monkeypatch.setattr(impl.PyQuadrants, "materialize", then_fill)
    monkeypatch.setattr(impl.PyQuadrants, "clear", lambda self: (clear(self), cleared.append(1)))
    x, y = qd.field(qd.f32, shape=()), qd.field(qd.i32)
    qd.root.dense(qd.i, 3).place(y)
    waiting += [(x, 1.5), (y, 7)]

    @qd.kernel
    def total() -> qd.f32:
        return x[None] + y[0] + y[1] + y[2]

    assert total() == 22.5 and not waiting
    y[1] = 0
    assert total() == 15.5  # filled only once
    z = qd.field(qd.i32, shape=2)
    waiting.append((z, 4))
    assert z[1] == 4
    qd.reset()
    assert cleared


def test_numbers_of_the_device():
    assert impl.get_cuda_compute_capability() == 0 and impl.get_max_shared_memory_bytes() == 0
    caps = impl.get_runtime().prog.get_device_caps()
    assert caps.get(qd.DeviceCapability.spirv_has_int64) == 0


def test_unknown_attributes_of_the_program():
    with pytest.raises(AttributeError, match="qd.cfg"):
        impl.get_runtime().prog.no_such_name


def test_operators_in_kernels_and_outside():
    from quadrants.lang import ops

    @qd.kernel
    def k(a: qd.i32, b: qd.i32) -> qd.i32:
        return ops.add(a, b) * 10 + ops.logical_not(b)

    assert k(2, 0) == 21 and ops.add(2, 3) == 5 and ops.logical_not(1) is False and ops.abs(-2) == 2


def test_truth_values_of_vectors_and_matrices():
    from quadrants.lang import ops

    v, m = qd.Vector([0, 2, 0], qd.i32), qd.Matrix([[0.5, 0.0], [1.0, 2.0]], qd.f32)
    for result, expected in (
        (ops.logical_not(v), [True, False, True]),
        (ops.logical_not(m), [[False, True], [False, False]]),
        (ops.logical_and(v, qd.Vector([1, 1, 0])), [False, True, False]),
        (ops.logical_or(0, v), [False, True, False]),
        (ops.logical_or(m, 0), [[True, False], [True, True]]),
    ):
        assert result.entries.tolist() == expected and result.entries.dtype == np.bool_

    @qd.kernel
    def k() -> qd.types.vector(3, qd.i32):
        return ops.logical_not(qd.Vector([0, 2, 0]))

    assert k().to_list() == [1, 0, 1]


def test_ranges_on_the_host():
    from quadrants.lang._ndrange import _Ndrange

    assert [_Ndrange(2, 3, axes=axes).axes for axes in (None, (0, 1), (1, 0))] == [None, None, (1, 0)]
    for axes, expected in ((None, [[0, 5], [0, 6], [1, 5], [1, 6]]), ((1, 0), [[0, 5], [1, 5], [0, 6], [1, 6]])):
        found = list(qd.ndrange(2, (5, 7), axes=axes).grouped())
        assert all(isinstance(index, qd.Vector) for index in found) and [list(index) for index in found] == expected
    assert [list(index) for index in qd.ndrange().grouped()] == [[]]


def test_loop_unique():
    from quadrants.lang.misc import loop_unique

    x = qd.field(qd.i32, 8)

    @qd.kernel
    def k():
        for i in range(8):
            x[loop_unique(7 - i)] += i
            x[loop_unique(i, covers=[x])] += 10

    k()
    assert x.to_numpy().tolist() == [17 - i for i in range(8)]


def test_helpers_of_impl_in_kernels():
    @qd.kernel
    def k(x: qd.types.ndarray(qd.i32, ndim=1), i: qd.i32) -> qd.f32:
        return impl.qd_float(impl.subscript(x, i)) / 2

    x = qd.ndarray(qd.i32, 3)
    x[1] = 5
    assert k(x, 1) == 2.5


def test_internal_operations():
    @qd.kernel
    def k(a: qd.f32) -> qd.i32:
        return impl.call_internal("test_internal_func_args", a, 2.0, 3)

    assert k(1.0) == 9

    @qd.kernel
    def stack() -> qd.i32:
        found = 0
        for i in range(10):
            found += impl.call_internal("test_stack")
        return found

    assert stack() == 0
    with pytest.raises(qd.QuadrantsRuntimeError, match="for kernels"):
        impl.call_internal("test_internal_func_args", 1.0, 2.0, 3)


# k._primal

Counts = KernelBatchedArgType


@dataclasses.dataclass
class Inner:
    a: qd.types.NDArray[qd.i32, 1]
    b: qd.types.NDArray[qd.i32, 1]


@dataclasses.dataclass
class Outer:
    inner: Inner
    n: qd.i32
    unused: qd.f32


def counts(kernel):
    return {kind.name: n for kind, n in kernel._primal.launch_stats.kernel_args_count_by_type.items() if n}


def test_launch_stats_and_members_used():
    @qd.kernel
    def k(s: Outer, f: qd.f32, u: qd.u32, t: qd.template()):
        for i in s.inner.a:
            s.inner.a[i] = s.n + qd.cast(f, qd.i32) + qd.cast(u, qd.i32) + t

    assert counts(k) == {} and k._primal._last_launch_key is None
    s = Outer(Inner(qd.ndarray(qd.i32, 3), qd.ndarray(qd.i32, 3)), 1, 2.0)
    k(s, 1.0, 2, 3)
    assert counts(k) == {"FLOAT": 1, "INT": 1, "UINT": 1, "QD_ARRAY": 1}
    key = k._primal._last_launch_key
    used = k._primal.used_py_dataclass_parameters_by_key_enforcing[key]
    assert used == {"__qd_s", "__qd_s__qd_inner", "__qd_s__qd_inner__qd_a", "__qd_s__qd_n"}


def test_launch_stats_with_gradient():
    @qd.kernel
    def k(x: qd.types.ndarray(), y: qd.types.ndarray()):
        for i in x:
            x.grad[i] = x[i] + y[i]

    k(qd.ndarray(qd.f32, 3, needs_grad=True), qd.ndarray(qd.f32, 3))
    assert counts(k) == {"QD_ARRAY": 1, "QD_ARRAY_WITH_GRAD": 1}


def test_specialisations():
    @qd.kernel
    def k(x: qd.types.ndarray(), n: qd.template()):
        for i in x:
            x[i] = n

    primal = k._primal
    assert len(primal.materialized_kernels) == len(primal.mapper.mapping) == 0
    x, y = qd.ndarray(qd.i32, 3), qd.ndarray(qd.f32, 3)
    k(x, 1)
    assert not primal.launch_observations.found_kernel_in_materialize_cache
    first = primal._last_launch_key
    assert first in primal.materialized_kernels and first in primal.compiled_kernel_data_by_key
    k(x, 1)
    assert primal.launch_observations.found_kernel_in_materialize_cache and primal._last_launch_key == first
    k(y, 1)
    assert not primal.launch_observations.found_kernel_in_materialize_cache
    k(x, 2)
    assert len(primal.materialized_kernels) == len(primal.mapper.mapping) == 3
    assert {key[-1] for key in primal.materialized_kernels} == {AutodiffMode.NONE}
    k(x, 1)
    assert primal._last_launch_key == first and primal.launch_observations.found_kernel_in_materialize_cache
    qd.reset()
    assert len(primal.materialized_kernels) == 0


def test_specialisation_of_a_dead_template_is_gone():
    @qd.kernel
    def k(f: qd.template()):
        f[0] += 1

    f, g = qd.field(qd.i32, 1), qd.field(qd.i32, 1)
    k(f)
    k(g)
    assert len(k._primal.mapper.mapping) == 2
    del f
    gc.collect()
    assert len(k._primal.mapper.mapping) == 1


def test_primal_of_methods():
    @qd.data_oriented
    class A:
        @qd.kernel
        def k(self) -> qd.i32:
            return 3

    a = A()
    assert a.k() == 3
    assert a.k._primal is A.k._primal and len(a.k._primal.materialized_kernels) == 1


def test_attributes_of_graphs():
    @qd.kernel
    def k():
        pass

    assert k._primal.graph_do_while_arg is None and not k._primal.graph_do_while_levels
    assert not k._primal.checkpoint_user_labels_by_cp_id and not k._primal.checkpoint_yield_on_args
    with pytest.raises(AttributeError, match="no_such_name"):
        k._primal.no_such_name


CACHED = """
import quadrants as qd
@qd.kernel(fastcache={fastcache})
def k(x: qd.types.ndarray(qd.i32, ndim=1)):
    for i in x:
        x[i] += 1
"""


def look_at_caches(tmp_path, arch, fastcache, **options):
    from quadrants._test_tools.load_kernel_string import import_kernel_from_file

    qd.init(arch=arch, offline_cache=True, offline_cache_file_path=str(tmp_path / "cache"), **options)
    path = tmp_path / f"program_{fastcache}.py"
    path.write_text(CACHED.format(fastcache=fastcache))
    k = import_kernel_from_file(path, "k")
    k(qd.ndarray(qd.i32, 3))
    seen = k._primal.src_ll_cache_observations
    facts = (seen.cache_key_generated, seen.cache_validated, seen.cache_loaded, seen.cache_stored)
    hit = k._primal.fe_ll_cache_observations.cache_hit
    qd.reset()
    return facts, hit


def test_observations_of_caches(tmp_path, arch):
    assert look_at_caches(tmp_path, arch, True) == ((True, False, False, True), False)
    assert look_at_caches(tmp_path, arch, True) == ((True, True, True, False), False)
    none = (False, False, False, False)
    assert look_at_caches(tmp_path, arch, False) == (none, True)
    assert look_at_caches(tmp_path, arch, True, src_ll_cache=False) == (none, True)


def test_features_of_arguments_as_text():
    from quadrants.lang._fast_caching import FIELD_METADATA_CACHE_VALUE
    from quadrants.lang._fast_caching.args_hasher import stringify_obj_type

    def text(obj, meta=None, raise_on_floats=False):
        return stringify_obj_type(raise_on_floats, ("x",), obj, meta)

    x, same = qd.ndarray(qd.f32, (2, 3)), qd.ndarray(qd.f32, (4, 5))
    assert text(x) == text(same) == text(qd.wrap(x))
    others = [qd.ndarray(qd.i32, (2, 3)), qd.ndarray(qd.f32, 2), qd.Vector.ndarray(3, qd.f32, (2, 3)), qd.field(qd.f32, (2, 3)),
              np.zeros((2, 3), np.float32), None, 1, 1.5]  # fmt: skip
    tagged = qd._tensor._with_layout(same, (0, 1)), qd._tensor._with_layout(qd.ndarray(qd.f32, (2, 3)), (1, 0))
    texts = [text(obj) for obj in (x, *tagged, *others)]
    assert len(set(texts)) == len(texts) and all(isinstance(t, str) for t in texts)
    assert text(1) == text(2) and text(1, FIELD_METADATA_CACHE_VALUE) != text(2, FIELD_METADATA_CACHE_VALUE)
    assert text(1, qd.template()) != text(2, qd.template()) and text(object()) is None
    with pytest.raises(ValueError, match="x=1.5"):
        text(1.5, qd.template(), raise_on_floats=True)
    inner = Inner(qd.ndarray(qd.i32, 3), qd.ndarray(qd.i32, 3))
    assert text(inner) == text(Inner(qd.ndarray(qd.i32, 4), inner.a)) != text(Inner(qd.ndarray(qd.f32, 3), inner.a))


WITH_FIELD = """
import quadrants as qd
@qd.kernel(fastcache=True)
def k(x: qd.template(), n: qd.i32):
    for i in x:
        x[i] += n
"""


def test_fields_of_pure_kernels_are_in_the_cache_entry(tmp_path, arch, capfd):
    """The cache entry holds the place, shape and dtype of fields, so there is no warning."""
    from quadrants._test_tools.load_kernel_string import import_kernel_from_file

    def look(dtype, shape):
        qd.init(arch=arch, offline_cache=True, offline_cache_file_path=str(tmp_path / "cache"))
        k = import_kernel_from_file(path, "k")
        x = qd.field(dtype, shape)
        k(x, 2)
        seen = k._primal.src_ll_cache_observations
        assert x.to_numpy().tolist() == [2] * shape
        return seen.cache_key_generated, seen.cache_loaded

    path = tmp_path / "program.py"
    path.write_text(WITH_FIELD)
    assert look(qd.i32, 3) == (True, False) and look(qd.i32, 3) == (True, True)
    assert look(qd.i64, 3) == (True, False) and look(qd.i32, 4) == (True, False)
    assert "FASTCACHE" not in "".join(capfd.readouterr())


def test_tools():
    from quadrants._test_tools import dataclass_test_tools, qd_init_same_arch, textwrap2
    from quadrants._test_tools.load_kernel_string import load_kernel_from_string

    with load_kernel_from_string("import quadrants as qd\n@qd.kernel\ndef k() -> qd.i32:\n    return 3\n", "k") as k:
        assert k() == 3
    assert textwrap2.dedent(4, "        a\n    b\n\n") == "    a\nb\n\n"
    arch = qd.cfg.arch
    qd_init_same_arch(offline_cache=False, debug=True)
    assert qd.cfg.arch is arch and qd.cfg.debug
    made = dataclass_test_tools.build_struct(Outer2)
    assert made.inner.a.shape == (10,) and made.x.dtype == qd.f32
    (x,) = dataclass_test_tools.build_obj_tuple_from_type_dict({"x": qd.types.NDArray[qd.f32, 2]})
    assert x.shape == (10, 10)


@dataclasses.dataclass
class Outer2:
    inner: Inner
    x: qd.types.NDArray[qd.f32, 1]


# Fields, arrays


def test_levels_of_a_tree():
    x, y = qd.field(qd.f32), qd.field(qd.i64)
    block = qd.root.dense(qd.ij, (3, 5))
    block.place(x, y)
    snode = x._snode
    assert snode.parent() is block and snode._snode_tree_id == y._snode._snode_tree_id
    assert snode._cell_size_bytes == 4 and y._snode._cell_size_bytes == 8
    assert snode._offset_bytes_in_parent_cell == 0 and y._snode._offset_bytes_in_parent_cell == 8
    assert block._cell_size_bytes == 16 and len(block._get_children()) == 2
    assert block._path_from_root()[-1] is block and snode._path_from_root()[-1] is snode
    assert block._physical_index_position() == {0: 0, 1: 1}
    assert x._name == "" and x._qd_layout is None


def test_cells_allocated():
    x = qd.field(qd.i32)
    pointer = qd.root.pointer(qd.i, 8)
    pointer.place(x)
    x[1] = x[5] = 1
    assert pointer._num_dynamically_allocated == 2


def test_attributes_of_arrays():
    x = qd.ndarray(qd.types.vector(3, qd.f32), (2, 4))
    assert x._get_element_size() == 12 and x._get_nelement() == 8
    t = qd.tensor(qd.i32, (2, 3), layout=(1, 0))
    assert t._unwrap() is t._impl and t._impl._qd_layout == (1, 0) and t._impl._physical_shape == (3, 2)
    assert qd._tensor._with_layout(t._impl, (1, 0)) is t._impl
    f = qd.tensor(qd.i32, (2, 3), layout=(1, 0), backend=qd.Backend.FIELD)._impl
    assert f.shape == (2, 3) and f._physical_shape == (3, 2) and f._snode.parent()._physical_index_position() == {0: 0, 1: 1}


def test_names_of_elements():
    x, v = qd.field(qd.f32, 3, name="x"), qd.Matrix.field(2, 2, qd.f32, name="v", needs_grad=True)
    soa = qd.types.struct(a=qd.f32, v=qd.types.vector(2, qd.f32)).field(3, qd.Layout.SOA, name="s")
    qd.root.dense(qd.i, 3).place(v, v.grad)
    for f, name in ((x, "x"), (v, "v"), (v.grad, "v.grad"), (soa.a, "s.a"), (soa.v, "s.v")):
        assert f.snode._name == name and f.snode is f.snode
    assert [child._name for child in v.parent()._get_children()] == ["v"] * 4 + ["v.grad"] * 4


def test_positions_of_indices():
    x, y, z = qd.field(qd.f32), qd.field(qd.f32), qd.field(qd.f32, (2, 3), order="ji")
    qd.root.dense(qd.axes(2, 0), (3, 4)).place(x)
    qd.root.pointer(qd.i, 2).dense(qd.ij, 4).place(y)
    for f, positions in ((x, {0: 0, 1: 2}), (y, {0: 0, 1: 1}), (z, {0: 0, 1: 1}), (qd.field(qd.i32, ()), {})):
        assert f.snode._physical_index_position() == f.snode.parent()._physical_index_position() == positions
        assert list(f.snode._physical_index_position()) == sorted(positions)


def test_unpacked_groups():
    @qd.dataclass
    class Ray:
        d: qd.f32
        r: qd.types.vector(4, qd.f32, unpacked=True)

    assert {name: group[:2] for name, group in Ray._unpacked_groups.items()} == {"r": (4, qd.f32)}
    assert list(Ray.members) == ["d", "_r0", "_r1", "_r2", "_r3"]
    assert qd.types.struct(a=qd.i32)._unpacked_groups == {}


def test_dynamic_index_stride():
    v = qd.Vector.field(3, qd.f64, 4)
    assert v._get_dynamic_index_stride() == 8
    soa = qd.Vector.field(3, qd.f64, 4, layout=qd.Layout.SOA)
    assert soa._get_dynamic_index_stride() == 32
    sparse, apart = qd.Vector.field(2, qd.f32), qd.Vector.field(2, qd.f32)
    qd.root.pointer(qd.i, 4).dense(qd.i, 8).place(sparse)
    assert sparse._get_dynamic_index_stride() == 4
    first, second = (apart.get_scalar_field(k) for k in range(2))
    qd.root.dense(qd.i, 4).place(first)
    qd.root.dense(qd.i, 2).dense(qd.i, 2).place(second)  # paths of two lengths
    assert apart._get_dynamic_index_stride() is None


def test_components_whose_levels_differ_have_no_stride():
    between, w = qd.Vector.field(2, qd.f32), qd.field(qd.f64)
    first, second = (between.get_scalar_field(k) for k in range(2))
    qd.root.dense(qd.i, 4).place(first)
    qd.root.dense(qd.i, 4).place(w, second)  # cells of another size
    assert between._get_dynamic_index_stride() is None
    uneven, u = qd.Vector.field(3, qd.f32), qd.field(qd.f32)
    parts = [uneven.get_scalar_field(k) for k in range(3)]
    qd.root.dense(qd.i, 4).place(parts[0], parts[1], u, parts[2])
    assert uneven._get_dynamic_index_stride() is None


# perf_dispatch


def test_perf_dispatch_module():
    from quadrants.lang import _perf_dispatch

    assert _perf_dispatch.DEFAULT_REPEAT_AFTER_COUNT == 300 and _perf_dispatch.NUM_FIRST_WARMUP == 1
    assert _perf_dispatch._parse_force_map("a:b, c:d") == {"a": "b", "c": "d"}
    assert not _perf_dispatch._FORCE_MAP and not _perf_dispatch._ANY_FORCE_ACTIVE
    made = qd.perf_dispatch(get_geometry_hash=lambda: 0)(lambda: None)
    assert isinstance(made, _perf_dispatch.PerformanceDispatcher)
