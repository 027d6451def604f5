"""Variables of the environment as the table of options has them: QD_<NAME>, or a name in capitals as it is."""

import os as _os

from quadrants import _option_values

ROWS = _option_values.ROWS

# For GPUs, or for how the reference is built and tested: programs set them, nothing here reads them.
UNREAD = (
    "QD_ENABLE_CUDA", "QD_ENABLE_AMDGPU", "QD_ENABLE_HIP_MEMPOOL", "QD_VISIBLE_DEVICE", "QD_GRAPH",
    "QD_CUDA_FORCE_FLAT_CHECKPOINT_GRAPH", "QD_DUMP_MSL", "QD_ENABLE_PYBUF", "QD_CI", "QD_IN_DOCKER", "QD_LIB_DIR", "QD_TMP_DIR",
    "QD_MANYLINUX2014_OK", "QD_WANTED_ARCHS", "QD_LITE_TEST",
)  # fmt: skip

_BOOLEANS = {**dict.fromkeys(("1", "true", "on", "yes"), True), **dict.fromkeys(("0", "false", "off", "no"), False)}


def variable(name):
    """What the variable of an option is called."""
    return name if name.isupper() else "QD_" + name.upper()


_VARIABLES = {name: variable(name) for name in ROWS}
OPTION_OF = {variable(name): name for name, row in ROWS.items() if row[3] != "keyword"}  # variable -> option

_ALONE = {name: row[2] for name, row in ROWS.items() if row[3] == "environment"}  # options that the environment alone sets


def variables():
    """Those of options, and those that programs may set."""
    return OPTION_OF.keys() | set(UNREAD)


def given(name, environ=_os.environ):
    """The value that the environment gives to an option; None if it gives none. A number type comes as its name."""
    text = environ.get(_VARIABLES[name], "")
    return _read(name, text) if text.strip() else None


def value(name, environ=_os.environ):
    """The value of an option that the environment alone sets."""
    found = given(name, environ)
    return ROWS[name][2] if found is None else found


def values(present):
    """Of all such options; `present`: what of_package gave."""
    found = dict(_ALONE)
    for given_as, text in present.items():
        name = OPTION_OF.get(given_as)
        if name in found and text.strip():
            found[name] = _read(name, text)
    return found


def asks_for_window():
    """Whether qd.inspect() is to be called as the package is imported. Commands of the package have nothing to show."""
    return bool(_os.environ.get("QD_INSPECT", "").strip()) and not _is_command()


def _is_command():
    import sys

    program = (sys.argv or [""])[0]
    if program == "-m":  # a module is being looked for
        return any(sys.orig_argv[at : at + 2] in (["-m", "quadrants"], ["-m", "quadrants.coverage"], ["-m", "quadrants.cache"]) for at in range(len(sys.orig_argv)))
    return _os.path.basename(program) in ("quadrants", "quadrants-coverage")


def of_package(environ):
    """The variables that may be options, as a dict: each look-up in os.environ encodes a name."""
    return {name: environ[name] for name in environ if name.startswith(("QD_", "QUADRANTS_", "ENABLE_QUADRANTS_"))}


def _read(name, text):
    kind, default = ROWS[name][1:3]
    if kind == "Flag":
        if text.strip().lower() not in _BOOLEANS:
            raise ValueError(f"Invalid {variable(name)}={text}, should be one of {', '.join(_BOOLEANS)}")
        return _BOOLEANS[text.strip().lower()]
    if kind == "Type":
        if text.strip() not in ("32", "64"):
            raise ValueError(f"Invalid {variable(name)}={text}, should be 32 or 64")
        return default[0] + text.strip()
    try:
        return _option_values.checked(name, {"Int": int, "Word": int, "Real": float, "Text": str}[kind](text))
    except ValueError:
        raise ValueError(f"Invalid {variable(name)}={text}, should be {_option_values.allowed(name)}") from None


def strange(environ):
    """A line for each variable that looks like that of an option and is none; each is told once."""
    lines = []
    for name in environ:
        if not name.startswith("QD_") or name in OPTION_OF or name in UNREAD or name in _told:
            continue
        _told.add(name)
        option = name[3:].lower()
        if option in ROWS:
            lines.append(f"Environment variable {name} does nothing: {option} is a keyword of qd.init alone")
        elif meant := _option_values.nearest(name[3:], [v[3:] for v in variables() if v not in UNREAD]):
            lines.append(f"Environment variable {name} is none of Quadrants and does nothing; did you mean QD_{meant}?")
    return lines


_told = set()
