"""Fields and arrays that a program has in variables, for a window that it knows nothing of."""

import sys

from quadrants._inspect import views as _views

MOST = 24


def of_program():
    """[(name, field or array)] of the variables of the main module, and of the data_oriented objects that it has in some. Any thread
    asks; nothing of the program's own runs."""
    found = []
    for name, value in vars(sys.modules["__main__"]).copy().items():
        if name.startswith("_") or isinstance(value, type):
            continue
        if _kind(value) == "data_oriented":
            for attribute, member in getattr(value, "__dict__", {}).copy().items():
                found += _shown(f"{name}.{attribute}", member)
        else:
            found += _shown(name, value)
    return found[:MOST]


def _kind(value):
    return next((made.__dict__["_qd_kind_"] for made in type(value).__mro__ if "_qd_kind_" in made.__dict__), None)


def _shown(name, value):
    if isinstance(value, type) or type(value).__module__.partition(".")[0] not in ("quadrants", "numpy"):
        return []
    try:
        return [one for one in _views.named((), {name: value}, ()) if not _is_empty(one[1])]
    except (TypeError, AttributeError):  # another kind of thing
        return []


def _is_empty(array):
    return type(array).__module__ == "numpy" and array.size == 0
