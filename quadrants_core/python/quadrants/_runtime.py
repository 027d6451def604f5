"""qd.init, qd.reset and qd.sync, and the options that they pass to the core."""

import os as _os

from quadrants import _arch, _dumps, _environment, _exceptions, _logging, _native, _option_values, _options, _settings
from quadrants._version import version as _version

# The folder of coverage files: the current directory at the time when coverage was first enabled, if that was before this line.
folder_of_coverage = _os.path.abspath(_os.curdir) if _environment.value("kernel_coverage") else None
_settings.defaults = _options.CompileConfig(_arch.cpu, _options.OPTIONS)
_settings.special = _options.SpecialConfig()


def coverage_wanted(environ=_os.environ):
    if not _environment.value("kernel_coverage", environ):
        return False
    from quadrants._coverage import files as _coverage_files

    _coverage_files.enable(folder_of_coverage)
    return True


def coverage_kind(environ=_os.environ):
    """Returns "counts", or with QD_COVERAGE_COUNTS=0, which only records hits, "lines" or "arcs"."""
    if _environment.value("coverage_counts", environ) or not coverage_wanted(environ):
        return "counts"
    from quadrants._coverage import files as _coverage_files

    return _coverage_files.asked()


def _live_options(config, special):
    """Returns the current options under the core's names for them."""
    return {**config, **special, "arch": _arch.backend_name(config["arch"])}


def _following(environ):
    """Returns the settings that are derived from the options."""
    return {
        "coverage": coverage_wanted(environ),
        "coverage_kind": coverage_kind(environ),
        "kernels_in_python": _settings.of_python is not None,
        "checks_python": _settings.checks_python,
        "show": _dumps.forms(environ),
    }


def pass_options():
    """Passes the current options to the core before a compilation, since qd.cfg or the environment may have changed."""
    core = _native.core()
    config, special = dict(vars(_settings.current())), dict(vars(_settings.special))
    now = (core.hash_of_environment(), config, special, _settings.of_python is not None, _settings.checks_python)
    if core.made_from(now):
        return
    present = _environment.of_package(_os.environ)
    following = _following(present)
    # The core detects changes in C's environment, which differs from os.environ where C code sets variables. Coverage also depends on
    # settings of its own.
    is_heard = core.option_variables() == {name: text for name, text in present.items() if name.startswith("QD_")}
    core.set_options(_live_options(config, special), following, now if is_heard and not following["coverage"] else None)


def _wanted_archs(arch):
    """Returns the architectures to try, in order of preference."""
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
    """Starts a program on `arch` and ends the previous one, whose fields, arrays and compiled kernels become invalid.

    Args:
        arch: the architecture that runs the kernels: `qd.cpu`, `qd.python` (in Python, for debugging), `qd.gpu`, a list in order of
            preference, or a name as a string. None: `QD_ARCH`, or the CPU if that is not set.
        default_fp: default type of floating-point numbers: `qd.f32`, `qd.f16` or `qd.f64`.
        default_ip: default type of integers: `qd.i32` or `qd.i64`.
        _test_mode: for tests of options: starts nothing and returns the options that are not part of `qd.cfg`.
        enable_fallback: if True, use the CPU when `arch` is not available; if False, raise an error.
        require_version: a version such as "0.1.0"; an error is raised if the package has a different one.
        print_non_pure: report kernels that read globals.
        src_ll_cache: cache the compiled form of kernels on disk, so that the next process neither parses nor lowers them.
        **compile_config_kwargs: any option from the table of options; each can also be set in the environment as QD_<NAME>.

    Raises:
        KeyError: an option is unknown. ValueError, AssertionError: the value of an option is not valid. RuntimeError: `arch` is not
        available and enable_fallback is False.

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
    values, special_values, messages = _options.gather(keywords, present)
    falls_back = _option_values.flag("enable_fallback", enable_fallback)
    starts = not _option_values.flag("_test_mode", _test_mode)
    chosen = _choose_arch(arch, falls_back) if starts else None
    from_environment = _environment.values(present)
    reset()
    _settings.special = _options.SpecialConfig(special_values)
    _logging.set_logging_level(_settings.special.log_level)
    for line in messages:
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


def is_initialized():
    """Returns whether a program is running: `qd.init()` was called, and `qd.reset()` was not called since. A library asks before it calls
    `qd.init()`, which would end the program of its caller.

    Returns:
        True or False.

    Example:
        >>> qd.is_initialized()
        True
    """
    return _settings.cfg is not None or _settings.of_python is not None


def describe(function, keywords):
    """Gives a function with `**keywords` a signature that names them, for completion. `keywords` is a dict: name -> default."""
    import inspect

    own = list(inspect.signature(function).parameters.values())[:-1]
    more = keywords.keys() - {parameter.name for parameter in own}
    named = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=value) for name, value in keywords.items() if name in more]
    function.__signature__ = inspect.Signature([*own, *named])


def options():
    """Returns the keywords of `qd.init` that are in the table of options, with their defaults."""
    return {name: row[2] for name, row in _option_values.ROWS.items() if row[3] != "environment"}


def reset():
    """Ends the running program: frees its memory, drops compiled kernels, and invalidates its arrays and fields.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed while waiting for launches; the program has ended all the same.

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
    """Waits until all launches have completed. On the CPU, launches have completed when the call returns; there, sync flushes the output of
    kernels and makes programs portable to GPUs.

    Example:
        >>> qd.sync()
    """
    _native.core().sync()
    _native.core().flush_output()


def _at_exit():
    try:
        _native.loaded.stop_launches()  # those of daemon threads: all other threads have ended
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
