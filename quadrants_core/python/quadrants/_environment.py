"""Variables of the environment as the table of options has them: QD_<NAME>, or a name in capitals as it is."""

import os as _os

from quadrants._lib import _option_rows

ROWS = {row[0]: row for row in _option_rows.ROWS}  # name -> (name, type, default, set by, key, acts, doc)

_BOOLEANS = {**dict.fromkeys(("1", "true", "on", "yes"), True), **dict.fromkeys(("0", "false", "off", "no"), False)}
_NUMBERS = {"Int": (int, "an integer"), "Word": (int, "an integer"), "Real": (float, "a number")}


def variable(name):
    """What the variable of an option is called."""
    return name if name.isupper() else "QD_" + name.upper()


def given(name, environ=_os.environ):
    """The value that the environment gives to an option; None if it gives none. A number type comes as its name."""
    text = environ.get(variable(name), "")
    return _read(name, text) if text.strip() else None


def value(name, environ=_os.environ):
    """The value of an option that the environment alone sets."""
    found = given(name, environ)
    return ROWS[name][2] if found is None else found


def values(environ=_os.environ):
    """Of all such options."""
    present = of_package(environ)
    return {name: value(name, present) for name, row in ROWS.items() if row[3] == "environment"}


def of_package(environ):
    """The variables that may be options: each look-up in os.environ encodes a name."""
    return {name: environ[name] for name in environ if name.startswith(("QD_", "QUADRANTS_", "ENABLE_QUADRANTS_"))}


def _read(name, text):
    kind, default = ROWS[name][1:3]
    if kind == "Text":
        return text
    if kind == "Flag":
        if text.strip().lower() not in _BOOLEANS:
            raise ValueError(f"Invalid {variable(name)}={text}, should be one of {', '.join(_BOOLEANS)}")
        return _BOOLEANS[text.strip().lower()]
    if kind == "Type":
        if text not in ("32", "64"):
            raise ValueError(f"Invalid {variable(name)}={text}, should be 32 or 64")
        return default[0] + text
    make, what = _NUMBERS[kind]
    try:
        return make(text)
    except ValueError:
        raise ValueError(f"Invalid {variable(name)}={text}, should be {what}") from None
