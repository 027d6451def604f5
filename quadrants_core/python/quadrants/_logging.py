"""Log levels, and the line that the import prints."""

import os as _os

from quadrants import _environment
from quadrants._version import version_str

TRACE, DEBUG, INFO, WARN, ERROR, CRITICAL = _LEVELS = ("trace", "debug", "info", "warn", "error", "critical")
_OFF = "off"

_level = INFO
_package = __file__.rpartition("/")[0] + "/"


def set_logging_level(level):
    """Sets the lowest level of messages that are shown.

    Args:
        level: `qd.TRACE`, `qd.DEBUG`, `qd.INFO`, `qd.WARN`, `qd.ERROR` or `qd.CRITICAL`, or one of their names as a string.

    Example:
        >>> qd.set_logging_level(qd.WARN)
        >>> qd.is_logging_effective(qd.INFO)
        False
        >>> qd.set_logging_level(qd.INFO)
    """
    global _level
    _check(level)
    _level = level


def _check(level):
    if level not in _LEVELS and level != _OFF:
        raise RuntimeError(f"Unknown logging level [{level}]. Levels = {', '.join(_LEVELS)}, {_OFF}")


def is_logging_effective(level):
    """Returns whether messages of `level` are shown.

    Args:
        level: `qd.TRACE`, `qd.DEBUG`, `qd.INFO`, `qd.WARN`, `qd.ERROR` or `qd.CRITICAL`, or one of their names as a string.

    Returns:
        True or False.

    Example:
        >>> qd.is_logging_effective(qd.ERROR)
        True
    """
    _check(level)
    return level != _OFF and _level != _OFF and _LEVELS.index(level) >= _LEVELS.index(_level)


def _show(level, message):
    if is_logging_effective(level):
        import sys

        if not _record(level, message):
            print(f"[Quadrants] [{level}] {message}", file=sys.stderr, flush=True)


_NUMBERS = {TRACE: 5, DEBUG: 10, INFO: 20, WARN: 30, ERROR: 40, CRITICAL: 50}


def _record(level, message):
    """Passes a message to the logger `quadrants`, if the program has imported logging. Returns whether a handler shows it at the console."""
    import sys

    logging = sys.modules.get("logging")
    if logging is None or not hasattr(logging, "getLogger"):  # another thread is importing it
        return False
    logger = logging.getLogger("quadrants")
    if not logger.hasHandlers() or not logger.isEnabledFor(_NUMBERS[level]):
        return False
    logger.log(_NUMBERS[level], "%s", message)
    consoles = sys.stdout, sys.stderr, sys.__stderr__
    while logger is not None:
        if any(getattr(handler, "stream", None) in consoles and _NUMBERS[level] >= handler.level for handler in logger.handlers):
            return True
        logger = logger.parent if logger.propagate else None
    return False


def trace(message):
    _show(TRACE, message)


def debug(message):
    _show(DEBUG, message)


def info(message):
    _show(INFO, message)


def warn(message):
    _show(WARN, message)


def error(message):
    """Shows the message and raises it as RuntimeError."""
    _show(ERROR, message)
    raise RuntimeError(message)


def critical(message):
    """Shows the message and raises it as RuntimeError."""
    _show(CRITICAL, message)
    raise RuntimeError(message)


_BY_LEVEL = {TRACE: trace, DEBUG: debug, INFO: info, WARN: warn, ERROR: error, CRITICAL: critical}


def _get_logging(name):
    """Returns the function that shows messages of this level. Programs may have replaced it."""
    _check(name)
    return _BY_LEVEL[name]


def print_header():
    import sys

    if not _environment.value("ENABLE_QUADRANTS_HEADER_PRINT"):
        return
    if _os.environ.get("QD_LOG_LEVEL") in (WARN, ERROR, CRITICAL, _OFF) or _is_plugin_load() or _is_report():
        return
    python = ".".join(map(str, sys.version_info[:3]))
    wanted = _environment.given("ENABLE_QUADRANTS_HEADER_PRINT")  # True only if the variable is set
    print(f"[Quadrants] version {version_str}, {_build()}, {sys.platform}, python {python}", file=None if wanted or _is_interactive() else sys.stderr)


def _is_interactive():
    """True at a terminal, in a Python shell and in a notebook. Elsewhere the output may be the input of another program."""
    import sys

    try:
        return hasattr(sys, "ps1") or sys.stdout.isatty()
    except (AttributeError, ValueError):  # there is no output, or it is closed
        return False


def _is_plugin_load():
    """True while pytest imports the package as a plugin, which it does in every project of the environment."""
    import sys

    frame = sys._getframe() if "_pytest.config" in sys.modules else None
    while frame is not None and frame.f_code.co_name != "load_setuptools_entrypoints":
        frame = frame.f_back
    return frame is not None


def _is_report():
    """True in the commands of the package, whose output may be redirected to a file."""
    import sys

    program = (sys.argv or [""])[0]
    modules = {"quadrants", "quadrants.coverage", "quadrants.cache"}
    return _os.path.basename(program) in ("quadrants", "quadrants-coverage") or (program == "-m" and not modules.isdisjoint(sys.orig_argv))


def _build():
    """The LLVM version and the commit recorded by the build."""
    try:
        from quadrants._lib import _build_info

        return f"llvm {_build_info.llvm}, commit {_build_info.commit}"
    except ImportError:
        return "llvm unknown, commit unknown"


def warn_caller(message, kind=UserWarning):
    """Issues a warning at the line of user code that called into the package, at whatever depth the cause was found."""
    import sys
    import warnings

    frame, depth = sys._getframe(1), 1
    while frame is not None and frame.f_code.co_filename.startswith(_package):
        frame, depth = frame.f_back, depth + 1
    warnings.warn(message, kind, stacklevel=depth + 1 if frame is not None else 2)
