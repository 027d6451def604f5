"""qd.init, qd.reset, qd.sync and what they keep: the live configuration, the root of fields, hooks."""

import os as _os

from quadrants import _arch, _dtypes, _exceptions, _logging, _options

_DEFAULTS = {"default_fp": (_dtypes.f16, _dtypes.f32, _dtypes.f64), "default_ip": (_dtypes.i32, _dtypes.i64)}
cfg = None  # None before init and on qd.python, else the live CompileConfig
_of_python = None  # the options where kernels run as Python
checks_python = True  # there, the frontend refuses what it refuses elsewhere; False: it is compared with what runs
_src_ll_cache = True  # arguments of qd.init
_print_non_pure = False
special = _options.SpecialConfig()
programs_ended = 0  # so far, by qd.reset or qd.init
before_reset = []  # called while the old program still lives
after_reset = []

# Where coverage files go: the folder that was current when coverage was first enabled, if that was before this line.
_folder_of_coverage = _os.path.abspath(_os.curdir) if _options.flag("QD_KERNEL_COVERAGE", _os.environ) else None
_core = None
_waiting = []  # to be told when the extension module is loaded
_defaults = _options.CompileConfig(_arch.cpu, _options.OPTIONS)


def core():
    """The extension module; loaded on first use."""
    global _core
    if _core is None:
        from quadrants._lib.core import quadrants_python

        _core = quadrants_python
        import atexit

        atexit.register(_at_exit)
        for tell in _waiting:
            tell(_core)
    return _core


def when_core_loads(tell):
    """Calls `tell(core)` now, or as soon as the extension module is loaded."""
    if _core is not None:
        tell(_core)
    else:
        _waiting.append(tell)


def current_cfg():
    return cfg or _of_python or _defaults


def default_ip():
    return current_cfg().default_ip


def default_fp():
    return current_cfg().default_fp


def default_up():
    return current_cfg().default_up


def coverage_wanted():
    if not _options.flag("QD_KERNEL_COVERAGE", _os.environ):
        return False
    from quadrants import _coverage_files

    _coverage_files.enable(_folder_of_coverage)
    return True


def coverage_asked():
    """"counts", or if QD_COVERAGE_COUNTS=0 leaves it at yes or no: whether "lines" alone, or "arcs" too."""
    if _options.flag("QD_COVERAGE_COUNTS", _os.environ, True) or not coverage_wanted():
        return "counts"
    from quadrants import _coverage_files

    return _coverage_files.asked()


def language_options():
    """What the frontend must know, from the live configuration."""
    c = current_cfg()
    return {
        "default_ip": c.default_ip._qd_scalar_,
        "default_fp": c.default_fp._qd_scalar_,
        "debug": bool(c.debug),
        "check_bounds": bool(c.debug or c.check_out_of_bound),
        "fast_math": bool(c.fast_math),
        "coverage": coverage_wanted(),
        "coverage_asked": coverage_asked(),
        "short_circuit": bool(special.short_circuit_operators),
        "unrolling_limit": int(special.unrolling_limit),
        "refuse_template_floats": bool(c.raise_on_templated_floats),
        "kernels_in_python": _of_python is not None,
        "checks_python": checks_python,
        "src_ll_cache": _src_ll_cache,
        "timeline": bool(c.timeline),
        "show": _shown_forms(c),
    }


def _shown_forms(c):
    """The forms in which every kernel is shown when it is compiled."""
    forms = []
    if c.print_preprocessed_ir:
        forms.append("frontend")
    if c.print_kernel_llvm_ir or c.print_kernel_llvm_ir_optimized:
        forms.append("llvm")
    if c.print_kernel_asm:
        forms.append("asm")
    if _dumps_ir():
        forms += [form for form in ("ir", "llvm", "asm") if form not in forms]
    return forms


def _dumps_ir():
    return _options.flag("QD_DUMP_IR", _os.environ)


def show_form(kernel, form, text):
    """A kernel was compiled, and this is one of its forms."""
    c = current_cfg()
    printed = {
        "frontend": c.print_preprocessed_ir,
        "ir": False,
        "llvm": c.print_kernel_llvm_ir or c.print_kernel_llvm_ir_optimized,
        "asm": c.print_kernel_asm,
    }
    if printed[form]:
        print(f"[Quadrants] {form} of {kernel}:\n{text}", flush=True)
    if _dumps_ir() and form != "frontend":
        name = "".join(letter if letter.isalnum() or letter in "._-" else "_" for letter in kernel)
        suffix = {"ir": "_after_offload.qir", "llvm": ".ll", "asm": ".s"}[form]
        _os.makedirs(c.debug_dump_path, exist_ok=True)
        with open(_os.path.join(c.debug_dump_path, name + suffix), "w", encoding="utf-8") as file:
            file.write(text)


