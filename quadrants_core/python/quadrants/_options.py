"""Every option of qd.init, once: OPTIONS (name -> default) and SPECIAL (the ones kept on the Python side).

An option can come as a keyword of qd.init or as the environment variable QD_<NAME>; the keyword wins. `effect` of a row
says what it does here: options that steer machinery of other backends are accepted and kept, so that programs run
unchanged, and have no effect on this one.
"""

from quadrants import _dtypes

# Steered by this implementation.
_ACTIVE = {
    "debug": False,
    "check_out_of_bound": False,
    "fast_math": True,
    "default_fp": _dtypes.f32,
    "default_ip": _dtypes.i32,
    "cpu_max_num_threads": 0,
    "random_seed": 0,
    "offline_cache": True,
    "offline_cache_file_path": "",
    "offline_cache_max_size_of_files": 100 << 20,
    "compile_tiers": True,
    "raise_on_templated_floats": False,
    "print_ir": False,
    "kernel_profiler": False,
    "debug_dump_path": "/tmp/ir/",
    "print_preprocessed_ir": False,
    "print_kernel_llvm_ir": False,
    "print_kernel_llvm_ir_optimized": False,
    "print_kernel_asm": False,
    "make_cpu_multithreading_loop": True,
    "timeline": False,
    "offline_cache_cleaning_policy": "lru",
    "offline_cache_cleaning_factor": 0.25,
}

# Accepted, kept and readable; without effect on the backends present.
_KEPT = {
    "cfg_optimization": True,
    "opt_level": 1,
    "print_accessor_ir": False,
    "print_ir_dbg_info": False,
    "simplify_before_lower_access": True,
    "lower_access": True,
    "simplify_after_lower_access": True,
    "move_loop_invariant_outside_if": False,
    "cache_loop_invariant_global_vars": True,
    "demote_dense_struct_fors": True,
    "advanced_optimization": True,
    "use_llvm": True,
    "verbose_kernel_launches": False,
    "verbose": True,
    "flatten_if": False,
    "make_thread_local": True,
    "make_block_local": True,
    "detect_read_only": True,
    "real_matrix_scalarize": True,
    "force_scalarize_matrix": False,
    "half2_vectorization": False,
    "default_cpu_block_dim": 32,
    "cpu_block_dim_adaptive": True,
    "default_gpu_block_dim": 128,
    "gpu_max_reg": 0,
    "ad_stack_experimental_enabled": False,
    "ad_stack_size": 0,
    "ad_stack_sparse_threshold_bytes": 104857600,
    "saturating_grid_dim": 0,
    "max_block_dim": 0,
    "print_struct_llvm_ir": False,
    "print_kernel_amdgcn": False,
    "device_memory_GB": 1.0,
    "device_memory_fraction": 0.0,
    "quant_opt_store_fusion": True,
    "quant_opt_atomic_demotion": True,
    "make_mesh_block_local": True,
    "optimize_mesh_reordered_mapping": True,
    "mesh_localize_to_end_mapping": True,
    "mesh_localize_from_end_mapping": False,
    "mesh_localize_all_attr_mappings": False,
    "demote_no_access_mesh_fors": True,
    "experimental_auto_mesh_local": False,
    "auto_mesh_local_default_occupacy": 4,
    "num_compile_threads": 4,
    "vk_api_version": "",
    "cuda_stack_limit": 0,
    "external_metal_command_queue": 0,
    "external_metal_command_queue_is_torch_queue": False,
}

OPTIONS = {**_ACTIVE, **_KEPT}

SPECIAL = {
    "log_level": "info",
    "gdb_trigger": False,
    "short_circuit_operators": True,
    "print_full_traceback": False,
    "unrolling_limit": 32,
}


class CompileConfig:
    """The live options of the running program (qd.cfg): every name of OPTIONS plus `arch`."""

    def __init__(self, arch, values):
        self.arch = arch
        for name, value in values.items():
            setattr(self, name, value)

    def __setattr__(self, name, value):
        if name != "arch" and name not in OPTIONS:
            raise AttributeError(f"'CompileConfig' object has no attribute {name!r}")
        if isinstance(OPTIONS.get(name), (int, float)) and isinstance(value, (str, bytes, type(None))):
            raise TypeError(f"the option {name} is {type(OPTIONS[name]).__name__}, not {value!r}")
        object.__setattr__(self, name, value)

    @property
    def default_up(self):
        return _dtypes.u64 if self.default_ip.bits == 64 else _dtypes.u32


