"""The options of qd.init as Python objects. They are defined in quadrants_core/options/options.def."""

from quadrants import _dtypes, _environment, _logging, _option_values


def _of(*set_by):
    """Returns name -> default of the options that are set in one of these ways."""
    found = {}
    for name, kind, default, by, *_ in _environment.ROWS.values():
        if by in set_by:
            found[name] = _dtypes.names[default] if kind == "Type" else default
    return found


OPTIONS = _of("config")
DEFAULT_TYPES = {"default_fp": ("f16", "f32", "f64"), "default_ip": ("i32", "i64")}
SPECIAL = _of("special", "keyword")


def default_type(name, value, choices):
    """Returns the type given for `default_fp` or `default_ip`; raises AssertionError if it is not one of `choices`."""
    found, why = None, ""
    if value is int or value is float or value is bool:
        why = f": {value.__name__} is whatever the default is" if value is not bool else ""
    else:
        try:
            found = _dtypes.dtype(value)
        except TypeError:
            pass
    if found is None or found.name not in choices:
        raise AssertionError(f"{name} must be one of {', '.join('qd.' + c for c in choices)}, not {_option_values.shown(value)}{why}")
    return found


class CompileConfig:
    """The options of the running program (qd.cfg): every name of OPTIONS, and `arch`."""

    def __init__(self, arch, values):
        vars(self).update(values, arch=arch)

    def __setattr__(self, name, value):
        if name == "arch":
            raise AttributeError("arch cannot be changed while a program runs: qd.init(arch=...) starts another")
        if name not in OPTIONS:
            self.__getattr__(name)
        if name in DEFAULT_TYPES:
            value = default_type(name, value, (*DEFAULT_TYPES[name], "u32", "u64") if name == "default_ip" else DEFAULT_TYPES[name])
        else:
            value = _option_values.checked(name, value)
        object.__setattr__(self, name, value)

    def __delattr__(self, name):
        getattr(self, name)
        raise AttributeError(f"the option {name} cannot be deleted: assign another value to it", name=name, obj=self)

    def __getattr__(self, name):
        """Raises AttributeError with a suggestion for an unknown name."""
        meant = None if name.startswith("_") else _option_values.nearest(name, [*OPTIONS, "arch", "default_up"])
        hint = f"; did you mean {meant!r}?" if meant else ""
        raise AttributeError(f"'CompileConfig' object has no attribute {name!r}{hint}", name=name, obj=self)

    def __repr__(self):
        other = [f"{name}={value}" for name, value in vars(self).items() if name == "arch" or value != OPTIONS[name]]
        return f"<qd.cfg: {', '.join(sorted(other))}; all others at their defaults>"

    @property
    def default_up(self):
        return _dtypes.u64 if self.default_ip.bits == 64 else _dtypes.u32


class SpecialConfig:
    """The options that are not in qd.cfg."""

    def __init__(self, values=None):
        self.__dict__.update(values or SPECIAL)


def repo_dir(environ):
    """Returns the parent folder of the cache on disk; empty if there is no home directory. As usual, an XDG_CACHE_HOME that is not an
    absolute path is ignored."""
    base = environ.get("XDG_CACHE_HOME", "")
    if not base.startswith("/"):
        base = environ["HOME"] + "/.cache" if environ.get("HOME") else ""
    return base + "/quadrants/" if base else ""


def absolute(path):
    """Returns a path that does not depend on the current directory."""
    import os

    try:
        return os.path.abspath(path)
    except OSError:  # the current directory does not exist any more
        return path


def usable_cores():
    """Returns the number of cores that this process may run on."""
    import os

    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


CLEANING_POLICIES = ("never", "version", "lru", "fifo")


def check(arch, values, src_ll_cache, present):
    """Rejects options that contradict each other, or that this version does not support. `present`: the environment variables."""
    cached = values["offline_cache"]
    loads = [_environment.variable(name) for name in ("load_ir", "QUADRANTS_LOAD_PTX") if _environment.value(name, present) not in ("", "0", False)]
    if loads and (cached or src_ll_cache):
        raise ValueError(
            f"Caching must be disabled when using {' and '.join(loads)}: pass offline_cache=False and src_ll_cache=False to qd.init"
        )
    if "QUADRANTS_LOAD_PTX" in loads:
        _logging.warn_caller(f"QUADRANTS_LOAD_PTX has no effect: there is no PTX on arch={arch.name}")
    shows = "print_ir=True" if values["print_ir"] else "QD_DUMP_IR" if _environment.value("dump_ir", present) else ""
    if shows and cached:
        _logging.warn_caller(
            f"{shows} shows only kernels that are compiled; those that the cache on disk holds are not. "
            "Pass offline_cache=False to qd.init to see all of them. [warning_code=DUMP_IR_CACHE_MISMATCH]"
        )
    if values["external_metal_command_queue"] and arch.name != "metal":
        raise ValueError(
            f"external_metal_command_queue needs arch=qd.metal, which this build does not have; the program starts on arch={arch.name}. "
            "Leave the option out, or pass 0"
        )
    policy = values["offline_cache_cleaning_policy"]
    if policy not in CLEANING_POLICIES:
        _logging.warn(f"offline_cache_cleaning_policy={policy!r} is not one of {', '.join(CLEANING_POLICIES)}: nothing is removed")


def _unknown(names):
    """Returns the error message for unknown keywords."""
    known = [*OPTIONS, *SPECIAL, "arch", "enable_fallback", "require_version"]
    meant = [
        (f"{near} for {name}" if len(names) > 1 else near) for name in names if (near := _option_values.nearest(name, known)) is not None
    ]
    return f"Unrecognized keyword argument(s) for qd.init: {', '.join(names)}" + (f"; did you mean {', '.join(meant)}?" if meant else "")


def gather(keywords, present):
    """Returns (options, special options, lines for the log) from the keywords of qd.init and the environment variables. Raises KeyError for
    unknown names, and AssertionError, TypeError or ValueError for invalid values."""
    if "default_up" in keywords:
        raise KeyError("default_up cannot be set: it follows default_ip")
    unknown = [name for name in keywords if name not in OPTIONS and name not in SPECIAL]
    if unknown:
        raise KeyError(_unknown(unknown))
    texts = {name: text for variable, text in present.items() if text and (name := _environment.OPTION_OF.get(variable)) is not None}
    results, log = (dict(OPTIONS), dict(SPECIAL)), []
    for name in {**texts, **keywords}:  # all others have their defaults
        given, text = keywords.get(name), texts.get(name)
        if given is not None:
            value = default_type(name, given, DEFAULT_TYPES[name]) if name in DEFAULT_TYPES else _option_values.checked(name, given)
            if text:
                log.append(f"Environment variable {_environment.variable(name)}={text} overridden by qd.init argument {name}={given}")
        elif text and (name in OPTIONS or name in SPECIAL):
            value = _environment.given(name, present)
            value = _dtypes.names[value] if value is not None and name in DEFAULT_TYPES else value
        else:
            continue
        if value is not None:
            results[name not in OPTIONS][name] = value
    log += _environment.strange(present)
    return [*results, log]
