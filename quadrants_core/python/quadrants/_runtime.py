"""qd.init, qd.reset and qd.sync, and what they tell the core."""

import os as _os

from quadrants import _arch, _dumps, _environment, _exceptions, _logging, _native, _option_values, _options, _settings
from quadrants._version import version as _version

# Where coverage files go: the folder that was current when coverage was first enabled, if that was before this line.
folder_of_coverage = _os.path.abspath(_os.curdir) if _environment.value("kernel_coverage") else None
_settings.defaults = _options.CompileConfig(_arch.cpu, _options.OPTIONS)
_settings.special = _options.SpecialConfig()


def coverage_wanted(environ=_os.environ):
    if not _environment.value("kernel_coverage", environ):
        return False
    from quadrants._coverage import files as _coverage_files

    _coverage_files.enable(folder_of_coverage)
    return True


def coverage_asked(environ=_os.environ):
    """"counts", or if QD_COVERAGE_COUNTS=0 leaves it at yes or no: whether "lines" alone, or "arcs" too."""
    if _environment.value("coverage_counts", environ) or not coverage_wanted(environ):
        return "counts"
    from quadrants._coverage import files as _coverage_files

    return _coverage_files.asked()


def _live_options(config, special):
    """The options as they are now, by the names that the core has for them."""
    return {**config, **special, "arch": _arch.backend_name(config["arch"])}


def _following(environ):
    """What follows from the options and is none."""
    return {
        "coverage": coverage_wanted(environ),
        "coverage_asked": coverage_asked(environ),
        "kernels_in_python": _settings.of_python is not None,
        "checks_python": _settings.checks_python,
        "show": _dumps.forms(environ),
    }


def tell_core():
    """Before a kernel is compiled: options may have been changed through qd.cfg or in the environment."""
    core = _native.core()
    config, special = dict(vars(_settings.current())), dict(vars(_settings.special))
    now = (core.hash_of_environment(), config, special, _settings.of_python is not None, _settings.checks_python)
    if core.is_told(now):
        return
    present = _environment.of_package(_os.environ)
    following = _following(present)
    # What changed is heard of from C's environment, which os.environ is ahead of or behind where C code sets variables. Coverage also
    # follows from settings of its own.
    is_heard = core.option_variables() == {name: text for name, text in present.items() if name.startswith("QD_")}
    core.set_options(_live_options(config, special), following, now if is_heard and not following["coverage"] else None)


def _wanted_archs(arch):
    """The architectures to try, in order of preference."""
    named = _environment.given("arch")
    given = named or arch
    if given is None:
        return [_arch.cpu]
    if isinstance(given, (list, tuple)):
        if not given:
            raise ValueError("arch is an empty list: give qd.cpu, or leave it out")
        return [found for one in given for found in _arch.meant(one)]
    return _arch.meant(given, f" in {_environment.variable('arch')}" if named else "")


def _choose_arch(arch, enable_fallback):
    wanted = _wanted_archs(arch)
    for candidate in wanted:
        if _arch.backend_name(candidate):
            return candidate
    names = ", ".join(f"Arch.{a.name}" for a in wanted)
    if not enable_fallback:
        raise RuntimeError(f"Arch=[{names}] is not supported")
    _logging.warn_caller(f"Arch=[{names}] is not supported, falling back to CPU")
    return _arch.cpu


def _check_version(required):
    parts = required.split(".") if isinstance(required, str) else ()
    if len(parts) != 3 or not all(p.isdecimal() for p in parts):
        raise Exception(f"require_version={required!r} must look like 1.2.3")
    numbers = tuple(map(int, parts))
    if numbers[0] != _version[0] or numbers > _version:
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
    """Starts a program on `arch`, and ends the one before: its fields, arrays and compiled kernels are gone.

    Args:
        arch: what runs the kernels: `qd.cpu`, `qd.python` (in Python, for debugging), `qd.gpu`, a list in order of preference, or a
            name as text. None: `QD_ARCH`, else the processor.
        default_fp: type of floats that have none of their own; `qd.f32`, `qd.f16` or `qd.f64`.
        default_ip: type of integers that have none of their own; `qd.i32` or `qd.i64`.
        _test_mode: for tests of options: nothing is started, and those that are no part of `qd.cfg` are given back.
        enable_fallback: False: an error if `arch` is not there; True: the processor is taken instead.
        require_version: text such as "0.1.0"; an error if the package is another version.
        print_non_pure: tell of kernels that read what is not among their parameters.
        src_ll_cache: keep on disk what a kernel became, so that the next process neither parses nor lowers it.
        **compile_config_kwargs: any option of the table of options; each is also read from the environment as QD_<NAME>.

    Raises:
        KeyError: an option that is not known. ValueError, AssertionError: a value that an option cannot have. RuntimeError: `arch` is
        not there, and enable_fallback is False.

    Example:
        >>> qd.init(arch=qd.cpu, default_fp=qd.f64, random_seed=7)
        >>> qd.cfg.random_seed
        7
    """
    if require_version is not None:
        _check_version(require_version)
    keywords = {**compile_config_kwargs, "default_fp": default_fp, "default_ip": default_ip}
    keywords.update(print_non_pure=print_non_pure, src_ll_cache=src_ll_cache)
    present = _environment.of_package(_os.environ)
    values, special_values, told = _options.gather(keywords, present)
    falls_back = _option_values.flag("enable_fallback", enable_fallback)
    starts = not _option_values.flag("_test_mode", _test_mode)
    chosen = _choose_arch(arch, falls_back) if starts else None
    from_environment = _environment.values(present)
    reset()
    _settings.special = _options.SpecialConfig(special_values)
    _logging.set_logging_level(_settings.special.log_level)
    for line in told:
        _logging.warn(line)
    if not starts:
        return _settings.special
    if values["debug"]:
        values["check_out_of_bound"] = True
    if values["offline_cache_file_path"]:
        values["offline_cache_file_path"] = _options.absolute(values["offline_cache_file_path"])
    elif _options.repo_dir(_os.environ):
        values["offline_cache_file_path"] = _options.repo_dir(_os.environ) + "qdcache"
    values["cpu_max_num_threads"] = values["cpu_max_num_threads"] or _options.usable_cores()
    _options.check(chosen, values, special_values["src_ll_cache"], present)
    config = _options.CompileConfig(chosen, values)
    if chosen == _arch.python:
        _settings.of_python = config
    else:
        _settings.cfg = config
    try:
        _native.core().create_program({**from_environment, **_live_options(vars(config), special_values)}, _following(present))
    except BaseException:
        _settings.cfg = _settings.of_python = None
        raise
    if _logging.is_logging_effective(_logging.INFO):
        print(f"[Quadrants] Starting on arch={chosen.name}", flush=True)
    return None


def reset():
    """Ends the running program: memory is freed, compiled kernels are dropped; arrays and fields of it are dead.

    Raises:
        KeyboardInterrupt: by Ctrl-C while it waits for launches; the program is over all the same.

    Example:
        >>> qd.reset()
    """
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
    """Waits until everything launched is done. Launches on the CPU are done when the call returns, so there it is for kernels' output
    and for programs that also run on GPUs.

    Example:
        >>> qd.sync()
    """
    _native.core().sync()
    _native.core().flush_output()


def _at_exit():
    try:
        _native.loaded.stop_launches()  # of daemon threads: all others have ended
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
