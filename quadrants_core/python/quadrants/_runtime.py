"""qd.init, qd.reset and qd.sync, and what they tell the core."""

import os as _os

from quadrants import _arch, _dtypes, _environment, _exceptions, _logging, _native, _options, _settings
from quadrants._version import version as _version

_DEFAULTS = {"default_fp": (_dtypes.f16, _dtypes.f32, _dtypes.f64), "default_ip": (_dtypes.i32, _dtypes.i64)}

# Where coverage files go: the folder that was current when coverage was first enabled, if that was before this line.
folder_of_coverage = _os.path.abspath(_os.curdir) if _environment.value("kernel_coverage") else None
_settings.defaults = _options.CompileConfig(_arch.cpu, _options.OPTIONS)
_settings.special = _options.SpecialConfig()


def coverage_wanted():
    if not _environment.value("kernel_coverage"):
        return False
    from quadrants._coverage import files as _coverage_files

    _coverage_files.enable(folder_of_coverage)
    return True


def coverage_asked():
    """"counts", or if QD_COVERAGE_COUNTS=0 leaves it at yes or no: whether "lines" alone, or "arcs" too."""
    if _environment.value("coverage_counts") or not coverage_wanted():
        return "counts"
    from quadrants._coverage import files as _coverage_files

    return _coverage_files.asked()


def _live_options():
    """The options as they are now, by the names that the core has for them."""
    config = _settings.current()
    return {**vars(config), **vars(_settings.special), "arch": _arch.backend_name(config.arch)}


def _following():
    """What follows from the options and is none."""
    return {
        "coverage": coverage_wanted(),
        "coverage_asked": coverage_asked(),
        "kernels_in_python": _settings.of_python is not None,
        "checks_python": _settings.checks_python,
        "show": _shown_forms(_settings.current()),
    }


def tell_core():
    """Before a kernel is compiled: options may have been changed through qd.cfg."""
    _native.core().set_options(_live_options(), _following())


def _shown_forms(c):
    """The forms in which every kernel is shown when it is compiled."""
    forms = []
    if c.print_preprocessed_ir:
        forms.append("frontend")
    if c.print_kernel_llvm_ir or c.print_kernel_llvm_ir_optimized:
        forms.append("llvm")
    if c.print_kernel_asm:
        forms.append("asm")
    if _environment.value("dump_ir"):
        forms += [form for form in ("ir", "llvm", "asm") if form not in forms]
    return forms


def show_form(kernel, form, text):
    """A kernel was compiled, and this is one of its forms."""
    c = _settings.current()
    printed = {
        "frontend": c.print_preprocessed_ir,
        "ir": False,
        "llvm": c.print_kernel_llvm_ir or c.print_kernel_llvm_ir_optimized,
        "asm": c.print_kernel_asm,
    }
    if printed[form]:
        print(f"[Quadrants] {form} of {kernel}:\n{text}", flush=True)
    if _environment.value("dump_ir") and form != "frontend":
        name = "".join(letter if letter.isalnum() or letter in "._-" else "_" for letter in kernel)
        suffix = {"ir": "_after_offload.qir", "llvm": ".ll", "asm": ".s"}[form]
        _os.makedirs(c.debug_dump_path, exist_ok=True)
        with open(_os.path.join(c.debug_dump_path, name + suffix), "w", encoding="utf-8") as file:
            file.write(text)


def _as_arch(value):
    if isinstance(value, str):
        return _arch.from_name(value)
    return _arch.Arch(value)


def _choose_arch(arch, enable_fallback):
    import warnings

    named = _environment.given("arch")
    wanted = [named] if named else (arch if isinstance(arch, (list, tuple)) else [_arch.cpu if arch is None else arch])
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
    parts = tuple(int(p) for p in required.split("."))
    if len(parts) != 3:
        raise Exception(f"require_version={required!r} must look like 1.2.3")
    if parts[0] != _version[0] or parts > _version:
        have = ".".join(map(str, _version))
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
    if require_version is not None:
        _check_version(require_version)
    keywords = {**compile_config_kwargs, "default_fp": default_fp, "default_ip": default_ip}
    keywords.update(print_non_pure=bool(print_non_pure), src_ll_cache=bool(src_ll_cache))
    values, special_values = _options.gather(keywords, _os.environ)
    for name in ("default_fp", "default_ip"):
        values[name] = _dtypes.dtype(values[name])
        if values[name] not in _DEFAULTS[name]:
            known = ", ".join(f"qd.{t}" for t in _DEFAULTS[name])
            raise AssertionError(f"{name} is one of {known}, not {values[name]}")
    reset()
    _settings.special = _options.SpecialConfig(special_values)
    _logging.set_logging_level(_settings.special.log_level)
    if _test_mode:
        return _settings.special
    chosen = _choose_arch(arch, enable_fallback)
    if values["debug"]:
        values["check_out_of_bound"] = True
    if not values["offline_cache_file_path"] and _options.repo_dir(_os.environ):
        values["offline_cache_file_path"] = _options.repo_dir(_os.environ) + "qdcache"
    values["cpu_max_num_threads"] = int(values["cpu_max_num_threads"]) or _options.usable_cores()
    _options.check(values, src_ll_cache)
    config = _options.CompileConfig(chosen, values)
    if chosen == _arch.python:
        _settings.of_python = config
    else:
        _settings.cfg = config
    try:
        _native.core().create_program({**_environment.values(), **_live_options()}, _following())
    except BaseException:
        _settings.cfg = _settings.of_python = None
        raise
    if _logging.is_logging_effective(_logging.INFO):
        print(f"[Quadrants] Starting on arch={chosen.name}", flush=True)
    return None


def reset():
    """Ends the running program: memory is freed, compiled kernels are dropped; arrays and fields of it are dead.

    KeyboardInterrupt: by Ctrl-C while it waits for launches; the program is over all the same."""
    if _native.loaded is not None and _native.loaded.initialised():
        for hook in _settings.before_reset:
            hook()
        try:
            _native.loaded.destroy_program()
        finally:
            _settings.programs_ended += 1
            _forget_program()
    else:
        _forget_program()


def _forget_program():
    _settings.cfg = _settings.of_python = None
    _settings.special = _options.SpecialConfig()
    for hook in _settings.after_reset:
        hook()


def sync():
    """Waits until everything launched is done."""
    _native.core().sync()
    _native.core().flush_output()


def _at_exit():
    try:
        reset()
    finally:
        _native.loaded.stop_output()


def _end_at_exit(_):
    import atexit

    atexit.register(_at_exit)


def require_program():
    if _settings.cfg is None and _settings.of_python is None:
        raise _exceptions.QuadrantsRuntimeError("Quadrants is not initialised: call qd.init() first")


_native.when_core_loads(_end_at_exit)
