"""Levels of messages, and the line that import prints."""

TRACE, DEBUG, INFO, WARN, ERROR, CRITICAL = _LEVELS = ("trace", "debug", "info", "warn", "error", "critical")

_level = INFO


def set_logging_level(level):
    """Messages below `level` are not shown."""
    global _level
    if level not in _LEVELS:
        raise ValueError(f"unknown level {level!r}; known: {', '.join(_LEVELS)}")
    _level = level


def is_logging_effective(level):
    """Whether messages of `level` are shown."""
    return _LEVELS.index(level) >= _LEVELS.index(_level)


def print_header():
    import os
    import sys

    if os.environ.get("ENABLE_QUADRANTS_HEADER_PRINT", "1").lower() in ("0", "false"):
        return
    from quadrants._version import version_str

    python = ".".join(map(str, sys.version_info[:3]))
    print(f"[Quadrants] version {version_str}, {_build()}, {sys.platform}, python {python}")


def _build():
    """llvm and commit as the build wrote them."""
    try:
        from quadrants._lib import _build_info

        return f"llvm {_build_info.llvm}, commit {_build_info.commit}"
    except ImportError:
        return "llvm unknown, commit unknown"
