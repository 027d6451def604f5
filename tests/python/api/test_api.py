"""The public names are exactly those listed here: a missing name fails, and so does an extra one."""

import pytest
import quadrants as qd

QD = """
Backend BitpackedFields BufferView CRITICAL DEBUG DeviceCapability ERROR Event Field FieldsBuilder Format GraphStatus INFO
Layout Matrix MatrixField MatrixNdarray MatrixTensor Mesh MeshInstance Ndarray QuadrantsAssertionError
QuadrantsCompilationError QuadrantsInterruptedError QuadrantsNameError QuadrantsRuntimeError QuadrantsRuntimeTypeError QuadrantsSyntaxError
QuadrantsTypeError SNode ScalarField ScalarNdarray Stream Struct StructField TRACE Template Tensor Vector VectorNdarray
VectorTensor WARN abs acos activate ad algorithms amdgpu append arm64 asin assume_in_range atan2 atomic_add atomic_and
atomic_cas atomic_exchange atomic_max atomic_min atomic_mul atomic_or atomic_sub atomic_xor axes bit_cast bit_shr
block_local cache_read_only cast ceil checkpoint clock_counter clock_freq_hz cos cpu create_event create_stream cuda
data_oriented dataclass deactivate deactivate_all_snodes dump_compile_config eig exp experimental extension f16 f32 f64
field float16 float32 float64 floor frexp func get_addr global_thread_idx gpu graph graph_do_while graph_parallel
graph_parallel_context grouped i i16 i32 i64 i8 ij ijk ijkl ijl ik ikl il init int16 int32 int64 int8 interop is_active
is_extension_enabled is_logging_effective j jk jkl jl k kernel kl l lang length linalg log loop_config make_spd math max
mesh_local mesh_patch_idx metal min ndarray ndrange no_activate one perf_dispatch polar_decompose pow profiler pure pyfunc
python randn random raw_div raw_mod real_func ref rescale_index reset root round rsqrt select set_logging_level simt sin
solve sparse sparse_matrix_builder sqrt static static_assert static_print stop_grad stream_parallel svd sym_eig sync tan
tanh template tensor tools types u1 u16 u32 u64 u8 uint1 uint16 uint32 uint64 uint8 volatile_load vulkan wrap x64 x86_64 zero
"""
MATH = """
acos asin atan2 cconj cdiv ceil cexp cinv clamp clog clz cmul cos cpow cross csqrt degrees determinant distance dot e exp eye
ffs floor fns fract inf inverse isinf isnan ivec2 ivec3 ivec4 length log log2 mat2 mat3 mat4 max min mix mod nan normalize pi
popcnt pow radians reflect refract rot_by_axis rot_yaw_pitch_roll rotation2d rotation3d round scale sign sin smoothstep sqrt
step tan tanh translate uvec2 uvec3 uvec4 vdir vec2 vec3 vec4
"""
FIELD = (
    "copy_from dtype fill from_numpy from_torch has_dual has_grad layout parent shape snode to_dlpack to_numpy to_torch"
)
NDARRAY = "copy_from element_shape fill get_type has_dual has_grad layout shape to_dlpack"
CONVERTING = NDARRAY + " from_numpy from_torch to_numpy to_torch"
MATRIX = """
all any cast cols cross determinant diag dot field fill frobenius_inner identity inverse max min ndarray norm norm_inv
norm_sqr normalized one outer_product rows sum tensor to_list to_numpy trace transpose unit zero get_shape
"""


def swizzles():
    from quadrants._language.matrix import _generate_swizzle_patterns

    return {name for letters in ("xyzw", "rgba", "stpq") for name in _generate_swizzle_patterns(letters)}


CASES = {
    "qd": (lambda: qd, QD),
    "math": (lambda: qd.math, MATH),
    "Field": (lambda: qd.Field, FIELD),
    "ScalarField": (lambda: qd.ScalarField, FIELD),
    "MatrixField": (lambda: qd.MatrixField, FIELD + " get_scalar_field"),
    "StructField": (lambda: qd.StructField, FIELD + " get_member_field keys"),
    "Ndarray": (lambda: qd.Ndarray, NDARRAY),
    "ScalarNdarray": (lambda: qd.ScalarNdarray, CONVERTING),
    "VectorNdarray": (lambda: qd.VectorNdarray, CONVERTING),
    "MatrixNdarray": (lambda: qd.MatrixNdarray, CONVERTING),
    "SNode": (
        lambda: qd.SNode,
        "bitmasked deactivate_all dense dynamic lazy_dual lazy_grad parent place pointer quant_array shape",
    ),
    "FieldsBuilder": (
        lambda: qd.FieldsBuilder,
        "bitmasked deactivate_all dense dynamic finalize lazy_dual lazy_grad place pointer quant_array",
    ),
    "Struct": (lambda: qd.Struct, "entries field items keys methods to_dict"),
}


ADDED = {  # the windows of running programs and of scripts, and exceptions that kernels raise
    "qd": {"inspect", "GUI", "ui", "hex_to_rgb", "rgb_to_hex", "QuadrantsArgumentError", "QuadrantsIndexError"}
}


@pytest.mark.parametrize("name", CASES)
def test_names(name):
    target, text = CASES[name]
    found = {n for n in dir(target()) if not n.startswith(("_", "@"))}
    wanted = set(text.split()) | ADDED.get(name, set())
    assert sorted(found - wanted) == [], "leaked"
    assert sorted(wanted - found) == [], "missing"


def test_matrix_names():
    found = {n for n in dir(qd.Matrix) if not n.startswith("_")}
    assert found == set(MATRIX.split()) | swizzles()


def test_names_outside_dir():
    assert qd.cfg.arch in (qd.x64, qd.arm64) or qd.cfg.arch.name in ("interp", "far")
    assert qd.__version__ == (0, 1, 0) and qd.__version_str__ == "0.1.0"
    assert callable(qd.coverage.snapshot)
    with pytest.raises(AttributeError):
        qd.no_such_name


@pytest.mark.parametrize("collects", [True, False])
def test_the_import_leaves_the_garbage_collector_as_it_was(collects):
    import subprocess
    import sys

    code = f"import gc; gc.{'enable' if collects else 'disable'}(); import quadrants; print(gc.isenabled())"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()[-1] == str(collects)
