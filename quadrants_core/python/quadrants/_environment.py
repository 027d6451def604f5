"""Environment variables of the table of options: QD_<NAME>, or the name itself if it is in capitals."""

import os as _os

from quadrants import _option_values

ROWS = _option_values.ROWS

# Variables for GPUs, or for building and testing the reference: programs set them, but nothing here reads them.
UNREAD = (
    "QD_ENABLE_CUDA", "QD_ENABLE_AMDGPU", "QD_ENABLE_HIP_MEMPOOL", "QD_VISIBLE_DEVICE", "QD_GRAPH",
    "QD_CUDA_FORCE_FLAT_CHECKPOINT_GRAPH", "QD_DUMP_MSL", "QD_ENABLE_PYBUF", "QD_CI", "QD_IN_DOCKER", "QD_LIB_DIR", "QD_TMP_DIR",
    "QD_MANYLINUX2014_OK", "QD_WANTED_ARCHS", "QD_LITE_TEST",
)  # fmt: skip

_BOOLEANS = {**dict.fromkeys(("1", "true", "on", "yes"), True), **dict.fromkeys(("0", "false", "off", "no"), False)}


def variable(name):
    """Returns the environment variable of an option."""
    return name if name.isupper() else "QD_" + name.upper()


_VARIABLES = {name: variable(name) for name in ROWS}
OPTION_OF = {variable(name): name for name, row in ROWS.items() if row[3] != "keyword"}  # variable -> option

_ALONE = {name: row[2] for name, row in ROWS.items() if row[3] == "environment"}  # options that can only be set in the environment


def variables():
    """Returns the variables of options, and others that programs may set."""
    return OPTION_OF.keys() | set(UNREAD)


def given(name, environ=_os.environ):
    """Returns the value of an option in the environment, or None if it is not set. A number type is returned as its name."""
    text = environ.get(_VARIABLES[name], "")
    return _read(name, text) if text.strip() else None


def value(name, environ=_os.environ):
    """Returns the value of an option that can only be set in the environment."""
    found = given(name, environ)
    return ROWS[name][2] if found is None else found


def values(present):
    """Returns the values of all such options; `present` is the result of of_package."""
    found = dict(_ALONE)
    for given_as, text in present.items():
        name = OPTION_OF.get(given_as)
        if name in found and text.strip():
            found[name] = _read(name, text)
    return found


def asks_for_window():
    """Returns whether the import must call qd.inspect(). It is not called for the package's own commands."""
    return bool(_os.environ.get("QD_INSPECT", "").strip()) and not _is_command()


def _is_command():
    import sys

    program = (sys.argv or [""])[0]
    if program == "-m":  # the module is being located
        return any(sys.orig_argv[at : at + 2] in (["-m", "quadrants"], ["-m", "quadrants.coverage"], ["-m", "quadrants.cache"]) for at in range(len(sys.orig_argv)))
    return _os.path.basename(program) in ("quadrants", "quadrants-coverage")


def of_package(environ):
    """Returns the variables that may be options as a dict, since each access to os.environ encodes a name."""
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
    """Returns a message for each variable that resembles an option but is unknown; each is reported once."""
    lines = []
    for name in environ:
        if not name.startswith("QD_") or name in OPTION_OF or name in UNREAD or name in _told:
            continue
        _told.add(name)
        option = name[3:].lower()
        if option in ROWS:
            lines.append(f"Environment variable {name} has no effect: {option} is only a keyword of qd.init")
        elif meant := _option_values.nearest(name[3:], [v[3:] for v in variables() if v not in UNREAD]):
            lines.append(f"Environment variable {name} is not used by Quadrants; did you mean QD_{meant}?")
    return lines


_told = set()