class SpecialConfig:
    """Options that the Python side keeps."""

    def __init__(self, values=None):
        for name, value in (values or SPECIAL).items():
            setattr(self, name, value)


def repo_dir(environ):
    """The folder below which the cache on disk lies; empty if there is no home. As everywhere, an XDG_CACHE_HOME that is
    no absolute path counts as none."""
    base = environ.get("XDG_CACHE_HOME", "")
    if not base.startswith("/"):
        base = environ["HOME"] + "/.cache" if environ.get("HOME") else ""
    return base + "/quadrants/" if base else ""


def usable_cores():
    """Cores that this process may run on."""
    import os

    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


CLEANING_POLICIES = ("never", "version", "lru", "fifo")


def check(values, src_ll_cache, environ):
    """Options that contradict each other, or that this version cannot carry out as they say."""
    import warnings

    cached = values["offline_cache"]
    loads = [name for name in ("QD_LOAD_IR", "QUADRANTS_LOAD_PTX") if environ.get(name, "") not in ("", "0")]
    if loads and (cached or src_ll_cache):
        raise ValueError(
            f"Caching must be disabled when using {' and '.join(loads)}: pass offline_cache=False and src_ll_cache=False to qd.init"
        )
    for name in loads:
        warnings.warn(f"{name} has no effect: kernels are compiled from their source", stacklevel=4)
    shows = "print_ir=True" if values["print_ir"] else "QD_DUMP_IR" if flag("QD_DUMP_IR", environ) else ""
    if shows and cached:
        warnings.warn(
            f"{shows} shows only kernels that are compiled; those that the cache on disk holds are not. "
            "Pass offline_cache=False to qd.init to see all of them. [warning_code=DUMP_IR_CACHE_MISMATCH]",
            stacklevel=4,
        )
    policy = values["offline_cache_cleaning_policy"]
    if policy not in CLEANING_POLICIES:
        raise ValueError(f"offline_cache_cleaning_policy={policy!r}: choose one of {', '.join(CLEANING_POLICIES)}")


_BOOLEANS = {**dict.fromkeys(("1", "true", "on", "yes"), True), **dict.fromkeys(("0", "false", "off", "no"), False)}


def flag(variable, environ, default=False):
    """The environment variable as a boolean; `default` if it is unset or empty."""
    text = environ.get(variable, "").strip().lower()
    if not text:
        return default
    if text not in _BOOLEANS:
        raise ValueError(f"Invalid {variable}={environ[variable]}, should be one of {', '.join(_BOOLEANS)}")
    return _BOOLEANS[text]


def from_environment(name, default, environ):
    """The variable QD_<NAME> as a value like `default`."""
    variable = "QD_" + name.upper()
    if isinstance(default, bool):
        return flag(variable, environ, default)
    text = environ[variable]
    if name in ("default_fp", "default_ip"):
        if text not in ("32", "64"):
            raise ValueError(f"Invalid {variable}={text}, should be 32 or 64")
        return getattr(_dtypes, ("f" if name == "default_fp" else "i") + text)
    try:
        return type(default)(text)
    except ValueError:
        raise ValueError(f"Invalid {variable}={text}, should be {_NUMBERS[type(default)]}") from None


_NUMBERS = {int: "an integer", float: "a number"}


def gather(keywords, environ):
    """(options, special options) from the keywords of qd.init and the environment; KeyError for what is unknown."""
    import warnings

    unknown = [k for k in keywords if k not in OPTIONS and k not in SPECIAL]
    if "default_up" in keywords:
        raise KeyError("default_up cannot be set: it follows default_ip")
    if unknown:
        raise KeyError(f"Unrecognized keyword argument(s) for qd.init: {', '.join(unknown)}")
    results = []
    given = {name: environ[name] for name in environ if name.startswith("QD_")}  # each look-up in os.environ encodes the name
    for table in (OPTIONS, SPECIAL):
        values = dict(table)
        for name, default in table.items():
            text = given.get("QD_" + name.upper(), "")
            if name in keywords and keywords[name] is not None:
                values[name] = keywords[name]
                if text:
                    warnings.warn(
                        f"Environment variable QD_{name.upper()}={text} overridden by qd.init argument "
                        f"{name}={keywords[name]}",
                        stacklevel=4,
                    )
            elif text:
                values[name] = from_environment(name, default, given)
        results.append(values)
    return results
