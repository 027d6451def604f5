"""The options of qd.init as Python objects. Which there are stands in quadrants_core/options/options.def."""

from quadrants import _dtypes, _environment


def _of(*set_by):
    """name -> default of the options that are set in one of these ways"""
    found = {}
    for name, kind, default, by, *_ in _environment.ROWS.values():
        if by in set_by:
            found[name] = _dtypes.names[default] if kind == "Type" else default
    return found


OPTIONS = _of("config")
SPECIAL = _of("special", "keyword")


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
    """Options that are not in qd.cfg."""

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


def check(values, src_ll_cache):
    """Options that contradict each other, or that this version cannot carry out as they say."""
    import warnings

    cached = values["offline_cache"]
    loads = [name for name in ("load_ir", "QUADRANTS_LOAD_PTX") if _environment.value(name) not in ("", "0")]
    loads = [_environment.variable(name) for name in loads]
    if loads and (cached or src_ll_cache):
        raise ValueError(
            f"Caching must be disabled when using {' and '.join(loads)}: pass offline_cache=False and src_ll_cache=False to qd.init"
        )
    for name in loads:
        warnings.warn(f"{name} has no effect: kernels are compiled from their source", stacklevel=4)
    shows = "print_ir=True" if values["print_ir"] else "QD_DUMP_IR" if _environment.value("dump_ir") else ""
    if shows and cached:
        warnings.warn(
            f"{shows} shows only kernels that are compiled; those that the cache on disk holds are not. "
            "Pass offline_cache=False to qd.init to see all of them. [warning_code=DUMP_IR_CACHE_MISMATCH]",
            stacklevel=4,
        )
    policy = values["offline_cache_cleaning_policy"]
    if policy not in CLEANING_POLICIES:
        raise ValueError(f"offline_cache_cleaning_policy={policy!r}: choose one of {', '.join(CLEANING_POLICIES)}")


def gather(keywords, environ):
    """(options, special options) from the keywords of qd.init and the environment; KeyError for what is unknown."""
    import warnings

    if "default_up" in keywords:
        raise KeyError("default_up cannot be set: it follows default_ip")
    unknown = [name for name in keywords if name not in OPTIONS and name not in SPECIAL]
    if unknown:
        raise KeyError(f"Unrecognized keyword argument(s) for qd.init: {', '.join(unknown)}")
    results = []
    present = _environment.of_package(environ)
    for table in (OPTIONS, SPECIAL):
        values = dict(table)
        for name in table:
            kind, by = _environment.ROWS[name][1], _environment.ROWS[name][3]
            text = "" if by == "keyword" else present.get(_environment.variable(name), "")
            if keywords.get(name) is not None:
                values[name] = keywords[name]
                if text:
                    warnings.warn(
                        f"Environment variable {_environment.variable(name)}={text} overridden by qd.init argument "
                        f"{name}={keywords[name]}",
                        stacklevel=4,
                    )
            elif text and (found := _environment.given(name, present)) is not None:
                values[name] = _dtypes.names[found] if kind == "Type" else found
        results.append(values)
    return results