def _engine_options(backend):
    c = current_cfg()
    return {
        "arch": backend,
        "threads": int(c.cpu_max_num_threads) if c.make_cpu_multithreading_loop else 1,
        "debug": bool(c.debug),
        "fast_math": bool(c.fast_math),
        "compile_tiers": bool(c.compile_tiers),
        "cache": bool(c.offline_cache),
        "cache_dir": _os.fspath(c.offline_cache_file_path),
        "cache_max_bytes": int(c.offline_cache_max_size_of_files),
        "cache_cleaning": _options.CLEANING_POLICIES.index(c.offline_cache_cleaning_policy),
        "cache_cleaning_factor": float(c.offline_cache_cleaning_factor),
        "random_seed": int(c.random_seed),
        "coverage": coverage_wanted(),
        "profile": bool(c.kernel_profiler),
        "verify": _options.flag("QD_VERIFY", _os.environ),
        "dump": _os.environ.get("QD_DUMP", "all" if c.print_ir else ""),
        "only": _os.environ.get("QD_ONLY", ""),
    }


def _as_arch(value):
    if isinstance(value, str):
        return _arch.from_name(value)
    return _arch.Arch(value)


def _choose_arch(arch, enable_fallback):
    import warnings

    text = _os.environ.get("QD_ARCH", "")
    wanted = [text] if text else (arch if isinstance(arch, (list, tuple)) else [_arch.cpu if arch is None else arch])
    wanted = [_as_arch(a) for a in wanted]
    for candidate in wanted:
        if _arch.backend_name(candidate):
            return candidate
    names = ", ".join(f"Arch.{a.name}" for a in wanted)
    if not enable_fallback:
        raise RuntimeError(f"Arch=[{names}] is not supported")
    warnings.warn(f"Arch=[{names}] is not supported, falling back to CPU", stacklevel=3)
    return _arch.cpu


def _check_version(required):
    from quadrants._version import version

    parts = tuple(int(p) for p in required.split("."))
    if len(parts) != 3:
        raise Exception(f"require_version={required!r} must look like 1.2.3")
    if parts[0] != version[0] or parts > version:
        have = ".".join(map(str, version))
        raise Exception(f"The program requires version {required} of Quadrants, this is {have}")


def init(
    arch=None,
    default_fp=None,
    default_ip=None,
    _test_mode=False,
    enable_fallback=True,
    require_version=None,
    print_non_pure=False,
    src_ll_cache=True,
    **compile_config_kwargs,
):
    """Starts a program on `arch`; ends the one before. Options: see docs, each also as QD_<NAME> in the environment."""
    global cfg, special, _of_python, _src_ll_cache, _print_non_pure
    if require_version is not None:
        _check_version(require_version)
    keywords = {**compile_config_kwargs, "default_fp": default_fp, "default_ip": default_ip}
    values, special_values = _options.gather(keywords, _os.environ)
    for name in ("default_fp", "default_ip"):
        values[name] = _dtypes.dtype(values[name])
        if values[name] not in _DEFAULTS[name]:
            known = ", ".join(f"qd.{t}" for t in _DEFAULTS[name])
            raise AssertionError(f"{name} is one of {known}, not {values[name]}")
    reset()
    special = _options.SpecialConfig(special_values)
    _logging.set_logging_level(special.log_level)
    if _test_mode:
        return special
    chosen = _choose_arch(arch, enable_fallback)
    if values["debug"]:
        values["check_out_of_bound"] = True
    if not values["offline_cache_file_path"] and _options.repo_dir(_os.environ):
        values["offline_cache_file_path"] = _options.repo_dir(_os.environ) + "qdcache"
    values["cpu_max_num_threads"] = int(values["cpu_max_num_threads"]) or _options.usable_cores()
    _options.check(values, src_ll_cache, _os.environ)
    _src_ll_cache, _print_non_pure = bool(src_ll_cache), bool(print_non_pure)
    config = _options.CompileConfig(chosen, values)
    if chosen == _arch.python:
        _of_python = config
    else:
        cfg = config
    try:
        core().create_program(_engine_options(_arch.backend_name(chosen)), language_options())
    except BaseException:
        cfg = _of_python = None
        raise
    if _logging.is_logging_effective(_logging.INFO):
        print(f"[Quadrants] Starting on arch={chosen.name}", flush=True)
    return None


def reset():
    """Ends the running program: memory is freed, compiled kernels are dropped; arrays and fields of it are dead."""
    global cfg, special, _of_python, programs_ended
    if _core is not None and _core.initialised():
        for hook in before_reset:
            hook()
        _core.destroy_program()
        programs_ended += 1
    cfg = _of_python = None
    special = _options.SpecialConfig()
    for hook in after_reset:
        hook()


def sync():
    """Waits until everything launched is done."""
    core().sync()
    core().flush_output()


def _at_exit():
    try:
        reset()
    finally:
        _core.stop_output()


def require_program():
    if cfg is None and _of_python is None:
        raise _exceptions.QuadrantsRuntimeError("Quadrants is not initialised: call qd.init() first")
