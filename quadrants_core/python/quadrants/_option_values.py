"""The valid values of options, and the error messages for others."""

import operator as _operator
import os as _os

from quadrants._lib import _option_rows

ROWS = {row[0]: row for row in _option_rows.ROWS}  # name -> (name, type, default, set by, key, acts, doc)

# Minimum and maximum; the minimum of other numbers is 0.
_LIMITS = {
    "opt_level": (0, 3),
    "cpu_max_num_threads": (0, 1024),
    "lanes": (0, 64),
    "default_cpu_block_dim": (1, 2**31 - 1),
    "num_compile_threads": (0, 1024),
    "offline_cache_cleaning_factor": (0, 1),
    "device_memory_fraction": (0, 1),
}
_GREATEST = {"Int": 2**31 - 1, "Word": 2**64 - 1, "Real": 1e300}
CHOICES = {"log_level": ("trace", "debug", "info", "warn", "error", "critical", "off")}
_PATHS = ("offline_cache_file_path", "debug_dump_path")


def limits(name):
    """Returns the limits of a numeric option."""
    return _LIMITS.get(name, (0, _GREATEST[ROWS[name][1]]))


def allowed(name):
    """Describes the valid values of an option."""
    kind = ROWS[name][1]
    if kind == "Flag":
        return "True or False"
    if kind == "Text":
        return f"one of {', '.join(CHOICES[name])}" if name in CHOICES else "a path" if name in _PATHS else "text"
    least, greatest = limits(name)
    what = "an integer" if kind != "Real" else "a number"
    if name not in _LIMITS and kind != "Int":
        return f"{what} that is not negative" if kind == "Real" else f"{what} from 0 to 2**64 - 1"
    return f"{what} from {least} to {greatest}"


def shown(value):
    """Formats a value for a message."""
    try:
        text = repr(value)
    except Exception:
        text = f"a {type(value).__name__} without a repr"
    return text if len(text) <= 80 else text[:77] + "..."


def flag(name, value):
    """Returns `value` as a bool; it must be True, False, 0, 1 or a NumPy bool."""
    if value is True or value is False:
        return value
    if type(value).__name__ in ("bool", "bool_") and type(value).__module__ == "numpy":
        return bool(value)
    try:
        number = _operator.index(value)
    except TypeError:
        raise TypeError(f"the option {name} must be a bool, True or False, not {shown(value)}") from None
    if number not in (0, 1):
        raise ValueError(f"the option {name} must be True or False, not {shown(value)}")
    return bool(number)


def checked(name, value):
    """Returns `value` in the form in which the option is stored. Raises TypeError or ValueError if it is not valid."""
    kind = ROWS[name][1]
    if kind == "Flag":
        return flag(name, value)
    if kind == "Text":
        return _text(name, value)
    try:
        number = float(value) if kind == "Real" and not isinstance(value, (str, bytes)) else _operator.index(value)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"the option {name} must be {allowed(name)}, not {shown(value)}") from None
    least, greatest = limits(name)
    if not least <= number <= greatest:
        raise ValueError(f"the option {name} must be {allowed(name)}, not {shown(value)}")
    return number


def _text(name, value):
    try:
        text = _os.fspath(value)
    except TypeError:
        text = None
    if isinstance(text, bytes):
        text = _os.fsdecode(text)
    if text is None or (not isinstance(value, str) and name not in _PATHS):
        raise TypeError(f"the option {name} must be {allowed(name)}, not {shown(value)}")
    try:
        holds_nul = b"\0" in _os.fsencode(text)
    except UnicodeEncodeError:
        holds_nul = True
    if holds_nul or text not in CHOICES.get(name, (text,)):
        raise ValueError(f"the option {name} must be {allowed(name)}, not {shown(value)}")
    return _path(name, text) if name in _PATHS else text


def _path(name, text):
    """Expands `~` to the home directory of a user, as in a shell."""
    if not text.startswith("~"):
        return text
    path = _os.path.expanduser(text)
    if path == text:
        raise ValueError(f"the option {name} must be a path, not {shown(text)}: there is no home folder {text.partition('/')[0]}")
    return path


def nearest(word, words):
    """Returns the most similar of `words`, or None if none is similar."""
    import difflib

    found = difflib.get_close_matches(word, words, 1, 0.7)
    return found[0] if found else None
