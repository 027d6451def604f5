"""Finds fields and arrays in the variables of a program, for an attached window."""

import sys

from quadrants._inspect import views as _views

MOST = 24


def of_program():
    """Returns [(name, field or array)] for the variables of the main module, and of the data_oriented objects in these. It may be called
    from any thread and executes no code of the program."""
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
    except (TypeError, AttributeError):  # an object of another kind
        return []


def _is_empty(array):
    return type(array).__module__ == "numpy" and array.size == 0
